#include "tracker/jobtracker/settings_reload.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "conf/live_notices.h"
#include "tracker/jobtracker/commands.h"

namespace weir {
namespace {

// Whoever can write the settings file administers the cluster, whatever list of administrators is
// in force.
Caller administrator(const Settings& current) {
  Caller caller{"weir", {}};
  for (const std::string& entry : current.administrators) {
    if (entry.starts_with('@')) {
      caller.groups.push_back(entry.substr(1));
    } else {
      caller.user = entry;
    }
  }
  return caller;
}

void report(Notices& notices, const Error& error, const std::string& file) {
  std::vector<std::string> lines = error.diagnostics;
  if (lines.empty()) lines.push_back(error.message);
  spdlog::error("settings: {} is refused, the settings in force stay:", file);
  for (const std::string& line : lines) spdlog::error("settings: {}", line);
  lines.insert(lines.begin(), file + " is refused, the settings in force stay:");
  notices.set(std::move(lines));
}

}  // namespace

SettingsReload::SettingsReload(JobTracker& tracker, std::string file, std::string last_hash)
    : tracker_(tracker), watch_(std::move(file), std::move(last_hash)) {
  publish();
}

// What is to be said of the file beside what is in force.
void SettingsReload::publish() {
  if (watch_.path().empty() || !watch_.newest()) return;
  tracker_.followed_file().set(
      std::make_shared<const FileContent>(FileContent{watch_.path(), *watch_.newest(), ""}));
}

void SettingsReload::compare() {
  if (*answered_ != *newest_) return;  // it is on its way
  const auto file = tracker_.followed_file().get();
  const PublishedViewsPtr views = tracker_.loop().views().latest();
  if (file == compared_ && views->settings == compared_with_) return;
  compared_ = file;
  compared_with_ = views->settings;
  const SettingsFileView standing = standing_of(*file, *views->settings, views->settings_stamp);
  // What is wrong with it is in the notices.
  tracker_.followed_file().say(standing.sound ? standing.says : "", views->settings);
}

void SettingsReload::on_hangup() {
  if (watch_.path().empty()) return spdlog::info("settings: no file to read again");
  if (const auto text = watch_.changed(true)) return read(*text);
  if (watch_.problem()) return say_unreadable(*watch_.problem());
  follow_problem();
  spdlog::info("settings: {} has not changed since it was last read", watch_.path());
}

void SettingsReload::look() {
  if (const auto text = watch_.changed()) {
    read(*text);
  } else {
    follow_problem();
  }
  compare();
}

// Of a file with nothing new to read.
void SettingsReload::follow_problem() {
  if (watch_.problem() && !notices_before_) return say_unreadable(*watch_.problem());
  if (watch_.problem() || !notices_before_) return;
  // It is there as it was when it was last read.
  tracker_.notices().set(*std::exchange(notices_before_, std::nullopt));
  publish();
}

void SettingsReload::say_unreadable(const Error& error) {
  if (!notices_before_) notices_before_ = tracker_.notices().get();
  auto content = *tracker_.followed_file().get();
  content.unreadable = error.diagnostics.empty() ? error.message : error.diagnostics.front();
  tracker_.followed_file().set(std::make_shared<const FileContent>(std::move(content)));
  refuse(error);
}

void SettingsReload::read(const SettingsText& text) {
  const std::string hash = content_hash(text.joined());
  watch_.seen(hash);
  notices_before_.reset();
  publish();
  const PublishedViewsPtr views = tracker_.loop().views().latest();
  const std::string& by = views->settings_stamp.by;
  if (!by.empty()) {
    const SettingsFileView file =
        standing_of({watch_.path(), text}, *views->settings, views->settings_stamp);
    if (file.sound && !file.says.empty()) {
      spdlog::warn("settings: {}", file.says);
      for (const std::string& change : file.changes) spdlog::warn("settings: {}", change);
    }
    if (file.sound && views->settings->from == SettingsFrom::kApplied)
      return tracker_.notices().set({});  // what was wrong with it is mended
  }
  auto loaded = load_replacing(watch_.path(), text, *tracker_.loop().views().latest()->settings);
  if (!loaded) return refuse(loaded.error());
  for (const std::string& notice : loaded->settings.notices) {
    spdlog::warn("settings: {}", notice);
  }
  store_settings(std::move(loaded->settings), hash);
}

void SettingsReload::refuse(const Error& error) {
  *answered_ = ++*newest_;
  report(tracker_.notices(), error, watch_.path());
}

void SettingsReload::store_policy(const std::string& policy) {
  EngineLoop& loop = tracker_.loop();
  const auto log_refusal = [policy](const EngineLoop::ReplyBody& reply, std::int64_t) {
    if (const auto* error = std::get_if<Error>(&reply)) {
      spdlog::warn("policy {}: {}", policy, error->message);
    }
  };
  loop.post(SetPolicy{administrator(*loop.views().latest()->settings), policy, true},
            log_refusal);
}

void SettingsReload::store_settings(Settings read, const std::string& hash) {
  read.file_hash = hash;
  const auto settings = std::make_shared<const Settings>(std::move(read));
  EngineLoop& loop = tracker_.loop();
  Notices& notices = tracker_.notices();
  const PublishedViewsPtr views = loop.views().latest();
  const Caller caller = administrator(*views->settings);
  const std::string source = settings->source;
  for (const std::string& notice : live_notices(*settings, views->policy, views->total))
    spdlog::warn("settings: {}", notice);
  loop.post(ApplySettings{caller, settings},
            [&notices, source, newest = newest_, answered = answered_, number = ++*newest_](
                const EngineLoop::ReplyBody& reply, std::int64_t) {
              // A file that was refused meanwhile is newer.
              std::uint64_t known = *answered;
              while (known < number && !answered->compare_exchange_weak(known, number)) {
              }
              const bool latest = number == *newest;
              if (const auto* error = std::get_if<Error>(&reply)) {
                if (latest) return report(notices, *error, source);
                return spdlog::error("settings: {} was refused: {}", source, error->message);
              }
              if (latest) notices.set({});
              spdlog::info("settings: {} is in force", source);
            });
}

}  // namespace weir
