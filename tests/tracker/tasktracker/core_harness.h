// Drives an AgentCore as a story: replies and reports go in, what it wants done comes out as words.
#pragma once

#include <string>
#include <variant>

#include "tracker/tasktracker/agent_core.h"

namespace weir::tasktracker {

// A core with a clock of its own; tells what it did as words: "heartbeat start m0.0 kill r1.0 ...".
class CoreHarness {
 public:
  explicit CoreHarness(AgentLimits limits = {}) : core(registration(), limits) {}

  static RegisterTracker registration() {
    RegisterTracker made;
    made.name = "tt1";
    made.incarnation = 42;
    made.key = "secret";
    return made;
  }
  static AttemptKey key(const std::string& text) {  // "m0.0" of job 7
    const TaskKind kind = text[0] == 'm'   ? TaskKind::kMap
                          : text[0] == 't' ? TaskKind::kFirstGroup
                                           : TaskKind::kReduce;
    return {{JobId(7), kind, static_cast<std::uint32_t>(text[1] - '0')},
            static_cast<std::uint32_t>(text[3] - '0')};
  }
  static std::string name(const AttemptKey& key) {
    const char kind = key.task.kind == TaskKind::kMap ? 'm' : is_group(key.task.kind) ? 't' : 'r';
    return std::string(1, kind) +
           std::to_string(key.task.index) + "." + std::to_string(key.attempt);
  }
  Now now() const { return {now_ms, 1000000 + now_ms}; }

  std::string actions() {
    std::string words;
    const auto word = [&](const std::string& text) { words += (words.empty() ? "" : " ") + text; };
    for (Action& each : core.take_actions()) {
      std::visit(
          [&](auto& what) {
            using T = std::decay_t<decltype(what)>;
            if constexpr (std::is_same_v<T, action::Register>) word("register");
            if constexpr (std::is_same_v<T, action::SendHeartbeat>) {
              word("heartbeat");
              beat = what.heartbeat;
            }
            if constexpr (std::is_same_v<T, action::FetchJob>) word("job");
            if constexpr (std::is_same_v<T, action::FetchOutputs>)
              word("outputs@" + std::to_string(what.first));
            if constexpr (std::is_same_v<T, action::TakePorts>)
              word("ports " + name(what.key) + "x" + std::to_string(what.count));
            if constexpr (std::is_same_v<T, action::GivePortsBack>)
              word("give back " + name(what.key));
            if constexpr (std::is_same_v<T, action::FetchPeers>)
              word("peers@" + std::to_string(what.first));
            if constexpr (std::is_same_v<T, action::StartAttempt>) {
              word("start " + name(what.launch.attempt));
              peers = what.peers;
            }
            if constexpr (std::is_same_v<T, action::KillAttempt>) word("kill " + name(what.key));
            if constexpr (std::is_same_v<T, action::CommitAttempt>)
              word("commit " + name(what.key));
            if constexpr (std::is_same_v<T, action::GrantAttempt>) word("grant " + name(what.key));
            if constexpr (std::is_same_v<T, action::PushOutputs>) {
              word("push " + name(what.key) + "x" + std::to_string(what.outputs.size()));
            }
            if constexpr (std::is_same_v<T, action::RunDuty>) word("duty");
            if constexpr (std::is_same_v<T, action::DropJob>) word("drop");
            if constexpr (std::is_same_v<T, action::Leave>) word("leave: " + what.why);
          },
          each);
    }
    return words;
  }
  std::string at(std::int64_t ms) {
    now_ms = ms;
    core.poll(now());
    return actions();
  }
  std::string reply(const HeartbeatReply& reply) {
    core.on_reply(reply, now_ms, now());
    core.poll(now());
    return actions();
  }
  static HeartbeatReply every(std::int64_t interval_ms) {
    HeartbeatReply reply;
    reply.interval_ms = interval_ms;
    return reply;
  }
  static HeartbeatReply launch(std::initializer_list<const char*> attempts, bool granted = true) {
    auto reply = every(1000);
    for (const char* attempt : attempts) reply.launch.push_back({key(attempt), {}, granted});
    return reply;
  }
  static HeartbeatReply duty(bool succeed) {  // asks for the last step of job 7
    auto reply = every(1000);
    reply.duties.push_back({JobId(7), succeed, "", "", 0});
    return reply;
  }
  std::string describe(std::int64_t task_timeout_ms = 0) {
    JobSpec spec;
    spec.task_timeout_ms = task_timeout_ms;
    core.on_job({JobId(7), std::make_shared<const JobSpec>(spec), ""}, now());
    core.poll(now());
    return actions();
  }
  std::string report(const std::string& attempt, ReportedState state,
                     TaskPhase phase = TaskPhase::kMap, bool waiting = false) {
    TaskReport made;
    made.status.attempt = key(attempt);
    made.status.state = state;
    made.status.phase = phase;
    made.status.progress_millionths = 500000;
    made.waiting = waiting;
    core.on_report(key(attempt), made, now());
    core.poll(now());
    return actions();
  }
  std::string over_limit(const std::string& attempt, const std::string& why) {
    core.on_over_limit(key(attempt), why, now());
    core.poll(now());
    return actions();
  }
  std::string exit(const std::string& attempt, const std::string& note = "") {
    core.on_exit(key(attempt), "exited", now(), note);
    core.poll(now());
    return actions();
  }
  // Registered, first heartbeat answered, everything quiet.
  void quiet() {
    at(0);
    core.on_registered({}, now());
    at(0);
    reply(every(1000));
  }
  std::string states() const {
    constexpr const char* kNames[] = {"RUNNING", "COMMIT_PENDING", "SUCCEEDED", "FAILED", "KILLED"};
    std::string text;
    for (const AttemptReport& report : beat.attempts) {
      text += (text.empty() ? "" : " ") + name(report.attempt) + "=" +
              kNames[static_cast<std::size_t>(report.state)];
    }
    return text;
  }

  AgentCore core;
  Heartbeat beat;
  std::shared_ptr<const std::vector<GangPeer>> peers;  // of the last start
  std::int64_t now_ms = 0;
};

}  // namespace weir::tasktracker
