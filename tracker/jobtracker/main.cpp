#include "tracker/jobtracker/main.h"

#include <fmt/format.h>
#include <spdlog/async.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "jobqueue/model/plain_text.h"
#include "jobqueue/store/sqlite_store.h"
#include "thrift/spec_codec.h"
#include "tracker/jobtracker/bus_error.h"
#include "tracker/jobtracker/daemon.h"
#include "tracker/jobtracker/settings_file.h"
#include "tracker/jobtracker/settings_reload.h"
#include "tracker/port/sendable_host.h"
#include "tracker/rpc/log_lines.h"

namespace weir {
namespace {

constexpr int kCannotStart = 1;
constexpr int kWrongSettings = 2;

// Lines go through a queue and a thread of their own: a terminal that is stopped must not stop the
// engine.
void start_log() {
  if (!spdlog::thread_pool()) spdlog::init_thread_pool(8192, 1);
  spdlog::drop("weir");
  auto logger = spdlog::create_async_nb<spdlog::sinks::stderr_sink_mt>("weir");
  logger->set_formatter(log_line_formatter());
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(logger);
}

int fail(int code, const Error& error) {
  std::string text;
  if (error.diagnostics.empty()) {
    text =
        "weir jobtracker: " + error.message + (error.hint.empty() ? "" : "; " + error.hint) + "\n";
  }
  for (const std::string& line : error.diagnostics) text += line + "\n";
  std::fputs(plain_text(text, {.newlines = true}).c_str(), stderr);
  return code;
}

Result<std::unique_ptr<Store>> open_store(const std::string& path, const Settings& settings) {
  const auto finished = static_cast<std::size_t>(settings.finished_jobs_at_most);
  SpecCodec codec{encode_job_spec, decode_job_spec};
  if (path == ":memory:") return make_memory_store(std::move(codec), finished);
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty() && ::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
    return Error{ErrorCode::kStoreFailed,
                 fmt::format("store: cannot make the directory {}: {}", folder.string(),
                             std::strerror(errno)),
                 "name a place that can be written in `store: {sqlite: PATH}`",
                 {}};
  }
  return open_sqlite_store(path, std::move(codec), {.finished_jobs_limit = finished});
}

void warn_about_identity(const DaemonSettings& daemon) {
  const bool http_inside = !daemon.listen_http || is_loopback_host(daemon.listen_http->host);
  if (is_loopback_host(daemon.listen_thrift.host) &&
      is_loopback_host(daemon.listen_trackers.host) && http_inside)
    return;
  spdlog::warn("identity: =====================================================================");
  spdlog::warn("identity: this JobTracker listens on {}, {}{}, not on loopback addresses alone.",
               format_address(daemon.listen_thrift), format_address(daemon.listen_trackers),
               daemon.listen_http ? ", " + format_address(*daemon.listen_http) : "");
  spdlog::warn("identity: Users are self-declared: anybody who can reach these ports can act as");
  spdlog::warn("identity: anybody, submit any command to the trackers and kill any job.");
  spdlog::warn("identity: Let only people and machines that you trust reach them.");
  spdlog::warn("identity: =====================================================================");
}

// Aside and renamed in, so that whoever waits for the file never reads half of it.
Status write_port_file(const std::string& path, const JobTracker& tracker) {
  if (path.empty()) return Ok{};
  const std::string aside = path + ".tmp";
  std::ofstream out(aside, std::ios::trunc);
  out << tracker.client_port() << ' ' << tracker.tracker_port();
  if (tracker.front_port() != 0) out << ' ' << tracker.front_port();
  out << '\n';
  out.close();
  if (!out || std::rename(aside.c_str(), path.c_str()) != 0) {
    return Error{ErrorCode::kBadRequest,
                 fmt::format("port file {}: cannot be written: {}", path, std::strerror(errno)),
                 "a path in a directory that can be written",
                 {}};
  }
  return Ok{};
}

void apply_overrides(const JobTrackerOptions& options, DaemonSettings* daemon) {
  if (options.store_path) daemon->store_path = *options.store_path;
  if (options.client_port) daemon->listen_thrift.port = *options.client_port;
  if (options.tracker_port) daemon->listen_trackers.port = *options.tracker_port;
  if (options.http_port) {
    if (!daemon->listen_http) daemon->listen_http = HostPort{"127.0.0.1", 0};
    daemon->listen_http->port = *options.http_port;
  }
}

// Serves until a signal says to end.
void serve(JobTracker& tracker, SettingsReload& reload) {
  boost::asio::io_context io;
  boost::asio::signal_set end(io, SIGTERM, SIGINT);
  boost::asio::signal_set hangup(io, SIGHUP);
  boost::asio::steady_timer look(io);
  std::function<void()> wait_for_hangup = [&] {
    hangup.async_wait([&](const boost::system::error_code& error, int) {
      if (error) return;
      reload.on_hangup();
      wait_for_hangup();
    });
  };
  std::function<void()> look_at_file = [&] {
    look.expires_after(std::chrono::seconds(2));
    look.async_wait([&](const boost::system::error_code& error) {
      if (error) return;
      reload.look();
      look_at_file();
    });
  };
  end.async_wait([&](const boost::system::error_code& error, int signal) {
    if (error) return;
    spdlog::info("jobtracker: {} received, ending", signal == SIGTERM ? "SIGTERM" : "SIGINT");
    io.stop();
  });
  wait_for_hangup();
  look_at_file();
  io.run();
  tracker.stop();
}

int run(const JobTrackerOptions& options) {
  // The file is read first for the store's place; which settings count is decided with the store's
  // in hand.
  auto start = decide_settings(options.conf_file, Snapshot{});
  if (!start) return fail(kWrongSettings, start.error());
  DaemonSettings daemon = start->loaded.daemon;
  apply_overrides(options, &daemon);
  report_bus_errors(daemon.store_path);
  auto store = open_store(daemon.store_path, start->loaded.settings);
  if (!store) return fail(kCannotStart, store.error());
  auto snapshot = (*store)->load();
  if (!snapshot) return fail(kCannotStart, snapshot.error());
  start = decide_settings(options.conf_file, *snapshot);
  if (!start) return fail(kWrongSettings, start.error());

  auto settings = std::make_shared<const Settings>(std::move(start->loaded.settings));
  const std::size_t jobs = snapshot->jobs.size();
  // A file that names another policy than the settings before wins over a switch made by command.
  const bool names_policy = start->from_file && start->policy_before != settings->policy;
  if (names_policy) snapshot->policy.clear();
  // Nobody has switched: that of the settings rules since then.
  if (!names_policy && snapshot->policy.empty() && snapshot->policy_since > 0)
    snapshot->policy = settings->policy;
  std::unique_ptr<SettingsReload> reload;
  const auto store_file = [&](JobTracker& made) {
    start_log();
    spdlog::info("settings: {}", start->why);
    for (const std::string& notice : settings->notices) spdlog::warn("settings: {}", notice);
    reload = std::make_unique<SettingsReload>(made, options.conf_file, start->file_hash);
    // Before the ports open: what a client applies comes after it.
    if (start->from_file) reload->store_settings(*settings, start->file_hash);
    if (names_policy) reload->store_policy(settings->policy);
  };
  std::function<Result<std::unique_ptr<Front>>(JobTracker&)> make_front;
  if (options.make_front && daemon.listen_http)
    make_front = [&](JobTracker& made) { return options.make_front(made, daemon); };
  auto tracker = JobTracker::start({.store = std::move(*store),
                                    .snapshot = std::move(*snapshot),
                                    .settings = settings,
                                    .daemon = daemon,
                                    .file_daemon = start->loaded.daemon,
                                    .loop = {},
                                    .before_listening = store_file,
                                    .make_front = make_front});
  if (!tracker) {
    const bool settings_wrong = tracker.error().code == ErrorCode::kSettingsRefused ||
                                tracker.error().code == ErrorCode::kUnknownPolicy;
    return fail(settings_wrong ? kWrongSettings : kCannotStart, tracker.error());
  }
  warn_about_identity(daemon);
  spdlog::info("store: {} with {} jobs", daemon.store_path, jobs);
  spdlog::info("jobtracker: clients on {}:{}, trackers on {}:{}, policy {}",
               daemon.listen_thrift.host, (*tracker)->client_port(), daemon.listen_trackers.host,
               (*tracker)->tracker_port(), (*tracker)->loop().views().latest()->policy);
  if ((*tracker)->front_port() != 0) {
    spdlog::info("jobtracker: web page at http://{}/",
                 format_address({sendable_host(daemon.listen_http->host),
                                 static_cast<std::uint16_t>((*tracker)->front_port())}));
  }
  if (Status written = write_port_file(options.port_file, **tracker); !written) {
    return fail(kCannotStart, written.error());
  }
  serve(**tracker, *reload);
  spdlog::info("jobtracker: ended");
  return 0;
}

}  // namespace

int run_jobtracker(const JobTrackerOptions& options) {
  std::signal(SIGPIPE, SIG_IGN);
  int code = kCannotStart;
  try {
    code = run(options);
  } catch (const std::exception& e) {
    code = fail(kCannotStart, Error{ErrorCode::kInternal, e.what(), "", {}});
  }
  spdlog::shutdown();
  return code;
}

}  // namespace weir
