// A job on a real agent with real processes: `JobRun run({.input = text, .mapper = "...", ...});
// run.go();`.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tracker/tasktracker/agent.h"
#include "tracker/tasktracker/fake_jobtracker.h"
#include "tracker/tasktracker/temp_dir.h"

namespace weir::tasktracker {

struct JobParts {
  std::string input;
  std::string mapper = "cat";
  std::string reducer = "cat";
  std::string combiner;
  int maps = 3;
  int reduces = 2;
  std::int64_t sort_memory_mb = 1;
  std::int64_t task_timeout_ms = 60000;
  std::string input_name = "in.txt";
  std::map<std::string, std::string> conf;
  int max_attempts = 2;
  std::int64_t map_memory_mb = 0;
  TaskSettings task;
  LogSettings log;
  std::optional<std::int64_t> job_disk_mb;
  AgentLimits limits;
};

class JobRun {
 public:
  explicit JobRun(const JobParts& parts) {
    JobSpec spec;
    spec.name = "test job";
    spec.queue = "default";
    spec.input_files = {dir.write(parts.input_name, parts.input)};
    const auto size = static_cast<std::int64_t>(parts.input.size());
    for (int i = 0; i < parts.maps; ++i) {
      const std::int64_t from = size * i / parts.maps;
      spec.splits.push_back({0, from, size * (i + 1) / parts.maps - from, {}, {}});
    }
    output = dir / "out";
    spec.output = output;
    spec.mapper = parts.mapper;
    spec.reducer = parts.reducer;
    spec.combiner = parts.combiner;
    spec.reduces = static_cast<std::uint32_t>(parts.reduces);
    spec.sort_memory_mb = parts.sort_memory_mb;
    spec.task_timeout_ms = parts.task_timeout_ms;
    spec.max_attempts = static_cast<std::uint32_t>(parts.max_attempts);
    spec.conf = parts.conf;
    spec.need[index(TaskKind::kMap)][Dimension::kMemoryMb] = parts.map_memory_mb;
    jobtracker = std::make_unique<FakeJobTracker>(spec, 4);
    TaskTrackerOptions options;
    options.name = "tt1";
    options.work_dir = dir / "work";
    options.min_free_disk_mb = 0;
    options.task = parts.task;
    options.log = parts.log;
    options.job_disk_mb = parts.job_disk_mb;
    agent = std::make_unique<Agent>(options, jobtracker->link(), parts.limits);
  }
  ~JobRun() { end(); }

  void start() {
    const Status prepared = agent->prepare();
    if (!prepared.ok()) throw std::runtime_error(prepared.error().message);
    // Attempts are bound to this thread's life, as to the main thread of a tracker.
    thread = std::thread([this] { agent->run(); });
  }
  std::string go() {
    start();
    const std::string verdict = jobtracker->wait();
    return verdict;
  }
  void end() {
    if (!thread.joinable()) return;
    agent->stop();
    thread.join();
  }
  std::string part(int index) const {
    char name[32];
    std::snprintf(name, sizeof name, "/part-%05d", index);
    return read_text(output + name);
  }

  TempDir dir;
  std::string output;
  std::unique_ptr<FakeJobTracker> jobtracker;
  std::unique_ptr<Agent> agent;
  std::thread thread;
};

}  // namespace weir::tasktracker
