// weir.yaml to validated settings: the way every process gets its settings. A load reads the whole
// file, gathers every error (`file:line:column: what is wrong, what is allowed`) and gives either
// settings that hold all rules or one Error (kSettingsRefused) whose `diagnostics` are all the
// lines. Warnings are no errors: they are in Settings::notices, so that they stay visible. Files
// are untrusted: size, depth, aliases and encoding are bounded before anything is read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "conf/daemon_settings.h"
#include "conf/diagnostics.h"
#include "conf/policies.h"
#include "conf/settings_text.h"
#include "conf/yaml_node.h"
#include "jobqueue/model/result.h"
#include "jobqueue/model/settings.h"

namespace weir {

struct Loaded {
  Settings settings;  // text, source and notices filled in
  DaemonSettings daemon;
  TrackerSettings tracker;
  bool names_queues = false;  // it has `queues`; else there is one, `default`
  std::vector<std::string> daemon_sections;  // which of `listen`, `store`, `limits` the file has
};

Result<Loaded> load_settings(const std::string& file);
// `name` stands for the file in messages. The text is what SettingsText::joined() made; it may hold
// an allocations file.
Result<Loaded> load_settings_text(const std::string& name, std::string_view text);
Result<Loaded> load_settings_text(const std::string& name, const SettingsText& source);

// What is to be said of a text, for editors: every finding with its place, and the same as lines.
struct CheckedText {
  bool ok = true;
  std::vector<Finding> findings;
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
};
CheckedText check_settings_text(const std::string& name, const SettingsText& source);

// The settings that a part of another document says; what is wrong goes to `out`, and then the
// value is good for nothing. `text` stays empty. Nothing is read from disk here: the text of the
// allocations file that the settings may name comes along (conf/settings_text.h).
Loaded read_settings(const YamlNode& document, const Allocations& allocations, Diagnostics& out,
                     PolicyTable policies = policy_table());

}  // namespace weir
