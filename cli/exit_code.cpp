#include "cli/exit_code.h"

namespace weir::cli {

int exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUnknownJob:
    case ErrorCode::kJobOver:
    case ErrorCode::kUnknownTracker:
    case ErrorCode::kStoreFailed:
    case ErrorCode::kBusy:
    case ErrorCode::kInternal:
      return kExitNotSo;
    case ErrorCode::kBadRequest:
    case ErrorCode::kUnknownQueue:
    case ErrorCode::kQueueNotLeaf:
    case ErrorCode::kQueueStopped:
    case ErrorCode::kNotPermitted:
    case ErrorCode::kLimitReached:
    case ErrorCode::kOutputInUse:
    case ErrorCode::kSettingsRefused:
    case ErrorCode::kUnknownPolicy:
    case ErrorCode::kSettingsChanged:
      return kExitRefused;
    case ErrorCode::kShuttingDown:
      return kExitUnreachable;
  }
  return kExitNotSo;
}

CliFailure CliFailure::findings(int exit_code, std::vector<std::string> lines) {
  CliFailure failure(exit_code, lines.empty() ? std::string("refused") : lines.front());
  failure.raw_ = true;
  failure.lines_ = std::move(lines);
  return failure;
}

CliFailure CliFailure::of(const Error& error) {
  const int code = exit_code_of(error.code);
  if (error.code == ErrorCode::kSettingsRefused && !error.diagnostics.empty()) {
    return findings(code, error.diagnostics);
  }
  std::string line = error.message;
  if (!error.hint.empty()) line += "; " + error.hint;
  CliFailure failure(code, line);
  failure.lines_.insert(failure.lines_.end(), error.diagnostics.begin(), error.diagnostics.end());
  return failure;
}

CliFailure wrong_use(const std::string& message) {
  return {kExitRefused, message};
}

void require(const Status& good) {
  if (!good) throw CliFailure::of(good.error());
}

}  // namespace weir::cli
