// What administrators call, on the wire: ClusterService and SettingsService (cluster_service.h,
// settings_service.h) do the work. Handlers run on the io thread and never wait.
#pragma once

#include <string>
#include <vector>

#include "AdminService.h"
#include "tracker/jobtracker/cluster_service.h"
#include "tracker/jobtracker/settings_service.h"

namespace weir {

class AdminService final : public wire::AdminServiceCobSvIf {
 public:
  template <class Value>
  using Give = std::function<void(const Value&)>;
  using Refuse = std::function<void(apache::thrift::TDelayedException*)>;

  AdminService(ClusterService& cluster, SettingsService& settings)
      : cluster_(cluster), settings_(settings) {}

  void set_queue_state(Give<wire::Done> give, Refuse refuse, const wire::Caller& caller,
                       const std::string& queue, const bool running) override;
  void order_trackers(Give<wire::Done> give, Refuse refuse, const wire::Caller& caller,
                      const std::vector<std::string>& trackers,
                      const wire::TrackerOrder::type order, const std::string& reason) override;
  void lose_trackers(Give<wire::Done> give, Refuse refuse, const wire::Caller& caller,
                     const std::vector<std::string>& trackers, const std::string& reason) override;
  void forget_trackers(Give<wire::Done> give, Refuse refuse, const wire::Caller& caller,
                       const std::vector<std::string>& trackers) override;
  void policy(Give<wire::PolicyInfo> give, Refuse refuse) override;
  void set_policy(Give<wire::Done> give, Refuse refuse, const wire::Caller& caller,
                  const std::string& policy) override;
  void apply_settings(Give<wire::Done> give, Refuse refuse, const wire::Caller& caller,
                      const wire::SettingsFile& file) override;
  void diff_settings(Give<wire::SettingsDiff> give, Refuse refuse,
                     const wire::SettingsFile& file) override;
  void settings_text(Give<std::string> give, Refuse refuse) override;
  void settings_of(Give<std::string> give, Refuse refuse, const std::int64_t number) override;
  void settings_history(Give<std::vector<wire::SettingsRecord>> give, Refuse refuse) override;
  void followed_file(Give<wire::FollowedFile> give, Refuse refuse) override;
  void settings_in_force(Give<std::vector<wire::Setting>> give, Refuse refuse) override;
  void info(Give<wire::ServerInfo> give, Refuse refuse) override;

 private:
  ClusterService& cluster_;
  SettingsService& settings_;
};

}  // namespace weir
