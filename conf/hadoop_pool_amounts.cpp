// Minimums and maximums of YARN's queues as amounts of memory, cores and other resources.
#include <algorithm>

#include <fmt/format.h>

#include "conf/hadoop_allocations.h"

namespace weir {

bool says_nothing(std::string_view text) {
  return text.find('0') != std::string_view::npos &&
         text.find_first_of("123456789") == std::string_view::npos;
}

void tell_zero_amounts(const HadoopValue& value, const HadoopAmounts& most) {
  if (std::any_of(most.begin(), most.end(), stops_all))
    tell_zero(value, "no task that takes of what is 0");
}

void read_amounts_of(const HadoopValue& value, bool minimum, ImportedPool& pool) {
  const bool in_percent = value.text.find('%') != std::string::npos;
  if (in_percent && minimum && !says_nothing(value.text))
    return no_counterpart(value, "a minimum is in MB, vcores and other resources here");
  std::optional<HadoopAmounts> amounts;
  if (!in_percent) {
    amounts = hadoop_fair_amounts(value);
  } else if (says_nothing(value.text)) {
    amounts = HadoopAmounts{{"memory_mb", 0}, {"vcores", 0}};
  } else {
    pool.most_parts = hadoop_fair_percentages(value);
    pool.most.clear();
  }
  if (!amounts) return;
  if (!minimum) pool.most_parts.clear();
  if (!minimum) tell_zero_amounts(value, *amounts);
  (minimum ? pool.least : pool.most) = std::move(*amounts);
}

void settle_amounts_of(ImportedPool& pool, const HadoopAmounts& most, Diagnostics& out) {
  for (auto& [name, amount] : pool.least) {
    const HadoopAmounts& own = pool.most.empty() ? most : pool.most;
    const auto found =
        std::find_if(own.begin(), own.end(), [&](const auto& one) { return one.first == name; });
    if (found == own.end() || found->second >= amount) continue;
    out.warning(pool.said.at,
                fmt::format("pool {} has a minimum of {} {} above its maximum of {}; it is {}, as "
                            "Hadoop would have it",
                            pool.name, amount, name, found->second, found->second));
    amount = found->second;
  }
}

}  // namespace weir
