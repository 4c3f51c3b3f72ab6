// The task file by which a tracker tells an attempt's process what to do.
#include "tracker/tasktracker/task_spec_codec.h"

#include "fuzz/target.h"
#include "jobqueue/model/check.h"

using namespace weir::tasktracker;

void weir::fuzz::run(std::string_view input) {
  const auto spec = decode_task_spec(input);
  if (!spec) return;
  const std::string written = encode_task_spec(*spec);
  const auto again = decode_task_spec(written);
  WEIR_CHECK(again.ok() && encode_task_spec(*again) == written, "a task file survives");
}
