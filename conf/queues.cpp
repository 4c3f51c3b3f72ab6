#include "conf/queues.h"

#include <algorithm>
#include <functional>
#include <span>

#include <fmt/format.h>

#include "conf/resources_section.h"

namespace weir {
namespace {

constexpr IntegerRange kPercent{.least = 0, .most = 10'000};
constexpr std::string_view kGuaranteeAllowed =
    "a percentage from 0% to 100% with at most two decimals, {map: 40%, reduce: 30%}, or slots "
    "{map: 40, reduce: 20}";
constexpr std::string_view kJobKeys[] = {"user_limit",
                                         "priorities",
                                         "max_jobs",
                                         "max_jobs_per_user",
                                         "max_tasks_per_job",
                                         "max_running_jobs",
                                         "max_running_jobs_per_user"};

bool is_queue_name(std::string_view name) {
  constexpr std::size_t kLongest = 100;
  return !name.empty() && name.size() <= kLongest &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '-';
         });
}

std::optional<Guarantee> guarantee_of(const YamlNode& node, bool amounts_allowed,
                                      std::int64_t least = 0) {
  if (node.kind != YamlNode::Kind::kScalar) return std::nullopt;
  if (const auto percent = parse_percent(node.text);
      percent && *percent >= least && *percent <= kPercent.most) {
    return Guarantee{Guarantee::Unit::kPercent, *percent};
  }
  const auto amount = amounts_allowed ? parse_integer(node.text) : std::nullopt;
  if (amount && *amount >= least && *amount <= IntegerRange{}.most) {
    return Guarantee{Guarantee::Unit::kSlots, *amount};
  }
  return std::nullopt;
}

// Of loans there are words, too: `never`, and `all`, which says nothing.
std::optional<Guarantee> word_of(std::string_view key, const YamlNode& node) {
  if (node.kind != YamlNode::Kind::kScalar) return std::nullopt;
  if (node.text == "never" && (key == "lend" || key == "borrow"))
    return Guarantee{Guarantee::Unit::kPercent, 0};
  return node.text == "all" && key == "lend" ? std::optional(Guarantee{}) : std::nullopt;
}

std::string loan_words(std::string_view key) {
  return key == "lend" ? "all, never, " : key == "borrow" ? "never, " : "";
}

// `40%`, or a word for each dimension: `{map: 40%, reduce: 20}`, `{memory_mb: 40%, gpu: 2}`. False:
// something is wrong with it.
bool read_parts(const MapReader& queue, std::string_view key, const Space& space,
                std::string_view allowed, std::span<Guarantee, kPlaceCount> parts) {
  const YamlNode* node = queue.find(key);
  if (node == nullptr) return true;
  if (node->kind != YamlNode::Kind::kMap) {
    // A bare number could mean amounts or a forgotten %; only a percentage is plain.
    const auto word = word_of(key, *node);
    if (const auto all = word ? word : guarantee_of(*node, false)) {
      std::fill(parts.begin(), parts.end(), *all);
      return true;
    }
    queue.wrong(*node, key, allowed);
    return false;
  }
  const MapReader each(node, queue.path(key), queue.out(), keys_of(space));
  std::size_t good = 0;
  for (const Dimension d : space.dimensions()) {
    const std::string_view name = space.name(d);
    const YamlNode* value = each.find(name);
    if (value == nullptr) continue;
    const auto word = word_of(key, *value);
    // What every task takes of: with none of it the queue could run nothing.
    const bool some = key == "maximum" && (d == Dimension::kMemoryMb || d == Dimension::kVcores);
    if (const auto part = word ? word : guarantee_of(*value, true, some ? 1 : 0)) {
      parts[d.place()] = *part;
      ++good;
    } else {
      const char* what = space.containers() ? "an amount" : "a number of slots";
      each.wrong(*value, name,
                 fmt::format("{}a percentage from {}% to 100% with at most two decimals, or {} "
                             "{}up to {}",
                             loan_words(key), some ? "0.01" : "0", what, some ? "from 1 " : "",
                             IntegerRange{}.most));
    }
  }
  return good == node->entries.size();
}

std::string parts_allowed(const Space& space) {
  if (!space.containers()) return std::string(kGuaranteeAllowed);
  return fmt::format("a percentage from 0% to 100% with at most two decimals, or percentages or "
                     "amounts of {}",
                     listed_keys(space));
}

bool read_guaranteed(const MapReader& queue, const Space& space, QueueSettings& settings) {
  return read_parts(queue, "guaranteed", space, parts_allowed(space),
                    std::span<Guarantee, kPlaceCount>(settings.guaranteed));
}

// `80%` in every dimension, or of containers a word for each.
void read_maximum(const MapReader& queue, const Space& space, QueueSettings& settings) {
  const YamlNode* node = queue.find("maximum");
  if (node != nullptr && space.containers() && node->kind == YamlNode::Kind::kMap) {
    QueueBound bound;
    read_parts(queue, "maximum", space, parts_allowed(space), bound.of);
    settings.maximum = bound;
    return;
  }
  std::int64_t maximum = 0;
  if (queue.read_percent("maximum", maximum, {.least = 1, .most = 10'000}))
    settings.maximum_hundredths = maximum;
}

}  // namespace

AccessList read_access(const MapReader& map, std::string_view key) {
  const YamlNode* node = map.find(key);
  if (node == nullptr) return std::nullopt;
  AccessList names = strings_of(*node, map.path(key), map.out());
  if (!names) return std::nullopt;
  bool good = true;
  for (std::size_t i = 0; i < names->size(); ++i) {
    const std::string& name = (*names)[i];
    if (name != "@" && name.find_first_of(" \t\r\n,") == std::string::npos) continue;
    const YamlNode& item = node->kind == YamlNode::Kind::kList ? *node->items[i] : *node;
    map.out().error(item.at,
                    fmt::format("{} has {}, allowed: users, @groups and \"*\", each without "
                                "spaces or commas",
                                map.path(key), shown(item)));
    good = false;
  }
  return good ? names : std::nullopt;
}

void read_loan(const MapReader& queue, std::string_view key, const Space& space,
               std::optional<QueueBound>& target) {
  const YamlNode* node = queue.find(key);
  if (node == nullptr) return;
  if (!space.containers()) {
    queue.wrong(*node, key, "such a key where `resources: containers` is set");
    return;
  }
  QueueBound bound;
  read_parts(queue, key, space, loan_words(key) + parts_allowed(space), bound.of);
  // `all` of everything is no bound.
  target = bound == QueueBound{} ? std::nullopt : std::optional(bound);
}

namespace {

void read_reclaim_after(const MapReader& queue, const Space& space, QueueSettings& settings) {
  const YamlNode* node = queue.find("reclaim_after");
  if (node == nullptr) return;
  const DurationRange range{.never = true};
  if (node->kind != YamlNode::Kind::kMap) {
    if (const auto both = duration_of(*node, queue.path("reclaim_after"), range, queue.out())) {
      for (auto& target : settings.reclaim_after_ms) target = *both;
    }
    return;
  }
  if (space.containers()) {
    queue.wrong(*node, "reclaim_after", "one duration: containers have no maps and reduces");
    return;
  }
  const MapReader classes(node, queue.path("reclaim_after"), queue.out(), {"map", "reduce"});
  for (const TaskKind kind : kTaskKinds) {
    DurationMs value = 0;
    if (classes.read_duration(name(kind), value, range))
      settings.reclaim_after_ms[index(kind)] = value;
  }
}

void read_user_limit(const MapReader& queue, QueueSettings& settings) {
  const YamlNode* node = queue.find("user_limit");
  if (node == nullptr) return;
  const MapReader limit(node, queue.path("user_limit"), queue.out(), {"minimum", "factor", "mode"});
  limit.read_percent("minimum", settings.user_limit.minimum_hundredths, kPercent);
  if (const YamlNode* factor = limit.find("factor")) {
    constexpr std::int64_t kMost = 1000 * 1'000'000LL;
    const bool unlimited = factor->kind == YamlNode::Kind::kScalar && factor->text == "unlimited";
    const auto value =
        factor->kind == YamlNode::Kind::kScalar ? parse_millionths(factor->text) : std::nullopt;
    if (value && *value > 0 && *value <= kMost) {
      settings.user_limit.factor_millionths = *value;
    } else if (!unlimited) {
      limit.wrong(*factor, "factor",
                  "a number over 0 and up to 1000 with at most six decimals, or unlimited");
    }
  }
  constexpr std::string_view kModes[] = {"soft", "hard"};
  if (const auto mode = limit.read_enum("mode", kModes)) {
    settings.user_limit.mode = static_cast<UserLimit::Mode>(*mode);
  }
}

class Reader {
 public:
  Reader(const Space& space, Diagnostics& out) : space_(space), out_(out) {}

  void read_list(const YamlNode& node, const std::string& path, std::optional<std::size_t> parent) {
    if (node.kind != YamlNode::Kind::kList || node.items.empty()) {
      out_.error(node.at,
                 fmt::format("{} is {}, allowed: a list of queues{}", path,
                             node.kind == YamlNode::Kind::kList ? "an empty list" : shown(node),
                             parent ? "" : ", or no such key for one queue named default"));
      return;
    }
    for (std::size_t i = 0; i < node.items.size() && !full_; ++i) {
      read_queue(*node.items[i], fmt::format("{}[{}]", path, i), path, parent);
    }
  }

  std::vector<QueueDraft> drafts;

 private:
  void read_queue(const YamlNode& node, std::string path, const std::string& list_path,
                  std::optional<std::size_t> parent) {
    if (drafts.size() == kMaxQueues) {
      out_.error(node.at,
                 fmt::format("more queues than {}, allowed: at most that many", kMaxQueues));
      full_ = true;
      return;
    }
    // The name first: the messages about everything else use it.
    std::string name;
    for (const auto& [key, value] : node.entries) {
      if (key->text == "name" && is_queue_name(value->text)) name = value->text;
    }
    if (!name.empty()) {
      const std::string_view family =
          list_path.ends_with(".queues")
              ? std::string_view(list_path).substr(0, list_path.size() - 7)
              : std::string_view(list_path);
      path = fmt::format("{}.{}", family, name);
    }
    const MapReader map(
        &node, path, out_,
        {"name", "parent", "guaranteed", "maximum", "borrow", "lend", "reclaim_after", "lend_after",
         "user_limit", "priorities", "max_jobs", "max_jobs_per_user", "max_tasks_per_job",
         "max_running_jobs",
         "max_running_jobs_per_user", "kill_budget", "submit", "administer", "state", "queues"});
    if (node.kind != YamlNode::Kind::kMap) {
      if (node.kind == YamlNode::Kind::kNull)
        out_.error(node.at, path + " is empty, allowed: a queue with a name");
      return;
    }
    const std::size_t self = drafts.size();
    QueueDraft& draft = drafts.emplace_back();
    draft.at = node.at;
    draft.parent = parent;
    read_name(map, name, draft);
    read_parent(map, draft);
    read_values(map, draft);
    // `draft` does not outlive this: children grow the vector.
    if (const YamlNode* queues = map.find("queues")) read_list(*queues, map.path("queues"), self);
  }

  void read_name(const MapReader& map, const std::string& name, QueueDraft& draft) {
    constexpr std::string_view kAllowed = "1 to 100 of A-Z a-z 0-9 _ -";
    const YamlNode* node = map.find("name");
    if (node == nullptr) {
      out_.error(map.at(), fmt::format("{} has no name, allowed: name: with {}",
                                       map.path("").substr(0, map.path("").size() - 1), kAllowed));
    } else if (name.empty() || node->text != name) {
      map.wrong(*node, "name", kAllowed);
    } else {
      draft.settings.name = name;
      draft.at = node->at;
    }
  }

  void read_parent(const MapReader& map, QueueDraft& draft) {
    if (!map.has("parent")) return;
    draft.parent_at = map.at("parent");
    if (draft.parent) {
      out_.error(draft.parent_at, map.path("parent") +
                                      " stands in a queue that is nested in its parent already, "
                                      "allowed: one of the two");
      return;
    }
    map.read_string("parent", draft.parent_name);
  }

  void read_values(const MapReader& map, QueueDraft& draft) const {
    QueueSettings& settings = draft.settings;
    draft.guaranteed_at = map.has("guaranteed") ? map.at("guaranteed") : draft.at;
    draft.maximum_at = map.at("maximum");
    for (const std::string_view key : kJobKeys) {
      if (map.has(key)) draft.job_keys.emplace_back(key, map.at(key));
    }
    draft.guaranteed_wrong = !read_guaranteed(map, space_, settings);
    read_maximum(map, space_, settings);
    read_loan(map, "borrow", space_, settings.borrow);
    read_loan(map, "lend", space_, settings.lend);
    read_reclaim_after(map, space_, settings);
    map.read_duration("lend_after", settings.lend_after_ms, {.never = true});
    read_user_limit(map, settings);
    map.read_bool("priorities", settings.priorities);
    map.read_limit("max_jobs", settings.max_jobs);
    map.read_limit("max_jobs_per_user", settings.max_jobs_per_user);
    map.read_limit("max_tasks_per_job", settings.max_tasks_per_job);
    map.read_limit("max_running_jobs", settings.max_running_jobs, "no job");
    map.read_limit("max_running_jobs_per_user", settings.max_running_jobs_per_user, "no job");
    map.read_limit("kill_budget", settings.kill_budget);
    settings.submit = read_access(map, "submit");
    settings.administer = read_access(map, "administer");
    constexpr std::string_view kStates[] = {"running", "stopped"};
    if (const auto state = map.read_enum("state", kStates)) settings.stopped = *state == 1;
  }

  const Space& space_;
  Diagnostics& out_;
  bool full_ = false;
};

QueueSettings assemble(std::vector<QueueDraft>& drafts, std::size_t index) {
  QueueSettings result = std::move(drafts[index].settings);
  for (const std::size_t child : drafts[index].children)
    result.queues.push_back(assemble(drafts, child));
  return result;
}

}  // namespace

std::vector<QueueDraft> read_queues(const YamlNode& node, const Space& space, Diagnostics& out) {
  Reader reader(space, out);
  reader.read_list(node, "queues", std::nullopt);
  return std::move(reader.drafts);
}

std::vector<QueueSettings> load_queues(const YamlNode* node, const Space& space,
                                       Diagnostics& out) {
  std::vector<QueueSettings> result;
  if (node == nullptr) {
    result.emplace_back().name = "default";
    return result;
  }
  std::vector<QueueDraft> drafts = read_queues(*node, space, out);
  if (!resolve_queues(drafts, out)) return result;
  check_queues(drafts, space, out);
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    if (!drafts[i].parent) result.push_back(assemble(drafts, i));
  }
  return result;
}

}  // namespace weir
