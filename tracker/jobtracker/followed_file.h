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
  // What is to be said of it wherever the settings are shown; empty: nothing.
  void say(std::string line) {
    const std::lock_guard lock(mutex_);
    line_ = std::move(line);
  }
  std::string said() const {
    const std::lock_guard lock(mutex_);
    return line_;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const FileContent> content_ = std::make_shared<const FileContent>();
  std::string line_;
};

// Reads the text, which may take its time.
SettingsFileView standing_of(const FileContent& file, const Settings& in_force,
                             const SettingsStamp& stamp);

// Settings that are sent are not taken where the file alone counts.
Status may_apply(const FileContent& file, const Settings& in_force);

}  // namespace weir
