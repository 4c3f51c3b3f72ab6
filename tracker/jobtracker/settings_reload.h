// Reads the settings file again when it or its allocations file has changed, and applies it as a
// command like any other: refused whole, or in the store and in force. The store learns the file's
// hash in the same step: earlier, a crash in between would never read the file, later, it would
// read it once more and undo what was applied by command since. What is wrong stays in the daemon's
// notices until a reading succeeds, and so does where the file is another than what somebody
// applied since. Which of the two counts says conf.source of those in force (SettingsFrom). Runs on
// the main thread; the engine's answers come on its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tracker/jobtracker/daemon.h"
#include "tracker/jobtracker/settings_file.h"

namespace weir {

class SettingsReload {
 public:
  SettingsReload(JobTracker& tracker, std::string file, std::string last_hash);

  // SIGHUP: now, or say that there is nothing new.
  void on_hangup();
  // Every two seconds.
  void look();
  // Makes these the settings in the store, and `hash` the file they were read from.
  void store_settings(Settings read, const std::string& hash);
  void store_policy(const std::string& policy);

 private:
  void read(const SettingsText& text);
  void follow_problem();
  void say_unreadable(const Error& error);
  void publish();
  void compare();
  void refuse(const Error& error);

  JobTracker& tracker_;
  FileWatch watch_;
  // While it cannot be read: what is to be said again once it is there as it was.
  std::optional<std::vector<std::string>> notices_before_;
  // What was compared last: the file, and the settings in force.
  std::shared_ptr<const FileContent> compared_;
  std::shared_ptr<const Settings> compared_with_;
  // Counts what was read: the answer to an older reading says nothing of a newer one.
  const std::shared_ptr<std::atomic<std::uint64_t>> newest_ =
      std::make_shared<std::atomic<std::uint64_t>>(0);
  const std::shared_ptr<std::atomic<std::uint64_t>> answered_ =
      std::make_shared<std::atomic<std::uint64_t>>(0);
};

}  // namespace weir
