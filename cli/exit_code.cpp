#include "cli/exit_code.h"

#include "thrift/wire_error.h"

namespace weir::cli {

int exit_code_of(wire::ErrorCode::type code) {
  using Code = wire::ErrorCode;
  switch (code) {
    case Code::UNKNOWN_JOB:
    case Code::JOB_OVER:
    case Code::UNKNOWN_TRACKER:
    case Code::STORE_FAILED:
    case Code::BUSY:
    case Code::INTERNAL:
      return kExitNotSo;
    case Code::BAD_REQUEST:
    case Code::UNKNOWN_QUEUE:
    case Code::QUEUE_NOT_LEAF:
    case Code::QUEUE_STOPPED:
    case Code::NOT_PERMITTED:
    case Code::LIMIT_REACHED:
    case Code::OUTPUT_IN_USE:
    case Code::SETTINGS_REFUSED:
    case Code::UNKNOWN_POLICY:
      return kExitRefused;
    case Code::SHUTTING_DOWN:
      return kExitUnreachable;
  }
  return kExitNotSo;  // a code of a newer JobTracker
}

CliFailure CliFailure::findings(int exit_code, std::vector<std::string> lines) {
  CliFailure failure(exit_code, lines.empty() ? std::string("refused") : lines.front());
  failure.raw_ = true;
  failure.lines_ = std::move(lines);
  return failure;
}

CliFailure CliFailure::of(const wire::WeirError& error) {
  const int code = exit_code_of(error.code);
  if (error.code == wire::ErrorCode::SETTINGS_REFUSED && !error.diagnostics.empty()) {
    return findings(code, error.diagnostics);
  }
  std::string line = error.message;
  if (error.__isset.hint && !error.hint.empty()) line += "; " + error.hint;
  CliFailure failure(code, line);
  if (error.__isset.diagnostics) {
    failure.lines_.insert(failure.lines_.end(), error.diagnostics.begin(), error.diagnostics.end());
  }
  return failure;
}

CliFailure wrong_use(const std::string& message) {
  return {kExitRefused, message};
}

void require(const Status& good) {
  if (!good) throw CliFailure::of(to_wire(good.error()));
}

}  // namespace weir::cli
