// A daemon that was told to end does, whatever its threads wait for: after kPatience the process
// says what it was at and is gone. What it had promised is on disk by then, or was not promised.
// From where the end begins to where it is over; at() by the same thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace weir {

class EndGuard {
 public:
  static constexpr std::chrono::milliseconds kPatience{8'000};

  explicit EndGuard(std::string subject, std::chrono::milliseconds patience = kPatience);
  ~EndGuard();
  EndGuard(const EndGuard&) = delete;
  EndGuard& operator=(const EndGuard&) = delete;

  void at(const char* what);  // "the store's thread": what is being waited for now

 private:
  std::string subject_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const char* what_ = "its threads";
  bool over_ = false;
  std::thread thread_;
};

}  // namespace weir
