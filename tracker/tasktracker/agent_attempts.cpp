// The agent's side of attempts: starting their processes, passing commands on, and making sure that
// nothing of them is left when they have ended, of themselves or not.
#include <spdlog/spdlog.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <set>

#include "tracker/rpc/end_guard.h"
#include "tracker/tasktracker/agent.h"
#include "tracker/tasktracker/process_table.h"
#include "tracker/tasktracker/task_output.h"

namespace weir::tasktracker {
namespace {

constexpr int kMostKillSweeps = 200;
constexpr std::chrono::milliseconds kOutputsMayTake{2'000};  // at the end; then they hang

}  // namespace

AttemptProcess* Agent::process(const AttemptKey& key) {
  const auto found = processes_.find(key);
  return found == processes_.end() ? nullptr : found->second.get();
}

Result<std::shared_ptr<AttemptProcess>> Agent::start_once(
    const LaunchPlan& plan, const AttemptProcess::Handlers& handlers) {
  const auto taken = scratch_.take(plan.spec.id);
  remove_rejected();
  if (!taken) return taken.error();
  return AttemptProcess::start(io_, starter_, plan, handlers);
}

// Once more if what starts them was lost, which no attempt is to blame for.
Result<std::shared_ptr<AttemptProcess>> Agent::start_process(
    const LaunchPlan& plan, const AttemptProcess::Handlers& handlers) {
  const bool was_there = starter_.pid() > 0;
  auto process = start_once(plan, handlers);
  if (process || !was_there || starter_.pid() > 0) return process;
  spdlog::warn("{}: {}; starting another", subject_, process.error().message);
  sweep_orphans();  // whom it may have started, unknown to us
  return start_once(plan, handlers);
}

AttemptProcess::Handlers Agent::handlers_for(const TaskSpec& spec) {
  const AttemptKey key = spec.id;
  AttemptProcess::Handlers handlers;
  handlers.report = [this, key, may_rest = spec.may_be_followed()](TaskReport report) {
    const bool rests = report.goes_on && may_rest;
    core_->on_report(key, std::move(report), now());
    if (rests) attempt_rests(key);
    turn();
  };
  handlers.over = [this, key, output = spec.publishes() ? output_of(spec) : JobOutput()](
                      const std::string& how) { attempt_over(key, output, how); };
  return handlers;
}

void Agent::do_action(action::TakePorts& take) {
  auto ports = ports_.take(take.key, take.count);
  if (!ports) return core_->on_start_failed(take.key, ports.error().message, now());
  core_->on_ports(take.key, std::move(*ports));
}

void Agent::do_action(action::GivePortsBack& give) {
  ports_.give_back(give.key);
}

void Agent::do_action(action::StartAttempt& start) {
  const AttemptKey key = start.launch.attempt;
  auto spec = make_task_spec(start.job, start.launch);
  if (!spec) {
    ports_.give_back(key);
    return core_->on_start_failed(key, spec.error().message, now());
  }
  spec->attempt_dir = dirs_.attempt(key);
  spec->log_dir = dirs_.log(key);
  spec->output_is_durable = durable_outputs_.contains(key.task.job);
  if (spec->is_map() && !spec->map_only()) spec->map_output_dir = dirs_.output(key);
  if (spec->publishes()) spec->spare_output_dir = scratch_.take_output_dir(key.task.job);
  if (start.peers) {
    spec->application.ports = *start.ports;
    spec->application.peers = peers_text(*start.peers);
  } else if (start.launch.grant) {
    auto ports = ports_.take(key, start.launch.grant->ports);
    if (!ports) return core_->on_start_failed(key, ports.error().message, now());
    spec->application.ports = std::move(*ports);
  }
  const auto handlers = handlers_for(*spec);
  if (go_on(*spec, handlers)) return;
  auto group = isolation_.prepare(*spec);
  if (!group) {
    ports_.give_back(key);
    spdlog::error("{}: control group: {}", attempt_name(key), group.error().message);
    return core_->on_start_failed(key, "control group: " + group.error().message, now());
  }
  auto process = start_process({std::move(*spec), *group}, handlers);
  if (!process) {
    ports_.give_back(key);
    (void)group->remove();
    house_.push([this, path = dirs_.attempt(key)] { remove(path); });
    spdlog::error("{}: {}", attempt_name(key), process.error().message);
    return core_->on_start_failed(key, process.error().message, now());
  }
  spdlog::debug("{}: started as process {}", attempt_name(key), (*process)->pid());
  sessions_.add((*process)->pid());
  processes_[key] = std::move(*process);
}

void Agent::do_action(action::KillAttempt& kill) {
  spdlog::info("{}: killing", attempt_name(kill.key));
  if (AttemptProcess* running = process(kill.key)) running->kill();
}

void Agent::do_action(action::CommitAttempt& commit) {
  if (AttemptProcess* running = process(commit.key))
    running->send("commit " + std::to_string(commit.until_steady_ms) + "\n");
}

void Agent::do_action(action::GrantAttempt& grant) {
  if (AttemptProcess* running = process(grant.key)) running->send("grant\n");
}

void Agent::do_action(action::PushOutputs& push) {
  AttemptProcess* running = process(push.key);
  if (!running) return;
  std::string text;
  for (const MapOutput& output : push.outputs) {
    if (output.host.find_first_of(" \n") != std::string::npos || output.host.size() > 255) continue;
    text += "output " + std::to_string(output.map) + " " + std::to_string(output.attempt) +
            (output.obsolete ? " 1 " : " 0 ") + std::to_string(output.port) + " " + output.host +
            "\n";
  }
  running->send(std::move(text));
}

void Agent::children_ended() {
  starter_.reap();
  // One that rested may have said so with its command still running, if a task said it.
  bool hard_end = resting_ended();
  std::vector<std::shared_ptr<AttemptProcess>> ended;
  for (auto& [key, process] : processes_) {
    if (!process->reap()) continue;
    hard_end |= !process->ended_by_itself();
    ended.push_back(process);
  }
  // An attempt's process that ends by itself has swept its own descendants.
  if (hard_end) sweep_orphans();
  for (const auto& process : ended) {
    if (!process->emptied())
      spdlog::error("{}: some processes in {} do not end", subject_,
                    process->group().directories[0]);
    process->finish();
  }
}

void Agent::sweep_orphans() {
  for (int sweep = 0; sweep < kMostKillSweeps; ++sweep) {
    std::set<pid_t> attempts;
    for (const auto& [key, process] : processes_) attempts.insert(process->pid());
    resting_.add_pids(attempts);
    attempts.insert(starter_.pid());
    bool found = false;
    std::set<pid_t> groups;  // each once: there may be thousands of processes in one
    for (const ProcessInfo& child : all_processes()) {
      if (child.parent != ::getpid() || attempts.contains(child.pid)) continue;
      found = true;
      if (child.group > 1 && child.group != ::getpgrp() && !attempts.contains(child.group) &&
          groups.insert(child.group).second)
        ::kill(-child.group, SIGKILL);
      ::kill(child.pid, SIGKILL);
      (void)::waitpid(child.pid, nullptr, WNOHANG);
    }
    if (!found) return;
    ::usleep(1000);
  }
  spdlog::error("{}: some processes of a killed attempt do not end", subject_);
}

void Agent::remove_rejected() {
  for (const std::string& path : scratch_.take_rejected())
    house_.push([this, path] { remove(path); });
}

void Agent::remove_group(const AttemptCgroup& group) {
  if (group.directories.empty()) return;
  house_.push([this, group] {
    if (!group.remove())
      spdlog::warn("{}: the control group {} cannot be removed", subject_, group.directories[0]);
  });
}

void Agent::attempt_over(const AttemptKey& key, const JobOutput& output, const std::string& how) {
  spdlog::debug("{}: {}", attempt_name(key), how);
  const AttemptCgroup group = processes_[key]->group();
  const CgroupEvents met = group.events();
  const bool left_nobody = processes_[key]->left_nobody();
  const bool emptied = processes_[key]->left_scratch_empty();
  sessions_.remove(processes_[key]->pid());
  processes_.erase(key);
  ports_.give_back(key);
  // Nobody will fetch what an attempt has left that was killed or failed.
  const bool failed = !core_->on_exit(key, how, now(), isolation_.note_of(key.task.kind, met));
  if (failed || !left_nobody || !isolation_.give_back(key.task.job, group, met))
    remove_group(group);
  if (failed) {
    house_.push([this, path = dirs_.attempt(key), kept = dirs_.output(key)] {
      remove(path);
      remove(kept);
    });
  } else {
    scratch_.give_back(key, emptied);
    remove_rejected();
  }
  if (is_group(key.task.kind)) return turn();
  if (!failed && output.path.empty()) {
    keep_output(key);
  } else if (!failed) {
    durable_outputs_.insert(key.task.job);  // and nothing of it lies aside that is to go
    scratch_.give_back_output_dir(key);
  } else if (!output.path.empty()) {
    clean_up_output(core_->user_of(key.task.job), attempt_name(key),
                    [output, key] { remove_unpublished(output, key); });
  }
  turn();
}

void Agent::kill_everything() {
  stopping_ = true;
  EndGuard guard(subject_);
  guard.at("processes of its attempts");
  starter_.stop();
  for (auto& [key, process] : processes_) {
    process->forget_handlers();
    process->kill();
  }
  for (auto& [key, process] : processes_) {
    // It may have been reaped before, with reports still to be read.
    while (!process->reaped() && !process->reap()) ::usleep(1000);
  }
  processes_.clear();
  resting_.end_all();
  while (resting_.any_ending()) {
    resting_.reap();
    ::usleep(1000);
  }
  sweep_orphans();
  isolation_.end();
  // From here on nothing that ran here can have taken this process down.
  (void)write_whole_file(dirs_.ended_in_order(), "").ok();
  guard.at("its call to the JobTracker");
  link_->close();
  rpc_.stop();
  guard.at("outputs of jobs");
  if (!outputs_.wait(kOutputsMayTake)) {
    for (const std::string& what : outputs_.running())
      spdlog::warn("{}: {} hangs, and is left as it is", subject_, what);
  }
  outputs_.stop();
  guard.at("the disk of its work directory");
  house_.stop();
  gauge_.stop();
  guard.at("the shuffle server");
  shuffle_->stop();
  guard.at("the disk of its work directory");
  (void)remove_tree(dirs_.attempts()).ok();
  (void)remove_tree(dirs_.outputs()).ok();
  spdlog::info("{}: ended", subject_);
}

}  // namespace weir::tasktracker
