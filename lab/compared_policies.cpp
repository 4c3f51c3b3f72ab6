#include "lab/compared_policies.h"

#include <fmt/format.h>

#include <utility>

#include "capacity/container_capacity.h"
#include "fair/container_fair.h"

namespace weir {
namespace {

using Seen = Comparison::Seen;

bool same(const std::optional<Choice>& a, const std::optional<Choice>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->what == b->what && a->task == b->task && a->hold == b->hold &&
         a->reserve_on == b->reserve_on && a->why == b->why;
}

std::string text(const std::optional<Choice>& choice) {
  if (!choice) return "nothing";
  return fmt::format("{} (choice {})", task_name(choice->task), static_cast<int>(choice->what));
}

template <class Ruling>
class Compared final : public Ruling {
 public:
  Compared(const ClusterState& state, PolicyMemory& memory, std::shared_ptr<Seen> seen)
      : Ruling(state, memory), state_(state), seen_(std::move(seen)) {}

  std::optional<Choice> choose(const Offer& offer) override {
    const auto walked = this->choose_by_walking(offer);
    const auto chosen = Ruling::choose(offer);
    ++seen_->choices;
    if (seen_->difference.empty() && !same(chosen, walked)) {
      seen_->difference = fmt::format(
          "at {} ms on {}: {}, and by walking {}", offer.now, state_.tracker(offer.tracker).name,
          text(chosen), text(walked));
    }
    return chosen;
  }

 private:
  const ClusterState& state_;
  std::shared_ptr<Seen> seen_;
};

}  // namespace

PolicyFactory Comparison::wrap(PolicyFactory inner) const {
  return [inner = std::move(inner), seen = seen_](
             std::string_view name, const ClusterState& state,
             PolicyMemory& memory) -> std::unique_ptr<Policy> {
    if (state.space().containers() && name == "capacity")
      return std::make_unique<Compared<ContainerCapacity>>(state, memory, seen);
    if (state.space().containers() && name == "fair")
      return std::make_unique<Compared<ContainerFair>>(state, memory, seen);
    return inner(name, state, memory);
  };
}

}  // namespace weir
