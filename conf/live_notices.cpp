#include "conf/live_notices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jobqueue/model/queue_tree.h"

namespace weir {

std::vector<std::string> live_notices(const Settings& settings, std::string_view policy,
                                      const Resources& total, PolicyTable policies) {
  const PolicyEntry* entry = find_policy(policy, policies);
  const auto tree = QueueTree::build(settings.queues);
  if (!tree || entry == nullptr || entry->notices == nullptr) return {};
  std::vector<std::string> lines = entry->notices(settings, *tree, total);
  const std::string source = settings.source.empty() ? "settings" : settings.source;
  for (std::string& line : lines) line = fmt::format("{}: warning: {}", source, line);
  return lines;
}

std::string first_few(std::vector<std::string> names) {
  constexpr std::size_t kMostNamed = 8;
  const std::size_t count = names.size();
  if (count > kMostNamed) names.resize(kMostNamed);
  return fmt::format("{}{}", fmt::join(names, ", "),
                     count > kMostNamed ? fmt::format(" and {} more", count - kMostNamed) : "");
}

}  // namespace weir
