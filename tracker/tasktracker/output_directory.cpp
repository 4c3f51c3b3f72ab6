#include "tracker/tasktracker/output_directory.h"

#include <algorithm>

namespace weir::tasktracker {
namespace {

constexpr int kMostTries = 16;  // each one that fails, another of the job has got further

std::string last_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// Beside the output: while it is made, and while it is removed.
std::string aside_name(const JobOutput& output, const char* why) {
  std::string name = ".weir-" + output.owner + why;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == '/'; }, '-');
  return name;
}
std::string making_name(const JobOutput& output) {
  return aside_name(output, "");
}
std::string ending_name(const JobOutput& output) {
  return aside_name(output, "-ended");
}

Error cannot_be_made(const JobOutput& output, const std::string& why) {
  return data_error("output " + output.path + " cannot be made: " + why);
}

// Without the name that it has while it is made, which says nothing to people.
std::string cause_alone(const std::string& message) {
  const std::size_t colon = message.rfind(": ");
  return colon == std::string::npos ? message : message.substr(colon + 2);
}

std::string mark_of(Directory& directory, const std::string& owner) {
  const auto here = directory.info();
  return owner + "\n" + std::to_string(here ? here->identity.inode : 0) + "\n";
}

// False: another of the job came between, so look again.
Result<bool> make_output(const JobOutput& output, const std::string& who, Directory& parent) {
  const std::string aside = making_name(output);
  if (auto made = parent.make_directory(aside); !made) return made.error();
  auto directory = parent.open(aside);
  if (!directory) return directory.error();
  if (*directory == nullptr) return false;
  if (!is_marked(**directory, output.owner)) {
    // What the mark is synced with.
    if (auto made = (*directory)->make_directory(kAside); !made && parent.info(aside))
      return made.error();
    if (auto marked = mark_output(**directory, output.owner, who); !marked) {
      if (parent.info(aside)) return marked.error();
      return false;
    }
  } else if (auto synced = (*directory)->sync(); !synced) {  // it may have died before it did this
    return synced.error();
  }
  auto moved = parent.rename_directory(aside, last_name(output.path));
  if (!moved) {
    const bool overtaken = !parent.info(aside) || parent.info(last_name(output.path));
    return overtaken ? Result<bool>(false) : moved;
  }
  if (auto synced = parent.sync(); !synced) return synced.error();
  return *moved;
}

Error not_ours(const std::string& path) {
  return data_error(path +
                    ": exists and was not made by this job; Weir never writes into, or removes, "
                    "what is another's");
}

}  // namespace

bool is_marked(Directory& directory, const std::string& owner) {
  return directory.read_small(kOwnerMark) == mark_of(directory, owner);
}

bool has_succeeded(Directory& directory, const std::string& owner) {
  return directory.read_small(kSuccessMark) == owner + "\n";
}

Result<TakenOutput> take_output(const JobOutput& output, const std::string& who,
                                FileSystem& files) {
  auto parent = make_durable_directories(files, parent_directory(output.path));
  if (!parent) return cannot_be_made(output, parent.error().message);
  bool made_here = false;
  for (int tries = 0; tries < kMostTries; ++tries) {
    auto there = files.open(output.path);
    if (!there) return there.error();
    if (*there != nullptr) {
      if (!is_marked(**there, output.owner) && !has_succeeded(**there, output.owner))
        return not_ours(output.path);
      if (made_here) return TakenOutput{std::move(*there), true};
      // Its maker may have died before it did this.
      if (auto synced = (*parent)->sync(); !synced) return synced.error();
      return TakenOutput{std::move(*there), false};
    }
    auto made = make_output(output, who, **parent);
    if (!made) return cannot_be_made(output, cause_alone(made.error().message));
    made_here = *made;
  }
  return not_ours(output.path);
}

Status keep_output_place(const JobOutput& output, const std::string& who, FileSystem& files) {
  const auto found = find_output(output, files);
  if (!found) return found.error();
  if (*found != nullptr) return Ok{};
  const auto taken = take_output(output, who, files);
  return taken ? Status(Ok{}) : Status(taken.error());
}

Result<DirectoryPtr> find_output(const JobOutput& output, FileSystem& files) {
  auto there = files.open(output.path);
  if (!there || *there == nullptr) return there;
  if (is_marked(**there, output.owner) || has_succeeded(**there, output.owner)) return there;
  return DirectoryPtr();
}

// Whole before it has its name, and never written over: others of the job may be at it, too.
Status mark_output(Directory& directory, const std::string& owner, const std::string& who) {
  const std::string draft = std::string(kOwnerMark) + "." + who;
  auto fd = directory.create_file(draft);
  if (!fd) return fd.error();
  if (auto w = directory.write_small(draft, *fd, mark_of(directory, owner)); !w) return w;
  if (auto synced = directory.sync_file(draft, *fd); !synced) return synced;
  if (auto named = directory.publish(draft, kOwnerMark); !named) return named.error();
  if (auto removed = directory.remove_file(draft); !removed) return removed;
  return directory.sync();
}

Status remove_mark(Directory& directory) {
  for (const std::string& name : directory.list()) {
    if (!name.starts_with(std::string(kOwnerMark) + ".")) continue;  // of one that died
    if (auto removed = directory.remove_file(name); !removed) return removed;
  }
  if (auto removed = directory.remove_file(kOwnerMark); !removed) return removed;
  return directory.sync();
}

bool only_mark_left(Directory& directory) {
  const auto names = directory.list();
  return std::all_of(names.begin(), names.end(),
                     [](const std::string& name) { return name.starts_with(kOwnerMark); });
}

Status give_up_output(const JobOutput& output, Directory& directory, FileSystem& files) {
  if (!only_mark_left(directory)) return remove_mark(directory);
  // Out of its place first: were the mark removed there, and this process died, nobody could say
  // whose the empty directory is.
  auto parent = files.open(parent_directory(output.path));
  if (!parent) return parent.error();
  if (*parent == nullptr) return Ok{};
  const auto there = (*parent)->info(last_name(output.path));
  const auto mine = directory.info();
  if (!there || !mine || there->identity != mine->identity)
    return remove_mark(directory);  // its path is a link
  auto moved = (*parent)->rename_directory(last_name(output.path), ending_name(output));
  if (!moved) return moved.error();
  if (!*moved) return remove_mark(directory);
  return remove_rests(output, files);
}

Status remove_rests(const JobOutput& output, FileSystem& files, bool removed_before) {
  auto parent = files.open(parent_directory(output.path));
  if (!parent) return parent.error();
  if (*parent == nullptr) return Ok{};
  bool any = false;
  for (const std::string& name : {making_name(output), ending_name(output)}) {
    if (!(*parent)->info(name)) continue;
    any = true;
    if (auto removed = (*parent)->remove_tree(name); !removed) return removed;
  }
  return any || removed_before ? (*parent)->sync() : Status(Ok{});
}

}  // namespace weir::tasktracker
