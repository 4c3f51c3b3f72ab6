// Result<T> is for what may go wrong in the ordinary course of things: a value, or one Error that
// says where and what, and what would be accepted. The codes are the wire's (thrift/common.thrift):
// frozen, never renumbered.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "jobqueue/model/check.h"

namespace weir {

enum class ErrorCode {
  kBadRequest = 1,
  kUnknownQueue = 2,
  kQueueNotLeaf = 3,
  kQueueStopped = 4,
  kNotPermitted = 5,
  kLimitReached = 6,
  kUnknownJob = 7,
  kJobOver = 8,
  kOutputInUse = 9,
  kStoreFailed = 10,
  kBusy = 11,
  kUnknownTracker = 12,
  kSettingsRefused = 13,
  kUnknownPolicy = 14,
  kShuttingDown = 15,
  kInternal = 16,
  kSettingsChanged = 17,
};

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;                   // one line: where and what
  std::string hint;                      // what would be accepted; may be empty
  std::vector<std::string> diagnostics;  // several findings, one line each
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }
  T& value() & {
    WEIR_CHECK(ok(), "value() of a failed Result");
    return std::get<T>(state_);
  }
  const T& value() const& {
    WEIR_CHECK(ok(), "value() of a failed Result");
    return std::get<T>(state_);
  }
  T&& value() && { return std::move(value()); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const {
    WEIR_CHECK(!ok(), "error() of a Result that is fine");
    return std::get<Error>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

struct Ok {};
using Status = Result<Ok>;

}  // namespace weir
