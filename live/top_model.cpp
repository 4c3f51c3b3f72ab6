#include "live/top_model.h"

#include <algorithm>

#include "jobqueue/model/counted.h"
#include "views/amount_text.h"

namespace weir::live {
namespace {

constexpr const char* kKinds[] = {"maps", "reduces"};

std::string lower_case(std::string word) {
  for (char& c : word) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return word;
}

struct Counted {
  std::string kind;
  const Json* figures = nullptr;
};

// The figures of maps and reduces, or where containers count of each dimension.
std::vector<Counted> counted_in(const Json& json, const Json& slots) {
  std::vector<Counted> out;
  for (const std::string& dimension : dimensions_of(json))
    out.push_back({dimension, &part_of(part_of(json, "dimensions"), dimension.c_str())});
  if (out.empty()) out = {{"map", &part_of(slots, "maps")}, {"reduce", &part_of(slots, "reduces")}};
  return out;
}

TopQueue queue_of(const Json& json) {
  TopQueue queue;
  queue.name = text_of(json, "name");
  queue.leaf = part_of(json, "leaf").is_boolean() && part_of(json, "leaf").get<bool>();
  queue.stopped = text_of(json, "state") == "STOPPED";
  const std::vector<Counted> figures = counted_in(json, json);
  queue.of.resize(figures.size());
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const Json& from = *figures[i].figures;
    TopQueue::Slots& slots = queue.of[i];
    slots.guaranteed = number_of(from, "guaranteed");
    slots.allocated = number_of(from, "allocated");
    slots.running = number_of(from, "running");
    slots.pending = number_of(from, "pending");
    slots.maximum = maybe_number_of(from, "maximum");
    slots.share_thousandths = maybe_number_of(from, "share_thousandths");
    slots.reserved = number_of(from, "reserved");
    slots.guarantees = maybe_number_of(from, "lends").has_value();
  }
  queue.dominant_thousandths = maybe_number_of(json, "dominant_thousandths");
  queue.jobs_waiting = number_of(json, "jobs_waiting");
  queue.jobs_pending = number_of(json, "jobs_pending");
  queue.jobs_running = number_of(json, "jobs_running");
  return queue;
}

TopJob::Tasks tasks_of(const Json& json) {
  return {number_of(json, "total"), number_of(json, "running"), number_of(json, "succeeded"),
          number_of(json, "progress_millionths")};
}

// Each task weighs the same; the progress of both classes counts, so it stands for both.
void take_groups(const Json& groups, TopJob& job) {
  if (!groups.is_array() || groups.empty()) return;
  TopJob::Tasks& all = job.of[0];
  std::int64_t progress = 0;
  for (const Json& group : groups) {
    const TopJob::Tasks tasks = tasks_of(part_of(group, "tasks"));
    all.total += tasks.total;
    all.running += tasks.running;
    all.succeeded += tasks.succeeded;
    progress += tasks.total * tasks.progress_millionths;
  }
  for (TopJob::Tasks& of : job.of)
    of.progress_millionths = progress / std::max<std::int64_t>(1, all.total);
}

TopJob job_of(const Json& json) {
  TopJob job;
  job.number = number_of(json, "number");
  job.name = text_of(json, "name");
  job.user = text_of(json, "user");
  job.queue = text_of(json, "queue");
  job.priority = text_of(json, "priority");
  job.state = text_of(json, "state");
  job.reason = text_of(json, "reason");
  job.submitted_at_ms = number_of(json, "submitted_at_ms");
  for (const TaskKind kind : kTaskKinds)
    job.of[index(kind)] = tasks_of(part_of(json, kKinds[index(kind)]));
  take_groups(part_of(json, "groups"), job);
  return job;
}

auto place_of(std::vector<TopJob>& jobs, std::int64_t number) {
  return std::lower_bound(jobs.begin(), jobs.end(), number,
                          [](const TopJob& job, std::int64_t wanted) {
                            return job.number < wanted;
                          });
}

void change_job(TopModel& model, const Json& json) {
  TopJob job = job_of(json);
  const auto place = place_of(model.jobs, job.number);
  const bool known = place != model.jobs.end() && place->number == job.number;
  if (job.over()) {
    if (known) model.jobs.erase(place);
  } else if (known) {
    // The stream does not say why a job waits; what was read of that holds until it is read anew.
    if (job.reason.empty() && job.state == place->state) job.reason = place->reason;
    *place = std::move(job);
  } else {
    model.jobs.insert(place, std::move(job));
  }
}

void remove_job(TopModel& model, std::int64_t number) {
  const auto place = place_of(model.jobs, number);
  if (place != model.jobs.end() && place->number == number) model.jobs.erase(place);
}

// A queue that is not known stands somewhere in the tree: false.
bool change_queue(TopModel& model, const Json& json) {
  TopQueue queue = queue_of(json);
  for (TopQueue& known : model.queues) {
    if (known.name != queue.name) continue;
    known = std::move(queue);
    return true;
  }
  return false;
}

}  // namespace

std::string TopClaim::owed() const {
  const bool of_slots = kind == "map" || kind == "reduce";
  return of_slots ? counted(slots, kind + " slot") : amount_text(kind, slots);
}

void take_cluster(TopModel& model, const Json& cluster, std::int64_t now_ms) {
  model.policy = text_of(cluster, "policy");
  model.slots.clear();
  model.kinds.clear();
  for (const auto& [kind, from] : counted_in(cluster, part_of(cluster, "slots"))) {
    model.kinds.push_back(kind);
    model.slots.push_back({number_of(*from, "total"), number_of(*from, "used"),
                           number_of(*from, "free"), number_of(*from, "lost"),
                           number_of(*from, "withheld"), number_of(*from, "awaited")});
  }
  const Json& jobs = part_of(cluster, "jobs");
  model.waiting = number_of(jobs, "waiting");
  model.pending = number_of(jobs, "pending");
  model.running = number_of(jobs, "running");
  model.trackers = number_of(cluster, "trackers_live");
  model.away.clear();
  if (const Json& states = part_of(cluster, "trackers_by_state"); states.is_object()) {
    for (const auto& [state, count] : states.items()) {
      const std::int64_t many = number_of(states, state.c_str());
      if (state == "LIVE" || many == 0) continue;
      model.away += model.away.empty() ? "" : ", ";
      model.away += std::to_string(many) + " " + lower_case(state);
    }
  }
  const Json& kills = part_of(cluster, "kills_last_hour");
  model.kills = number_of(kills, "attempts");
  model.waste_slot_ms = number_of(kills, "waste_slot_ms");
  model.waste_ms.clear();
  if (const Json& lost = part_of(kills, "waste_ms"); lost.is_object()) {
    for (const auto& [dimension, ms] : lost.items())
      model.waste_ms.push_back({dimension, number_of(lost, dimension.c_str())});
  }
  model.claims.clear();
  model.claims_came_ms = now_ms;
  const Json& claims = part_of(cluster, "claims");
  if (!claims.is_array()) return;
  for (const Json& claim : claims) {
    const std::string dimension = text_of(claim, "dimension");
    model.claims.push_back({text_of(claim, "queue"),
                            dimension.empty() ? text_of(claim, "kind") : dimension,
                            text_of(claim, "state"), number_of(claim, "slots"),
                            number_of(claim, "milliseconds_left")});
  }
}

void take_queues(TopModel& model, const Json& queues) {
  model.queues.clear();
  if (!queues.is_array()) return;
  for (const Json& queue : queues) model.queues.push_back(queue_of(queue));
}

void take_jobs(TopModel& model, const Json& jobs) {
  model.jobs.clear();
  if (!jobs.is_array()) return;
  for (const Json& json : jobs) {
    TopJob job = job_of(json);
    if (!job.over()) model.jobs.push_back(std::move(job));
  }
  std::sort(model.jobs.begin(), model.jobs.end(),
            [](const TopJob& a, const TopJob& b) { return a.number < b.number; });
}

bool take_event(TopModel& model, const std::string& topic, const Json& delta,
                std::int64_t now_ms) {
  if (topic == "reload") return false;
  model.version = number_of(delta, "version", model.version);
  if (part_of(delta, "many").is_boolean()) return false;
  const Json& changed = part_of(delta, "changed");
  if (!changed.is_array()) return true;
  const Json& removed = part_of(delta, "removed");
  if (topic == "cluster") {
    for (const Json& cluster : changed) take_cluster(model, cluster, now_ms);
  } else if (topic == "queues") {
    if (removed.is_array() && !removed.empty()) return false;
    for (const Json& queue : changed) {
      if (!change_queue(model, queue)) return false;
    }
  } else if (topic == "jobs") {
    for (const Json& job : changed) change_job(model, job);
    if (removed.is_array()) {
      for (const Json& job : removed) {
        if (job.is_number()) remove_job(model, job.get<std::int64_t>());
      }
    }
  } else if (topic == "policy") {
    return false;  // shares become guarantees, or the other way round
  }
  return true;
}

}  // namespace weir::live
