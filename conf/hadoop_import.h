// Hadoop's own scheduler files to settings of ours: fair-scheduler.xml of MapReduce 1 and of YARN,
// capacity-scheduler.xml of both, and what mapred-site.xml says of the fair scheduler; which one it
// is its content says. What has no counterpart, or
// another meaning here, is a warning, and the same lines stand as comments at the head of the YAML.
// Numbers that Hadoop would not read are errors, all at once, as is XML that is not well formed.
// The result has passed load_settings_text(). Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jobqueue/result.h"

namespace weir {

struct HadoopImport {
  std::string yaml;
  std::vector<std::string> warnings;  // `file:line:column: warning: ...`
};

// `name` stands for the file in messages.
Result<HadoopImport> import_hadoop(const std::string& name, std::string_view xml);

}  // namespace weir
