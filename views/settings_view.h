// The settings as readers see them (see job_view.h): each one in force, the changes there were, and
// what a change would do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "views/policy_view.h"

namespace weir {

// One setting in force.
struct SettingView {
  std::string name;  // `queues.research.maximum`
  std::string value;
  std::string origin;  // default, settings, command
  friend bool operator==(const SettingView&, const SettingView&) = default;
};

// One change of the settings, or of the policy by command.
struct SettingsRecordView {
  std::int64_t number = 0;
  std::int64_t at_ms = 0;  // 0: before there was a history of settings
  std::string by;          // empty: the settings file was read
  std::string policy;      // that these settings name, or that was set
  std::string source;      // the settings' name; empty: the policy was set
  friend bool operator==(const SettingsRecordView&, const SettingsRecordView&) = default;
};

// The settings in force. Applying others may be made to depend on their number.
struct SettingsTextView {
  std::int64_t number = 0;  // as in SettingsRecordView; 0: there is none
  std::int64_t at_ms = 0;   // when they were applied; 0: before there was a history of settings
  std::string by;           // empty: the settings file was read
  std::string policy;       // that rules, whatever they name
  std::string source;       // their name
  std::string text;
  friend bool operator==(const SettingsTextView&, const SettingsTextView&) = default;
};

// The settings file that the JobTracker follows, beside what is in force.
struct SettingsFileView {
  std::string file;                  // empty: it follows none
  std::string source;                // conf.source: newest, file, applied
  std::string says;                  // a sentence; empty: it is what is in force
  std::vector<std::string> changes;  // from what is in force to the file, or what is wrong with it
  bool sound = true;
  friend bool operator==(const SettingsFileView&, const SettingsFileView&) = default;
};

// What is to be said of settings that somebody may apply.
struct SettingsCheckView {
  struct Finding {
    std::string file;         // of the allocations file, if it is in there
    std::int32_t line = 0;    // from 1; 0: the file as a whole
    std::int32_t column = 0;  // likewise
    bool warning = false;     // else the settings are refused for it
    std::string message;      // what is wrong, what is allowed
    friend bool operator==(const Finding&, const Finding&) = default;
  };

  std::string file;  // its name
  bool ok = true;
  std::vector<Finding> findings;      // by file and place
  std::vector<std::string> errors;    // the same as lines
  std::vector<std::string> warnings;
  friend bool operator==(const SettingsCheckView&, const SettingsCheckView&) = default;
};

struct SettingsDiffView {
  // Guaranteed and at most, where containers count.
  struct Amounts {
    std::string dimension;  // memory_mb
    std::int64_t guaranteed_before = 0;
    std::int64_t guaranteed_after = 0;
    std::int64_t maximum_before = 0;
    std::int64_t maximum_after = 0;
    friend bool operator==(const Amounts&, const Amounts&) = default;
  };
  // What it would do to one queue; slots before and after, all 0 where containers count after it.
  struct Queue {
    std::string queue;
    std::string change;  // added, removed, changed, unchanged
    std::int64_t maps_before = 0;
    std::int64_t maps_after = 0;
    std::int64_t reduces_before = 0;
    std::int64_t reduces_after = 0;
    std::optional<std::int64_t> maps_maximum_before;
    std::optional<std::int64_t> maps_maximum_after;
    std::optional<std::int64_t> reduces_maximum_before;
    std::optional<std::int64_t> reduces_maximum_after;
    std::optional<std::int32_t> jobs;     // unfinished now
    std::optional<std::string> moves_to;  // removed: where they go
    std::vector<Amounts> amounts;         // empty where slots count
    friend bool operator==(const Queue&, const Queue&) = default;
  };

  std::vector<Queue> queues;
  std::vector<std::string> changes;  // other settings, one line each
  std::vector<std::string> warnings;
  std::vector<std::string> refusals;    // why it would be refused as the cluster is now
  std::vector<std::string> at_restart;  // take effect when the JobTracker is started anew
  // What the policy gives now, and would give with these settings, and which claims would be open.
  // Absent: they would be refused, or containers count.
  struct Preview {
    struct Claim {
      std::string queue;
      std::string kind;          // map, reduce
      std::int64_t slots = 0;    // that it would be owed
      std::int64_t open = 0;     // as it is owed already
      std::int64_t left_ms = 0;  // until it kills; -1: it never does
      friend bool operator==(const Claim&, const Claim&) = default;
    };
    OutlookView now;
    OutlookView then;
    std::vector<Claim> claims;
    friend bool operator==(const Preview&, const Preview&) = default;
  };
  std::optional<Preview> preview;
  std::optional<std::int64_t> map_slots;  // of the cluster, to which the figures refer
  std::optional<std::int64_t> reduce_slots;
  friend bool operator==(const SettingsDiffView&, const SettingsDiffView&) = default;
};

}  // namespace weir
