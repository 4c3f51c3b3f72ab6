// Random stories where containers count: trackers with labels and resources of all kinds, jobs and
// applications of many sizes, ends, failures, kills, moves, restarts. What the queues or the pools
// are is for those who tell them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "jobqueue/policy/policy.h"
#include "support/random_story.h"

namespace weir::test {

// What a policy has answered, to be compared.
using Said = std::tuple<int, TaskKey, HoldId, TrackerId, std::string>;
std::optional<Said> said(const std::optional<Choice>& choice) {
  if (!choice) return std::nullopt;
  return Said{static_cast<int>(choice->what), choice->task, choice->hold, choice->reserve_on,
              std::string(choice->why)};
}


// A policy whose every answer is that which looking at all gives, and that of one made just now.
template <class Ruling>
class Compared final : public Ruling {
 public:
  Compared(const ClusterState& state, PolicyMemory& memory)
      : Ruling(state, memory), state_(state), memory_(memory) {}
  std::optional<Choice> choose(const Offer& offer) override {
    const auto found = Ruling::choose(offer);
    EXPECT_EQ(said(found), said(this->choose_by_walking(offer)));
    Ruling fresh(state_, memory_);
    EXPECT_EQ(said(found), said(fresh.choose(offer)));
    for (std::size_t q = 0; q < state_.tree().size(); ++q) {
      for (const Dimension d : state_.space().dimensions()) {
        const QueueFigures ours = this->figures(QueueId(q), d);
        const QueueFigures theirs = fresh.figures(QueueId(q), d);
        EXPECT_EQ(ours.demand, theirs.demand);
        EXPECT_EQ(ours.share, theirs.share);
      }
    }
    return found;
  }

 private:
  const ClusterState& state_;
  PolicyMemory& memory_;
};
template <class Ruling>
std::unique_ptr<Policy> compared(std::string_view, const ClusterState& state,
                                 PolicyMemory& memory) {
  return std::make_unique<Compared<Ruling>>(state, memory);
}

class ContainerStory : protected RandomStory<Harness> {
 public:
  void run(int steps) {
    for (int i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE("seed " + std::to_string(seed_) + " step " + std::to_string(i));
      random_step();
    }
  }
  template <class Fact>
  std::size_t times() const {
    return h_.events<Fact>().size();
  }

 protected:
  // `all_sizes`: more than there are bits for.
  template <class... Args>
  ContainerStory(unsigned seed, bool all_sizes, Args&&... args)
      : RandomStory(seed, std::forward<Args>(args)...), all_sizes_(all_sizes) {
    h_.settings().resources.mode = ResourceSettings::Mode::kContainers;
    h_.settings().resources.named = {"gpu"};
    h_.settings().resources.reservations_hundredths = one_in(2) ? 500 : 5000;
  }

  // Many small tasks and a few large ones, so that these wait.
  void crowd() { crowded_ = true; }
  void connect_trackers() {
    for (int i = 0; i < 5; ++i) connect_a_tracker("tt" + std::to_string(trackers_++));
  }

 private:
  void connect_a_tracker(const std::string& name) {
    RegisterTracker registration;
    registration.name = registration.host = name;
    registration.incarnation = h_.tracker(name).incarnation = ++incarnations_;
    h_.tracker(name).sequence = 0;
    h_.tracker(name).held.clear();
    registration.rack = "r" + std::to_string(upto(1));
    registration.total = Resources{{0, 0, 1024 * (2 + upto(6)), 2 + upto(6), upto(2)}};
    h_.step(registration);
  }

  void submit() {
    auto spec = std::make_shared<JobSpec>();
    spec->name = "a";
    spec->user = "u" + std::to_string(upto(2));
    spec->queue = random_leaf();
    spec->priority = static_cast<Priority>(upto(4));
    const std::int64_t groups = 1 + upto(1);
    for (std::int64_t i = 0; i < groups; ++i) {
      TaskGroupSpec group;
      group.name = "g" + std::to_string(i);
      group.command = "true";
      group.count = static_cast<std::uint32_t>(1 + upto(crowded_ ? 40 : 6));
      group.asked.memory_mb = all_sizes_ ? 128 * (1 + upto(40)) : 1024 * (1 + upto(3));
      if (crowded_)
        group.asked.memory_mb = one_in(4) ? 1024 * (3 + upto(4)) : 512 * (1 + upto(2));
      group.asked.vcores = all_sizes_ ? upto(4) : upto(2);
      if (one_in(5)) group.asked.named["gpu"] = 1;
      if (!crowded_ && one_in(6)) group.require.push_back({"rack", {"r0"}, one_in(2)});
      if (!crowded_ && one_in(6))
        group.gang = static_cast<std::uint32_t>(1 + upto(group.count - 1));
      if (one_in(3)) group.time_limit_ms = 1000 * (1 + upto(30));
      spec->task_groups.push_back(group);
    }
    h_.step(SubmitJob{{spec->user, {}}, spec});
  }
  void submit_mapreduce() {
    h_.submit({.queue = random_leaf(),
               .user = "u" + std::to_string(upto(2)),
               .maps = static_cast<std::uint32_t>(1 + upto(5)),
               .reduces = static_cast<std::uint32_t>(upto(2)),
               .priority = static_cast<Priority>(upto(4)),
               .slots_per_map = 1 + upto(2)});
  }
  void finish_one() {
    for (auto& [key, attempt] : h_.tracker(random_tracker()).held) {
      if (attempt.state != ReportedState::kRunning) continue;
      attempt.state = ReportedState::kSucceeded;
      return;
    }
  }
  void advance() { h_.advance(1000 * (1 + upto(5))); }
  void drain_or_not() {
    const TrackerOrder orders[] = {TrackerOrder::kDrain, TrackerOrder::kNone};
    h_.step(OrderTrackers{{"root", {}}, {random_tracker()}, orders[upto(1)]});
  }
  void reconnect() { connect_a_tracker(random_tracker()); }

  void random_step() {
    static const Moves<ContainerStory> moves = {
        {10, &ContainerStory::submit},     {4, &ContainerStory::submit_mapreduce},
        {50, &ContainerStory::beat},       {25, &ContainerStory::finish_one},
        {5, &ContainerStory::fail},        {2, &ContainerStory::kill_a_job},
        {3, &ContainerStory::move_a_job},  {2, &ContainerStory::change_a_priority},
        {8, &ContainerStory::advance},     {2, &ContainerStory::drain_or_not},
        {1, &ContainerStory::reconnect},
    };
    if (h_.state().jobs().empty()) return submit();
    (this->*moves.draw(dice_))();
  }

  bool all_sizes_ = false;
  bool crowded_ = false;
  std::int64_t incarnations_ = 0;
};

}  // namespace weir::test
