#!/usr/bin/env python3
"""An independent simulation of `weir-lab experiment small-jobs`, `locality-delay` and `sticky-slots`: written from the
algorithm of EuroSys'10 (delay scheduling), sharing nothing with Weir but the numbers of the set-up. Compares the node
locality that both find, in points of percent, and exits 1 where they differ by more than allowed.

    independent_model.py WEIR [--seeds N] [--out-of-band]
"""
import argparse
import heapq
import json
import random
import statistics
import subprocess
import sys

BEAT = 3.0  # seconds
LAUNCH, MAP, SPREAD, REPLICAS = 1.0, 9.0, 0.1, 3


class Job:
    def __init__(self, number, blocks, rack_of):
        self.number, self.blocks = number, blocks
        self.pending, self.running = set(range(len(blocks))), 0
        self.wait, self.skipped_at, self.level = 0.0, None, 0
        self.on_node, self.in_rack = {}, {}
        for task, nodes in enumerate(blocks):
            for node in nodes:
                self.on_node.setdefault(node, set()).add(task)
                self.in_rack.setdefault(rack_of[node], set()).add(task)

    def may_go(self, delay):
        """The furthest level it may launch at: 0 node, 1 rack, 2 any."""
        if not delay or self.level == 2:
            return 2
        if self.level == 1:
            return 2 if self.wait >= delay else 1
        return 2 if self.wait >= 2 * delay else 1 if self.wait >= delay else 0

    def pick(self, node, rack, furthest):
        for level, tasks in ((0, self.on_node.get(node)), (1, self.in_rack.get(rack)), (2, self.pending)):
            if level > furthest:
                return None
            here = tasks and tasks & self.pending
            if here:
                return min(here), level
        return None


class Cluster:
    """Trackers report every 3 s; a slot goes to the job with the fewest running maps that may use it."""

    def __init__(self, racks, per_rack, slots, factors, delay, out_of_band, seed):
        self.random = random.Random(seed)
        self.nodes, self.slots, self.factors = racks * per_rack, slots, factors
        self.delay, self.out_of_band = delay, out_of_band
        self.rack_of = [node // per_rack for node in range(self.nodes)]
        self.free, self.ended = [slots] * self.nodes, [[] for _ in range(self.nodes)]
        self.launches, self.events, self.order = [0, 0, 0], [], 0
        self.skipped = set()
        for node in range(self.nodes):
            self.at(self.random.random() * BEAT, "beat", node)

    def at(self, time, what, who, job=None):
        self.order += 1
        heapq.heappush(self.events, (time, self.order, what, who, job))

    def block(self):
        first = self.random.randrange(self.nodes)
        second = third = first
        many = self.rack_of[0] != self.rack_of[-1]
        while second == first or (many and self.rack_of[second] == self.rack_of[first]):
            second = self.random.randrange(self.nodes)
        while third in (first, second) or self.rack_of[third] != self.rack_of[second]:
            third = self.random.randrange(self.nodes)
        return first, second, third

    def run(self, arrivals):
        """arrivals: (time, blocks) of each job. Returns the percentage of node-local maps."""
        for number, (time, blocks) in enumerate(arrivals):
            self.at(time, "job", None, Job(number, blocks, self.rack_of))
        unlaunched, alive = sum(len(blocks) for _, blocks in arrivals), []
        while unlaunched:
            now, _, what, node, job = heapq.heappop(self.events)
            if what == "job":
                alive.append(job)
                continue
            if what == "end":
                self.ended[node].append(job)
                if not self.out_of_band:
                    continue
            else:
                self.at(now + BEAT, "beat", node)
            unlaunched -= self.beat(now, node, alive)
            alive = [job for job in alive if job.pending or job.running]
        return 100 * self.launches[0] / sum(self.launches)

    def beat(self, now, node, alive):
        for job in self.ended[node]:
            job.running -= 1
            self.free[node] += 1
        self.ended[node] = []
        for job in self.skipped:  # they have waited since the last heartbeat of any tracker
            job.wait += now - job.skipped_at
        self.skipped = set()
        demand = sum(job.running + len(job.pending) for job in alive)
        most = min(self.slots, -(-self.slots * demand // (self.nodes * self.slots)))  # load is spread evenly
        launched, done = set(), 0
        while self.free[node] > self.slots - most:
            choice = None
            for job in sorted((job for job in alive if job.pending), key=lambda job: (job.running, job.number)):
                choice = job.pick(node, self.rack_of[node], job.may_go(self.delay))
                if choice:
                    break
                if job not in launched:
                    self.skipped.add(job)
            if not choice:
                break
            task, level = choice
            job.pending.discard(task)
            job.running, job.level, job.wait = job.running + 1, level, 0.0
            launched.add(job)
            self.skipped.discard(job)
            self.free[node] -= 1
            self.launches[level] += 1
            done += 1
            time = MAP * self.factors[level] * (1 + SPREAD * (2 * self.random.random() - 1))
            self.at(now + LAUNCH + time, "end", node, job)
        for job in self.skipped:
            job.skipped_at = now
        return done


def small_jobs(maps, delay, out_of_band, seed):
    cluster = Cluster(4, 25, 6, (1, 1.3, 2), delay, out_of_band, seed)
    jobs = min(1500, 9000 // maps)
    gap = maps * (MAP + LAUNCH) / 600
    return cluster.run([(job * gap, [cluster.block() for _ in range(maps)]) for job in range(jobs)])


def sticky_slots(jobs, delay, out_of_band, seed):
    cluster = Cluster(1, 100, 4, (1, 2, 2), delay, out_of_band, seed)
    blocks = [cluster.block() for _ in range(1440)]
    return cluster.run([(0, blocks)] * jobs)


# experiment, line of its table, model, its arguments, points allowed
CHECKS = [("small-jobs", f"{maps} maps, {how}: node locality %", small_jobs, (maps, delay), 1.5)
          for maps in (3, 10, 100) for how, delay in (("naive", 0), ("W = 15 s", 15))]
CHECKS += [("locality-delay", f"{maps} maps, W = {delay} s: node locality %", small_jobs, (maps, delay), 1.5)
           for maps in (4, 12) for delay in (0, 1, 5)]
CHECKS += [("sticky-slots", f"{jobs} jobs, {how}: node locality %", sticky_slots, (jobs, delay), 2)
           for jobs in (5, 10, 20, 50) for how, delay in (("naive", 0), ("W = 5 s", 5))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weir")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--out-of-band", action="store_true")
    options = parser.parse_args()
    tables = {}
    for experiment in sorted({check[0] for check in CHECKS}):
        command = [options.weir, "experiment", experiment, "--seeds", str(options.seeds), "-o", "json"]
        table = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
        tables[experiment] = {line["what"]: line for line in table["lines"]}
    wrong = 0
    print(f"{'':54}{'weir':>8}{'model':>8}{'allowed':>9}")
    for experiment, what, model, arguments, allowed in CHECKS:
        measured = tables[experiment][what]["oob" if options.out_of_band else "hb"]["mean"]
        seeds = 1 if experiment == "sticky-slots" else options.seeds  # they scatter little
        modelled = statistics.mean(model(*arguments, options.out_of_band, seed) for seed in range(seeds))
        good = abs(measured - modelled) <= allowed
        wrong += not good
        print(f"{experiment + ': ' + what:54}{measured:8.1f}{modelled:8.1f}{'+-' + str(allowed):>9}{'' if good else '  NO'}",
              flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
