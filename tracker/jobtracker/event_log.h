// What an operator wants to read in the log, one line each with its subject first: jobs submitted
// and ended, failed attempts, trackers that come and go, kills for preemption, refused commands,
// settings and policy. Lines that users can cause at will (refusals, failures) are limited to so
// many a second; the rest is counted in one line. It lives on the engine's thread; the daemon's
// logger is asynchronous, so a stuck terminal does not stop the engine.
#pragma once

#include <cstdint>
#include <string>

#include "jobqueue/engine/engine.h"
#include "jobqueue/model/event.h"

namespace weir {

class EventLog {
 public:
  static constexpr int kLimitedLinesPerSecond = 20;

  void on(const Event& event, const Engine& engine);

 private:
  bool may_log(TimeMs now);

  TimeMs second_ = 0;
  int lines_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace weir
