#include "tracker/tasktracker/agent.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "tracker/rpc/log_lines.h"
#include "tracker/tasktracker/duty.h"
#include "tracker/tasktracker/leftovers.h"
#include "tracker/tasktracker/registration.h"
#include "tracker/tasktracker/work_directory.h"

namespace weir::tasktracker {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::int64_t kHealthEveryMs = 1000;
constexpr std::int64_t kLongestSleepMs = 60000;
constexpr std::chrono::seconds kLockPatience{3};  // for an earlier life that is just ending

// Kept in the lock file of the work directory: drawn by its first tracker, the same ever after.
Result<std::string> home_of(int lock) {
  char text[64] = {};
  const ssize_t had = ::pread(lock, text, sizeof text - 1, 0);
  if (had > 0) return std::string(text, static_cast<std::size_t>(had));
  std::string home = draw_mark();
  if (had < 0 || ::pwrite(lock, home.data(), home.size(), 0) != ssize_t(home.size()) ||
      ::fsync(lock) != 0) {
    return data_error(std::string("lock file: ") + std::strerror(errno));
  }
  return home;
}

}  // namespace

Now now() {
  return {steady_now_ms(), wall_now_ms()};
}

Agent::Agent(TaskTrackerOptions options, std::unique_ptr<JobTrackerLink> link, AgentLimits limits)
    : options_(std::move(options)),
      link_(std::move(link)),
      limits_(limits),
      subject_("tracker " + options_.name),
      ports_(options_.ports) {
  limits_.min_free_disk_mb = options_.min_free_disk_mb;
}

Agent::~Agent() {
  link_->close();
  rpc_.stop();
  house_.stop();
  gauge_.stop();
}

// One that was killed lets go of the directory when its last process has ended, which may be a
// moment after its successor has started.
Status Agent::lock_work_directory() {
  auto lock = open_file(dirs_.lock(), O_RDWR | O_CREAT | O_NOFOLLOW);
  if (!lock) return lock.error();
  const auto give_up = std::chrono::steady_clock::now() + kLockPatience;
  while (::flock(lock->get(), LOCK_EX | LOCK_NB) != 0) {
    if (std::chrono::steady_clock::now() >= give_up) {
      return data_error(dirs_.root +
                        ": in use by another tracker; each needs a work directory of its own");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  lock_ = std::move(*lock);
  return Ok{};
}

Status Agent::prepare() {
  if (options_.work_dir.empty()) return data_error("work directory: none given");
  if (auto made = make_work_directory(options_.work_dir); !made) return made;
  std::error_code error;
  dirs_.root = std::filesystem::canonical(options_.work_dir, error).string();
  if (error) return data_error(options_.work_dir + ": " + error.message());
  if (options_.runner.empty()) {
    attempt_program_ = AttemptProgram::load();
    options_.runner = attempt_program_.path();
  }
  if (options_.runner.empty()) {
    options_.runner = std::filesystem::read_symlink("/proc/self/exe", error).string();
    if (error) return data_error("/proc/self/exe: " + error.message());
  }
  if (auto locked = lock_work_directory(); !locked) return locked;
  const auto home = home_of(lock_.get());
  if (!home) return data_error(dirs_.lock() + ": " + home.error().message);
  if (const int killed = kill_leftovers(dirs_); killed > 0) {
    spdlog::warn("{}: killed {} processes left by an earlier life", subject_, killed);
  }
  auto made = fresh_directories(dirs_, [this](const Error& problem) { complain(problem); });
  if (!made) return made;
  if (auto opened = sessions_.open(dirs_.sessions()); !opened) return opened;
  scratch_ = Scratch(dirs_);
  job_disk_ = JobDisk(options_.job_disk_mb.value_or(half_of_disk_mb(dirs_.root)));
  isolation_ = Isolation(options_, dirs_, job_disk_);
  for (const std::string& line : isolation_.lines()) spdlog::info("{}: {}", subject_, line);
  starter_ =
      AttemptStarter(options_.runner, attempt_environment(options_.task.environment, dirs_.root),
                     limits_.starter_answers_within_ms);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
  ShuffleServerOptions shuffle;
  shuffle.dirs = dirs_;
  shuffle.address = options_.shuffle_address;
  shuffle.port = options_.shuffle_port;
  shuffle_ = std::make_unique<ShuffleServer>(std::move(shuffle));
  auto port = shuffle_->start();
  if (!port) return port.error();
  shuffle_port_ = *port;
  RegisterTracker registration = make_registration(options_, shuffle_port_, *home);
  registration.ended_in_order = ::unlink(dirs_.ended_in_order().c_str()) == 0;
  registration.protections = isolation_.lines();
  core_ = std::make_unique<AgentCore>(std::move(registration), limits_);
  spdlog::info("{}: work directory {}, shuffle on {}:{}, {} map and {} reduce slots", subject_,
               dirs_.root, options_.shuffle_address, shuffle_port_, options_.map_slots,
               options_.reduce_slots);
  return Ok{};
}

void Agent::run() {
  wait_for_signals();
  wait_for_children();
  keep_house();
  watch_disk(0);
  turn();
  io_.run();
  kill_everything();
}

void Agent::stop() {
  asio::post(io_, [this] {
    stopping_ = true;
    io_.stop();
  });
}

void Agent::wait_for_signals() {
  stop_signals_.add(SIGTERM);
  stop_signals_.add(SIGINT);
  stop_signals_.async_wait([this](error_code error, int signal) {
    if (error) return;
    spdlog::info("{}: signal {}, ending", subject_, signal);
    stopping_ = true;
    io_.stop();
  });
}

void Agent::wait_for_children() {
  if (stopping_) return;
  error_code ignored;
  child_signals_.add(SIGCHLD, ignored);  // already there after the first time
  child_signals_.async_wait([this](error_code error, int) {
    if (error) return;
    children_ended();
    wait_for_children();
    turn();
  });
}

void Agent::update_health() {
  const std::int64_t now_ms = steady_now_ms();
  if (now_ms < health_at_ms_) return;
  health_at_ms_ = now_ms + kHealthEveryMs;
  struct statvfs disk {};
  std::int64_t free_mb = 0;
  if (::statvfs(dirs_.root.c_str(), &disk) == 0) {
    free_mb =
        static_cast<std::int64_t>(disk.f_bavail) * static_cast<std::int64_t>(disk.f_frsize) >> 20;
  }
  double load = 0;
  if (::getloadavg(&load, 1) != 1) load = 0;
  const double per_core = load / std::max(1u, std::thread::hardware_concurrency());
  core_->set_health(free_mb,
                    static_cast<std::int32_t>(std::clamp(per_core, 0.0, 1000.0) * 1000000));
}

void Agent::turn() {
  update_health();
  for (;;) {
    core_->poll(now());
    auto actions = core_->take_actions();
    if (actions.empty()) break;
    for (Action& each : actions) {
      std::visit([this](auto& what) { do_action(what); }, each);
    }
  }
  arm_timer();
}

void Agent::arm_timer() {
  const std::int64_t wait_ms =
      std::clamp<std::int64_t>(core_->next_wakeup_ms() - steady_now_ms(), 0, kLongestSleepMs);
  timer_.expires_after(std::chrono::milliseconds(wait_ms));
  timer_.async_wait([this](error_code error) {
    if (!error) turn();
  });
}

// --- Calls to the JobTracker.

template <class Call, class Then>
void Agent::ask(Call call, Then then) {
  rpc_.push([this, call = std::move(call), then = std::move(then)]() mutable {
    auto result = call();
    asio::post(io_, [this, result = std::move(result), then = std::move(then)]() mutable {
      then(std::move(result));
      turn();
    });
  });
}

void Agent::call_failed(const Error& error, const char* what) {
  const bool unknown = error.code == ErrorCode::kUnknownTracker;
  if (!jobtracker_lost_ || error.code != ErrorCode::kInternal) {
    spdlog::warn("{}: {}: {}{}", subject_, what, error.message, unknown ? "" : "; trying again");
  }
  jobtracker_lost_ = error.code == ErrorCode::kInternal;
  core_->on_call_failed(unknown, now());
}

void Agent::do_action(action::Register&) {
  ask([this,
       registration = core_->registration()] { return link_->register_tracker(registration); },
      [this](Result<Registered> reply) {
        if (!reply) return call_failed(reply.error(), "cannot register");
        jobtracker_lost_ = false;
        spdlog::info("{}: registered with the JobTracker", subject_);
        core_->on_registered(*reply, now());
      });
}

void Agent::do_action(action::SendHeartbeat& send) {
  const std::int64_t sent_ms = steady_now_ms();
  ask([this, heartbeat = std::move(send.heartbeat)] { return link_->heartbeat(heartbeat); },
      [this, sent_ms](Result<HeartbeatReply> reply) {
        if (!reply) return call_failed(reply.error(), "heartbeat failed");
        if (jobtracker_lost_) spdlog::info("{}: the JobTracker answers again", subject_);
        jobtracker_lost_ = false;
        core_->on_reply(*reply, sent_ms, now());
      });
}

void Agent::do_action(action::FetchJob& fetch) {
  ask([this, job = fetch.job] { return link_->job(job); },
      [this, job = fetch.job](Result<JobDescription> description) {
        if (description.ok()) {
          if (description->job != job) {
            return core_->on_job_failed(job, true, "it described another job", now());
          }
          return core_->on_job(*description, now());
        }
        const ErrorCode code = description.error().code;
        const bool refused = code == ErrorCode::kUnknownJob || code == ErrorCode::kJobOver ||
                             code == ErrorCode::kBadRequest;
        spdlog::warn("{}: description of {}: {}", subject_, job_name(job),
                     description.error().message);
        core_->on_job_failed(job, refused, description.error().message, now());
      });
}

void Agent::do_action(action::FetchOutputs& fetch) {
  ask([this, job = fetch.job, first = fetch.first] { return link_->map_outputs(job, first); },
      [this, job = fetch.job](Result<MapOutputs> outputs) {
        if (outputs.ok()) return core_->on_outputs(job, *outputs, now());
        core_->on_outputs_failed(job, now());
      });
}

void Agent::do_action(action::FetchPeers& fetch) {
  ask([this, job = fetch.job, first = fetch.first] { return link_->gang_peers(job, first); },
      [this, job = fetch.job](Result<GangPeers> peers) {
        if (peers.ok()) return core_->on_peers(job, *peers, now());
        core_->on_peers_failed(job, now());
      });
}

void Agent::do_action(action::Leave& leave) {
  spdlog::info("{}: {}; nothing is left to do here, ending", subject_, leave.why);
  stopping_ = true;
  io_.stop();
}

// --- File work.

void Agent::do_action(action::RunDuty& run) {
  struct Outcome {
    bool begun = false;
    Status done = Ok{};
  };
  const auto outcome = std::make_shared<Outcome>();
  const Duty& duty = run.duty;
  const auto call = [outcome, duty, until_ms = run.until_steady_ms] {
    if (steady_now_ms() > until_ms) return;
    outcome->begun = true;
    outcome->done = do_duty(duty);
  };
  const auto then = [this, outcome, duty] {
    asio::post(io_, [this, outcome, duty] {
      if (!outcome->begun) return core_->on_duty_too_late(duty);
      const Status& done = outcome->done;
      if (!done.ok())
        spdlog::error("{}: ending its output: {}", job_name(duty.job), done.error().message);
      core_->on_duty_done(duty, done.ok(), done.ok() ? "" : done.error().message, now());
      turn();
    });
  };
  if (outputs_.begin(duty.user, "ending the output of " + job_name(duty.job), call, then)) return;
  core_->on_duty_elsewhere(duty, "too many calls on outputs hang", now());
}

void Agent::do_action(action::DropJob& drop) {
  spdlog::debug("{}: dropped", job_name(drop.job));
  house_.push([this, path = dirs_.job_outputs(drop.job), spare = scratch_.drop(drop.job)] {
    remove(path);
    for (const std::string& each : spare) remove(each);
  });
  durable_outputs_.erase(drop.job);
  resting_.end_job(drop.job);
  for (const AttemptCgroup& group : isolation_.drop(drop.job)) remove_group(group);
  // After what is still being measured of it.
  gauge_.push([this, job = drop.job] { asio::post(io_, [this, job] { job_disk_.drop(job); }); });
  if (drop.output.path.empty()) return;
  clean_up_output(drop.user, job_name(drop.job),
                  [output = drop.output] { remove_late_output(output); });
}

void Agent::clean_up_output(const std::string& user, const std::string& after,
                            std::function<void()> call) {
  if (outputs_.begin(user, "cleaning up after " + after, std::move(call)) || stopping_) return;
  spdlog::warn("{}: what it left in its output stays there: too many calls on outputs hang", after);
}

}  // namespace weir::tasktracker

namespace weir {

int run_tasktracker(const TaskTrackerOptions& given) {
  TaskTrackerOptions options = given;
  spdlog::set_formatter(log_line_formatter());
  spdlog::set_level(spdlog::level::from_str(options.log_level));
  if (options.name.empty()) {
    char host[256] = "tracker";
    ::gethostname(host, sizeof host - 1);
    options.name = std::string(host) + "-" + std::to_string(::getpid());
  }
  tasktracker::Agent agent(
      options, tasktracker::make_thrift_link(options.jobtracker_host, options.jobtracker_port));
  if (const Status prepared = agent.prepare(); !prepared.ok()) {
    spdlog::critical("tracker {}: {}", options.name, prepared.error().message);
    return 1;
  }
  agent.run();
  if (agent.left_behind()) {  // nobody waits for a file system that hangs
    spdlog::default_logger()->flush();
    ::_exit(0);
  }
  return 0;
}

}  // namespace weir
