#include "conf/load.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conf/policies.h"
#include "conf/queues.h"
#include "conf/removed_queues.h"
#include "conf/sections.h"
#include "conf/yaml_reader.h"

namespace weir {
namespace {

constexpr std::string_view kSizeAllowed = "a settings file of at most 1 MiB";

Error refused(const std::string& file, std::string_view what, std::string_view allowed) {
  Diagnostics out(file);
  out.error({}, fmt::format("{}, allowed: {}", what, allowed));
  return out.as_error();
}

// Closes what open() gave.
struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

Result<std::string> read_file(const std::string& file) {
  // Not blocking, so that a FIFO somebody put in the place of the file holds nothing up.
  const Descriptor opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat status {};
  if (opened.fd < 0 || ::fstat(opened.fd, &status) != 0) {
    return refused(file, fmt::format("cannot be opened: {}", std::strerror(errno)),
                   "a settings file that can be read");
  }
  if (!S_ISREG(status.st_mode)) return refused(file, "is no regular file", "a settings file");
  std::string text(kMaxSettingsBytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::read(opened.fd, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return refused(file, fmt::format("cannot be read: {}", std::strerror(errno)),
                     "a settings file that can be read");
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

void read_policy(const MapReader& root, Settings& settings) {
  const std::vector<std::string> names = policy_names();
  const std::vector<std::string_view> allowed(names.begin(), names.end());
  if (const auto index = root.read_enum("policy", allowed)) settings.policy = names[*index];
  for (const PolicySection& section : policy_sections()) {
    settings.policies[std::string(section.name)] =
        section.read(root.find(section.name), root.out());
  }
  const YamlNode* fair = root.find("fair");
  if (fair == nullptr) return;
  if (fair->kind != YamlNode::Kind::kMap && fair->kind != YamlNode::Kind::kNull) {
    root.wrong(*fair, "fair", "a map");
  } else {
    root.out().warning(fair->at, "the fair policy is not part of this build; section ignored");
  }
}

}  // namespace

Result<Loaded> load_settings_text(const std::string& name, std::string_view text) {
  if (text.size() > kMaxSettingsBytes) {
    return refused(name, fmt::format("is larger than {} bytes", kMaxSettingsBytes), kSizeAllowed);
  }
  Diagnostics out(name);
  const YamlNode::Ptr document = parse_yaml(text, out);
  if (!document) return out.as_error();
  // A file caught half written is often empty; taking it for all defaults would drop every queue.
  if (document->kind == YamlNode::Kind::kNull) {
    return refused(name, "holds no settings", "at least one key, for example policy: capacity");
  }
  Loaded loaded = read_settings(*document, out);
  if (!out.ok()) return out.as_error();
  loaded.settings.notices = out.warnings();
  loaded.settings.text = text;
  return loaded;
}

Loaded read_settings(const YamlNode& document, Diagnostics& out) {
  Loaded loaded;
  const MapReader root(
      &document, "", out,
      {"policy", "listen", "store", "heartbeat", "capacity", "fair", "queues", "removed_queues",
       "limits", "administrators", "finished_jobs_kept", "tracker"});
  read_policy(root, loaded.settings);
  read_heartbeat(root, loaded.settings.heartbeat);
  root.read_strings("administrators", loaded.settings.administrators);
  root.read_duration("finished_jobs_kept", loaded.settings.finished_jobs_kept_ms, {.never = true});
  const std::size_t errors = out.error_count();
  loaded.settings.queues = load_queues(root.find("queues"), out);
  const bool queues_good = out.error_count() == errors;
  loaded.settings.removed_queues = read_removed_queues(
      root, queues_good ? loaded.settings.queues : std::vector<QueueSettings>());
  read_daemon(root, loaded.daemon);
  for (const std::string_view key : {"listen", "store", "limits"}) {
    if (root.has(key)) loaded.daemon_sections.emplace_back(key);
  }
  loaded.daemon.administrators = loaded.settings.administrators;
  read_tracker(root, loaded.tracker);
  loaded.settings.source = out.file();
  return loaded;
}

Result<Loaded> load_settings(const std::string& file) {
  const Result<std::string> text = read_file(file);
  if (!text) return text.error();
  return load_settings_text(file, *text);
}

}  // namespace weir
