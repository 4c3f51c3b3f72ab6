// What administrators call. Settings that a client sends are read on the worker, because a large
// file takes its time; everything else is as in the client service. The daemon tells it what only
// main knows (ports, store, refused frames) through ServerFacts.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "AdminService.h"
#include "conf/daemon_settings.h"
#include "tracker/jobtracker/engine_loop.h"
#include "tracker/jobtracker/history_reader.h"
#include "tracker/jobtracker/worker.h"

namespace weir {

struct ServerFacts {
  std::string version;
  std::string store;      // path, for people
  DaemonSettings daemon;  // as the settings file had them at the start
  TimeMs started_at = 0;  // by the wall clock
  std::function<std::int64_t()> frames_refused;
  std::function<int()> tracker_port;
  std::function<int()> client_port;
};

// Findings that stay visible in policy().notices besides the settings' own, such as a file that was
// refused.
class Notices {
 public:
  void set(std::vector<std::string> lines) {
    const std::lock_guard lock(mutex_);
    lines_ = std::move(lines);
  }
  std::vector<std::string> get() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

class AdminService final : public wire::AdminServiceCobSvIf {
 public:
  template <class Value>
  using Give = std::function<void(const Value&)>;
  using Refuse = std::function<void(apache::thrift::TDelayedException*)>;

  AdminService(EngineLoop& loop, Worker& worker, HistoryReader& history, ServerFacts facts,
               const Notices& notices)
      : loop_(loop),
        worker_(worker),
        history_(history),
        facts_(std::move(facts)),
        notices_(notices) {}

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
  void settings_in_force(Give<std::vector<wire::Setting>> give, Refuse refuse) override;
  void info(Give<wire::ServerInfo> give, Refuse refuse) override;

 private:
  Result<Caller> check_order(const wire::Caller& caller, const std::vector<std::string>& trackers,
                             const std::string& reason) const;

  EngineLoop& loop_;
  Worker& worker_;
  HistoryReader& history_;
  const ServerFacts facts_;
  const Notices& notices_;
};

}  // namespace weir
