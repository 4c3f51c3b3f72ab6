// The settings file next to the store: which of the two the JobTracker goes by, and the watch on
// the file while it runs. Settings that were applied live in the store; the file wins over them
// only when its content is another than the one that was last read, which a hash kept in the store
// tells. The watch looks at the file's time and size every so often and reads it once they have
// been the same twice and the content is new. The allocations file that the settings name is a part
// of them: both are watched, read and compared together. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "conf/load.h"
#include "jobqueue/model/snapshot.h"

namespace weir {

// As load_settings_text(); where no administrators are named, whoever runs this process is the one.
Result<Loaded> load_owned(const std::string& name, std::string_view text);
Result<Loaded> load_owned(const std::string& name, const SettingsText& text);

// Likewise, of what is to replace those in force: without a word about queues it would drop them.
Result<Loaded> load_replacing(const std::string& name, const SettingsText& text,
                              const Settings& in_force);

// For telling two contents apart, not against forgery.
std::string content_hash(const std::string& text);

struct StartSettings {
  Loaded loaded;  // the file's; with the store's settings in place of the file's if these count
  std::string file_hash;  // of the files as read now; empty without a file
  std::string
      policy_before;      // that the settings in the store name; the file's own if there are none
  bool from_file = true;  // to be written to the store once the engine runs
  std::string why;        // one line for the log
};
// `file` empty: defaults. An error has every finding in its diagnostics.
Result<StartSettings> decide_settings(const std::string& file, const Snapshot& snapshot);

class FileWatch {
 public:
  FileWatch(std::string path, std::string last_hash);
  const std::string& path() const { return path_; }
  // The new content, if a file has changed and both have come to rest. `at_once` does not wait for
  // rest.
  std::optional<SettingsText> changed(bool at_once = false);
  // Why it could not be read when it was last at rest: gone, say. It is tried again at each look.
  const std::optional<Error>& problem() const { return problem_; }
  // What was read last, whether it has changed or not; none: it could not be read.
  const std::optional<SettingsText>& newest() const { return newest_; }
  // Content already dealt with, refused or not.
  void seen(const std::string& hash) { last_hash_ = hash; }

 private:
  struct Stamp {
    std::int64_t modified_ns = 0;
    std::int64_t size = -1;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  struct Stamps {
    std::optional<Stamp> settings;
    std::optional<Stamp> allocations;
    friend bool operator==(const Stamps&, const Stamps&) = default;
  };
  Stamps stamps() const;
  Result<SettingsText> read();

  const std::string path_;
  std::string allocations_path_;  // as the settings last read name it; empty: they name none
  std::string last_hash_;
  std::optional<SettingsText> newest_;
  std::optional<Stamps> read_at_;  // when the content was last looked at
  Stamps previous_;                // at the last look
  std::optional<Error> problem_;
};

}  // namespace weir
