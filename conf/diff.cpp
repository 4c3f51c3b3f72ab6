#include "conf/diff.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "conf/describe.h"

namespace weir {
namespace {

// Both sides come from one function, so the keys stand in the same order.
void compare(const std::string& prefix, const KeyValues& before, const KeyValues& after,
             std::vector<std::string>& out) {
  for (std::size_t i = 0; i < before.size() && i < after.size(); ++i) {
    if (before[i].second == after[i].second) continue;
    out.push_back(
        fmt::format("{}{}: {} -> {}", prefix, after[i].first, before[i].second, after[i].second));
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
    compare(part.path + ".", found->second->values, part.values, out);
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
  compare("", daemon_values(before), daemon_values(after), all);
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
  compare("", general_values(before, policies), general_values(after, policies), result);
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
