#include "tracker/past/past_codec.h"

#include <map>
#include <nlohmann/json.hpp>
#include <vector>

namespace weir {
namespace {

using Json = nlohmann::json;

// --- A queue ---

Json numbers_of(const QueueView::SlotTime& time) {
  return {time.used_ms, time.lent_ms, time.borrowed_ms, time.lost_ms};
}

QueueView::SlotTime time_of(const Json& json) {
  return {json.at(0), json.at(1), json.at(2), json.at(3)};
}

// Where slots count all is as it was written before there were containers.
Json json_of(const QueuePast::User& user) {
  Json out = {user.name,        user.succeeded,      user.failed,      user.killed,
              user.used_map_ms, user.used_reduce_ms, user.lost_map_ms, user.lost_reduce_ms};
  if (user.amounts.empty()) return out;
  Json amounts = Json::object();
  for (const auto& [dimension, had] : user.amounts)
    amounts[dimension] = {had.used_ms, had.lost_ms};
  out.push_back(std::move(amounts));
  return out;
}

QueuePast::User user_of(const Json& json) {
  QueuePast::User user = {json.at(0), json.at(1), json.at(2), json.at(3),
                          json.at(4), json.at(5), json.at(6), json.at(7)};
  if (json.size() <= 8) return user;
  for (const auto& [dimension, had] : json.at(8).items())
    user.amounts[dimension] = {had.at(0), had.at(1)};
  return user;
}

Json json_of(const QueueView::Kill& kill) {
  Json out = {{"at", kill.at_ms},       {"claim", kill.claim},       {"claimant", kill.claimant},
          {"owed", kill.owed_ms},   {"victim", kill.victim},     {"user", kill.user},
          {"job", kill.job_name},   {"attempt", kill.attempt},   {"tracker", kill.tracker},
          {"slots", kill.slots},    {"ran", kill.ran_ms},        {"outcome", kill.outcome}};
  for (const Amount& each : kill.container)  // a list: they have an order
    out["container"].push_back({each.dimension, each.amount});
  return out;
}

QueueView::Kill kill_of(const Json& json) {
  QueueView::Kill kill;
  kill.at_ms = json.at("at");
  kill.claim = json.at("claim");
  kill.claimant = json.at("claimant");
  kill.owed_ms = json.at("owed");
  kill.victim = json.at("victim");
  kill.user = json.at("user");
  kill.job_name = json.at("job");
  kill.attempt = json.at("attempt");
  kill.tracker = json.at("tracker");
  kill.slots = json.at("slots");
  if (json.contains("container")) {
    for (const Json& each : json.at("container"))
      kill.container.push_back({each.at(0), each.at(1)});
  }
  kill.ran_ms = json.at("ran");
  kill.outcome = json.at("outcome");
  // Nobody held the slot any more when the JobTracker had ended.
  if (kill.outcome == "pending") kill.outcome = "unknown";
  return kill;
}

// --- Decisions ---

using Name = std::uint16_t DecisionRecord::*;
constexpr Name kNames[] = {&DecisionRecord::tracker, &DecisionRecord::queue, &DecisionRecord::user,
                           &DecisionRecord::text,    &DecisionRecord::other, &DecisionRecord::by,
                           &DecisionRecord::leaf,    &DecisionRecord::group};

// Numbers, then names by their places in the segment's list.
Json json_of(const DecisionRecord& record) {
  Json out = {record.number, record.at,   kDecisionKinds[static_cast<std::size_t>(record.kind)],
              record.amount, record.more, record.claim,
              record.job,    record.task, record.attempt,
              record.task_kind, record.flag};
  return out;
}

std::optional<DecisionKind> kind_of(const std::string& word) {
  for (std::size_t i = 0; i < kDecisionKindCount; ++i) {
    if (word == kDecisionKinds[i]) return static_cast<DecisionKind>(i);
  }
  return std::nullopt;
}

void read_numbers(const Json& json, DecisionKind kind, DecisionRecord& record) {
  record.number = json.at(0);
  record.at = json.at(1);
  record.kind = kind;
  record.amount = json.at(3);
  record.more = json.at(4);
  record.claim = json.at(5);
  record.job = json.at(6);
  record.task = json.at(7);
  record.attempt = json.at(8);
  record.task_kind = json.at(9);
  record.flag = json.at(10);
}

Json parsed(std::string_view text) {
  return Json::parse(text, nullptr, false);
}

}  // namespace

namespace {

// An earlier version wrote of an inner queue what its leaves had, which they have themselves. Where
// something was used there is a user, and only leaves have users.
void forget_sums(QueuePast& past) {
  past.succeeded = past.failed = past.killed = 0;
  past.maps.used_ms = past.maps.lost_ms = past.reduces.used_ms = past.reduces.lost_ms = 0;
  for (auto& [dimension, time] : past.amounts) time.used_ms = time.lost_ms = 0;
}

}  // namespace

std::string encode(const QueuePast& past) {
  Json users = Json::array(), kills = Json::array();
  for (const QueuePast::User& user : past.users) users.push_back(json_of(user));
  for (const QueueView::Kill& kill : past.kills) kills.push_back(json_of(kill));
  Json all = {{"since", past.since},
              {"maps", numbers_of(past.maps)},
              {"reduces", numbers_of(past.reduces)},
              {"jobs", {past.succeeded, past.failed, past.killed}},
              {"users", std::move(users)},
              {"kills", std::move(kills)}};
  for (const auto& [dimension, time] : past.amounts)
    all["dimensions"][dimension] = numbers_of(time);
  if (past.inner) all["inner"] = true;
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<QueuePast> decode_queue(std::string_view text) try {
  const Json json = parsed(text);
  if (!json.is_object()) return std::nullopt;
  QueuePast past;
  past.since = json.at("since");
  past.maps = time_of(json.at("maps"));
  past.reduces = time_of(json.at("reduces"));
  if (json.contains("dimensions")) {
    for (const auto& [dimension, time] : json.at("dimensions").items())
      past.amounts[dimension] = time_of(time);
  }
  const Json& jobs = json.at("jobs");
  past.succeeded = jobs.at(0);
  past.failed = jobs.at(1);
  past.killed = jobs.at(2);
  for (const Json& user : json.at("users")) past.users.push_back(user_of(user));
  for (const Json& kill : json.at("kills")) past.kills.push_back(kill_of(kill));
  past.inner = json.contains("inner");
  if (!past.inner && past.users.empty()) forget_sums(past);
  return past;
} catch (const Json::exception&) {
  return std::nullopt;
}

std::string encode(const DecisionSegment& segment) {
  Json names = Json::array({""}), records = Json::array();
  std::map<std::uint16_t, std::size_t> places = {{0, 0}};
  const std::size_t size = segment.size();
  for (std::size_t i = 0; i < size; ++i) {
    const DecisionRecord& record = segment.at(i);
    Json line = json_of(record);
    for (const Name field : kNames) {
      const auto [place, added] = places.try_emplace(record.*field, names.size());
      if (added) names.push_back(segment.name_at(record.*field));
      line.push_back(place->second);
    }
    records.push_back(std::move(line));
  }
  const Json all = {{"names", std::move(names)}, {"records", std::move(records)}};
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::size_t append(const DecisionSegment& from, std::size_t place, DecisionSegment& to) {
  for (; place < from.size() && !to.full(); ++place) {
    const DecisionRecord& record = from.at(place);
    DecisionRecord& copy = to.next();
    copy = record;
    for (const Name field : kNames) copy.*field = to.name(from.name_at(record.*field));
    to.publish();
  }
  return place;
}

std::shared_ptr<DecisionSegment> decode_decisions(std::string_view text) try {
  const Json json = parsed(text);
  if (!json.is_object()) return nullptr;
  const Json& records = json.at("records");
  const auto names = json.at("names").get<std::vector<std::string>>();
  auto segment = std::make_shared<DecisionSegment>();
  for (const Json& line : records) {
    const auto kind = kind_of(line.at(2));
    if (!kind || segment->full()) continue;
    DecisionRecord& record = segment->next();
    read_numbers(line, *kind, record);
    std::size_t place = 11;
    for (const Name field : kNames) {
      const std::size_t name = line.at(place++);
      record.*field = segment->name(name < names.size() ? names[name] : "");
    }
    segment->publish();
  }
  return segment->size() == 0 ? nullptr : segment;
} catch (const Json::exception&) {
  return nullptr;
}

}  // namespace weir
