// What the readers of a scenario's steps share.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario_parts.h"

namespace weir {

// One step's map, and where its files are.
struct StepNode {
  const MapReader& map;
  const YamlNode& value;
  std::string_view key;
  const std::string& directory;
  const std::vector<std::string>& dimensions;  // of containers, by name
  std::string path() const { return map.path(key); }
  Diagnostics& out() const { return map.out(); }
};
using StepBody = decltype(Step::what);

// A list of names; `[]` is none.
std::vector<std::string> names_of(const YamlNode& node, const std::string& path, Diagnostics& out);
// ... of tasks, such as J1/m0.
std::vector<std::string> task_names(const YamlNode& node, const std::string& path,
                                    Diagnostics& out);
// Tells which of the keys a step's map lacks.
void require(const MapReader& map, std::initializer_list<std::string_view> keys,
             const YamlNode& node);

// scenario_expectations.cpp
StepBody expect_queue(const StepNode& s);
StepBody expect_job(const StepNode& s);
StepBody expect_kills(const StepNode& s);
StepBody expect_records(const StepNode& s);
StepBody expect_reservations(const StepNode& s);
StepBody expect_gang(const StepNode& s);
StepBody expect_explain(const StepNode& s);

}  // namespace weir
