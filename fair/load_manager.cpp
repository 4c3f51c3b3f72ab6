#include "fair/load_manager.h"

#include <algorithm>

#include "jobqueue/model/share.h"

namespace weir {
namespace {

constexpr std::int64_t kOneMillion = 1'000'000;

// ceil(slots * min(1, max_diff + demand / total)).
class CapLoadManager : public LoadManager {
 public:
  explicit CapLoadManager(std::int64_t max_diff_millionths) : max_diff_(max_diff_millionths) {}

  std::int64_t cap(const LoadFacts& facts) const override {
    const Int128 whole = Int128(kOneMillion) * facts.cluster_slots;
    const Int128 part =
        Int128(max_diff_) * facts.cluster_slots + Int128(kOneMillion) * facts.demand;
    if (part >= whole) return facts.tracker_slots;
    return static_cast<std::int64_t>((facts.tracker_slots * part + whole - 1) / whole);
  }

 private:
  std::int64_t max_diff_;
};

class NoLoadManager : public LoadManager {
 public:
  std::int64_t cap(const LoadFacts& facts) const override { return facts.tracker_slots; }
};

}  // namespace

std::unique_ptr<LoadManager> make_load_manager(const FairSettings& settings) {
  if (settings.load_manager == "cap") {
    return std::make_unique<CapLoadManager>(settings.load_max_diff_millionths);
  }
  if (settings.load_manager == "none") return std::make_unique<NoLoadManager>();
  return nullptr;
}

std::vector<std::string> load_manager_names() {
  return {"cap", "none"};
}

}  // namespace weir
