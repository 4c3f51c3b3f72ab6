// The harness under the fair policy. Unless a test says otherwise: pools by the property `pool`, no
// locality delay, and an update after each submission.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fair/fair_policy.h"
#include "jobqueue/policy/pools_facet.h"
#include "support/harness.h"

namespace weir::test {

inline PolicyFactory fair_only() {
  return [](std::string_view name, const ClusterState& state,
            PolicyMemory& memory) -> std::unique_ptr<Policy> {
    if (name != "fair") return nullptr;
    return std::make_unique<FairPolicy>(state, memory);
  };
}

struct PoolOptions {
  std::int64_t min_maps = 0;
  std::int64_t min_reduces = 0;
  std::int64_t weight_millionths = kWeightOne;
  std::optional<std::int64_t> max_maps;
  std::optional<std::int64_t> max_reduces;
};

inline PoolSettings pool(const std::string& name, const PoolOptions& options = {}) {
  PoolSettings settings;
  settings.name = name;
  settings.min_share = {options.min_maps, options.min_reduces};
  settings.max_share = {options.max_maps, options.max_reduces};
  settings.weight = options.weight_millionths;
  return settings;
}

struct FairHarness : Harness {
  FairHarness() : Harness(fair_only(), "fair") {
    section = std::make_shared<FairSettings>();
    section->pool_name_property = "nothing";  // only what jobs say
    section->locality_delay.mode = LocalityDelaySettings::Mode::kOff;
    settings().policies["fair"] = section;
  }

  std::uint32_t submit(const JobOptions& options) {
    const std::uint32_t job = Harness::submit(options);
    step(Tick{});
    return job;
  }
  // A job of the worked cases: its name is its number.
  std::uint32_t submit(std::uint32_t maps, std::uint32_t reduces, const std::string& pool = "",
                       Priority priority = Priority::kNormal) {
    return submit({.maps = maps,
                   .reduces = reduces,
                   .priority = priority,
                   .name = "J" + std::to_string(++submitted_),
                   .pool = pool});
  }
  // "1.33/2" of maps/reduces, in slots.
  std::string share(std::uint32_t job) {
    return text(weir::job_figures(engine().policy(), JobId(job), TaskKind::kMap).share) + "/" +
           text(weir::job_figures(engine().policy(), JobId(job), TaskKind::kReduce).share);
  }
  std::string shares(const std::vector<std::uint32_t>& jobs) {
    std::string all;
    for (const std::uint32_t job : jobs) all += (all.empty() ? "" : " ") + share(job);
    return all;
  }
  PoolFigures pool_figures(const std::string& path) {
    for (const PoolFigures& figures : weir::pool_figures(engine().policy(), now)) {
      if (figures.pool == path) return figures;
    }
    return {};
  }
  // "share running demand" of a pool.
  std::string pool_text(const std::string& path, TaskKind kind = TaskKind::kMap) {
    const QueueFigures f = pool_figures(path).of[index(kind)];
    return text(f.share) + " " + std::to_string(f.running) + " " + std::to_string(f.demand);
  }
  std::string running_of(std::uint32_t job) {
    const Job& j = state().job(JobId(job));
    return std::to_string(j.tasks(TaskKind::kMap).running) + "/" +
           std::to_string(j.tasks(TaskKind::kReduce).running);
  }
  std::string why(std::uint32_t job, TaskKind kind = TaskKind::kMap) {
    std::string codes;
    for (const Reason& reason : engine().policy().explain(JobId(job), kind, now)) {
      codes += (codes.empty() ? "" : " ") + reason.code;
    }
    return codes;
  }
  // What several heartbeats of the tracker launch, one after the other: "J1/m0; J1/r0".
  std::string heartbeats(const std::string& tracker, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) {
      const std::string launched = heartbeat(tracker);
      all += (i == 0 ? "" : "; ") + (launched.empty() ? "none" : launched);
    }
    return all;
  }
  // To two decimals.
  static std::string text(Share share) {
    const std::int64_t hundredths = (share + kWholeSlot / 200) / (kWholeSlot / 100);
    std::string out = std::to_string(hundredths / 100);
    if (hundredths % 100 != 0) {
      out += "." + std::to_string(100 + hundredths % 100).substr(1);
      if (out.back() == '0') out.pop_back();
    }
    return out;
  }

  std::shared_ptr<FairSettings> section;  // to be changed before the first step

 private:
  int submitted_ = 0;
};

}  // namespace weir::test
