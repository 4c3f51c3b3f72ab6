#include "lab/faults/virtual_jobtracker.h"

#include <algorithm>
#include <utility>

#include "jobqueue/model/check.h"

namespace weir::faults {
namespace {

constexpr DurationMs kTickEveryMs = 500;

}  // namespace

VirtualJobTracker::VirtualJobTracker(Agenda& agenda, Dice& dice, Swarm& swarm, const Plant& plant,
                                     Disk& disk, SettingsOf settings_of, PolicyFactory factory)
    : agenda_(agenda),
      dice_(dice),
      swarm_(swarm),
      plant_(plant),
      disk_(disk),
      settings_of_(std::move(settings_of)),
      factory_(std::move(factory)) {}

Status VirtualJobTracker::start() {
  WEIR_CHECK(!up(), "one JobTracker at a time");
  auto store = disk_.open();
  if (!store) return store.error();
  auto snapshot = (*store)->load();
  if (!snapshot) return snapshot.error();
  if (plant_.is(Planted::kNumbersStartOver)) snapshot->epoch = 1;
  if (plant_.is(Planted::kDutyForgotten)) {
    for (JobSnapshot& job : snapshot->jobs) job.cleanup = false;
  }
  const TimeMs engine_time = snapshot->last_time == 0 ? agenda_.now() : snapshot->last_time;
  auto settings = settings_of_(snapshot->settings_text);
  auto engine = Engine::create(std::move(settings), factory_, std::move(*snapshot), engine_time);
  if (!engine) return engine.error();
  life_ = std::make_unique<Life>();
  life_->store = std::move(*store);
  life_->engine = std::move(*engine);
  life_->began = agenda_.now();
  life_->engine_time = engine_time;
  GroupWriterCallbacks callbacks;
  // Told in a step of its own, as by a queue between two threads.
  callbacks.on_durable = [this](std::uint64_t seq) {
    later(0, [this, seq] { step(Durable{seq}, nullptr); });
  };
  callbacks.on_failed = [this](std::uint64_t seq, const std::string& message) {
    later(0, [this, seq, message] { step(StoreFailed{seq, message}, nullptr); });
  };
  life_->writer = std::make_unique<GroupWriter>(*life_->store, std::move(callbacks));
  ++starts_;
  tick_when_due();
  return Ok{};
}

void VirtualJobTracker::kill(Death death) {
  disk_.die();
  life_.reset();
  if (death == Death::kMachine) disk_.lose_power();
}

void VirtualJobTracker::later(DurationMs wait, std::function<void()> deed) {
  agenda_.after(wait, [this, life = starts_, deed = std::move(deed)] {
    if (up() && life == starts_) deed();
  });
}

void VirtualJobTracker::tick_when_due() {
  const TimeMs due = life_->engine->next_tick() - engine_now();
  later(std::clamp<DurationMs>(due, 1, kTickEveryMs), [this] {
    if (engine_now() >= life_->engine->next_tick()) step(Tick{}, nullptr);
    tick_when_due();
  });
}

void VirtualJobTracker::handle(Body body, Callback callback) {
  if (up()) step(std::move(body), std::move(callback));
}

void VirtualJobTracker::step(Body body, Callback callback) {
  Input input{engine_now(), callback ? ++life_->token : 0, std::move(body)};
  if (callback) life_->outstanding.emplace(input.token, std::move(callback));
  output_.clear();
  Output& output = output_;
  life_->engine->handle(input, output);
  for (Observer* observer : observers_) observer->on_step(*life_->engine, input, output);
  std::vector<Event> durable;
  for (const Event& event : output.events) {
    if (event.seq > 0) durable.push_back(event);
  }
  const std::vector<Reply> replies = std::move(output.replies);
  if (!durable.empty()) {
    if (plant_.is(Planted::kReplyBeforeCommit)) {
      later(0, [this, seq = durable.back().seq] { step(Durable{seq}, nullptr); });
    }
    WriteGroup group{.events = std::move(durable), .time = {}, .meta = {}};
    life_->writer->take(group);
    write_soon();
  }
  for (const Reply& reply : replies) {
    if (up()) deliver(reply);
  }
}

void VirtualJobTracker::deliver(const Reply& reply) {
  const auto waiting = life_->outstanding.find(reply.token);
  if (waiting == life_->outstanding.end()) return;
  const Callback callback = std::move(waiting->second);
  life_->outstanding.erase(waiting);
  callback(reply.body);
}

void VirtualJobTracker::write_soon() {
  if (std::exchange(life_->writing, true)) return;
  const bool slow = swarm_.strikes(Fault::kStoreSlow);
  later(slow ? dice_.between(500, 8'000) : dice_.between(0, 20), [this] { write(); });
}

void VirtualJobTracker::write() {
  life_->writing = false;
  if (swarm_.strikes(Fault::kStoreError)) disk_.fail_next();
  if (swarm_.strikes(Fault::kStoreSwapped)) disk_.fail_next(dice_.between(2, 50));
  life_->writer->write();
  if (swarm_.strikes(Fault::kKilledInCommit)) {
    return kill(dice_.chance(50) ? Death::kMachine : Death::kProcess);
  }
  if (!life_->writer->kept().empty()) write_soon();  // facts that are retried
}

}  // namespace weir::faults
