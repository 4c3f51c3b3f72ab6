#include "cli/queue_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/format.h"

namespace weir::cli {
namespace {

// The queue (all of them, if the name is empty); none if that cannot be had now.
std::vector<QueueView> queues_of(JobTracker& jobtracker, const std::string& queue) {
  try {
    return queue.empty() ? jobtracker.queues() : jobtracker.queue(queue);
  } catch (const Refused&) {
    return {};  // what was asked for is done
  } catch (const RpcUnreachable&) {
    return {};
  }
}

bool lies_in(const std::string& queue, const std::string& above) {
  return queue == above || queue.starts_with(above + '.');
}

}  // namespace

void warn_of_priority(Context& context, JobTracker& jobtracker, const std::string& queue) {
  if (queue.empty()) return;
  const std::vector<QueueView> queues = queues_of(jobtracker, queue);
  const bool without = std::any_of(queues.begin(), queues.end(), [&](const auto& status) {
    return status.name == queue && !status.priorities.value_or(true);
  });
  if (!without) return;
  context.err << fmt::format(
      "weir: warning: queue {} does not go by priority (priorities: false); it will count where "
      "the job is moved to, or under another policy\n",
      printable(queue));
}

void warn_of_width(Context& context, JobTracker& jobtracker, const std::string& queue,
                   std::int64_t slots_per_map, std::int64_t slots_per_reduce) {
  if (slots_per_map <= 1 && slots_per_reduce <= 1) return;
  const std::vector<QueueView> queues = queues_of(jobtracker, {});
  const auto check = [&](const char* kind, std::int64_t width, QueueView::Slots QueueView::*slots) {
    for (const QueueView& each : queues) {
      const auto maximum = (each.*slots).maximum;
      if (!lies_in(queue, each.name) || !maximum || width <= *maximum) continue;
      context.err << fmt::format(
          "weir: warning: a {} takes {} slots, and queue {} may never run more than {}: it cannot "
          "start unless that maximum is raised, or the job moved\n",
          kind, width, printable(each.name), *maximum);
      return;
    }
  };
  check("map", slots_per_map, &QueueView::maps);
  check("reduce", slots_per_reduce, &QueueView::reduces);
}

}  // namespace weir::cli
