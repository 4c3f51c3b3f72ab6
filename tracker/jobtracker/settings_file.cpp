#include "tracker/jobtracker/settings_file.h"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "jobqueue/model/cluster_state.h"

namespace weir {
namespace {

std::string process_owner() {
  const passwd* entry = ::getpwuid(::geteuid());
  return entry != nullptr ? entry->pw_name : std::to_string(::geteuid());
}

Result<Loaded> owned(Result<Loaded> loaded) {
  static const std::string owner = process_owner();
  if (loaded && loaded->settings.administrators.empty()) {
    loaded->settings.administrators = {owner};
    loaded->daemon.administrators = {owner};
  }
  return loaded;
}

bool displaces_jobs(const Settings& settings, const Snapshot& snapshot) {
  const auto tree = QueueTree::build(settings.queues);
  return tree.ok() && std::any_of(snapshot.jobs.begin(), snapshot.jobs.end(), [&](const auto& job) {
           return !is_over(job.state) && !queue_after(settings, *tree, job.queue).valid();
         });
}

}  // namespace

Result<Loaded> load_owned(const std::string& name, std::string_view text) {
  return owned(load_settings_text(name, text));
}

Result<Loaded> load_owned(const std::string& name, const SettingsText& text) {
  return owned(load_settings_text(name, text));
}

Result<Loaded> load_replacing(const std::string& name, const SettingsText& text,
                              const Settings& in_force) {
  auto loaded = load_owned(name, text);
  if (!loaded || loaded->names_queues) return loaded;
  const auto& queues = in_force.queues;
  if (queues.size() == 1 && queues[0].queues.empty() && queues[0].name == "default") return loaded;
  const std::string what =
      name + ":1:1: has no `queues`: settings replace those in force as a whole, and no queue of "
             "these would be left; allowed: all queues that there are to be, or "
             "queues: [{name: default}]";
  return Error{ErrorCode::kSettingsRefused, what, "", {what}};
}

std::string content_hash(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ull;  // FNV-1a
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211ull;
  }
  return fmt::format("{:016x}-{}", hash, text.size());
}

Result<StartSettings> decide_settings(const std::string& file, const Snapshot& snapshot) {
  StartSettings out;
  if (file.empty()) {
    auto defaults = load_owned("defaults", "policy: capacity");
    if (!defaults) return defaults.error();
    out.loaded = std::move(*defaults);
    out.why = "defaults, as no file is named";
  } else {
    const auto text = read_settings_text(file);
    if (!text) return text.error();
    auto loaded = load_owned(file, *text);
    if (!loaded) return loaded.error();
    out.loaded = std::move(*loaded);
    out.file_hash = content_hash(text->joined());
    out.why = "from " + file;
  }
  out.policy_before = out.loaded.settings.policy;
  if (snapshot.settings_text.empty()) return out;
  auto stored = load_owned(snapshot.settings_source, std::string_view(snapshot.settings_text));
  if (stored) out.policy_before = stored->settings.policy;
  const bool changed = !out.file_hash.empty() && out.file_hash != snapshot.settings_file_hash;
  const SettingsFrom from = stored ? stored->settings.from : SettingsFrom::kNewest;
  const bool applied = from == SettingsFrom::kApplied && !snapshot.settings_stamp.by.empty();
  if (from == SettingsFrom::kFile && !file.empty() &&
      out.loaded.settings.text != snapshot.settings_text) {
    out.why = "from " + file + ", which alone counts (conf.source: file)";
    return out;
  }
  if (changed && !applied && stored && displaces_jobs(out.loaded.settings, snapshot)) {
    // Refused, as it is while the JobTracker runs; it is read once more then, so that people are
    // told why.
    out.loaded.settings = std::move(stored->settings);
    out.from_file = false;
    out.file_hash = snapshot.settings_file_hash;
    out.why = "as last applied, from the store (" + snapshot.settings_source + "); " + file +
              " leaves unfinished jobs without a queue";
    return out;
  }
  if (changed && !applied) {
    out.why = file + " has changed since it was last read: it replaces the settings in the store";
    return out;
  }
  if (!stored) {
    Error error = stored.error();
    error.message = "the settings in the store are not valid for this version: " + error.message;
    error.hint = "change the settings file, so that it replaces them";
    return error;
  }
  out.loaded.settings = std::move(stored->settings);
  out.from_file = false;
  out.why = "as last applied, from the store (" + snapshot.settings_source + ")";
  if (changed) {
    out.why += "; " + file + " has changed since and does not count until somebody applies it "
               "(conf.source: applied)";
  }
  return out;
}

FileWatch::FileWatch(std::string path, std::string last_hash)
    : path_(std::move(path)), last_hash_(std::move(last_hash)) {
  if (!path_.empty()) (void)read();  // for the name of the allocations file
  previous_ = stamps();  // read once more at the first look: they may have changed since
}

FileWatch::Stamps FileWatch::stamps() const {
  const auto stamp = [](const std::string& path) -> std::optional<Stamp> {
    struct stat info {};
    if (path.empty() || ::stat(path.c_str(), &info) != 0) return std::nullopt;
    return Stamp{info.st_mtim.tv_sec * 1'000'000'000LL + info.st_mtim.tv_nsec, info.st_size};
  };
  return {stamp(path_), stamp(allocations_path_)};
}

Result<SettingsText> FileWatch::read() {
  auto text = read_settings_text(path_);
  if (text) allocations_path_ = text->allocations ? text->allocations->file : std::string();
  if (text) newest_ = *text;
  return text;
}

std::optional<SettingsText> FileWatch::changed(bool at_once) {
  const Stamps now = stamps();
  const bool at_rest = now == previous_;
  previous_ = now;
  const bool known = now == read_at_ && !problem_;
  if (path_.empty() || (!at_once && (!at_rest || known))) return std::nullopt;
  read_at_ = now;
  auto text = read();
  problem_ = text ? std::nullopt : std::optional(text.error());
  if (!text || content_hash(text->joined()) == last_hash_) return std::nullopt;
  return std::move(*text);
}

}  // namespace weir
