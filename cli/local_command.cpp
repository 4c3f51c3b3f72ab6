#include "cli/local_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>

#include "cli/connection.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/local_restart.h"
#include "cli/local_start.h"
#include "cli/paths.h"
#include "cli/tracker_commands.h"
#include "conf/load.h"
#include "tracker/port/sendable_host.h"

namespace weir::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMaxTrackers = 1000;

// Where the files go: as asked for, or a directory of its own.
LocalDirectory make_directory(const LocalOptions& options) {
  if (options.directory.empty()) {
    const char* parent = std::getenv("TMPDIR");
    std::string pattern =
        absolute_path(parent == nullptr || *parent == 0 ? "/tmp" : parent) + "/weir-local-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) {
      throw CliFailure(kExitNotSo, fmt::format("cannot make the directory {}: {}", pattern,
                                               std::strerror(errno)));
    }
    return LocalDirectory(pattern);
  }
  LocalDirectory directory(options.directory);
  const auto processes = directory.processes();
  if (!processes.empty()) {
    throw wrong_use(fmt::format(
        "a cluster is running in {} ({} is pid {}); end it with `weir local --stop {}`",
        directory.path(), processes.front().name, processes.front().pid, directory.path()));
  }
  std::error_code error;
  fs::create_directories(directory.path(), error);
  if (error) throw wrong_use(fmt::format("--dir {}: {}", directory.path(), error.message()));
  for (const char* name : {"ports", "pids", "jobtracker.arguments"}) directory.remove(name);
  return directory;
}

class LocalCluster {
 public:
  LocalCluster(Context& context, const LocalOptions& options)
      : context_(context),
        options_(options),
        directory_(make_directory(options)),
        temporary_(options.directory.empty()) {}
  ~LocalCluster() {
    stop();
    std::error_code ignored;
    if (temporary_ && !kept_ && !failed_) fs::remove_all(directory_.path(), ignored);
  }

  int run() {
    const std::string settings = settings_file();
    if (!start_jobtracker(settings) || !start_trackers(settings)) return kExitInterrupted;
    announce();
    if (options_.keep) {
      directory_.write_processes(processes_);
      kept_ = true;
      return kExitDone;
    }
    return watch();
  }

 private:
  std::string file(const std::string& name) const { return directory_.file(name); }
  std::string address() const { return local_address(host_, ports_); }

  std::string page_address() const {
    return "http://" + format_address({sendable_host(page_host_), ports_.http}) + "/";
  }

  std::string settings_file() {
    if (options_.conf.empty()) {
      write_file(file("weir.yaml"), local_settings(directory_.path()));
      store_ = file("weir.db");
      return file("weir.yaml");
    }
    const std::string path = absolute_path(options_.conf);
    const auto loaded = load_settings(path);
    if (!loaded) {
      const auto& error = loaded.error();
      const auto& lines = error.diagnostics;
      throw CliFailure::findings(kExitRefused,
                                 lines.empty() ? std::vector<std::string>{error.message} : lines);
    }
    const auto& daemon = loaded->daemon;
    host_ = daemon.listen_thrift.host;
    if (daemon.listen_http) page_host_ = daemon.listen_http->host;
    pages_in_settings_ = daemon.listen_http.has_value();
    task_ports_ = loaded->tracker.ports;
    store_ = daemon.store_path;
    // Who tries things out has no store in /var/lib; a relative one is in the directory anyway.
    if (store_ == DaemonSettings().store_path) store_ = file("weir.db");
    if (store_ != ":memory:" && fs::path(store_).is_relative()) store_ = file(store_);
    return path;
  }

  void launch(const std::string& name, std::vector<std::string> arguments) {
    processes_.push_back(
        cli::launch(directory_, name, std::move(arguments), options_.keep, interrupt_));
  }

  bool wait_until(const char* what, const std::function<bool()>& ready) {
    failed_ = true;
    const bool there = cli::wait_until(interrupt_, directory_, processes_, what, ready);
    failed_ = false;
    return there;
  }

  // False if interrupted, as is the next one.
  bool start_jobtracker(const std::string& settings) {
    std::vector<std::string> arguments = {kLocalJobTracker, "--conf",      settings,
                                          "--port-file",    file("ports"), "--store",
                                          store_};
    if (!pages_in_settings_) arguments.insert(arguments.end(), {"--http-port", "0"});
    if (options_.keep) directory_.write_arguments(arguments);  // else it is started here alone
    launch(kLocalJobTracker, arguments);
    return wait_until("the JobTracker", [this] {
      const auto ports = directory_.ports();
      if (ports) ports_ = *ports;
      return ports.has_value();
    });
  }

  bool start_trackers(const std::string& settings) {
    for (std::int64_t i = 1; i <= options_.trackers; ++i) {
      const std::string name = fmt::format("tt{}", i);
      std::vector<std::string> arguments = {"tracker", "--jobtracker", address(),
                                            "--conf",  settings,       "--name",
                                            name,      "--work-dir",   file(name)};
      if (options_.map_slots) {
        arguments.insert(arguments.end(), {"--map-slots", std::to_string(*options_.map_slots)});
      }
      if (options_.reduce_slots) {
        arguments.insert(arguments.end(),
                         {"--reduce-slots", std::to_string(*options_.reduce_slots)});
      }
      if (const std::int64_t part = task_ports_.count() / options_.trackers; part > 0) {
        const std::int64_t first = task_ports_.first + (i - 1) * part;
        arguments.insert(arguments.end(),
                         {"--port-range", fmt::format("{}-{}", first, first + part - 1)});
      }
      launch(name, std::move(arguments));
    }
    JobTracker jobtracker(address());
    return wait_until("the trackers", [&] {
      std::vector<TrackerView> trackers;
      try {
        trackers = jobtracker.trackers();
      } catch (const RpcUnreachable&) {
        return false;  // if it is gone for good, that is found out from its process
      }
      const auto live =
          std::count_if(trackers.begin(), trackers.end(), [](const TrackerView& tracker) {
            return tracker.state != "LOST" && tracker.back() && tracker.name.starts_with("tt");
          });
      return live >= options_.trackers;
    });
  }

  void announce() {
    const std::string end = options_.keep ? "weir local --stop " + directory_.path() : "^C";
    if (context_.json()) {
      print_json(context_.out, {{"jobtracker", address()},
                                {"client_port", ports_.client},
                                {"tracker_port", ports_.tracker},
                                {"web", page_address()},
                                {"trackers", options_.trackers},
                                {"directory", directory_.path()},
                                {"kept", options_.keep}});
    } else {
      context_.out << fmt::format(
          "a JobTracker and {} tracker{} are up: clients at {}, trackers at port {}\n"
          "web page  {}\n"
          "logs and store are in {}\n"
          "to talk to it:\n"
          "  export WEIR_JOBTRACKER={}\n"
          "  weir queue list\n"
          "to end it: {}\n",
          options_.trackers, options_.trackers == 1 ? "" : "s", address(), ports_.tracker,
          page_address(), directory_.path(), address(), end);
    }
    context_.out.flush();
  }

  int watch() {
    while (!interrupt_.wait_ms(200)) {
      if (!alive(processes_.front())) {
        failed_ = true;
        throw CliFailure(kExitNotSo,
                         fmt::format("the JobTracker {}; the logs are in {}",
                                     end_of(processes_.front(), file("jobtracker.log")),
                                     directory_.path()));
      }
      for (auto process = processes_.begin() + 1; process != processes_.end();) {
        if (alive(*process)) {
          ++process;
          continue;
        }
        const std::string log = file(process->name + ".log");
        context_.err << fmt::format("weir: tracker {} {}; its log is {}\n", process->name,
                                    end_of(*process, log), log);
        process = processes_.erase(process);
      }
    }
    context_.err << "weir: ending the cluster\n";
    return kExitDone;
  }

  void stop() {
    if (kept_) return;
    for (const auto& name : stop_processes(processes_, kLocalStopMs)) {
      context_.err << fmt::format("weir: {} did not end in {} and was killed\n", name,
                                  short_duration(kLocalStopMs));
    }
  }

  Context& context_;
  const LocalOptions& options_;
  LocalDirectory directory_;
  InterruptScope interrupt_;
  std::string host_;   // that it listens on
  std::string page_host_ = "127.0.0.1";  // likewise, with its pages
  bool pages_in_settings_ = false;       // else they are switched on here
  std::string store_;  // a path, or :memory:
  PortRange task_ports_;  // of this machine, so each tracker has a part of them
  LocalPorts ports_;
  std::vector<LocalProcess> processes_;  // the JobTracker first
  bool temporary_ = false, kept_ = false, failed_ = false;
};

int local(Context& context, const LocalOptions& options) {
  if (!options.stop.empty()) return stop_local(context, options.stop);
  if (!options.restart.empty()) return restart_local_jobtracker(context, options.restart);
  LocalCluster cluster(context, options);
  return cluster.run();
}

}  // namespace

std::string local_settings(const std::string& directory) {
  std::string quoted = "\"";
  for (const char c : directory + "/weir.db") {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  quoted += '"';
  return fmt::format(
      "# Made by `weir local`: two organisations, ports chosen by the system.\n"
      "policy: capacity\n"
      "listen: {{thrift: 127.0.0.1:0}}\n"
      "store: {{sqlite: {}}}\n"
      "queues:\n"
      "  - name: research\n"
      "    guaranteed: 60%\n"
      "  - name: production\n"
      "    guaranteed: 40%\n",
      quoted);
}

void add_local_command(CLI::App& app, Context& context) {
  auto* command =
      app.add_subcommand("local", "a JobTracker and trackers as processes on this machine");
  command->group("Daemons");
  const auto options = std::make_shared<LocalOptions>();
  command->add_option("--trackers", options->trackers, "how many (default 3)")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{0}, kMaxTrackers));
  command
      ->add_option("--map-slots", options->map_slots,
                   "of each tracker (default: the settings', else 2)")
      ->type_name("N")
      ->check(CLI::Range(0, 10000));
  command
      ->add_option("--reduce-slots", options->reduce_slots,
                   "of each tracker (default: the settings', else 2)")
      ->type_name("N")
      ->check(CLI::Range(0, 10000));
  command
      ->add_option("--conf", options->conf,
                   "settings (default: queues research 60% and production 40%, free ports)")
      ->type_name("FILE");
  command
      ->add_option("--dir", options->directory,
                   "where settings, store, logs go (default: a temporary one, removed at the end)")
      ->type_name("DIR");
  command->add_flag("--keep", options->keep, "leave it running in the background");
  auto* stop = command->add_option("--stop", options->stop, "end what --keep left running in DIR")
                   ->type_name("DIR");
  command
      ->add_option("--restart-jobtracker", options->restart,
                   "end the JobTracker of what --keep left running in DIR, if it lives, and start "
                   "it again on the same ports; trackers and tasks go on")
      ->type_name("DIR")
      ->excludes(stop);
  add_output_option(*command, context);
  command->footer(
      "Examples:\n"
      "  weir local --trackers 3\n"
      "  weir local --keep --dir /tmp/weir && export WEIR_JOBTRACKER=127.0.0.1:$(cut -d' ' -f1 "
      "/tmp/weir/ports)\n"
      "  weir local --restart-jobtracker /tmp/weir\n"
      "  weir local --stop /tmp/weir");
  command->callback([&context, options] {
    context.action = [&context, options] { return local(context, *options); };
  });
}

}  // namespace weir::cli
