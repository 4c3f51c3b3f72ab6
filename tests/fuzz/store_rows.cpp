// Columns of the store that hold text or bytes of ours: a job's counters, and its spec. The first
// byte says which.
#include "fuzz/target.h"
#include "jobqueue/model/check.h"
#include "jobqueue/store/counters_text.h"
#include "thrift/spec_codec.h"

void weir::fuzz::run(std::string_view input) {
  if (take_choice(input, 2) == 0) {
    const auto counters = decode_counters(input);
    if (!counters) return;
    WEIR_CHECK(decode_counters(encode_counters(*counters)) == counters, "counters survive");
  } else {
    const auto spec = decode_job_spec(input);
    if (!spec) return;
    const std::string written = encode_job_spec(*spec);
    const auto again = decode_job_spec(written);
    WEIR_CHECK(again.ok() && encode_job_spec(*again) == written, "a spec survives");
  }
}
