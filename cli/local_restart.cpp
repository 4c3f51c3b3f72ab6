#include "cli/local_restart.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/exit_code.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/local_start.h"
#include "conf/load.h"

namespace weir::cli {
namespace {

void stop(Context& context, const std::vector<LocalProcess>& processes) {
  for (const auto& name : stop_processes(processes, kLocalStopMs)) {
    context.err << fmt::format("weir: {} did not end within {} and was killed\n", name,
                               short_duration(kLocalStopMs));
  }
}

// What to start it with: the same as before, on the ports that the trackers know.
std::vector<std::string> arguments_again(const LocalDirectory& directory) {
  auto arguments = directory.arguments();
  if (!directory.kept() || arguments.empty()) {
    throw CliFailure(kExitNotSo,
                     fmt::format("no cluster that `weir local --keep` left running is in {}",
                                 directory.path()));
  }
  if (const auto ports = directory.ports()) {
    arguments = with_argument(std::move(arguments), "--port", std::to_string(ports->client));
    arguments =
        with_argument(std::move(arguments), "--tracker-port", std::to_string(ports->tracker));
    if (ports->http != 0)
      arguments = with_argument(std::move(arguments), "--http-port", std::to_string(ports->http));
  }
  return arguments;
}

void report(Context& context, const LocalDirectory& directory, const LocalProcess& jobtracker) {
  const LocalPorts ports = directory.ports().value_or(LocalPorts());
  const auto loaded = load_settings(argument_of(directory.arguments(), "--conf"));
  const std::string address =
      local_address(loaded ? loaded->daemon.listen_thrift.host : "", ports);
  if (context.json()) {
    print_json(context.out, {{"jobtracker", address},
                             {"client_port", ports.client},
                             {"tracker_port", ports.tracker},
                             {"pid", jobtracker.pid},
                             {"directory", directory.path()}});
    return;
  }
  context.out << fmt::format(
      "the JobTracker was started again (pid {}): clients at {}, trackers at port {}\n",
      jobtracker.pid, address, ports.tracker);
}

}  // namespace

int stop_local(Context& context, const std::string& given) {
  const LocalDirectory directory(given);
  const auto processes = directory.processes();
  if (processes.empty()) {
    throw CliFailure(kExitNotSo,
                     fmt::format("no cluster is running in {} ({} names no live process)",
                                 directory.path(), directory.file("pids")));
  }
  stop(context, processes);
  directory.remove("pids");
  context.out << fmt::format("ended {} processes; their files stay in {}\n", processes.size(),
                             directory.path());
  return kExitDone;
}

int restart_local_jobtracker(Context& context, const std::string& given) {
  const LocalDirectory directory(given);
  const auto arguments = arguments_again(directory);
  auto processes = directory.processes();
  const auto trackers = std::find_if(processes.begin(), processes.end(), [](const auto& process) {
    return process.name != kLocalJobTracker;
  });
  stop(context, {processes.begin(), trackers});
  processes.erase(processes.begin(), trackers);
  directory.write_arguments(arguments);  // with the ports, before the file that has them goes
  directory.remove("ports");
  InterruptScope interrupt;
  const auto jobtracker = launch(directory, kLocalJobTracker, arguments, true, interrupt);
  processes.insert(processes.begin(), jobtracker);
  directory.write_processes(processes);  // also if it is not waited for: --stop finds it
  if (!wait_until(interrupt, directory, {jobtracker}, "the JobTracker",
                  [&] { return directory.ports().has_value(); })) {
    return kExitInterrupted;
  }
  report(context, directory, jobtracker);
  return kExitDone;
}

}  // namespace weir::cli
