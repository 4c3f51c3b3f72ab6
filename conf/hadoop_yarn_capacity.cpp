// capacity-scheduler.xml of YARN: yarn.scheduler.capacity.root.<path>.<key>. The tree is what the
// `queues` keys say; a queue's percentages are of its parent, as ours are. Capacities in memory or
// as weights have no counterpart: such queues share what their siblings leave.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conf/hadoop_parts.h"
#include "conf/values.h"

namespace weir {
namespace {

constexpr std::string_view kYarnPrefix = "yarn.scheduler.capacity.";
constexpr std::size_t kDeepestQueue = 32;

std::vector<std::string> words_of(std::string_view text, std::string_view separators) {
  std::vector<std::string> result;
  while (true) {
    const std::size_t begin = text.find_first_not_of(separators);
    if (begin == std::string_view::npos) return result;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    result.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

class YarnImport {
 public:
  YarnImport(const std::map<std::string, HadoopValue>& properties, Diagnostics& out)
      : properties_(properties), out_(out) {}

  std::string run() {
    std::vector<ImportedQueue> queues = read_children("root", 1);
    if (const HadoopValue* open = take("root", "acl_submit_applications");
        open != nullptr && open->text != "*") {
      no_counterpart(*open, "what is above all queues has no list; give it to each queue", out_);
    }
    if (queues.empty())
      out_.error({}, "no queues, allowed: yarn.scheduler.capacity.root.queues with their names");
    settle_guarantees(queues, "root", out_);
    for (const auto& [name, value] : properties_) {
      if (!taken_.contains(name)) no_counterpart(value, "it has no counterpart", out_);
    }
    return "capacity:\n  preemption: off   # YARN's default; yarn-site.xml says whether it kills\n"
           "queues:\n" +
           yaml_of_queues(queues, 2);
  }

 private:
  // The value of a queue's key, which then counts as taken over.
  const HadoopValue* take(const std::string& path, std::string_view key) {
    const std::string name = fmt::format("{}{}.{}", kYarnPrefix, path, key);
    const auto found = properties_.find(name);
    if (found == properties_.end()) return nullptr;
    taken_[name] = true;
    return &found->second;
  }

  std::vector<ImportedQueue> read_children(const std::string& path, std::size_t depth) {
    std::vector<ImportedQueue> result;
    const HadoopValue* names = take(path, "queues");
    if (names == nullptr) return result;
    std::map<std::string, bool> seen;
    for (const std::string& name : words_of(names->text, ", \t\r\n")) {
      ImportedQueue queue;
      queue.at = names->at;
      queue.name = hadoop_name({name, names->at, "queue"}, true, out_);
      if (!seen.emplace(queue.name, true).second) {
        out_.error(names->at, fmt::format("{} names {} twice, allowed: each queue once",
                                          names->what, quoted_briefly(name)));
        continue;
      }
      if (depth > kDeepestQueue) {
        out_.error(names->at, fmt::format("{} is at depth {}, allowed: {} levels of queues",
                                          names->what, depth, kDeepestQueue));
        break;
      }
      const std::string below = path + "." + name;
      queue.queues = read_children(below, depth + 1);
      read_queue(below, queue);
      result.push_back(std::move(queue));
    }
    return result;
  }

  void read_queue(const std::string& path, ImportedQueue& queue) {
    if (const HadoopValue* value = take(path, "capacity")) {
      queue.guaranteed_hundredths = percent_of(*value);
      queue.guaranteed_at = value->at;
    }
    if (const HadoopValue* value = take(path, "maximum-capacity")) {
      const auto most = percent_of(*value);
      if (most && *most > 0) queue.keys.push_back("maximum: " + format_percent(*most));
    }
    read_access(path, "acl_submit_applications", "submit", queue);
    read_access(path, "acl_administer_queue", "administer", queue);
    if (const HadoopValue* value = take(path, "state")) {
      if (value->text == "RUNNING" || value->text == "STOPPED") {
        queue.keys.push_back(value->text == "RUNNING" ? "state: running" : "state: stopped");
      } else {
        out_.error(value->at, fmt::format("{} is {}, allowed: RUNNING, STOPPED", value->what,
                                          quoted_briefly(value->text)));
      }
    }
    if (queue.queues.empty()) read_leaf(path, queue);
  }

  // Jobs live in leaves, so these say nothing above.
  void read_leaf(const std::string& path, ImportedQueue& queue) {
    std::string limit;
    if (const HadoopValue* value = take(path, "minimum-user-limit-percent")) {
      const auto least = percent_of(*value);
      if (least && *least > 0) limit = "minimum: " + format_percent(*least) + ", ";
    }
    std::int64_t factor = 1'000'000;
    if (const HadoopValue* value = take(path, "user-limit-factor")) {
      const auto number = hadoop_number(*value, out_);
      if (number && *number > 0 && *number <= 1000) {
        factor = std::max<std::int64_t>(1, hadoop_scaled(*value, *number, 1'000'000, out_));
      } else if (number && *number == -1) {
        factor = 0;  // unlimited
      } else if (number) {
        no_counterpart(*value, "a factor is above 0 and at most 1000; it counts as 1", out_);
      }
    }
    limit += factor == 0 ? "factor: unlimited" : "factor: " + format_millionths(factor);
    queue.keys.push_back(fmt::format("user_limit: {{{}, mode: hard}}", limit));
    if (const HadoopValue* value = take(path, "maximum-applications")) {
      const auto number = hadoop_integer(*value, out_);
      if (number && *number >= 0 && *number <= 1'000'000'000) {
        queue.keys.push_back(fmt::format("max_jobs: {}", *number));
      } else if (number) {
        no_counterpart(*value, "a number of jobs is from 0 to 1000000000", out_);
      }
    }
  }

  std::optional<std::int64_t> percent_of(const HadoopValue& value) {
    std::string text = value.text;
    if (text.ends_with('%')) text.pop_back();
    if (text.starts_with('[') || text.ends_with('w')) {
      no_counterpart(value, "it is no percentage; the queue shares what its siblings leave", out_);
      return std::nullopt;
    }
    const HadoopValue plain{text, value.at, value.what};
    const auto number = hadoop_number(plain, out_);
    if (!number || (*number >= 0 && *number <= 100)) {
      return number ? std::optional(hadoop_scaled(plain, *number, 100, out_)) : std::nullopt;
    }
    if (*number != -1) no_counterpart(value, "a percentage is from 0 to 100", out_);
    return std::nullopt;
  }

  // `user1,user2 group1,group2`; `*` is everybody, a blank nobody.
  void read_access(const std::string& path, std::string_view key, const char* ours,
                   ImportedQueue& queue) {
    const HadoopValue* value = take(path, key);
    if (value == nullptr) return;
    if (value->text == "*") {
      queue.keys.push_back(fmt::format("{}: \"*\"", ours));
      return;
    }
    std::vector<std::string> names;
    const std::size_t blank = std::min(value->text.find(' '), value->text.size());
    for (const std::string& user : words_of(value->text.substr(0, blank), ", \t\r\n"))
      names.push_back(yaml_scalar(user));
    for (const std::string& group : words_of(value->text.substr(blank), ", \t\r\n"))
      names.push_back(yaml_scalar("@" + group));
    queue.keys.push_back(fmt::format("{}: [{}]", ours, fmt::join(names, ", ")));
    const auto root = properties_.find(fmt::format("{}root.{}", kYarnPrefix, key));
    if (root == properties_.end() || root->second.text == "*") {
      out_.warning(value->at, fmt::format("{} is taken over as {}; in YARN it had no effect, as "
                                          "root's list, which is *, lets everybody in",
                                          value->what, ours));
    }
  }

  const std::map<std::string, HadoopValue>& properties_;
  Diagnostics& out_;
  std::map<std::string, bool> taken_;
};

}  // namespace

std::string import_yarn_capacity(const std::map<std::string, HadoopValue>& properties,
                                 Diagnostics& out) {
  return YarnImport(properties, out).run();
}

}  // namespace weir
