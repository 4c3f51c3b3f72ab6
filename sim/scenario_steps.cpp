// The steps of a scenario: one reader a kind, found by the step's key. See scenario_parts.h.
#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/scenario_step_parts.h"

namespace weir {

std::vector<std::string> names_of(const YamlNode& node, const std::string& path, Diagnostics& out) {
  if (node.kind == YamlNode::Kind::kList && node.items.empty()) return {};
  return strings_of(node, path, out).value_or(std::vector<std::string>{});
}

std::vector<std::string> task_names(const YamlNode& node, const std::string& path,
                                    Diagnostics& out) {
  std::vector<std::string> names = names_of(node, path, out);
  for (const std::string& name : names) {
    if (parse_task_name(name)) continue;
    out.error(node.at,
              fmt::format("{} has \"{}\", allowed: tasks such as J1/m0 and J1/r2", path, name));
  }
  return names;
}

void require(const MapReader& map, std::initializer_list<std::string_view> keys,
             const YamlNode& node) {
  if (node.kind != YamlNode::Kind::kMap) return;  // told already
  for (const std::string_view key : keys) {
    if (map.has(key)) continue;
    map.out().error(node.at, fmt::format("{} is missing, allowed: {} with {}", map.path(key),
                                         "a map", fmt::join(keys, " and ")));
  }
}

namespace {

std::string text_of(const StepNode& s) {
  std::string text;
  s.map.read_string(s.key, text);
  return text;
}

step::By read_by(const MapReader& map) {
  step::By by;
  const YamlNode* node = map.find("by");
  if (node == nullptr) return by;
  if (node->kind == YamlNode::Kind::kScalar) {
    map.read_string("by", by.user);
    return by;
  }
  const MapReader who(node, map.path("by"), map.out(), {"user", "groups"});
  who.read_string("user", by.user);
  who.read_strings("groups", by.groups);
  return by;
}

StepBody submit(const StepNode& s) {
  return step::Submit{read_job(s.value, s.path(), s.out())};
}

StepBody advance(const StepNode& s) {
  step::Advance advance;
  s.map.read_duration(s.key, advance.by_ms, {});
  return advance;
}

StepBody run_until(const StepNode& s) {
  step::RunUntil run;
  if (s.value.kind == YamlNode::Kind::kScalar && s.value.text == "jobs_ended") return run;
  if (DurationMs until = 0; s.map.read_duration(s.key, until, {})) run.until = until;
  return run;
}

StepBody heartbeat(const StepNode& s) {
  step::Heartbeat beat;
  beat.tracker = text_of(s);
  if (const YamlNode* expect = s.map.find("expect")) {
    beat.expect = task_names(*expect, s.map.path("expect"), s.out());
    beat.expect_at = expect->at;
  }
  if (const YamlNode* granted = s.map.find("granted")) {
    beat.granted = task_names(*granted, s.map.path("granted"), s.out());
    beat.granted_at = granted->at;
  }
  return beat;
}

StepBody end_tasks(const StepNode& s) {
  step::EndTasks end;
  end.well = s.key == "finish";
  end.tasks = names_of(s.value, s.path(), s.out());
  for (const std::string& name : end.tasks) {
    if (parse_task_name(name) || name.ends_with("/m*") || name.ends_with("/r*") ||
        (name.ends_with(".*") && name.find('/') != std::string::npos)) {
      continue;
    }
    s.out().error(s.value.at,
                  fmt::format("{} has \"{}\", allowed: tasks such as J1/m0, or all that run: J1/m*",
                              s.path(), name));
  }
  return end;
}

StepBody lose(const StepNode& s) {
  return step::Lose{text_of(s)};
}

StepBody order_tracker(const StepNode& s) {
  const auto order = s.key == "drain"      ? TrackerOrder::kDrain
                     : s.key == "stop"     ? TrackerOrder::kStop
                     : s.key == "stop_now" ? TrackerOrder::kStopNow
                                           : TrackerOrder::kNone;
  return step::OrderTracker{text_of(s), order, read_by(s.map)};
}

StepBody expect_tracker(const StepNode& s) {
  constexpr std::string_view kStates[] = {"live", "out", "lost"};
  step::ExpectTracker expect;
  const MapReader map(&s.value, s.path(), s.out(), {"tracker", "state"});
  require(map, {"tracker", "state"}, s.value);
  map.read_string("tracker", expect.tracker);
  if (const auto state = map.read_enum("state", kStates)) expect.state = kStates[*state];
  return expect;
}

StepBody add_tracker(const StepNode& s) {
  return step::AddTracker{read_tracker_spec(s.value, s.path(), s.out())};
}

StepBody set_slots(const StepNode& s) {
  step::SetSlots set;
  const MapReader map(&s.value, s.path(), s.out(), {"tracker", "map_slots", "reduce_slots"});
  require(map, {"tracker"}, s.value);
  map.read_string("tracker", set.tracker);
  for (const TaskKind kind : kTaskKinds) {
    std::int64_t slots = 0;
    if (map.read_integer(std::string(name(kind)) + "_slots", slots, {.least = 0, .most = 100'000}))
      set.slots[index(kind)] = slots;
  }
  return set;
}

StepBody set_offer(const StepNode& s) {
  step::SetOffer set;
  const MapReader map(&s.value, s.path(), s.out(),
                      {"tracker", "memory_mb", "vcores", "resources"});
  require(map, {"tracker"}, s.value);
  map.read_string("tracker", set.tracker);
  const auto read = [&](const char* key, std::optional<std::int64_t>& target) {
    if (std::int64_t amount = 0; map.read_integer(key, amount, {})) target = amount;
  };
  read("memory_mb", set.memory_mb);
  read("vcores", set.vcores);
  set.named = read_named(map, "resources");
  return set;
}

StepBody set_priority(const StepNode& s) {
  step::Prioritise change;
  const MapReader map(&s.value, s.path(), s.out(), {"job", "priority"});
  require(map, {"job", "priority"}, s.value);
  map.read_string("job", change.job);
  if (const auto priority = map.read_enum("priority", kPriorityNames)) {
    change.priority = static_cast<Priority>(*priority);
  }
  change.by = read_by(s.map);
  return change;
}

StepBody move(const StepNode& s) {
  step::Move move;
  const MapReader map(&s.value, s.path(), s.out(), {"job", "queue"});
  require(map, {"job", "queue"}, s.value);
  map.read_string("job", move.job);
  map.read_string("queue", move.queue);
  move.by = read_by(s.map);
  return move;
}

StepBody kill_job(const StepNode& s) {
  return step::Kill{text_of(s), read_by(s.map)};
}

StepBody release(const StepNode& s) {
  return step::Release{text_of(s), read_by(s.map)};
}

StepBody switch_queue(const StepNode& s) {
  return step::QueueSwitch{text_of(s), s.key == "stop_queue", read_by(s.map)};
}

StepBody apply(const StepNode& s) {
  return step::Apply{read_settings_source(s.value, s.directory, s.out()), read_by(s.map)};
}

StepBody switch_policy(const StepNode& s) {
  return step::SwitchPolicy{text_of(s), read_by(s.map)};
}

StepBody expect_refused(const StepNode& s) {
  return step::ExpectRefused{text_of(s)};
}

struct Kind {
  std::string_view key;
  StepBody (*read)(const StepNode&);
  std::string_view extra = {};  // what it may have beside `at`
  std::string_view second = {};
};
constexpr Kind kKinds[] = {
    {"submit", submit},
    {"advance", advance},
    {"run_until", run_until},
    {"heartbeat", heartbeat, "expect", "granted"},
    {"finish", end_tasks},
    {"fail", end_tasks},
    {"lose", lose},
    {"drain", order_tracker, "by"},
    {"stop", order_tracker, "by"},
    {"stop_now", order_tracker, "by"},
    {"resume", order_tracker, "by"},
    {"expect_tracker", expect_tracker},
    {"add_tracker", add_tracker},
    {"set_slots", set_slots},
    {"set_offer", set_offer},
    {"set_priority", set_priority, "by"},
    {"move", move, "by"},
    {"kill_job", kill_job, "by"},
    {"release", release, "by"},
    {"stop_queue", switch_queue, "by"},
    {"start_queue", switch_queue, "by"},
    {"settings", apply, "by"},
    {"policy", switch_policy, "by"},
    {"expect_queue", expect_queue},
    {"expect_job", expect_job},
    {"expect_kills", expect_kills},
    {"expect_records", expect_records},
    {"expect_reservations", expect_reservations},
    {"expect_gang", expect_gang},
    {"expect_explain", expect_explain},
    {"expect_refused", expect_refused},
};
const std::initializer_list<std::string_view> kStepKeys = {"submit",
                                                           "advance",
                                                           "run_until",
                                                           "heartbeat",
                                                           "finish",
                                                           "fail",
                                                           "lose",
                                                           "drain",
                                                           "stop",
                                                           "stop_now",
                                                           "resume",
                                                           "expect_tracker",
                                                           "add_tracker",
                                                           "set_slots",
                                                           "set_offer",
                                                           "set_priority",
                                                           "move",
                                                           "kill_job",
                                                           "release",
                                                           "stop_queue",
                                                           "start_queue",
                                                           "settings",
                                                           "policy",
                                                           "expect_queue",
                                                           "expect_job",
                                                           "expect_kills",
                                                           "expect_records",
                                                           "expect_reservations",
                                                           "expect_gang",
                                                           "expect_explain",
                                                           "expect_refused",
                                                           "at",
                                                           "expect",
                                                           "granted",
                                                           "by"};

std::optional<Step> read_step(const YamlNode& node, const std::string& path,
                              const std::string& directory,
                              const std::vector<std::string>& dimensions, Diagnostics& out) {
  const std::size_t errors = out.error_count();
  const MapReader map(&node, path, out, kStepKeys);
  if (node.kind != YamlNode::Kind::kMap) return std::nullopt;
  const Kind* kind = nullptr;
  for (const Kind& candidate : kKinds) {
    if (!map.has(candidate.key)) continue;
    if (kind != nullptr) {
      out.error(map.at(candidate.key),
                fmt::format("{} has both {} and {}, allowed: one thing a step", path, kind->key,
                            candidate.key));
      return std::nullopt;
    }
    kind = &candidate;
  }
  if (kind == nullptr) {
    if (out.error_count() == errors) {  // else the key that was meant is told already
      out.error(node.at, fmt::format("{} says nothing to do, allowed: {}", path,
                                     fmt::join(kStepKeys, ", ")));
    }
    return std::nullopt;
  }
  for (const std::string_view extra : {"expect", "granted", "by"}) {
    if (!map.has(extra) || kind->extra == extra || kind->second == extra) continue;
    out.error(map.at(extra), fmt::format("{}.{} beside {}, allowed: {}", path, extra, kind->key,
                                         extra == "by" ? "by with orders of people"
                                                       : "expect and granted with heartbeat"));
  }
  Step step{node.at, std::nullopt, step::Advance{}};
  if (DurationMs when = 0; map.read_duration("at", when, {})) step.when = when;
  step.what = kind->read({map, *map.find(kind->key), kind->key, directory, dimensions});
  return step;
}

}  // namespace

std::vector<Step> read_steps(const YamlNode* node, const std::string& directory,
                             const std::vector<std::string>& dimensions, Diagnostics& out) {
  std::vector<Step> steps;
  if (node == nullptr || node->kind == YamlNode::Kind::kNull) return steps;
  if (node->kind != YamlNode::Kind::kList) {
    out.error(node->at, fmt::format("steps is {}, allowed: a list", shown(*node)));
    return steps;
  }
  for (std::size_t i = 0; i < node->items.size(); ++i) {
    if (auto step = read_step(*node->items[i], fmt::format("steps[{}]", i), directory,
                              dimensions, out)) {
      steps.push_back(std::move(*step));
    }
  }
  return steps;
}

}  // namespace weir
