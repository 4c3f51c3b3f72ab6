#include "conf/hadoop_mr1_queues.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace weir {
namespace {

constexpr std::string_view kQueuePrefix = "mapred.queue.";
constexpr std::string_view kAccessKeys[] = {"acl-submit-job", "acl-administer-jobs", "state"};
constexpr std::string_view kBlanksAndCommas = ", \t\r\n";

// What a queue of mapred.queue.* is told.
struct Mr1Overlay {
  std::string queue;
  std::string_view key;
  HadoopValue value;
};

class Mr1QueuesReader {
 public:
  explicit Mr1QueuesReader(HadoopProperties& properties) : properties_(properties) {
    // Its own property and the one in mapred-queues.xml say the same.
    const HadoopValue* enabled =
        properties.take("mapred.acls.enabled", "mapreduce.cluster.acls.enabled");
    if (enabled == nullptr) return;
    lists_count_ = hadoop_boolean(*enabled);
    if (lists_count_ == true) result_.lists_count = *enabled;
  }

  Mr1Queues read_names() {
    const HadoopValue* names = properties_.take("mapred.queue.names");
    if (names != nullptr) {
      result_.complete = true;
      read_list(*names);
    }
    for (const Mr1Overlay& overlay : overlays()) lay_over(overlay);
    return std::move(result_);
  }

  Mr1Queues read_tree(const XmlElement& root, Diagnostics& out) {
    result_.complete = true;
    const std::string enabled = lower_case(std::string(root.attribute("aclsEnabled")));
    if (!lists_count_ && enabled == "true") {
      result_.lists_count = value_of_element(root, "", out);
    }
    if (!lists_count_) lists_count_ = enabled == "true";
    for (const XmlElement& element : root.children) {
      if (element.name == "queue") {
        read_queue(element, 1, result_.queues, out);
      } else {
        no_counterpart(value_of_element(element, "", out), "only queues are");
      }
    }
    return std::move(result_);
  }

 private:
  void read_list(const HadoopValue& names) {
    bool told = false;
    for (const std::string& name : words_of(names.text, kBlanksAndCommas)) {
      if (result_.queues.size() == kMostImported) {
        return names.out->error(names.at,
                                fmt::format("{} has more queues than {}, allowed: at most "
                                            "that many",
                                            names.what, kMostImported));
      }
      if (find(name) == nullptr) {
        add({.text = name, .at = names.at, .what = "queue", .out = names.out});
      } else if (!told) {
        told = true;
        hadoop_warning(names, fmt::format("{} names {} twice; it is one queue", names.what,
                                          quoted_briefly(name)));
      }
    }
  }

  Mr1Queue* find(const std::string& name) {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &result_.queues[found->second];
  }

  void add(HadoopValue name) {
    by_name_.emplace(name.text, result_.queues.size());
    result_.queues.push_back({.name = std::move(name)});
  }

  std::vector<Mr1Overlay> overlays() {
    std::vector<Mr1Overlay> result;
    for (const HadoopValue& value : properties_.with_prefix(kQueuePrefix)) {
      const std::string_view rest = std::string_view(value.what).substr(kQueuePrefix.size());
      for (const std::string_view key : kAccessKeys) {
        if (rest.size() <= key.size() + 1 || !rest.ends_with(key)) continue;
        const std::string_view queue = rest.substr(0, rest.size() - key.size());
        if (!queue.ends_with('.')) continue;
        result.push_back({std::string(queue.substr(0, queue.size() - 1)), key, value});
        properties_.take(value.what);
      }
    }
    return result;
  }

  void lay_over(const Mr1Overlay& overlay) {
    Mr1Queue* queue = find(overlay.queue);
    if (queue == nullptr && result_.complete)
      return no_counterpart(overlay.value, "mapred.queue.names has no such queue");
    if (queue == nullptr) {
      HadoopValue name = overlay.value;
      name.text = overlay.queue;
      name.what = "queue";
      add(std::move(name));
      queue = &result_.queues.back();
    }
    if (overlay.key == "state") {
      queue->stopped = read_stopped(overlay.value);
    } else {
      tell_of_switch(overlay.value);
      read_access(overlay.value, overlay.key, *queue);
    }
  }

  void read_access(const HadoopValue& value, std::string_view key, Mr1Queue& queue) {
    // The names stand in the same file as the switch, which is off unless it says otherwise.
    if (!lists_count_.value_or(!result_.complete)) {
      return no_counterpart(value, "lists do not count in these files, as acls are not enabled");
    }
    const bool submit = key == "acl-submit-job";
    (submit ? queue.submit : queue.administer) = hadoop_access(value);
    (submit ? queue.submit_said : queue.administer_said) = value;
    if (result_.lists_count.out == nullptr) result_.lists_count = value;
  }

  // A file of lists alone is for a cluster that looks at them; elsewhere nobody may have.
  void tell_of_switch(const HadoopValue& value) {
    if (lists_count_ || result_.complete || told_) return;
    told_ = true;
    hadoop_warning(value, fmt::format("{} is taken over; Hadoop looks at lists only where "
                                      "mapred.acls.enabled is true, which these files do not say",
                                      value.what));
  }

  static bool read_stopped(const HadoopValue& value) {
    const std::string state = lower_case(value.text);
    if (state != "running" && state != "stopped") hadoop_error(value, "running, stopped");
    return state == "stopped";
  }

  void read_queue(const XmlElement& element, std::size_t depth, std::vector<Mr1Queue>& family,
                  Diagnostics& out) {
    const XmlElement* name = element.child("name");
    if (name == nullptr || name->text.empty())
      return out.error(element.at, "a queue without a name, allowed: <name>");
    if (depth > kDeepestQueue || ++read_ > kMostImported) {
      if (depth <= kDeepestQueue && read_ > kMostImported + 1) return;  // told once
      const std::string what = depth > kDeepestQueue
                                   ? fmt::format("{} levels of queues", kDeepestQueue)
                                   : fmt::format("{} queues", kMostImported);
      return out.error(element.at, fmt::format("queue {} is one too many, allowed: {}",
                                               quoted_briefly(name->text), what));
    }
    Mr1Queue queue{.name = value_of_element(*name, "", out)};
    queue.name.what = "queue";
    const std::string owner = "queue " + name->text;
    const bool leaf = element.child("queue") == nullptr;
    // Nobody is in the lists of a queue that says nothing, where they count.
    if (leaf && lists_count_ == true) {
      queue.submit.emplace();
      queue.administer.emplace();
    }
    for (const XmlElement& child : element.children) read_element(child, owner, leaf, queue, out);
    for (const XmlElement& child : element.children) {
      if (child.name == "queue") read_queue(child, depth + 1, queue.queues, out);
    }
    const bool again = std::any_of(family.begin(), family.end(), [&](const Mr1Queue& other) {
      return other.name.text == queue.name.text;
    });
    if (again) return out.error(element.at, owner + " is there twice, allowed: each queue once");
    family.push_back(std::move(queue));
  }

  void read_element(const XmlElement& element, const std::string& owner, bool leaf, Mr1Queue& queue,
                    Diagnostics& out) {
    if (element.name == "name" || element.name == "queue") return;
    const HadoopValue value = value_of_element(element, owner, out);
    if (element.name == "state") {
      queue.stopped = read_stopped(value);
    } else if (element.name == "acl-submit-job" || element.name == "acl-administer-jobs") {
      if (!leaf) return no_counterpart(value, "only the lists of queues without queues count");
      read_access(value, element.name, queue);
    } else if (element.name == "properties") {
      read_keys(element, owner, queue, out);
    } else {
      no_counterpart(value, "it has no counterpart");
    }
  }

  void read_keys(const XmlElement& properties, const std::string& owner, Mr1Queue& queue,
                 Diagnostics& out) {
    for (const XmlElement& property : properties.children) {
      const std::string key(property.attribute("key"));
      const HadoopValue value{.text = std::string(property.attribute("value")),
                              .at = property.at,
                              .what = fmt::format("{} of {}", key, owner),
                              .out = &out};
      if (property.name != "property" || key.empty()) {
        out.warning(property.at, fmt::format("<{}> in {} is not taken over: only properties with "
                                             "a key are",
                                             property.name, owner));
        continue;
      }
      queue.keys.insert_or_assign(key, value);
      result_.has_keys = true;
    }
  }

  HadoopProperties& properties_;
  std::optional<bool> lists_count_;  // absent: not said
  bool told_ = false;
  std::size_t read_ = 0;
  Mr1Queues result_;
  std::map<std::string, std::size_t> by_name_;  // of the list
};

}  // namespace

Mr1Queues read_mr1_queues(HadoopProperties& properties, const XmlElement* tree,
                          Diagnostics* tree_out) {
  Mr1QueuesReader reader(properties);
  const HadoopValue* names = properties.find("mapred.queue.names");
  if (tree == nullptr) return reader.read_names();
  if (names == nullptr) return reader.read_tree(*tree, *tree_out);
  tree_out->warning(tree->at,
                    "this file is not taken over: mapred.queue.names is set, and with it "
                    "Hadoop does not read this one");
  return reader.read_names();
}

ImportedQueue imported_queue(const Mr1Queue& queue) {
  ImportedQueue result;
  result.name = hadoop_name(queue.name, true);
  result.said = queue.name;
  result.submit = queue.submit;
  result.administer = queue.administer;
  result.submit_said = queue.submit_said;
  result.administer_said = queue.administer_said;
  result.stopped = queue.stopped;
  return result;
}

namespace {

bool has_everybody(const AccessList& list) {
  return !list || std::find(list->begin(), list->end(), "*") != list->end();
}

// Who administers the queue but does not stand in the list of who may submit.
std::vector<std::string> only_administering(const ImportedQueue& queue) {
  std::vector<std::string> names;
  if (has_everybody(queue.submit)) return names;
  for (const std::string& name : *queue.administer) {
    if (std::find(queue.submit->begin(), queue.submit->end(), name) == queue.submit->end())
      names.push_back(name);
  }
  return names;
}

void tell_who_may_submit_too(const ImportedQueue& queue) {
  std::vector<std::string> names = only_administering(queue);
  if (names.empty()) return;
  constexpr std::size_t kMostShown = 8;
  const bool more = names.size() > kMostShown;
  if (more) names.resize(kMostShown);
  hadoop_warning(queue.administer_said,
                 fmt::format("{} has {}{}, who may not submit there in Hadoop; here who may "
                             "administer a queue may submit to it as well",
                             queue.administer_said.what, fmt::join(names, ", "),
                             more ? " and others" : ""));
}

}  // namespace

void settle_mr1_access(std::vector<ImportedQueue>& queues, const HadoopValue& lists_count,
                       bool administrators_said) {
  const bool counted = lists_count.out != nullptr;
  for (ImportedQueue& queue : queues) {
    // Lists are the leaves', where they count: one above would hold for all of them.
    if (counted && !queue.queues.empty()) {
      settle_mr1_access(queue.queues, lists_count, administrators_said);
      continue;
    }
    if (queue.administer) {
      if (queue.administer_said.out != nullptr) tell_who_may_submit_too(queue);
      continue;
    }
    const bool open = has_everybody(queue.submit);
    if (open && administrators_said) {
      queue.administer = {"*"};
    } else if (counted) {
      const HadoopValue& place = queue.submit_said.out != nullptr ? queue.submit_said
                                 : queue.said.out != nullptr      ? queue.said
                                                                  : lists_count;
      hadoop_warning(place, fmt::format("queue {} has no list for administering, which is "
                                        "everybody in Hadoop; here that is left to the "
                                        "administrators{}",
                                        queue.name,
                                        open ? "" : ", as who may administer a queue may submit "
                                                    "to it"));
    }
  }
}

std::vector<ImportedQueue> imported_queues(const std::vector<Mr1Queue>& queues) {
  std::vector<ImportedQueue> result;
  for (const Mr1Queue& queue : queues) {
    result.push_back(imported_queue(queue));
    result.back().queues = imported_queues(queue.queues);
  }
  return result;
}

}  // namespace weir
