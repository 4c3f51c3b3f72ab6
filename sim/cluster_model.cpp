#include "sim/cluster_model.h"

#include <algorithm>
#include <cmath>

namespace weir {
namespace {

// SplitMix64: a good mix of its argument, and the next argument.
std::uint64_t mix(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15ull;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

// A stream of its own for each task: FNV-1a over the name, then the rest.
std::uint64_t stream(const ClusterModel& model, const std::string& name, std::uint64_t task) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (const char c : name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  }
  hash ^= model.seed * 0xD6E8FEB86659FD93ull + task * 0xA0761D6478BD642Full;
  mix(hash);
  return hash;
}

std::size_t below(std::uint64_t& state, std::size_t bound) {
  return static_cast<std::size_t>(mix(state) % bound);  // as good as even: bounds are small
}

double scatter(const ClusterModel& model, const JobSpec& spec, std::uint64_t task) {
  if (model.spread == 0) return 1;
  std::uint64_t state = stream(model, spec.name, task);
  const double unit = static_cast<double>(mix(state) >> 11) * 0x1p-53;  // 0 to 1
  return 1 + model.spread * (2 * unit - 1);
}

DurationMs scaled(const ClusterModel& model, DurationMs plain_ms, double factor) {
  return model.task_launch_ms + std::llround(static_cast<double>(plain_ms) * factor);
}

constexpr std::uint64_t kReduces = 1ull << 40;  // their streams, apart from the maps'
constexpr std::uint64_t kBlocks = 1ull << 41;
constexpr std::uint64_t kPhases = 1ull << 42;

}  // namespace

DurationMs map_time(const ClusterModel& model, const JobSpec& spec, std::uint32_t map,
                    DurationMs plain_ms, bool placed, Locality locality) {
  double factor = scatter(model, spec, map);
  if (placed && locality == Locality::kRack) factor *= model.rack_factor;
  if (placed && locality == Locality::kAny) factor *= model.remote_factor;
  return scaled(model, plain_ms, factor);
}

DurationMs reduce_time(const ClusterModel& model, const JobSpec& spec, std::uint32_t reduce,
                       DurationMs plain_ms) {
  return scaled(model, plain_ms, scatter(model, spec, kReduces + reduce));
}

DurationMs random_phase(const ClusterModel& model, const std::string& tracker,
                        DurationMs interval_ms) {
  std::uint64_t state = stream(model, tracker, kPhases);
  return static_cast<DurationMs>(below(state, static_cast<std::size_t>(interval_ms)));
}

void place_blocks(const ClusterModel& model, const std::vector<VirtualTrackerSpec>& trackers,
                  const std::string& input, JobSpec& spec) {
  if (trackers.empty() || model.replicas == 0) return;
  constexpr int kTries = 64;  // a draw that fits is found long before, if there is one
  for (std::size_t map = 0; map < spec.splits.size(); ++map) {
    std::vector<std::string>& hosts = spec.splits[map].hosts;
    std::uint64_t state = stream(model, input, kBlocks + map);
    std::vector<std::size_t> chosen;
    const auto wanted =
        std::min<std::size_t>(static_cast<std::size_t>(model.replicas), trackers.size());
    while (chosen.size() < wanted) {
      std::size_t pick = below(state, trackers.size());
      for (int i = 0; i < kTries; ++i, pick = below(state, trackers.size())) {
        if (std::find(chosen.begin(), chosen.end(), pick) != chosen.end()) continue;
        const std::string& rack = trackers[pick].rack;
        if (chosen.size() == 1 && rack == trackers[chosen[0]].rack) continue;
        if (chosen.size() == 2 && rack != trackers[chosen[1]].rack) continue;
        break;
      }
      // Nothing fitted: the next tracker that has no replica yet.
      while (std::find(chosen.begin(), chosen.end(), pick) != chosen.end()) {
        pick = (pick + 1) % trackers.size();
      }
      chosen.push_back(pick);
    }
    for (const std::size_t tracker : chosen) hosts.push_back(trackers[tracker].name);
  }
}

}  // namespace weir
