#include "web/api/refusal.h"

#include <utility>

#include "common_types.h"
#include "views/json/json.h"

namespace weir::web {
namespace {

std::string name_of(ErrorCode code) {
  const auto& names = wire::_ErrorCode_VALUES_TO_NAMES;  // as the Thrift API and the CLI call them
  const auto found = names.find(static_cast<int>(code));
  return found == names.end() ? "INTERNAL" : found->second;
}

}  // namespace

int status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kBadRequest:
    case ErrorCode::kSettingsRefused:
      return 400;
    case ErrorCode::kNotPermitted:
      return 403;
    case ErrorCode::kUnknownQueue:
    case ErrorCode::kUnknownJob:
    case ErrorCode::kUnknownTracker:
    case ErrorCode::kUnknownPolicy:
      return 404;
    case ErrorCode::kQueueNotLeaf:
    case ErrorCode::kQueueStopped:
    case ErrorCode::kLimitReached:
    case ErrorCode::kJobOver:
    case ErrorCode::kOutputInUse:
      return 409;
    case ErrorCode::kSettingsChanged:
      return 412;
    case ErrorCode::kBusy:
      return 429;
    case ErrorCode::kStoreFailed:
    case ErrorCode::kShuttingDown:
      return 503;
    case ErrorCode::kInternal:
      return 500;
  }
  return 500;
}

HttpAnswer error_answer(const Refusal& refusal) {
  const Error& error = refusal.error;
  const int status = refusal.status != 0 ? refusal.status : status_of(error.code);
  HttpAnswer answer = text_answer(status, "application/json",
                                  json_text({{"code", name_of(error.code)},
                                             {"message", error.message},
                                             {"hint", error.hint},
                                             {"diagnostics", error.diagnostics}}));
  answer.cache_control = "no-store";
  answer.headers = refusal.headers;
  if (status == 429) answer.with("Retry-After", "1");
  if (status == 503) answer.with("Retry-After", "5");
  return answer;
}

HttpAnswer error_answer(const Error& error) {
  return error_answer(Refusal{error, 0, {}});
}

Error no_worker() {
  return Error{ErrorCode::kBusy, "too many requests wait", "try again in a second", {}};
}

void refuse(std::string message, std::string hint, int status) {
  throw Refusal{Error{ErrorCode::kBadRequest, std::move(message), std::move(hint), {}}, status, {}};
}
void refuse(Error error) {
  throw Refusal{std::move(error), 0, {}};
}
void require(const Status& status) {
  if (!status) refuse(status.error());
}

}  // namespace weir::web
