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

void SettingsReload::on_hangup() {
  if (watch_.path().empty()) return spdlog::info("settings: no file to read again");
  if (const auto text = watch_.changed(true)) return read(*text);
  if (const auto text = read_settings_text(watch_.path()); !text) return refuse(text.error());
  spdlog::info("settings: {} has not changed since it was last read", watch_.path());
}

void SettingsReload::look() {
  if (const auto text = watch_.changed()) read(*text);
}

void SettingsReload::read(const SettingsText& text) {
  const std::string hash = content_hash(text.joined());
  watch_.seen(hash);
  auto loaded = load_replacing(watch_.path(), text, *tracker_.loop().views().latest()->settings);
  if (!loaded) return refuse(loaded.error());
  for (const std::string& notice : loaded->settings.notices) {
    spdlog::warn("settings: {}", notice);
  }
  store_settings(std::move(loaded->settings), hash);
}

void SettingsReload::refuse(const Error& error) {
  ++*newest_;
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
            [&notices, source, newest = newest_, number = ++*newest_](
                const EngineLoop::ReplyBody& reply, std::int64_t) {
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
