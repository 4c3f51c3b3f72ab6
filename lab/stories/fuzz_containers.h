// What a story of containers has besides: guarantees, bounds and pools in every dimension, trackers
// that offer memory, cores and GPUs and have labels and ports, and applications of several groups,
// with gangs, services, requirements and limits of time. Pure but for the dice.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "jobqueue/model/job_spec.h"
#include "jobqueue/model/settings.h"
#include "lab/kit/dice.h"

namespace weir {

// Makes settings of slots into such of containers, whose guarantees and pools are drawn.
void draw_containers(Dice& dice, Settings& settings);
// The other way, and back: what is scheduled changes while jobs wait.
void count_slots(Settings& settings, bool slots);
// Without what could keep a task waiting for ever.
void lift_container_maximums(Settings& settings);

// Memory, cores and GPUs, besides slots.
void draw_offer(Dice& dice, Resources& total);
Resources largest_offer();  // which any task and any gang finds room in
std::map<std::string, std::string> draw_labels(Dice& dice);
std::map<std::string, std::string> all_labels();  // those that every task would do with

// The groups of an application, in place of maps and reduces.
void draw_application(Dice& dice, JobSpec& spec);
// What a map and a reduce take.
void draw_sizes(Dice& dice, JobSpec& spec);

}  // namespace weir
