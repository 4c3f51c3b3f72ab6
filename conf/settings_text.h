// The text of settings as it is read, kept and sent: weir.yaml and, if its `fair:` section names
// one (`allocations: fair.yaml`, or `pools: {file: fair.yaml}`), the allocations file. The store
// and the wire carry both as one text, so that settings in force never depend on a file that
// somebody changes or that another machine has: weir.yaml, a line `--- # allocations: FILE`, the
// allocations. Nothing here says whether a text is right; what cannot be read is said by
// `allocations->problem`, so that the reading of weir.yaml reports it with everything else.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "conf/yaml_node.h"
#include "jobqueue/model/result.h"

namespace weir {

inline constexpr std::size_t kMaxSettingsBytes = 1024 * 1024;  // of each of the two files

struct AllocationsFile {
  std::string file;  // as messages name it
  std::string text;
  std::string problem;  // why there is no text: `cannot be opened: ...`; empty: there is
};
using Allocations = std::optional<AllocationsFile>;

struct SettingsText {
  std::string text;  // weir.yaml
  Allocations allocations;

  std::string joined() const;
  static SettingsText split(std::string_view joined);
};

// An error only if `file` itself cannot be read.
Result<SettingsText> read_settings_text(const std::string& file);

// The value that names the allocations file in a document of settings; null if none does.
const YamlNode* allocations_name(const YamlNode& document);

// The allocations file that a document of settings names, if it does, relative to `directory`.
Allocations read_allocations(const YamlNode& document, const std::string& directory);

std::string directory_of(const std::string& file);  // empty: the current one

}  // namespace weir
