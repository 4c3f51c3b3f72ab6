#include "cli/local_command.h"

#include <fmt/format.h>

#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "cli/connection.h"
#include "cli/format.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/local_processes.h"
#include "cli/splits.h"
#include "conf/load.h"
#include "conf/values.h"

namespace weir::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kStartMs = 30'000;  // for the JobTracker, and again for the trackers
constexpr std::int64_t kStopMs = 15'000;
constexpr std::int64_t kLookEveryMs = 50;
constexpr std::int64_t kMaxTrackers = 1000;

std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream << text;
  stream.close();
  if (!stream)
    throw CliFailure(kExitNotSo, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

// What a process complained of last. Its log goes on to the end of its work: a line of ordinary
// information is no cause of anything.
std::string last_complaint(const std::string& path) {
  std::istringstream lines(read_file(path));
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    const bool ordinary =
        line.find("] [info] ") != std::string::npos || line.find("] [debug] ") != std::string::npos;
    if (!line.empty() && !ordinary) last = line;
  }
  return truncated(printable(last), 400);
}

// "ended with exit code 1: ...": a killed process has left no word on it.
std::string end_of(const LocalProcess& process, const std::string& log) {
  std::string text = how_it_ended(process);
  const bool failed = process.wait_status && WIFEXITED(*process.wait_status) &&
                      WEXITSTATUS(*process.wait_status) != 0;
  const std::string complaint = failed ? last_complaint(log) : "";
  return complaint.empty() ? text : text + ": " + complaint;
}

class LocalCluster {
 public:
  LocalCluster(Context& context, const LocalOptions& options)
      : context_(context), options_(options) {}
  ~LocalCluster() {
    stop();
    std::error_code ignored;
    if (temporary_ && !kept_ && !failed_) fs::remove_all(directory_, ignored);
  }

  int run() {
    make_directory();
    const std::string settings = settings_file();
    start_jobtracker(settings);
    if (!interrupted_) start_trackers(settings);
    if (interrupted_) return kExitInterrupted;
    announce();
    if (options_.keep) {
      write_file(file("pids"), pids_text(processes_));
      kept_ = true;
      return kExitDone;
    }
    return watch();
  }

 private:
  std::string file(const std::string& name) const { return directory_ + "/" + name; }
  std::string address() const { return format_address({host_, client_port_}); }

  void make_directory() {
    if (options_.directory.empty()) {
      const char* parent = std::getenv("TMPDIR");
      std::string pattern =
          absolute_path(parent == nullptr || *parent == 0 ? "/tmp" : parent) + "/weir-local-XXXXXX";
      if (mkdtemp(pattern.data()) == nullptr) {
        throw CliFailure(kExitNotSo, fmt::format("cannot make the directory {}: {}", pattern,
                                                 std::strerror(errno)));
      }
      directory_ = pattern;
      temporary_ = true;
      return;
    }
    directory_ = absolute_path(options_.directory);
    for (const auto& process : parse_pids(read_file(file("pids")))) {
      if (!alive(process)) continue;
      throw wrong_use(fmt::format(
          "a cluster is running in {} ({} is pid {}); end it with 'weir local --stop {}'",
          directory_, process.name, process.pid, directory_));
    }
    std::error_code error;
    fs::create_directories(directory_, error);
    if (error) throw wrong_use(fmt::format("--dir {}: {}", directory_, error.message()));
    fs::remove(file("ports"), error);
    fs::remove(file("pids"), error);
  }

  std::string settings_file() {
    if (options_.conf.empty()) {
      write_file(file("weir.yaml"), local_settings(directory_));
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
    const auto& host = daemon.listen_thrift.host;
    if (host != "0.0.0.0" && host != "::") host_ = host;
    // Who tries things out has no store in /var/lib; a relative one is in the directory anyway.
    if (daemon.store_path == DaemonSettings().store_path) store_ = file("weir.db");
    return path;
  }

  void launch(const std::string& name, std::vector<std::string> arguments) {
    processes_.push_back(spawn({"/proc/self/exe", name, std::move(arguments), directory_,
                                file(name + ".log"), options_.keep},
                               interrupt_));
  }

  // True as soon as `ready` says so; a process that ends before is a failure with its last words.
  template <class Ready>
  bool wait_until(const char* what, Ready ready) {
    for (std::int64_t waited_ms = 0; waited_ms < kStartMs; waited_ms += kLookEveryMs) {
      if (ready()) return true;
      for (const auto& process : processes_) {
        if (!alive(process)) {
          fail(fmt::format("{} {} at its start", process.name,
                           end_of(process, file(process.name + ".log"))));
        }
      }
      if (interrupt_.wait_ms(kLookEveryMs)) {
        interrupted_ = true;
        return false;
      }
    }
    fail(fmt::format("{} did not come up within {}", what, short_duration(kStartMs)));
  }

  [[noreturn]] void fail(const std::string& cause) {
    failed_ = true;
    throw CliFailure(kExitNotSo, fmt::format("{}; the logs are in {}", cause, directory_));
  }

  void start_jobtracker(const std::string& settings) {
    std::vector<std::string> arguments = {"jobtracker", "--conf", settings, "--port-file",
                                          file("ports")};
    if (!store_.empty()) arguments.insert(arguments.end(), {"--store", store_});
    launch("jobtracker", std::move(arguments));
    wait_until("the JobTracker", [this] {
      const auto ports = parse_port_file(read_file(file("ports")));
      if (ports) std::tie(client_port_, tracker_port_) = *ports;
      return ports.has_value();
    });
  }

  void start_trackers(const std::string& settings) {
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
      launch(name, std::move(arguments));
    }
    JobTracker jobtracker(address());
    wait_until("the trackers", [&] {
      std::vector<wire::TrackerStatus> trackers;
      try {
        jobtracker.client([&](auto& client) { client.trackers(trackers); });
      } catch (const RpcUnreachable&) {
        return false;  // if it is gone for good, that is found out from its process
      }
      const auto live =
          std::count_if(trackers.begin(), trackers.end(), [](const wire::TrackerStatus& tracker) {
            const bool there = tracker.state != "LOST" && tracker.state != "AWAITED";
            return there && tracker.name.starts_with("tt");
          });
      return live >= options_.trackers;
    });
  }

  void announce() {
    const std::string end = options_.keep ? "weir local --stop " + directory_ : "^C";
    if (context_.json()) {
      print_json(context_.out, {{"jobtracker", address()},
                                {"client_port", client_port_},
                                {"tracker_port", tracker_port_},
                                {"trackers", options_.trackers},
                                {"directory", directory_},
                                {"kept", options_.keep}});
    } else {
      context_.out << fmt::format(
          "a JobTracker and {} tracker{} are up: clients at {}, trackers at port {}\n"
          "logs and store are in {}\n"
          "to talk to it:\n"
          "  export WEIR_JOBTRACKER={}\n"
          "  weir queue list\n"
          "to end it: {}\n",
          options_.trackers, options_.trackers == 1 ? "" : "s", address(), tracker_port_,
          directory_, address(), end);
    }
    context_.out.flush();
  }

  int watch() {
    while (!interrupt_.wait_ms(200)) {
      if (!alive(processes_.front())) {
        fail(fmt::format("the JobTracker {}", end_of(processes_.front(), file("jobtracker.log"))));
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
    for (const auto& name : stop_processes(processes_, kStopMs)) {
      context_.err << fmt::format("weir: {} did not end in {} and was killed\n", name,
                                  short_duration(kStopMs));
    }
  }

  Context& context_;
  const LocalOptions& options_;
  InterruptScope interrupt_;
  std::string directory_;
  std::string host_ = "127.0.0.1";
  std::string store_;                    // empty: where the settings say
  std::vector<LocalProcess> processes_;  // the JobTracker first
  std::uint16_t client_port_ = 0, tracker_port_ = 0;
  bool temporary_ = false, kept_ = false, failed_ = false, interrupted_ = false;
};

int stop_kept(Context& context, const std::string& given) {
  const std::string directory = absolute_path(given);
  const std::string pids = directory + "/pids";
  auto processes = parse_pids(read_file(pids));
  std::erase_if(processes, [](const LocalProcess& process) { return !alive(process); });
  if (processes.empty()) {
    throw CliFailure(
        kExitNotSo,
        fmt::format("no cluster is running in {} ({} names no live process)", directory, pids));
  }
  const auto killed = stop_processes(processes, kStopMs);
  std::error_code ignored;
  fs::remove(pids, ignored);
  for (const auto& name : killed)
    context.err << fmt::format("weir: {} did not end by itself and was killed\n", name);
  context.out << fmt::format("ended {} processes; their files stay in {}\n", processes.size(),
                             directory);
  return kExitDone;
}

int local(Context& context, const LocalOptions& options) {
  if (!options.stop.empty()) return stop_kept(context, options.stop);
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

std::optional<std::pair<std::uint16_t, std::uint16_t>> parse_port_file(const std::string& text) {
  std::istringstream stream(text);
  unsigned client = 0;
  unsigned tracker = 0;
  if (!text.ends_with('\n') || !(stream >> client >> tracker)) return std::nullopt;
  if (client == 0 || client > 65535 || tracker == 0 || tracker > 65535) return std::nullopt;
  return std::pair(static_cast<std::uint16_t>(client), static_cast<std::uint16_t>(tracker));
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
                   "where settings, store, logs go (default: a temporary directory)")
      ->type_name("DIR");
  command->add_flag("--keep", options->keep, "leave it running in the background");
  command->add_option("--stop", options->stop, "end what --keep left running in DIR")
      ->type_name("DIR");
  add_output_option(*command, context);
  command->footer(
      "Examples:\n"
      "  weir local --trackers 3\n"
      "  weir local --keep --dir /tmp/weir && export WEIR_JOBTRACKER=127.0.0.1:$(cut -d' ' -f1 "
      "/tmp/weir/ports)\n"
      "  weir local --stop /tmp/weir");
  command->callback([&context, options] {
    context.action = [&context, options] { return local(context, *options); };
  });
}

}  // namespace weir::cli
