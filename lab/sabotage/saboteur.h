// Breaks one rule of the checker in a live run, on purpose (`--break RULE`, for tests only): the
// proof that the checker would see it. It stands between engine and policy and lies, chooses or
// keeps quiet, and it lays hands on the state where only the engine may; always as little as breaks
// the one rule, from a set number of inputs on, as soon as the run offers an occasion. It has to
// watch the run before the checker does. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "jobqueue/model/result.h"
#include "jobqueue/policy/policy.h"
#include "sim/observer.h"

namespace weir {

// What the saboteur and the policies that it leads astray have in common.
struct Sabotage {
  std::string rule;  // empty: nothing is broken
  std::uint64_t from_input = 0;
  std::uint64_t inputs = 0;
  std::uint64_t done = 0;  // acts so far
  bool active(std::string_view which) const { return rule == which && inputs >= from_input; }
};

class Saboteur : public Observer {
 public:
  // An unknown rule is an error that lists those there are. "" breaks nothing.
  static Result<std::unique_ptr<Saboteur>> create(const std::string& rule,
                                                  std::uint64_t from_input);

  // Policies made by the result lie where the rule needs it.
  PolicyFactory wrap(PolicyFactory inner) const;
  void on_step(const Engine& engine, const Input& input, const Output& output) override;
  std::uint64_t acts() const { return sabotage_->done; }

 private:
  explicit Saboteur(std::shared_ptr<Sabotage> sabotage) : sabotage_(std::move(sabotage)) {}
  std::shared_ptr<Sabotage> sabotage_;
};

}  // namespace weir
