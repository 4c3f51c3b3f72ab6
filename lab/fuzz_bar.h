// How far `weir-lab fuzz` has come, on a terminal. One thread.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>

#include "cli/context.h"

namespace weir::cli {

// One line that is drawn over itself, at most a few times a second.
class FuzzBar {
 public:
  FuzzBar(Context& context, std::uint64_t seeds) : context_(context), seeds_(seeds) {}
  void show(std::uint64_t done) {
    if (!context_.terminal.err) return;
    const double elapsed = seconds();
    if (done < seeds_ && elapsed - shown_ < 0.2) return;
    shown_ = elapsed;
    constexpr std::size_t kWidth = 30;
    const auto full = static_cast<std::size_t>(done * kWidth / seeds_);
    const double left = elapsed / static_cast<double>(done) * static_cast<double>(seeds_ - done);
    context_.err << fmt::format("\r[{:#<{}}{:-<{}}] {}/{} seeds, about {:.0f} s left ", "", full,
                                "", kWidth - full, done, seeds_, left);
    drawn_ = true;
    context_.err.flush();
  }
  void clear() {
    if (drawn_) context_.err << "\r\033[K";
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;

  Context& context_;
  std::uint64_t seeds_;
  Clock::time_point start_ = Clock::now();
  double shown_ = -1;
  bool drawn_ = false;
};

}  // namespace weir::cli
