// What the process ends with, and why: the four exit codes of every command, and the one exception
// that carries a refusal from deep inside a command to run_cli, which prints it and returns its
// code. 0: done; 1: the thing asked about failed or is not so; 2: wrong use, or input that was
// refused; 3: the JobTracker cannot be reached. Scripts test these, so a code of the wire keeps its
// exit code for good. One thread, like all of the CLI.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "jobqueue/model/result.h"

namespace weir::cli {

inline constexpr int kExitDone = 0;
inline constexpr int kExitNotSo = 1;
inline constexpr int kExitRefused = 2;
inline constexpr int kExitUnreachable = 3;
inline constexpr int kExitInterrupted = 130;  // as shells say it: 128 + SIGINT

int exit_code_of(ErrorCode code);

// Ends the command: `lines` go to stderr, the first after "weir: " unless `raw` (findings that
// start with file:line).
class CliFailure : public std::runtime_error {
 public:
  CliFailure(int exit_code, const std::string& message)
      : std::runtime_error(message), exit_code_(exit_code), lines_{message} {}
  static CliFailure findings(int exit_code, std::vector<std::string> lines);
  static CliFailure of(const Error& error);

  int exit_code() const { return exit_code_; }
  bool raw() const { return raw_; }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  int exit_code_;
  bool raw_ = false;
  std::vector<std::string> lines_;
};

// What the JobTracker has refused.
class Refused : public std::runtime_error {
 public:
  Refused(Error error, std::string code)
      : std::runtime_error(error.message), error_(std::move(error)), code_(std::move(code)) {}

  const Error& error() const { return error_; }
  const std::string& code() const { return code_; }  // as the IDL has it: UNKNOWN_JOB

 private:
  Error error_;
  std::string code_;
};

// Input that is wrong: exit code 2.
CliFailure wrong_use(const std::string& message);
// Refuses what the JobTracker would refuse, in its words and with their exit code.
void require(const Status& good);
template <class T>
T require(Result<T> good) {
  if (!good) throw CliFailure::of(good.error());
  return std::move(*good);
}

}  // namespace weir::cli
