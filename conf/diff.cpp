#include "conf/diff.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "conf/describe.h"

namespace weir {
namespace {

const std::string kDoesNotCount = "does not count";

const std::string* find(const KeyValues& values, const std::string& key) {
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&](const auto& each) { return each.first == key; });
  return found == values.end() ? nullptr : &found->second;
}

struct Side {
  const KeyValues& values;
  const KeyValues& defaults;
};

// Of what counts on one of the sides alone, as slots or containers do, nothing was said before, or
// is any more: a default says nothing.
void compare(const std::string& prefix, const Side& before, const Side& after,
             std::vector<std::string>& out) {
  const auto add = [&](const std::string& key, const std::string& from, const std::string& to) {
    if (from != to) out.push_back(fmt::format("{}{}: {} -> {}", prefix, key, from, to));
  };
  const auto is_said = [](const Side& side, const std::string& key, const std::string& value) {
    const std::string* usual = find(side.defaults, key);
    return usual == nullptr || *usual != value;
  };
  for (const auto& [key, value] : after.values) {
    const std::string* old = find(before.values, key);
    if (old != nullptr || is_said(after, key, value))
      add(key, old != nullptr ? *old : kDoesNotCount, value);
  }
  for (const auto& [key, value] : before.values) {
    if (find(after.values, key) == nullptr && is_said(before, key, value))
      add(key, value, kDoesNotCount);
  }
}

void compare_parts(const std::vector<SettingsPart>& before, const std::vector<SettingsPart>& after,
                   std::vector<std::string>& out) {
  std::unordered_map<std::string_view, const SettingsPart*> left;
  for (const SettingsPart& part : before) left.emplace(part.path, &part);
  for (const SettingsPart& part : after) {
    const auto found = left.find(part.path);
    if (found == left.end()) {
      const auto& [key, value] = part.values.front();
      out.push_back(fmt::format("{}: added ({} {})", part.path, key, value));
      continue;
    }
    compare(part.path + ".", {found->second->values, found->second->defaults},
            {part.values, part.defaults}, out);
    left.erase(found);
  }
  for (const SettingsPart& part : before) {
    if (left.contains(part.path)) out.push_back(fmt::format("{}: removed", part.path));
  }
}

}  // namespace

std::vector<std::string> diff_daemon(const DaemonSettings& before, const DaemonSettings& after,
                                     const std::vector<std::string>& sections) {
  std::vector<std::string> all;
  const KeyValues old = daemon_values(before), now = daemon_values(after);
  compare("", {old, old}, {now, now}, all);  // all of them count on both sides
  std::erase_if(all, [&](const std::string& line) {
    return std::none_of(sections.begin(), sections.end(), [&](const std::string& section) {
      return line.starts_with(section + ".");
    });
  });
  return all;
}

std::vector<std::string> diff_settings(const Settings& before, const Settings& after,
                                       PolicyTable policies) {
  std::vector<std::string> result;
  const Space old(before.resources), now(after.resources);
  const Settings nothing;
  compare("", {general_values(before, policies, old), general_values(nothing, policies, old)},
          {general_values(after, policies, now), general_values(nothing, policies, now)}, result);
  compare_parts(queue_parts(before), queue_parts(after), result);
  for (const PolicyEntry& policy : policies) {
    compare_parts(policy_parts(before, policy), policy_parts(after, policy), result);
  }
  for (const RemovedQueue& removed : after.removed_queues) {
    if (std::find(before.removed_queues.begin(), before.removed_queues.end(), removed) ==
        before.removed_queues.end()) {
      result.push_back(
          fmt::format("removed_queues.{}: its jobs go to {}", removed.queue, removed.move_to));
    }
  }
  return result;
}

}  // namespace weir
