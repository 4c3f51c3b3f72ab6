// Which dimensions count, by the settings: the two kinds of slot, each by itself; or memory, cores
// and the resources that the settings name, which a task takes together as one container.
// Immutable, made with the settings. Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobqueue/model/dimension.h"
#include "jobqueue/model/resources.h"
#include "jobqueue/model/settings.h"

namespace weir {

class Space {
 public:
  explicit Space(const ResourceSettings& settings);

  bool containers() const { return containers_; }
  // In their order: of slots map and reduce; of containers memory, vcores, then as named.
  const std::vector<Dimension>& dimensions() const { return dimensions_; }
  // Of a dimension of which something was asked: what is asked of others than count, memory where
  // slots do, only has to fit.
  bool counts(Dimension dimension) const { return dimension.is_slots() != containers_; }
  // "map", "memory_mb", "gpu": the `class` of events and samples.
  std::string_view name(Dimension dimension) const;
  std::optional<Dimension> find(std::string_view name) const;  // among those that count
  // Amounts by name, as trackers and jobs say them. What is not among those that count is left out.
  Resources with_named(Resources base, const std::map<std::string, std::int64_t>& named) const;
  // The first name that is none of the resources named by the settings.
  std::optional<std::string> unknown(const std::map<std::string, std::int64_t>& named) const;
  // Against what a need is held when it is to fit: a dimension of slots of which the cluster has
  // nothing is not looked at, one of containers always is.
  const Resources& looked_at(const Resources& cluster) const {
    return containers_ ? all_ : cluster;
  }
  // "2 map slots", "1024 MB, 1 vcore, 2 gpu"; zero dimensions left out.
  std::string text(const Resources& amount) const;
  friend bool operator==(const Space& a, const Space& b) {
    return a.containers_ == b.containers_ && a.named_ == b.named_;
  }

 private:
  bool containers_ = false;
  std::vector<std::string> named_;
  std::vector<Dimension> dimensions_;
  Resources all_;
};

}  // namespace weir
