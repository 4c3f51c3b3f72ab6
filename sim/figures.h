// The figures that samples and expectations name: a queue's or a job's, in slots, under the ruling
// policy; nothing where the policy has no such figure. Pure functions over the engine.
#pragma once

#include <optional>
#include <string_view>

#include "jobqueue/engine/engine.h"

namespace weir {

inline constexpr std::string_view kFigureNames[] = {"guaranteed", "allocated", "running", "pending",
                                                    "share",      "min_share", "demand"};

inline constexpr std::string_view kJobFigureNames[] = {"deficit", "weight"};  // besides those

// Of a policy with pools; nothing if there is none of that name (dotted path, `root.` before it or
// not).
std::optional<PoolFigures> find_pool(const Engine& engine, std::string_view name);
std::optional<double> pool_figure(const PoolFigures& pool, Dimension dimension,
                                  std::string_view figure);
std::optional<double> pool_figure(const PoolFigures& pool, TaskKind kind, std::string_view figure);
std::optional<double> queue_figure(const Engine& engine, QueueId queue, Dimension dimension,
                                   std::string_view figure);
// Of a job with containers.
std::optional<double> job_figure(const Engine& engine, const Job& job, Dimension dimension,
                                 std::string_view figure);
// The largest part that it runs of what the cluster has in a dimension.
double dominant_part(const Engine& engine, const PerDimension<std::int64_t>& running);
PerDimension<std::int64_t> running_of(const Engine& engine, const Job& job);
std::optional<double> job_figure(const Engine& engine, const Job& job, TaskKind kind,
                                 std::string_view figure);

}  // namespace weir
