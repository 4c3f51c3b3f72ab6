// An attempt as readers see it (see job_view.h): where it runs or ran, and where its logs are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "jobqueue/model/ids.h"

namespace weir {

struct AttemptView {
  AttemptKey id;
  std::string state;
  std::string tracker;
  std::int64_t launched_at_ms = 0;  // 0: not known (any more)
  std::optional<std::int64_t> ended_at_ms;
  std::optional<std::int64_t> ran_ms;  // until its end, or until now
  std::optional<std::string> diagnostics;
  std::optional<std::string> log_host;  // the tracker's shuffle port serves its logs
  std::optional<std::int32_t> log_port;
  std::int32_t progress_millionths = 0;
  bool speculative = false;  // launched beside another attempt of its task

  friend bool operator==(const AttemptView&, const AttemptView&) = default;
};

}  // namespace weir
