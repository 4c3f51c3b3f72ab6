// A TaskTracker without tasks: it holds what it was told to launch, says which of it has ended, and
// does what the replies say. Its report is one heartbeat that is changed in place, so that building
// it costs next to nothing. Attempts stay in the order of their launches. One thread.
#pragma once

#include <cstdint>
#include <string>

#include "jobqueue/model/input.h"

namespace weir::bench {

class VirtualTracker {
 public:
  VirtualTracker(const std::string& name, const std::string& rack, Resources total);

  const RegisterTracker& registration() const { return registration_; }

  // The `count` oldest running attempts of the kind end. `how` kKilled: the engine takes the task
  // back as pending. `how` kSucceeded: done, where the task publishes output after a granted
  // commit.
  void end_oldest(TaskKind kind, std::uint32_t count, ReportedState how, bool publishes);
  // The next report.
  Input& report();
  // Takes on what the reply says.
  struct Obeyed {
    std::uint32_t launches = 0;
    bool has_news = false;  // something was killed or committed: a tracker reports that at once
  };
  Obeyed obey(const HeartbeatReply& reply);

 private:
  Heartbeat& heartbeat() { return std::get<Heartbeat>(input_.body); }
  AttemptReport* find(const AttemptKey& key);

  RegisterTracker registration_;
  Input input_;
};

}  // namespace weir::bench
