// Decisions: as the event log's lines, a key that an event does not have is not there.
#include "views/json/json.h"

namespace weir {
namespace {

template <class Value>
void put(Json& json, const char* key, const std::optional<Value>& value) {
  if (value) json[key] = *value;
}

}  // namespace

Json to_json(const DecisionView& decision) {
  Json json = {{"number", decision.number}, {"t", decision.at_ms}, {"event", decision.event}};
  put(json, "what", decision.what);
  if (decision.job) {
    json["job"] = job_name(*decision.job);
    json["job_number"] = decision.job->value;
  }
  put(json, "task", decision.task);
  put(json, "attempt", decision.attempt);
  put(json, "tracker", decision.tracker);
  put(json, "locality", decision.locality);
  if (decision.speculative) json["speculative"] = true;
  put(json, "queue", decision.queue);
  put(json, "pool", decision.pool);
  put(json, "class", decision.resource_class);
  put(json, "user", decision.user);
  put(json, "priority", decision.priority);
  put(json, "policy", decision.policy);
  put(json, "state", decision.state);
  put(json, "map_slots", decision.map_slots);
  put(json, "reduce_slots", decision.reduce_slots);
  put(json, "reason", decision.reason);
  if (decision.for_whom) {
    json["for"] = *decision.for_whom;
  } else if (decision.event == "kill") {
    json["for"] = nullptr;
  }
  put(json, "ran_ms", decision.ran_ms);
  put(json, "tasks", decision.tasks);
  put(json, "slots", decision.slots);
  if (!decision.container.empty()) json["container"] = amounts_json(decision.container);
  put(json, "deadline", decision.deadline_ms);
  put(json, "claim", decision.claim);
  put(json, "by", decision.by);
  return json;
}

}  // namespace weir
