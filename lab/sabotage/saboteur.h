// Breaks one rule of the checker in a live run, on purpose (`weir-lab ... --break RULE`): the proof
// that the checker would see it. It stands between engine and policy and lies, chooses or keeps
// quiet (sabotaged_policy.h, and a class for each policy), and it lays hands on the state where
// only the engine may; always as little as breaks the one rule, from a set number of inputs on, as
// soon as the run offers an occasion. It has to watch the run before the checker does. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "jobqueue/model/result.h"
#include "jobqueue/policy/policy.h"
#include "lab/sabotage/sabotage.h"
#include "sim/observer.h"

namespace weir {

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
