#include "fair/weight_adjuster.h"

#include <algorithm>

#include "jobqueue/model/share.h"

namespace weir {
namespace {

constexpr const char* kBoosterName = "new_job_booster";
constexpr Int128 kHeaviestWeight = INT64_MAX / 2;

class NewJobBooster : public WeightAdjuster {
 public:
  explicit NewJobBooster(const FairSettings::Booster& settings) : settings_(settings) {}

  AdjustedWeight adjust(const Job& job, TaskKind, std::int64_t weight, TimeMs now) const override {
    const TimeMs end = later(job.submitted_at, settings_.duration_ms);
    if (now >= end) return {weight, kNever};
    const Int128 boosted = Int128(weight) * settings_.factor / kWeightOne;
    return {static_cast<std::int64_t>(std::clamp(boosted, Int128(1), kHeaviestWeight)), end};
  }

 private:
  FairSettings::Booster settings_;
};

}  // namespace

std::unique_ptr<WeightAdjuster> make_weight_adjuster(const FairSettings& settings) {
  const bool named = settings.weight_adjuster == kBoosterName;
  if (named || (settings.weight_adjuster.empty() && settings.new_job_booster)) {
    return std::make_unique<NewJobBooster>(
        settings.new_job_booster.value_or(FairSettings::Booster{}));
  }
  return nullptr;
}

std::vector<std::string> weight_adjuster_names() {
  return {kBoosterName};
}

}  // namespace weir
