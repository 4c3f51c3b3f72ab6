// What must hold after every input where containers count. See checks_containers.cpp.
#pragma once

#include <vector>

#include "jobqueue/engine/engine.h"
#include "sim/checker/step.h"

namespace weir::check {

void check_containers(const Engine& engine, const Input& input, const Output& output,
                      Verdict& verdict);

// Members of a gang run together or not at all; what is held for one fits. See checks_gangs.cpp.
void check_gangs(const Engine& engine, const Input& input, const Output& output, Verdict& verdict);

// Of the members that its gang would start with, who neither runs nor has room; in their order.
std::vector<TaskKey> members_without_room(const ClusterState& state, const Job& job);

// After each pass under capacity. See checks_container_claims.cpp.
void check_container_claims(const Engine& engine, const Input& input, const Output& output,
                            Verdict& verdict);

}  // namespace weir::check
