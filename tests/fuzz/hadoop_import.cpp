// Hadoop's scheduler files; what is imported must be settings that load.
#include "conf/hadoop_import.h"

#include "conf/load.h"
#include "fuzz/target.h"
#include "jobqueue/model/check.h"

void weir::fuzz::run(std::string_view input) {
  const auto imported = import_hadoop("fuzz.xml", input);
  if (imported) {
    WEIR_CHECK(load_settings_text("imported.yaml", imported->yaml).ok(), "an import loads");
  } else {
    WEIR_CHECK(!imported.error().message.empty(), "a refusal says why");
  }
}
