// What administrators do to queues, settings and policy. Each command is a file.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jobqueue/engine/part.h"

namespace weir {

class Administration : public Part {
 public:
  using Part::Part;

  void on(const SetQueueState& input, Token token);
  ReplyBody apply(const QueueStateChanged& change);
  void forget_stop(const std::string& path);
  void on(const SetPolicy& input, Token token);
  ReplyBody apply(const PolicyChanged& change);
  void switch_policy(const std::string& name);
  // Whether new settings fit the live state (queues with jobs that would vanish...), besides being
  // valid themselves.
  Status check_settings(const Settings& settings) const;
  Status check_stays(QueueId queue) const;
  Status check_stays_named(const JobSpec& spec) const;
  bool changes_mode() const;
  void bring_containers();
  void on(const ApplySettings& input, Token token);
  ReplyBody apply(const SettingsChanged& change);

 private:
  Status check_replaces(std::uint64_t expected) const;
  std::string path_to_come(std::string path) const;
  // `to_come`: of the state once all settings that are being written are in force; else of now.
  std::vector<std::string> structure_findings(const Settings& settings, const QueueTree& tree,
                                              bool to_come) const;
  std::vector<std::pair<std::string, std::string>> moves_of(const Settings& settings) const;
  Status check_space(const Settings& settings) const;
  std::optional<std::string> unnamed_finding(const Settings& settings) const;
  void size_jobs();
  void open_what_waited();
};

}  // namespace weir
