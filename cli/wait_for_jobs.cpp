#include "cli/wait_for_jobs.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/follow_job.h"
#include "cli/format.h"
#include "cli/interrupt.h"
#include "cli/patience.h"
#include "cli/progress_bar.h"
#include "jobqueue/model/counted.h"

namespace weir::cli {
namespace {

class WaitDisplay {
 public:
  WaitDisplay(Context& context, std::size_t jobs) : context_(context), jobs_(jobs) {}

  void over(const JobView& job) {
    ++over_;
    const bool succeeded = job.state == "SUCCEEDED";
    all_succeeded_ = all_succeeded_ && succeeded;
    if (context_.json()) list_.push_back(to_json(job));
    if (!succeeded) return trouble(why_not_succeeded(job));
    if (context_.json()) return;
    clear();
    context_.out << fmt::format("{} SUCCEEDED in {}; output: {}", job_name(job.id), time_taken(job),
                                printable(job.output))
                 << std::endl;
  }
  void refused(std::int64_t job, const Refused& refused) {
    ++over_;
    all_succeeded_ = false;
    const std::string name = job_name(JobId(static_cast<std::size_t>(job)));
    if (context_.json()) list_.push_back(refusal_json(name, job, refused));
    trouble(fmt::format("{}: {}", name, printable(CliFailure::of(refused.error()).what())));
  }
  void draw(std::size_t running) {
    if (!context_.terminal.out || context_.json()) return;
    context_.out << fmt::format("\r\x1b[K{} of {} over, {} running", over_,
                                counted(static_cast<std::int64_t>(jobs_), "job"), running)
                 << std::flush;
    drawn_ = true;
  }
  void clear() {
    if (drawn_) context_.out << "\r\x1b[K" << std::flush;
    drawn_ = false;
  }
  int finish() {
    clear();
    if (context_.json()) print_json(context_.out, list_);
    return all_succeeded_ ? kExitDone : kExitNotSo;
  }

 private:
  void trouble(const std::string& line) {
    clear();
    context_.err << "weir: " << line << "\n" << std::flush;
  }

  Context& context_;
  std::size_t jobs_;
  std::size_t over_ = 0;
  bool all_succeeded_ = true;
  bool drawn_ = false;
  Json list_ = Json::array();
};

// Asks for those that were not over when last seen, and keeps of `jobs` those that still are not.
void look(JobTracker& jobtracker, std::vector<std::int64_t>& jobs, WaitDisplay& display) {
  std::size_t running = 0;
  for (std::size_t i = 0; i < jobs.size();) {
    JobView status;
    bool over = true;
    try {
      status = jobtracker.job(jobs[i]);
      over = status.over();
      if (over) display.over(status);
    } catch (const Refused& refused) {
      if (is_passing(refused)) throw;
      display.refused(jobs[i], refused);
    }
    if (over) {
      jobs.erase(jobs.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    if (status.state == "RUNNING") ++running;
    ++i;
  }
  display.draw(running);
}

}  // namespace

Json refusal_json(const std::string& name, std::int64_t number, const Refused& refused) {
  const Error& error = refused.error();
  return {{"job", name},
          {"number", number},
          {"error",
           {{"code", refused.code()},
            {"message", error.message},
            {"hint", error.hint.empty() ? Json(nullptr) : Json(error.hint)}}}};
}

int wait_for_jobs(Context& context, JobTracker& jobtracker,
                  const std::vector<std::int64_t>& jobs) {
  InterruptScope interrupt;
  WaitDisplay display(context, jobs.size());
  Patience patience;
  std::vector<std::int64_t> left = jobs;
  for (;;) {
    try {
      look(jobtracker, left, display);
      patience.answered();
      if (left.empty()) return display.finish();
    } catch (const RpcUnreachable&) {
      patience.no_answer(context, jobtracker, [&] { display.clear(); });
    } catch (const Refused& refused) {
      if (!is_passing(refused)) throw;
      patience.no_answer(context, jobtracker, [&] { display.clear(); });
    }
    if (interrupt.wait_ms(patience.pause_ms())) {
      display.finish();
      context.err << fmt::format("weir: {} of {} {} on without being watched\n", left.size(),
                                 counted(std::ssize(jobs), "job"),
                                 left.size() == 1 ? "goes" : "go");
      return kExitInterrupted;
    }
  }
}

}  // namespace weir::cli
