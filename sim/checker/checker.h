// The checker: after every input it recomputes from jobs, attempts and trackers what must be so
// (capacity.md, "Always true") and compares it with what the engine and the ruling policy say. It
// uses no code of any policy and trusts no sum that the engine keeps, so an error in both would
// have to be made twice. The first breach is reported with its numbers and the input that caused
// it. Full: every step. Each: every step, of an engine whose past is not known (it was restarted),
// so only what one step shows. Sampled: likewise, every thousandth step or fewer, the more jobs and
// trackers there are. It changes nothing; one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "jobqueue/engine/engine.h"
#include "sim/checker/expected.h"
#include "sim/checker/rules.h"
#include "sim/checker/step.h"

namespace weir::check {

enum class CheckMode : std::uint8_t { kFull, kEach, kSampled, kOff };
std::optional<CheckMode> parse_check_mode(std::string_view word);  // "full"
const char* name(CheckMode mode);

class Checker {
 public:
  static constexpr std::uint64_t kSampleEvery = 1000;
  static constexpr std::uint64_t kCompareEvery = 8;  // checked steps, with a policy made anew
  // The capacity policy's settings; nothing if another policy rules.
  using ReadRules = std::function<std::optional<CapacityRules>(const Engine&)>;
  using ReadFairRules = std::function<std::optional<FairRules>(const Engine&)>;  // likewise

  Checker(CheckMode mode, ReadRules read_rules, ReadFairRules read_fair_rules);

  // Right after each step of the engine.
  std::optional<Breach> check(const Engine& engine, const Input& input, const Output& output);
  // After the last step of a run that was driven until nothing should be left to do.
  std::optional<Breach> check_end(const Engine& engine) const;

  std::uint64_t steps() const { return steps_; }
  std::uint64_t checked() const { return checked_; }

 private:
  void take_over(const Engine& engine);
  std::optional<Breach> check_of_containers(const Engine& engine, const Input& input,
                                            const Output& output);
  void remember_events(const Engine& engine, const Input& input, const Output& output);
  void remember_state(const Step& step);

  CheckMode mode_;
  ReadRules read_rules_;
  ReadFairRules read_fair_rules_;
  Memory memory_;
  bool to_take_over_ = false;  // what was before is the engine's to say
  std::uint64_t steps_ = 0;
  std::uint64_t checked_ = 0;
  std::uint64_t next_sample_ = kSampleEvery;
};

}  // namespace weir::check
