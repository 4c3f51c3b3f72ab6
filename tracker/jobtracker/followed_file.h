// The settings file that the JobTracker follows, as it was last read, and how it stands to the
// settings in force: these are of the same file, or somebody applied others since. Any thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "conf/settings_text.h"
#include "jobqueue/model/settings.h"
#include "views/settings_view.h"

namespace weir {

struct FileContent {
  std::string path;  // empty: none is followed
  SettingsText text;
  std::string unreadable;  // why it cannot be read by now; empty: it can
};

class FollowedFile {
 public:
  void set(std::shared_ptr<const FileContent> content) {
    const std::lock_guard lock(mutex_);
    content_ = std::move(content);
  }
  std::shared_ptr<const FileContent> get() const {
    const std::lock_guard lock(mutex_);
    return content_;
  }
  // What is to be said of it beside these settings; empty: nothing.
  void say(std::string line, std::shared_ptr<const Settings> in_force) {
    const std::lock_guard lock(mutex_);
    line_ = std::move(line);
    beside_ = std::move(in_force);
  }
  // Nothing where others are in force by now: it is said anew soon.
  std::string said(const std::shared_ptr<const Settings>& in_force) const {
    const std::lock_guard lock(mutex_);
    return in_force == beside_ ? line_ : std::string();
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const FileContent> content_ = std::make_shared<const FileContent>();
  std::string line_;
  std::shared_ptr<const Settings> beside_;
};

// Reads the text, which may take its time.
SettingsFileView standing_of(const FileContent& file, const Settings& in_force,
                             const SettingsStamp& stamp);

// Settings that are sent are not taken where the file alone counts.
Status may_apply(const FileContent& file, const Settings& in_force);

}  // namespace weir
