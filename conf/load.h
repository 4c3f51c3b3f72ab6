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
#include "conf/yaml_node.h"
#include "jobqueue/result.h"
#include "jobqueue/settings.h"

namespace weir {

struct Loaded {
  Settings settings;  // text, source and notices filled in
  DaemonSettings daemon;
  TrackerSettings tracker;
  std::vector<std::string> daemon_sections;  // which of `listen`, `store`, `limits` the file has
};

inline constexpr std::size_t kMaxSettingsBytes = 1024 * 1024;

Result<Loaded> load_settings(const std::string& file);
// `name` stands for the file in messages.
Result<Loaded> load_settings_text(const std::string& name, std::string_view text);

// The settings that a part of another document says; what is wrong goes to `out`, and then the
// value is good for nothing. `text` stays empty.
Loaded read_settings(const YamlNode& document, Diagnostics& out);

}  // namespace weir
