#include "tracker/tasktracker/hidden_directories.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <system_error>
#include <thread>

#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {
namespace {

// Enough for the mount points of one attempt.
constexpr const char* kEmpty = "mode=0755,size=256k,nr_inodes=256";
constexpr unsigned long kFlags = MS_NOSUID | MS_NODEV | MS_NOEXEC;

Status mount_step(const std::string& what, int result) {
  if (result == 0) return Ok{};
  return system_error("mount namespace: " + what);
}

// Whether anything can be made in what covers the directory.
Status change_cover(const std::string& covered, unsigned long more_flags) {
  const unsigned long flags = MS_REMOUNT | kFlags | more_flags;
  return mount_step(covered, ::mount(nullptr, covered.c_str(), nullptr, flags, kEmpty));
}

// What the mounts keep is known by a descriptor: its path leads into the empty file system by then.
Status bind_back(const UniqueFd& directory, const std::string& path) {
  if (auto made = make_directories(path); !made) return made;
  const std::string source = "/proc/self/fd/" + std::to_string(directory.get());
  return mount_step(path, ::mount(source.c_str(), path.c_str(), nullptr, MS_BIND, nullptr));
}

}  // namespace

Status hide_directories(const HiddenDirectories& hidden) {
  if (auto own = mount_step("unshare", ::unshare(CLONE_NEWNS)); !own) return own;
  // What is mounted here stays here; what is mounted outside is still seen.
  if (auto own = mount_step("/", ::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr)); !own)
    return own;
  std::vector<UniqueFd> kept;
  for (const std::string& path : hidden.kept) {
    auto directory = open_file(path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
    if (!directory) return directory.error();
    kept.push_back(std::move(*directory));
  }
  const char* over = hidden.covered.c_str();
  if (auto done = mount_step(over, ::mount("weir", over, "tmpfs", kFlags, kEmpty)); !done)
    return done;
  for (const std::string& path : hidden.empty) {
    if (::mkdir(path.c_str(), 0755) != 0) return system_error(path);
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (auto bound = bind_back(kept[i], hidden.kept[i]); !bound) return bound;
  }
  if (auto sealed = change_cover(hidden.covered, MS_RDONLY); !sealed) return sealed;
  for (const std::string& path : hidden.read_only) {
    const int done =
        ::mount(nullptr, path.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr);
    if (auto sealed = mount_step(path, done); !sealed) return sealed;
  }
  for (const unsigned long capability : {CAP_SYS_ADMIN, CAP_SYS_PTRACE}) {
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) return system_error("capabilities");
  }
  return Ok{};
}

Status rename_kept(const std::string& covered, const std::vector<KeptRename>& renames) {
  if (auto open = change_cover(covered, 0); !open) return open;
  for (const KeptRename& each : renames) {
    if (::mkdir(each.to.c_str(), 0755) != 0) return system_error(each.to);
    const int moved = ::mount(each.from.c_str(), each.to.c_str(), nullptr, MS_MOVE, nullptr);
    if (auto done = mount_step(each.to, moved); !done) return done;
    if (::rmdir(each.from.c_str()) != 0) return system_error(each.from);
  }
  return change_cover(covered, MS_RDONLY);
}

std::string why_not_hidden(const HiddenDirectories& hidden) {
  if (::geteuid() != 0) return "not root";
  // Not in a child: a fork copies the locks that other threads hold, the allocator's among them.
  // The namespace, and the capabilities that are lost, are this thread's.
  std::string why;
  try {
    std::thread([&] {
      if (const Status done = hide_directories(hidden); !done) why = done.error().message;
    }).join();
  } catch (const std::system_error& failed) {
    why = std::string("no thread to try it: ") + failed.what();
  }
  return why;
}

}  // namespace weir::tasktracker
