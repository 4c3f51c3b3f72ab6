// Hadoop's own scheduler files to settings of ours: fair-scheduler.xml and capacity-scheduler.xml
// of MapReduce 1 and of YARN, mapred-queues.xml, and what mapred-site.xml, mapred-queue-acls.xml
// and yarn-site.xml say of schedulers, queues and who may use them; which one a file is its content
// says, and files of one cluster are read together. The settings have a queue that takes jobs. What
// has no counterpart, or another meaning here, is a warning, and the same lines stand as comments
// at the head of the YAML. Values that Hadoop would not read are errors, all at once, as is XML
// that is not well formed. The result has passed load_settings_text(). Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jobqueue/model/result.h"

namespace weir {

struct HadoopFile {
  std::string name;  // in messages
  std::string_view xml;
};

struct HadoopImport {
  std::string yaml;
  std::vector<std::string> warnings;  // `file:line:column: warning: ...`
};

Result<HadoopImport> import_hadoop(const std::vector<HadoopFile>& files);
Result<HadoopImport> import_hadoop(const std::string& name, std::string_view xml);  // one alone

}  // namespace weir
