// Random stories where containers count: whatever happens, the head that the kept orders name is
// the one that looking at every queue finds, and a policy made from the state just now answers
// alike. Seeds are fixed, so a failure repeats.
#include <gtest/gtest.h>

#include <tuple>

#include "capacity/container_capacity.h"
#include "lab/kit/seeds.h"
#include "support/random_story.h"

namespace weir::test {
namespace {

using Said = std::tuple<int, TaskKey, HoldId, TrackerId, std::string>;
std::optional<Said> said(const std::optional<Choice>& choice) {
  if (!choice) return std::nullopt;
  return Said{static_cast<int>(choice->what), choice->task, choice->hold, choice->reserve_on,
              std::string(choice->why)};
}

class Compared final : public ContainerCapacity {
 public:
  Compared(const ClusterState& state, PolicyMemory& memory)
      : ContainerCapacity(state, memory), state_(state), memory_(memory) {}
  std::optional<Choice> choose(const Offer& offer) override {
    const auto found = ContainerCapacity::choose(offer);
    EXPECT_EQ(said(found), said(choose_by_walking(offer)));
    ContainerCapacity fresh(state_, memory_);
    EXPECT_EQ(said(found), said(fresh.choose(offer)));
    return found;
  }

 private:
  const ClusterState& state_;
  PolicyMemory& memory_;
};

std::unique_ptr<Policy> compared(std::string_view, const ClusterState& state,
                                 PolicyMemory& memory) {
  return std::make_unique<Compared>(state, memory);
}

class HeadsStory : RandomStory<Harness> {
 public:
  // `all_sizes`: more than there are bits for.
  HeadsStory(unsigned seed, bool all_sizes)
      : RandomStory(seed, compared, "capacity"), all_sizes_(all_sizes) {
    h_.settings().resources.mode = ResourceSettings::Mode::kContainers;
    h_.settings().resources.named = {"gpu"};
    auto section = std::make_shared<CapacitySettings>();
    section->redistribute_by = static_cast<CapacitySettings::RedistributeBy>(upto(2));
    h_.settings().policies["capacity"] = section;
    h_.settings().resources.reservations_hundredths = one_in(2) ? 500 : 5000;
    for (QueueSettings& q : random_family(3)) h_.add_queue(q);
    for (int i = 0; i < 5; ++i) connect_a_tracker("tt" + std::to_string(trackers_++));
  }

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

 private:
  std::vector<QueueSettings> random_family(int depth) {
    std::vector<QueueSettings> family;
    const std::int64_t count = 1 + upto(4);
    std::int64_t left = 100;
    for (std::int64_t i = 0; i < count; ++i) {
      QueueSettings q = queue("q" + std::to_string(i));
      const std::int64_t percent = i + 1 == count ? left : upto(left);
      left -= percent;
      for (Guarantee& g : q.guaranteed) g = {Guarantee::Unit::kPercent, percent * 100};
      if (one_in(5)) q.maximum_hundredths = upto(10000);
      for (auto& after : q.reclaim_after_ms) after = one_in(4) ? kNever : 1000 * upto(20);
      q.user_limit.mode = one_in(2) ? UserLimit::Mode::kHard : UserLimit::Mode::kSoft;
      q.user_limit.minimum_hundredths = one_in(2) ? 10000 : 100 + upto(9900);
      q.priorities = one_in(2);
      if (depth > 1 && one_in(3)) q.queues = random_family(depth - 1);
      family.push_back(q);
    }
    return family;
  }

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
      group.count = static_cast<std::uint32_t>(1 + upto(6));
      group.asked.memory_mb = all_sizes_ ? 128 * (1 + upto(40)) : 1024 * (1 + upto(3));
      group.asked.vcores = all_sizes_ ? upto(4) : upto(2);
      if (one_in(5)) group.asked.named["gpu"] = 1;
      if (one_in(6)) group.require.push_back({"rack", {"r0"}, one_in(2)});
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
    static const Moves<HeadsStory> moves = {
        {10, &HeadsStory::submit},     {4, &HeadsStory::submit_mapreduce},
        {50, &HeadsStory::beat},       {25, &HeadsStory::finish_one},
        {5, &HeadsStory::fail},        {2, &HeadsStory::kill_a_job},
        {3, &HeadsStory::move_a_job},  {2, &HeadsStory::change_a_priority},
        {8, &HeadsStory::advance},     {2, &HeadsStory::drain_or_not},
        {1, &HeadsStory::reconnect},
    };
    if (h_.state().jobs().empty()) return submit();
    (this->*moves.draw(dice_))();
  }

  bool all_sizes_ = false;
  std::int64_t incarnations_ = 0;
};

TEST(ContainerHeadsRandom, AreThoseThatAWalkOverAllQueuesFinds) {
  std::size_t launched = 0, reserved = 0, claims = 0, kills = 0;
  for (unsigned seed = 1; seed <= 150; ++seed) {
    HeadsStory story(seed, seed % 5 == 0);
    story.run(200);
    if (HasFailure()) return;
    launched += story.times<AttemptLaunched>();
    reserved += story.times<Reserved>();
    claims += story.times<ClaimOpened>();
    kills += story.times<KillOrdered>();
  }
  EXPECT_GT(launched, 5'000u);
  EXPECT_GT(reserved, 200u);
  EXPECT_GT(claims, 200u);
  EXPECT_GT(kills, 50u);
}

}  // namespace
}  // namespace weir::test
