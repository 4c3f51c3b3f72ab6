// YARN's `queuePlacementPolicy`: rules that are asked in turn for the queue of an application. Here
// one setting says where a pool's name comes from, and a name that nobody declared is refused or
// not; so the first rule that places whoever it is asked for is taken over, the others are told.
#include <fmt/format.h>

#include "conf/hadoop_allocations.h"

namespace weir {
namespace {

class PlacementReader {
 public:
  explicit PlacementReader(Diagnostics& out) : out_(out) {}

  ImportedPlacement run(const XmlElement& policy) {
    result_.said = true;
    for (const XmlElement& rule : policy.children) {
      if (rule.name == "rule") {
        read_rule(rule);
      } else {
        no_counterpart(value_of_element(rule, "queuePlacementPolicy", out_), "only rules are");
      }
    }
    return result_;
  }

 private:
  void read_rule(const XmlElement& rule) {
    const HadoopValue name{.text = std::string(rule.attribute("name")),
                           .at = rule.at,
                           .what = "rule of queuePlacementPolicy",
                           .out = &out_};
    const std::string_view create = rule.attribute("create");
    const bool creates = create.empty() || lower_case(std::string(create)) == "true";
    if (name.text == "specified") {
      read_specified(name, creates);
    } else if (name.text == "user") {
      read_own(name, creates, "user");
    } else if (name.text == "primaryGroup") {
      read_own(name, creates, "group");
    } else if (name.text == "nestedUserQueue") {
      no_counterpart(name, "a pool is the queue's, the user's or the group's, none within another");
    } else if (name.text == "secondaryGroupExistingQueue") {
      no_counterpart(name, "of a user's groups the first one counts");
    } else if (name.text == "default") {
      read_default(name, rule);
    } else if (name.text == "reject") {
      if (!result_.undeclared_refused) no_counterpart(name, "no job comes so far");
    } else {
      hadoop_error(name,
                   "specified, user, primaryGroup, nestedUserQueue, secondaryGroupExistingQueue, "
                   "default, reject");
    }
  }

  void read_specified(const HadoopValue& name, bool creates) {
    if (decided_) return no_counterpart(name, "a rule before it places every job");
    decided_ = true;
    result_.undeclared_refused = !creates;
    if (!creates) return;
    hadoop_warning(name,
                   "rule specified of queuePlacementPolicy makes queues on demand; a job "
                   "that names a queue which is not declared is refused here");
  }

  // Every user has a pool of their own, or every group, whatever queue a job names.
  void read_own(const HadoopValue& name, bool creates, const char* property) {
    if (decided_) return no_counterpart(name, "every job names its queue here");
    if (!creates) {
      return no_counterpart(name,
                            "a pool that some have and some have not is named by the "
                            "property pool");
    }
    decided_ = true;
    result_.pool_name_property = property;
  }

  void read_default(const HadoopValue& name, const XmlElement& rule) {
    const std::string_view queue = rule.attribute("queue");
    if (!decided_) {
      decided_ = true;
      return no_counterpart(name, "a job is in the pool of the queue that it names");
    }
    if (queue.empty() || queue == "default" || queue == "root.default") return;
    no_counterpart(name, fmt::format("a job that names no pool is in default, not in {}",
                                     quoted_briefly(queue)));
  }

  Diagnostics& out_;
  ImportedPlacement result_;
  bool decided_ = false;
};

}  // namespace

ImportedPlacement read_placement(const XmlElement& policy, Diagnostics& out) {
  return PlacementReader(out).run(policy);
}

}  // namespace weir
