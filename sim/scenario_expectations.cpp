// The steps that say what is to be found: of queues, jobs, kills, records of kills, reasons.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/scenario_step_parts.h"

namespace weir {
namespace {

const std::initializer_list<std::string_view> kFigureKeys = {
    "share",   "min_share", "demand", "guaranteed", "allocated",   "running",
    "pending", "deficit",   "weight", "copying",    "speculative", "speculative_won"};

std::optional<std::vector<step::ExpectedClaim>> read_claims(const MapReader& expect) {
  constexpr std::string_view kClasses[] = {"map", "reduce"};
  constexpr std::string_view kBlocks[] = {"none",           "unservable", "over_budget",
                                          "preemption_off", "log_only",   "repeating"};
  const YamlNode* list = expect.find("claims");
  if (list == nullptr) return std::nullopt;
  std::vector<step::ExpectedClaim> claims;
  if (list->kind != YamlNode::Kind::kList) {
    expect.wrong(*list, "claims", "a list, [{slots: 2, left: 30s}], or [] for none");
    return claims;
  }
  for (const auto& node : list->items) {
    step::ExpectedClaim claim;
    const MapReader map(node.get(), expect.path("claims"), expect.out(),
                        {"class", "slots", "left", "deadline_in", "block"});
    if (const auto kind = map.read_enum("class", kClasses)) claim.kind = kTaskKinds[*kind];
    if (std::int64_t slots = 0; map.read_integer("slots", slots, {})) claim.slots = slots;
    for (const char* key : {"left", "deadline_in"}) {
      if (DurationMs left = 0; map.read_duration(key, left, {})) claim.left_ms = left;
    }
    if (const auto block = map.read_enum("block", kBlocks)) claim.block = kBlocks[*block];
    claims.push_back(std::move(claim));
  }
  return claims;
}

using ClaimsOfClasses = decltype(step::ExpectQueue::claims_of);

// Of a queue, also the claims of its classes.
void read_figures(const MapReader& expect, step::Figures& figures,
                  ClaimsOfClasses* claims = nullptr) {
  for (const TaskKind kind : kTaskKinds) {
    const YamlNode* node = expect.find(name(kind));
    if (node == nullptr) continue;
    std::vector<std::string_view> keys(kFigureKeys);
    if (claims != nullptr) keys.push_back("claims");
    const MapReader map(node, expect.path(name(kind)), expect.out(), keys);
    for (const std::string_view key : kFigureKeys) {
      const YamlNode* value = map.find(key);
      if (value == nullptr) continue;
      if (const auto number = number_of(*value, map.path(key), map.out())) {
        figures[index(kind)].push_back({std::string(key), *number});
      }
    }
    if (claims != nullptr && node->kind == YamlNode::Kind::kMap)
      (*claims)[index(kind)] = read_claims(map);
  }
}

// memory_mb, vcores, and the named resources of the scenario's settings.
void read_dimensions(const StepNode& s, const MapReader& expect, step::DimensionFigures& figures) {
  for (const std::string& dimension : s.dimensions) {
    const YamlNode* value = expect.find(dimension);
    if (value == nullptr) continue;
    std::vector<std::string_view> keys(kFigureKeys);
    keys.push_back("claims");  // what all open ones are owed
    const MapReader map(value, expect.path(dimension), expect.out(), keys);
    for (const std::string_view key : keys) {
      const YamlNode* figure = map.find(key);
      if (figure == nullptr) continue;
      if (const auto number = number_of(*figure, map.path(key), map.out()))
        figures[dimension].push_back({std::string(key), *number});
    }
  }
}

// With the dimensions besides.
std::vector<std::string_view> known_keys(const StepNode& s,
                                         std::initializer_list<std::string_view> keys) {
  std::vector<std::string_view> known(keys);
  known.insert(known.end(), s.dimensions.begin(), s.dimensions.end());
  known.push_back("dominant");
  return known;
}

std::optional<double> read_dominant(const MapReader& expect) {
  const YamlNode* node = expect.find("dominant");
  if (node == nullptr) return std::nullopt;
  return number_of(*node, expect.path("dominant"), expect.out());
}

}  // namespace

StepBody expect_queue(const StepNode& s) {
  step::ExpectQueue expect;
  const MapReader map(
      &s.value, s.path(), s.out(),
      known_keys(s, {"queue", "map", "reduce", "jobs", "stopped", "claims"}));
  require(map, {"queue"}, s.value);
  map.read_string("queue", expect.queue);
  read_figures(map, expect.figures, &expect.claims_of);
  read_dimensions(s, map, expect.of_dimension);
  expect.dominant = read_dominant(map);
  expect.claims = read_claims(map);
  if (const YamlNode* node = map.find("jobs")) {
    const MapReader jobs(node, map.path("jobs"), map.out(), {"waiting", "running"});
    for (const char* key : {"waiting", "running"}) {
      const YamlNode* value = jobs.find(key);
      if (value == nullptr) continue;
      if (const auto number = number_of(*value, jobs.path(key), jobs.out()))
        expect.jobs.push_back({key, *number});
    }
  }
  if (bool stopped = false; map.read_bool("stopped", stopped)) expect.stopped = stopped;
  return expect;
}

StepBody expect_job(const StepNode& s) {
  constexpr std::string_view kStates[] = {"WAITING", "RUNNING", "SUCCEEDED", "FAILED", "KILLED"};
  step::ExpectJob expect;
  const MapReader map(
      &s.value, s.path(), s.out(),
      known_keys(s, {"job", "map", "reduce", "runnable", "state", "queue", "pool"}));
  require(map, {"job"}, s.value);
  map.read_string("job", expect.job);
  read_figures(map, expect.figures);
  read_dimensions(s, map, expect.of_dimension);
  expect.dominant = read_dominant(map);
  if (bool runnable = false; map.read_bool("runnable", runnable)) expect.runnable = runnable;
  if (const auto state = map.read_enum("state", kStates)) expect.state = kStates[*state];
  if (std::string queue; map.read_string("queue", queue)) expect.queue = queue;
  if (std::string pool; map.read_string("pool", pool)) expect.pool = pool;
  return expect;
}

StepBody expect_kills(const StepNode& s) {
  return step::ExpectKills{task_names(s.value, s.path(), s.out())};
}

StepBody expect_records(const StepNode& s) {
  constexpr std::string_view kOutcomes[] = {"pending", "used", "wasted", "logged_only",
                                            "finished_first"};
  step::ExpectRecords expect;
  if (s.value.kind != YamlNode::Kind::kList) {
    s.map.wrong(s.value, s.key, "a list, [{task: J1/m3, outcome: used, claimant: q}], or []");
    return expect;
  }
  for (const auto& node : s.value.items) {
    step::ExpectRecords::Record record;
    const MapReader map(node.get(), s.path(), s.out(), {"task", "outcome", "claimant", "victim"});
    require(map, {"task"}, *node);
    map.read_string("task", record.task);
    if (const auto outcome = map.read_enum("outcome", kOutcomes)) {
      record.outcome = kOutcomes[*outcome];
    }
    if (std::string queue; map.read_string("claimant", queue)) record.claimant = queue;
    if (std::string queue; map.read_string("victim", queue)) record.victim = queue;
    expect.records.push_back(std::move(record));
  }
  return expect;
}

StepBody expect_reservations(const StepNode& s) {
  step::ExpectReservations expect;
  if (s.value.kind != YamlNode::Kind::kList) {
    s.map.wrong(s.value, s.key, "a list, [{tracker: tt1, job: J1}], or []");
    return expect;
  }
  for (const auto& node : s.value.items) {
    step::ExpectReservations::Reservation one;
    const MapReader map(node.get(), s.path(), s.out(), {"tracker", "job"});
    require(map, {"tracker", "job"}, *node);
    map.read_string("tracker", one.tracker);
    map.read_string("job", one.job);
    expect.reservations.push_back(std::move(one));
  }
  return expect;
}

StepBody expect_gang(const StepNode& s) {
  step::ExpectGang expect;
  const MapReader map(&s.value, s.path(), s.out(),
                      {"job", "held", "needed", "started", "assembler"});
  require(map, {"job"}, s.value);
  map.read_string("job", expect.job);
  if (std::int64_t held = 0; map.read_integer("held", held, {})) expect.held = held;
  if (std::int64_t needed = 0; map.read_integer("needed", needed, {})) expect.needed = needed;
  if (bool started = false; map.read_bool("started", started)) expect.started = started;
  if (bool assembler = false; map.read_bool("assembler", assembler)) expect.assembler = assembler;
  return expect;
}

StepBody expect_explain(const StepNode& s) {
  step::ExpectExplain expect;
  const MapReader map(&s.value, s.path(), s.out(), {"job", "codes"});
  require(map, {"job", "codes"}, s.value);
  map.read_string("job", expect.job);
  if (const YamlNode* codes = map.find("codes"))
    expect.codes = names_of(*codes, map.path("codes"), map.out());
  return expect;
}

}  // namespace weir
