// Refusals of the API: an Error of the services, or of a request that no service sees, as an answer
// with the right status and {"code", "message", "hint", "diagnostics"}. Within the handling of one
// request a refusal is thrown, and caught where requests are given out (api.cpp). Any thread.
#pragma once

#include <string>

#include "jobqueue/model/result.h"
#include "web/server/answer.h"

namespace weir::web {

// What is wrong with a request; status 0: that of the error's code.
struct Refusal {
  Error error;
  int status = 0;
  NamesAndValues headers;
};

int status_of(ErrorCode code);
HttpAnswer error_answer(const Refusal& refusal);
HttpAnswer error_answer(const Error& error);
// The workers of the web port have no room for what is asked.
Error no_worker();

// Throw a Refusal.
[[noreturn]] void refuse(std::string message, std::string hint, int status = 400);
[[noreturn]] void refuse(Error error);
void require(const Status& status);

}  // namespace weir::web
