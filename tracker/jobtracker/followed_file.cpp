#include "tracker/jobtracker/followed_file.h"

#include <fmt/format.h>

#include "conf/diff.h"
#include "jobqueue/model/counted.h"
#include "tracker/jobtracker/settings_file.h"

namespace weir {
namespace {

constexpr const char* kRules[] = {
    "an edit of the file replaces these whole (conf.source: newest)",
    "the file alone counts from its next reading on (conf.source: file)",
    "the file does not count until somebody applies it (conf.source: applied)"};

}  // namespace

SettingsFileView standing_of(const FileContent& file, const Settings& in_force,
                             const SettingsStamp& stamp) {
  SettingsFileView out;
  const auto from = static_cast<std::size_t>(in_force.from);
  out.file = file.path;
  out.source = kSettingsFromNames[from];
  if (file.path.empty()) return out;
  if (!file.unreadable.empty()) {
    out.says = fmt::format("{} cannot be read: the settings in force stay", file.path);
    out.changes = {file.unreadable};
    out.sound = false;
    return out;
  }
  const auto loaded = load_owned(file.path, file.text);
  if (!loaded) {
    out.says = fmt::format("{} is not sound: the settings in force are not of it", file.path);
    out.changes = loaded.error().diagnostics;
    out.sound = false;
    return out;
  }
  out.changes = diff_settings(in_force, loaded->settings);
  if (out.changes.empty()) return out;
  out.says = fmt::format("{} differs in {} from what {}: {}", file.path,
                         counted(static_cast<std::int64_t>(out.changes.size()), "setting"),
                         stamp.by.empty() ? "is in force" : stamp.by + " applied", kRules[from]);
  return out;
}

Status may_apply(const FileContent& file, const Settings& in_force) {
  if (in_force.from != SettingsFrom::kFile || file.path.empty()) return Ok{};
  return Error{ErrorCode::kSettingsRefused,
               "conf.source is file: the settings are those of " + file.path + " alone",
               "edit that file; or let it say conf: {source: newest}, or applied",
               {}};
}

}  // namespace weir
