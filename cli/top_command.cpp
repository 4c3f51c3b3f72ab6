#include "cli/top_command.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>

#include "cli/exit_code.h"
#include "cli/http_address.h"
#include "live/top_draw.h"
#include "live/top_feed.h"
#include "live/top_screen.h"
#include "live/top_view.h"

namespace weir::cli {
namespace {

constexpr int kRedrawMs = 1000;  // claims count down by themselves

// Signals as something to read. Threads that are started later have them blocked, too.
class SignalReader {
 public:
  SignalReader() {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGWINCH}) sigaddset(&signals_, signal);
    sigprocmask(SIG_BLOCK, &signals_, &before_);
    fd_ = signalfd(-1, &signals_, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  ~SignalReader() {
    close(fd_);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  SignalReader(const SignalReader&) = delete;
  SignalReader& operator=(const SignalReader&) = delete;

  int fd() const { return fd_; }
  int next() {  // 0: none
    signalfd_siginfo info{};
    return read(fd_, &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
  }

 private:
  sigset_t signals_{}, before_{};
  int fd_ = -1;
};

// What other threads wake the screen with.
class Bell {
 public:
  Bell() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~Bell() { close(fd_); }
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;
  int fd() const { return fd_; }
  void ring() { [[maybe_unused]] const int done = eventfd_write(fd_, 1); }
  void hush() {
    eventfd_t rung = 0;
    [[maybe_unused]] const int done = eventfd_read(fd_, &rung);
  }

 private:
  int fd_;
};

class Top {
 public:
  Top(Context& context, const HttpAddress& address)
      : feed_(address.host, address.port, caller(context).user, [this] { bell_.ring(); }),
        screen_(context.terminal.colours) {}

  int run() {
    if (!screen_.taken()) {
      throw wrong_use("this terminal cannot be drawn on: TERM names none that is known");
    }
    while (true) {
      show();
      std::array<pollfd, 3> wait = {{{STDIN_FILENO, POLLIN, 0},
                                     {bell_.fd(), POLLIN, 0},
                                     {signals_.fd(), POLLIN, 0}}};
      poll(wait.data(), wait.size(), kRedrawMs);
      bell_.hush();
      while (const int signal = signals_.next()) {
        if (signal != SIGWINCH) return kExitInterrupted;
        screen_.resized();
      }
      if ((wait[0].revents & (POLLHUP | POLLERR)) != 0) return kExitInterrupted;
      if (!take_keys()) return kExitDone;
      if (auto outcome = feed_.take_outcome()) take(std::move(*outcome));
    }
  }

 private:
  void show() {
    const live::ScreenSize size = screen_.size();
    view_.page = std::max<std::size_t>(1, size.rows / 3);
    screen_.show(feed_.with_model([&](const live::TopModel& model) {
      return live::draw(model, view_, size, live::steady_now_ms());
    }));
  }
  bool take_keys() {
    while (const auto key = screen_.next_key()) {
      const live::TopAction action = feed_.with_model(
          [&](const live::TopModel& model) { return live::press(view_, model, *key); });
      if (action.what == live::TopAction::What::kQuit) return false;
      if (action.what == live::TopAction::What::kNone) continue;
      view_.message = "asking...";
      feed_.ask(action);
    }
    return true;
  }
  void take(live::TopOutcome outcome) {
    view_.message = outcome.message;
    if (outcome.text.empty()) return;
    view_.text = std::move(outcome.text);
    view_.text_from = 0;
    view_.mode = live::TopMode::kText;
  }

  SignalReader signals_;  // before the threads
  Bell bell_;
  live::TopFeed feed_;
  live::TopScreen screen_;
  live::TopView view_;
};

int top(Context& context, const std::string& http) {
  if (!context.terminal.out || !context.terminal.in) {
    throw wrong_use(
        "top needs a terminal; for scripts there are `weir queue list` and `weir job list` with "
        "-o json");
  }
  const HttpAddress address = http_address(context, http);
  return Top(context, address).run();
}

}  // namespace

void add_top_command(CLI::App& app, Context& context) {
  auto* command =
      app.add_subcommand("top", "the cluster on the terminal, live: queues, claims, jobs");
  command->group("Cluster");
  const auto http = std::make_shared<std::string>();
  add_http_option(*command, *http);
  add_connection_options(*command, context);
  add_caller_option(*command, context);
  command->footer(
      "Keys: Tab queues or jobs, arrows or j k and PgUp PgDn, Enter why a job waits, / filter,\n"
      "s order, m move, p priority, x kill, r release, h help, q quit.\n"
      "NO_COLOR=1: without colours (docs/terminal.md).\n\n"
      "Examples:\n"
      "  weir top\n"
      "  weir top --http jobtracker:8080");
  command->callback(
      [&context, http] { context.action = [&context, http] { return top(context, *http); }; });
}

}  // namespace weir::cli
