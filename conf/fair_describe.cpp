// FairSettings in words, for `conf diff`: the section's own keys, and every pool and user as a part
// that comes and goes as a whole.
#include <fmt/format.h>

#include "conf/describe.h"
#include "conf/fair_section.h"
#include "conf/locality_value.h"
#include "fair/fair_settings.h"

namespace weir {
namespace {

std::string per_heartbeat_text(const std::optional<std::int64_t>& most) {
  return most ? fmt::format("{}", *most) : "all";
}

std::string jobs_text(const std::optional<std::int64_t>& limit) {
  return limit && *limit != kUnlimitedJobs ? fmt::format("{}", *limit) : "unlimited";
}

std::string word(bool value) {
  return value ? "true" : "false";
}

std::string booster_text(const std::optional<FairSettings::Booster>& booster) {
  if (!booster) return "off";
  return fmt::format("{{factor: {}, duration: {}}}", format_millionths(booster->factor),
                     format_duration(booster->duration_ms));
}

// "{memory_mb: 2048, gpu: 1}"
std::string amounts_text(const PoolSettings::Amounts& amounts, const Space& space,
                         const char* absent) {
  std::string text;
  for (const Dimension d : space.dimensions()) {
    if (const auto& amount = amounts[d.value()])
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", space.name(d), *amount);
  }
  return text.empty() ? absent : "{" + text + "}";
}

void add_shares(const PoolSettings& pool, const Space& space, KeyValues& result) {
  if (space.containers()) {
    result.emplace_back("min_share", amounts_text(pool.minimum, space, "none"));
    result.emplace_back("max_share", amounts_text(pool.maximum, space, "unlimited"));
    return;
  }
  for (const TaskKind kind : kTaskKinds) {
    result.emplace_back(fmt::format("min_share.{}", name(kind)),
                        fmt::format("{}", pool.min_share[index(kind)]));
  }
  for (const TaskKind kind : kTaskKinds) {
    result.emplace_back(fmt::format("max_share.{}", name(kind)),
                        jobs_text(pool.max_share[index(kind)]));
  }
}

KeyValues values_of_pool(const PoolSettings& pool, const Space& space) {
  KeyValues result = {{"weight", format_millionths(pool.weight)}};
  add_shares(pool, space, result);
  result.emplace_back("max_running_jobs", jobs_text(pool.max_running_jobs));
  if (space.containers()) {
    result.emplace_back("policy", kPoolSharing[static_cast<std::size_t>(pool.sharing)]);
    result.emplace_back("lend", format_bound(pool.lend, space, "all"));
  } else {
    result.emplace_back("mode", name(pool.mode));
  }
  result.emplace_back("min_share_timeout", format_duration(pool.min_share_timeout_ms));
  result.emplace_back("fair_share_timeout", format_duration(pool.fair_share_timeout_ms));
  result.emplace_back("kill_budget", jobs_text(pool.kill_budget));
  return result;
}

void flatten_pools(const std::vector<PoolSettings>& pools, const Space& space,
                   const KeyValues& undeclared, const std::string& prefix,
                   std::vector<SettingsPart>& out) {
  for (const PoolSettings& pool : pools) {
    const std::string path = prefix + pool.name;
    out.push_back({path, values_of_pool(pool, space), undeclared});
    flatten_pools(pool.pools, space, undeclared, path + ".", out);
  }
}

}  // namespace

KeyValues describe_fair(const PolicySettings& settings, const Space& space) {
  const auto* fair = dynamic_cast<const FairSettings*>(&settings);
  if (fair == nullptr) return {};
  KeyValues result = {
      {"allocations", fair->allocations_file.empty() ? "none" : fair->allocations_file},
      {"pool_name_property", fair->pool_name_property},
      {"undeclared_pools", fair->undeclared_pools_allowed ? "allow" : "refuse"},
      {"algorithm", std::string(kFairAlgorithms[static_cast<std::size_t>(fair->algorithm)])},
      {"update_interval", format_duration(fair->update_interval_ms)},
      {"preemption", std::string(kFairPreemption[static_cast<std::size_t>(fair->preemption)])},
      {"preemption_interval", format_duration(fair->preemption_interval_ms)},
      {"assign_multiple", word(fair->assign_multiple)},
      {"max_maps", per_heartbeat_text(fair->max_per_heartbeat[index(TaskKind::kMap)])},
      {"max_reduces", per_heartbeat_text(fair->max_per_heartbeat[index(TaskKind::kReduce)])},
      {"size_based_weight", word(fair->size_based_weight)},
      {"new_job_booster", booster_text(fair->new_job_booster)},
      {"load_manager", fair->load_manager},
      {"load_max_diff", format_millionths(fair->load_max_diff_millionths)},
      {"task_selector", fair->task_selector},
      {"locality_delay", format_locality_delay(fair->locality_delay)},
      {"copy_compute_split", word(fair->copy_compute_split)},
      {"copy_factor", fmt::format("{}", fair->copy_factor)},
      {"defaults.user_max_running_jobs", jobs_text(fair->default_user_max_running_jobs)}};
  for (auto& [key, value] : values_of_pool(fair->undeclared, space)) {
    const std::string shown = key == "max_running_jobs" ? "pool_max_running_jobs" : key;
    result.emplace_back("defaults." + shown, std::move(value));
  }
  return result;
}

std::vector<SettingsPart> fair_parts(const PolicySettings& settings, const Space& space) {
  const auto* fair = dynamic_cast<const FairSettings*>(&settings);
  std::vector<SettingsPart> result;
  if (fair == nullptr) return result;
  flatten_pools(fair->pools, space, values_of_pool(fair->undeclared, space), "pools.", result);
  for (const auto& [user, limit] : fair->user_max_running_jobs) {
    result.push_back({"users." + user,
                      {{"max_running_jobs", jobs_text(limit)}},
                      {{"max_running_jobs", jobs_text(fair->default_user_max_running_jobs)}}});
  }
  return result;
}

}  // namespace weir
