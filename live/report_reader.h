// `weir report`: what a JobTracker's HTTP API tells of the last hours, as the records of a report.
// Series come in the step that suits the span and are made at most 600 points; lists are read page
// by page up to a bound, and what is left out is a note in the report. What the server refuses is
// ApiRefused. One thread.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "live/http_client.h"
#include "report/report.h"

namespace weir::live {

// An answer that is none: an error of the API, or nothing that we know.
class ApiRefused : public std::runtime_error {
 public:
  ApiRefused(unsigned status, const std::string& what)
      : std::runtime_error(what), status_(status) {}
  unsigned status() const { return status_; }

 private:
  unsigned status_;
};

report::Report read_report(HttpClient& client, std::int64_t since_ms, std::int64_t now_ms);

}  // namespace weir::live
