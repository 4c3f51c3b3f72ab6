// What must hold after every input where containers count. See checks_containers.cpp.
#pragma once

#include "jobqueue/engine/engine.h"
#include "sim/checker/step.h"

namespace weir::check {

void check_containers(const Engine& engine, const Input& input, const Output& output,
                      Verdict& verdict);

// After each pass under capacity. See checks_container_claims.cpp.
void check_container_claims(const Engine& engine, const Input& input, const Output& output,
                            Verdict& verdict);

}  // namespace weir::check
