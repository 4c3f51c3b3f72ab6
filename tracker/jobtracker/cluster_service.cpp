#include "tracker/jobtracker/cluster_service.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "conf/values.h"
#include "jobqueue/model/submission_checks.h"
#include "tracker/jobtracker/commands.h"
#include "tracker/jobtracker/look_in_pieces.h"
#include "tracker/port/peers.h"
#include "tracker/published/listing.h"
#include "tracker/published/render.h"

namespace weir {
namespace {

std::string no_tracker(const std::string& name, const std::vector<std::string_view>& known) {
  const auto near = nearest(name, known);
  return "there is no tracker '" + name.substr(0, 100) + "'" +
         (near ? ", did you mean '" + std::string(*near) + "'?" : "");
}

std::vector<std::string_view> names_of(const PublishedViews& views) {
  std::vector<std::string_view> known;
  for (std::size_t i = 0; i < views.trackers.end(); ++i) {
    if (const auto& record = views.trackers.get(i)) known.push_back(record->view.name);
  }
  return known;
}

// The engine would refuse it, too, but does not look for what was meant.
Status check_trackers(const PublishedViews& views, const std::vector<std::string>& trackers) {
  const std::vector<std::string_view> known = names_of(views);
  std::vector<std::string> findings;
  for (const std::string& name : trackers) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    findings.push_back(no_tracker(name, known));
  }
  if (findings.empty()) return Ok{};
  std::string all;
  for (std::size_t i = 0; i < findings.size() && i < 10; ++i)
    all += (all.empty() ? "" : "; ") + findings[i];
  return bad_request(all, "see `weir tracker list`; nothing was changed");
}

// Whether what is asked of trackers makes sense.
Status check_order(const PublishedViews& views, const std::vector<std::string>& trackers,
                   const std::string& reason) {
  if (Status fits = check_text("reason", reason, {.may_be_empty = true}); !fits) return fits;
  return check_trackers(views, trackers);
}

}  // namespace

ServerView ClusterService::info() const {
  const PublishedViewsPtr views = loop_.views().latest();
  ServerView out;
  out.version = facts_.version;
  out.started_at_ms = facts_.started_at;
  out.now_ms = loop_.time().wall_now();
  out.trackers = static_cast<std::int32_t>(count_trackers(*views, loop_.time().now()).listed);
  out.jobs_unfinished = views->jobs_unfinished;
  out.frames_refused = facts_.frames_refused();
  out.store = facts_.store;
  out.store_error = loop_.store_error();
  out.tracker_port = facts_.tracker_port();
  out.client_port = facts_.client_port();
  out.http = facts_.http();
  return out;
}

void ClusterService::set_queue_state(const Caller& caller, const std::string& queue, bool running,
                                     Answer<Version> answer) {
  loop_.post(SetQueueState{caller, queue, !running}, answer_done(std::move(answer)));
}

void ClusterService::order_trackers(const Caller& caller, const std::vector<std::string>& trackers,
                                    TrackerOrder order, const std::string& reason,
                                    Answer<Version> answer) {
  if (Status fits = check_order(*loop_.views().latest(), trackers, reason); !fits)
    return answer(fits.error());
  loop_.post(OrderTrackers{caller, trackers, order, reason}, answer_done(std::move(answer)));
}

void ClusterService::lose_trackers(const Caller& caller, const std::vector<std::string>& trackers,
                                   const std::string& reason, Answer<Version> answer) {
  if (Status fits = check_order(*loop_.views().latest(), trackers, reason); !fits)
    return answer(fits.error());
  loop_.post(DeclareLost{caller, trackers, reason}, answer_done(std::move(answer)));
}

void ClusterService::forget_trackers(const Caller& caller, const std::vector<std::string>& trackers,
                                     Answer<Version> answer) {
  if (Status fits = check_order(*loop_.views().latest(), trackers, ""); !fits)
    return answer(fits.error());
  loop_.post(ForgetTrackers{caller, trackers}, answer_done(std::move(answer)));
}

void ClusterService::slots_by_queue(Answer<std::vector<TrackerSlotsView>> answer) {
  constexpr std::size_t kAtATime = 50;
  struct Work {
    std::size_t next = 0;
    std::vector<TrackerSlotsView> found;
  };
  const auto work = std::make_shared<Work>();
  const auto piece = [work](const Engine& engine) {
    const std::vector<TrackerState>& trackers = engine.state().trackers();
    for (std::size_t n = 0; n < kAtATime && work->next < trackers.size(); ++n) {
      const TrackerState& tracker = trackers[work->next++];
      if (!tracker.attempts.empty()) work->found.push_back(render_slots(engine, tracker));
    }
    return work->next < trackers.size();
  };
  look_in_pieces(loop_, Asker{calling_peer(), ""}, piece,
                 [work, answer = std::move(answer)](const Status& whole) {
                   if (!whole && work->next == 0) return answer(whole.error());
                   answer(std::move(work->found));
                 });
}

void ClusterService::attempts_of_tracker(const std::string& name,
                                         Answer<std::vector<AttemptView>> answer) {
  loop_.query(
      [answer = std::move(answer), name, &loop = loop_](const Result<EngineLoop::Inside>& inside) {
        if (!inside) return answer(inside.error());
        const TrackerState* tracker = inside->engine->state().find_tracker(name);
        if (tracker == nullptr || tracker->forgotten) {
          return loop.hand_over([answer, name, views = loop.views().latest()] {
            answer(Error{ErrorCode::kUnknownTracker,
                         no_tracker(name, names_of(*views)),
                         "see `weir tracker list`",
                         {}});
          });
        }
        auto running = inside->history->list(*inside->engine, *tracker, loop.time().wall());
        loop.hand_over([answer, running = std::move(running)] { answer(running); });
      });
}

}  // namespace weir
