// A trace of jobs in JSON lines, plain or compressed (the first byte says which).
#include "sim/trace.h"

#include "conf/diagnostics.h"
#include "fuzz/scratch.h"
#include "fuzz/target.h"

void weir::fuzz::run(std::string_view input) {
  static const Scratch scratch;
  const bool packed = take_choice(input, 2) == 1;
  const std::string file = scratch.write(packed ? "trace.jsonl.gz" : "trace.jsonl", input);
  Diagnostics findings(file);
  (void)load_trace(file, {.divide = 3, .limit = 0}, findings);
}
