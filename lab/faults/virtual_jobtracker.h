// A JobTracker that can be killed between any two of its steps: the very engine, and the very rules
// by which groups of events reach the store (group_writer.h), without sockets and threads. What
// survives a kill is the disk, and nothing else. A write takes time, may fail, and the JobTracker
// may die in it, before or after its events have come to the disk. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "jobqueue/engine/engine.h"
#include "jobqueue/store/group_writer.h"
#include "lab/faults/agenda.h"
#include "lab/faults/disk.h"
#include "lab/faults/plant.h"
#include "lab/faults/swarm.h"
#include "sim/observer.h"

namespace weir::faults {

class VirtualJobTracker {
 public:
  using Body = decltype(Input::body);
  using ReplyBody = decltype(Reply::body);
  using Callback = std::function<void(const ReplyBody&)>;
  // The settings that have this text: those that the store gave back, or the first ones.
  using SettingsOf = std::function<std::shared_ptr<const Settings>(const std::string& text)>;

  VirtualJobTracker(Agenda& agenda, Dice& dice, Swarm& swarm, const Plant& plant, Disk& disk,
                    SettingsOf settings_of, PolicyFactory factory);

  void watch(Observer& observer) { observers_.push_back(&observer); }
  // An error is one of the product: what was written cannot be read, or does not fit.
  Status start();
  // -9, or with its machine: the disk loses what was not synced.
  enum class Death { kProcess, kMachine };
  void kill(Death death);
  bool up() const { return life_ != nullptr; }
  // While it is up.
  const Engine& engine() const { return *life_->engine; }
  // Nothing waits for the store.
  bool quiet() const { return !life_ || life_->engine->last_seq() == life_->engine->durable_seq(); }
  std::uint32_t starts() const { return starts_; }
  // What a start would find now. While it is up.
  Result<Snapshot> read_back() { return life_->store->load(); }

  // The request arrives. The answer comes once, in this step or in a later one; never, if the
  // JobTracker is down or dies first.
  void handle(Body body, Callback callback);

 private:
  // What a kill takes away.
  struct Life {
    std::unique_ptr<Store> store;
    std::unique_ptr<Engine> engine;
    std::unique_ptr<GroupWriter> writer;
    std::map<Token, Callback> outstanding;
    TimeMs began = 0;        // by the agenda
    TimeMs engine_time = 0;  // then
    TimeMs ticks_at = 0;
    Token token = 0;
    bool writing = false;
  };

  TimeMs engine_now() const { return life_->engine_time + agenda_.now() - life_->began; }
  void step(Body body, Callback callback);
  void deliver(const Reply& reply);
  void write_soon();
  void write();
  void tick_when_due();
  // A deed of this life: it is not done in another.
  void later(DurationMs wait, std::function<void()> deed);

  Agenda& agenda_;
  Dice& dice_;
  Swarm& swarm_;
  const Plant& plant_;
  Disk& disk_;
  SettingsOf settings_of_;
  PolicyFactory factory_;
  std::vector<Observer*> observers_;
  std::unique_ptr<Life> life_;
  std::uint32_t starts_ = 0;
  Output output_;
};

}  // namespace weir::faults
