// What arithmetic says of the experiments, where its premises hold: parts from 0 to 1. M nodes, R
// replicas of each block, N maps a job. For simulation only: doubles. Pure functions.
#pragma once

namespace weir::experiments {

// No job waits, and each slot that comes free is on a node drawn evenly: a job's K-th last map
// finds one of K blocks there, or is launched far from its input.
double naive_locality(int maps, int nodes, int replicas);

// Each map waits for `offers` such slots, and is launched far from its input if none fits.
double delayed_locality(int maps, int nodes, int replicas, double offers);

// How many slots a job sees until it takes any, that one included. Whenever a job is passed over,
// delay scheduling counts the time to the next heartbeat of any tracker, so that waiting W takes so
// many passes, however long it lasts until there is a slot to pass.
double offers_while_waiting(double wait_s, double heartbeats_per_s);

// Jobs always get back the slots that they give up. A job that has `slots` slots reads only those
// blocks locally of which a replica lies on one of its nodes. Its slots are placed at random among
// all, `slots_per_node` on each node; or each on a node of its own.
double sticky_locality(int slots, int nodes, int slots_per_node, int replicas);
double sticky_locality_spread(int slots, int nodes, int replicas);

}  // namespace weir::experiments
