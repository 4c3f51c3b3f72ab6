"""Random stories of who waits in a crowd where containers count, each run by `weir sim` under the full checker; a table says how
long anybody waited, and what the most was (the bounds, and what else is looked at: crowded_checks.py). The kinds:

    large   a large task under a stream of small ones of other queues
    own     the same, and small ones of its own queue, before it and behind it
    only    the same, where it fits one tracker only
    tree    either of these, where what its queue is short of is its parent's, and small ones of a sibling take it
    gang    a gang under such a stream
    gangs   several at once
    still   pools whose demand stands still: kills end

In one story of three, but of tree, and of own and only under fair, a further queue, or pool, keeps a guarantee that it does not lend: it stays free, and nobody waits for ever. In half
of them one tracker may be reserved, in the others all.

    crowded_stories.py WEIR [--seeds N] [--first-seed N] [--only KIND] [--policy POLICY] [--all] [--keep DIRECTORY]
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

from crowded_checks import DIMENSIONS, H, Broken, check_own, check_still, check_waits, ms

GB = 1024
POLICIES = {"large": ("capacity", "fair", "fifo"), "own": ("capacity", "fair"),
            "only": ("capacity", "fair"), "tree": ("capacity", "fair"), "gang": ("capacity", "fair", "fifo"),
            "gangs": ("capacity", "fair", "fifo"), "still": ("fair",)}


def machines(dice, most):
    return [{"name": f"tt{number}", "memory_mb": dice.choice([8, 8, 16]) * GB, "vcores": 16}
            for number in range(1, dice.randint(2, most) + 1)]


def submit(name, queue, group, **more):
    return {"submit": {"id": name, "queue": queue, "groups": [group], **more}}


def small(dice, count, runs):
    group = {"name": "s", "count": count, "run_time": dice.choice(runs),
             "resources": {"memory_mb": dice.choice([512, 1024, 1024, 1536]), "vcores": dice.choice([0, 1, 1])}}
    if dice.random() < 0.2:
        group["time_limit"] = f"{ms(group['run_time']) // 1000 + dice.choice([1, 30])}s"
    return group


class Crowd:
    """Queues, or pools of these names, `w` of who waits, `s` and perhaps `t` of the stream, `k` of who keeps."""

    def __init__(self, dice, policy, most_trackers, trackers=None, keeps=True, sibling=None):
        self.dice, self.policy = dice, policy
        self.trackers = trackers or machines(dice, most_trackers)
        self.sibling = sibling
        if sibling:
            for tracker in self.trackers:
                tracker["vcores"] = 64
        self.total = {d: sum(tracker[d] for tracker in self.trackers) for d in DIMENSIONS}
        parts = dice.choice([{"w": 50, "s": 50}, {"w": 50, "s": 25, "t": 25}])
        self.lend = None
        if dice.random() < 0.33 and keeps:
            parts, self.lend = {"w": 50, "s": 25, "k": 25}, dice.choice(["never", "50%"])
        self.parts = dict(dice.sample(sorted(parts.items()), len(parts)))
        self.streams = [name for name in self.parts if name in ("s", "t")]
        self.reservations = dice.choice(["5%", "100%"])

    def settings(self):
        settings = self.flat()
        if self.sibling:  # it and `w` stand below `p`, which has the place of `w`
            own = next(one for one in settings["queues"] if one["name"] == "w")
            own |= {"name": "p", "queues": [{"name": "w", "guaranteed": "75%"}, {"name": self.sibling, "guaranteed": "25%"}]}
            own = next(one for one in settings["fair"]["pools"] if one["name"] == "w")
            own |= {"name": "p", "pools": [{"name": "w", "weight": 3}, {"name": self.sibling}]}
        return settings

    def flat(self):
        queues, pools = [], []
        for name, part in self.parts.items():
            after = "600s" if self.sibling else self.dice.choice(["10s", "60s", "600s"])
            queues.append({"name": name, "guaranteed": f"{part}%", "reclaim_after": after})
            pools.append({"name": name, "weight": part // 25})
            if name == "k" and self.lend:
                queues[-1]["lend"] = pools[-1]["lend"] = self.lend
                pools[-1]["min_share"] = {d: self.total[d] // 4 for d in DIMENSIONS}
        return {"policy": self.policy, "resources": "containers", "queues": queues, "fair": {"pools": pools},
                "containers": {"minimum": {"memory_mb": 128, "vcores": 0}, "reservations": self.reservations}}

    def keep(self):
        if not self.lend:
            return {}
        return {"k": {d: self.total[d] // 4 - (self.total[d] // 8 if self.lend == "50%" else 0) for d in DIMENSIONS}}

    def stream(self, seconds, runs, queues=None):
        """As much as keeps the cluster full for so long."""
        jobs = []
        for number, queue in enumerate(queues or self.streams * 2):
            group = small(self.dice, 1, runs)
            if self.sibling:  # memory alone is full, here and where shares are dealt
                group["resources"]["vcores"] = 1
                if queue not in self.streams:  # else rests of a share are left that only the smaller ones fit, whoever is first
                    group["resources"]["memory_mb"] = 1024
            at_once = self.total["memory_mb"] // group["resources"]["memory_mb"]
            rounds = max(1, seconds * 1000 // ms(group["run_time"]))
            group["count"] = min(at_once * rounds, 600)
            jobs.append(submit(f"S{queue}{number}", queue, group))
        return jobs

    def story(self, steps, waits, **more):
        scenario = {"cluster": {"trackers": self.trackers}, "settings": self.settings(), "heartbeats": {"interval": f"{H // 1000}s"},
                    "steps": steps}
        return scenario, {"waits": waits, "keep": self.keep(), **more}

    def burst(self):
        """What the one who keeps wants, at times."""
        if not self.lend or self.dice.random() < 0.5:
            return []
        return [submit("K", "k", small(self.dice, self.dice.randint(1, 4), ["10s"]))]


RUNS = ["5s", "10s", "20s", "40s"]


def large(dice, policy):
    crowd = Crowd(dice, policy, 5)
    most = min(crowd.total["memory_mb"] // 2, max(tracker["memory_mb"] for tracker in crowd.trackers))
    task = {"name": "l", "count": 1, "run_time": "20s",
            "resources": {"memory_mb": dice.randint(2, most // GB) * GB, "vcores": dice.randint(1, 4)}}
    stream = crowd.stream(150, RUNS)
    early = small(dice, crowd.total["memory_mb"] // 512, RUNS)
    front = {"priority": "HIGH"} if dice.random() < 0.5 else {}
    if policy == "fifo" and not front:  # the stream comes after it, but for the first, so that its turn comes
        steps = [submit("E", crowd.streams[0], early), {"advance": "1s"}, submit("L", "w", task), *stream]
    else:
        steps = [*stream, {"advance": f"{dice.randint(3, 50)}s"}, submit("L", "w", task, **front)]
    return crowd.story([*steps, {"advance": f"{dice.randint(1, 20)}s"}, *crowd.burst(), {"advance": "300s"}], ["L"])


def own(dice, policy, least=2, trackers=None, sibling=None):
    # Beside a minimum share that is not lent the shares of a pool's jobs add up to more than it can have: who wants more than
    # its own is never first.
    crowd = Crowd(dice, policy, 5, trackers, keeps=policy != "fair" and not sibling, sibling=sibling)
    guaranteed = {d: crowd.total[d] * (3 if sibling else 4) // 8 for d in DIMENSIONS}
    most = min(guaranteed["memory_mb"], max(tracker["memory_mb"] for tracker in crowd.trackers))
    task = {"name": "l", "count": 1, "run_time": "20s",
            "resources": {"memory_mb": dice.randint(least, most // GB) * GB, "vcores": dice.randint(1, 4)}}
    before = [submit("B", "w", small(dice, dice.randint(1, 4 * len(crowd.trackers)), RUNS))] if dice.random() < 0.5 else []
    steps = [*crowd.stream(150, RUNS), *before, {"advance": f"{dice.randint(3, 50)}s"}, submit("L", "w", task),
             *crowd.stream(150, RUNS, ["w", "w"]), {"advance": "300s"}]
    if sibling:
        place = dice.choice([0, len(steps) - 1])  # before all others, or behind them
        steps[place:place] = crowd.stream(150, RUNS, [sibling] * dice.randint(1, 2))
    return crowd.story(steps, ["L"], guaranteed=guaranteed)


def only(dice, policy, sibling=None):
    small_ones = [{"name": f"tt{number}", "memory_mb": 8 * GB, "vcores": 16} for number in range(1, dice.randint(2, 4) + 1)]
    large_one = {"name": f"tt{len(small_ones) + 1}", "memory_mb": 16 * GB, "vcores": 16}
    return own(dice, policy, 9, [*small_ones, large_one], sibling)


def tree(dice, policy):
    return only(dice, policy, "v") if dice.random() < 0.5 else own(dice, policy, sibling="v")


def gang(dice, policy, count=1):
    crowd = Crowd(dice, policy, 4)
    half = crowd.total["memory_mb"] // 2
    gangs, sums = [], []
    for number in range(count):
        size = dice.choice([1, 2, 3, 4, 6]) * GB
        members = dice.randint(1, max(1, min(5, half // size, 4 if count > 1 else 5)))
        group = {"name": "g", "count": members, "gang": members, "run_time": dice.choice(["10s", "30s"]),
                 "resources": {"memory_mb": size, "vcores": 1}}
        gangs.append(submit(f"G{number}", "w", group, **({"priority": "HIGH"} if policy == "fifo" else {})))
        sums.append(size * members)
    runs = RUNS if count == 1 else RUNS[:3]
    seconds = sum(one["submit"]["groups"][0]["gang"] for one in gangs) * (ms(runs[-1]) // 1000 + 6) + 40 * count
    steps = [*crowd.stream(min(seconds, 300), runs), {"advance": f"{dice.randint(3, 30)}s"}]
    for one in gangs:
        steps += [one, {"advance": dice.choice(["0s", "1s", "8s"])}]
    return crowd.story([*steps, *crowd.burst(), {"advance": f"{seconds + 60}s"}], [one["submit"]["id"] for one in gangs],
                       together=policy == "fifo" or sum(sums) <= half)


def gangs(dice, policy):
    return gang(dice, policy, dice.randint(2, 4))


def pool(dice, name, total, depth):
    one = {"name": name, "weight": dice.randint(1, 3), "min_share_timeout": dice.choice(["5s", "30s"]),
           "fair_share_timeout": dice.choice(["30s", "60s"])}
    if dice.random() < 0.5:
        one["min_share"] = {d: total[d] * dice.randint(1, 6) // 10 for d in DIMENSIONS if dice.random() < 0.7}
    if dice.random() < 0.2:
        one["max_share"] = {"memory_mb": max(total["memory_mb"] // 2, one.get("min_share", {}).get("memory_mb", 0))}
    one["policy"] = dice.choice(["drf", "fair"] + (["fifo"] if depth else []))
    return one


def still(dice, policy):
    trackers = [{"name": f"tt{number}", "memory_mb": dice.choice([4, 8, 16]) * GB, "vcores": dice.choice([4, 8])}
                for number in range(1, dice.randint(1, 4) + 1)]
    total = {d: sum(tracker[d] for tracker in trackers) for d in DIMENSIONS}
    pools, leaves, all_of_them = [], [], []
    for number in range(dice.randint(2, 4)):
        one = pool(dice, f"p{number}", total, 0)
        children = [pool(dice, f"c{child}", total, 1) for child in range(dice.choice([0, 0, 2]))]
        leaves += [f"p{number}.{child['name']}" for child in children] or [f"p{number}"]
        all_of_them += [one, *children]
        pools.append({**one, **({"pools": children} if children else {})})
    interval = dice.choice(["0s", "15s"])
    settings = {"policy": "fair", "resources": "containers", "containers": {"minimum": {"memory_mb": 128, "vcores": 0}},
                "fair": {"pool_name_property": "pool", "pools": pools, "preemption": "on", "preemption_interval": interval}}
    steps = []
    for number in range(dice.randint(2, 9)):
        group = {"name": "t", "count": dice.randint(1, 16), "run_time": "100h",
                 "resources": {"memory_mb": dice.choice([512, 1024, 1500, 2048, 4096, 8192]), "vcores": dice.randint(0, 4)}}
        if dice.random() < 0.15:
            group["gang"] = dice.randint(1, min(3, group["count"]))
        steps += [{"submit": {"id": f"J{number}", "pool": dice.choice(leaves), "groups": [group],
                              **({"kind": "service"} if dice.random() < 0.1 else {})}},
                  {"advance": dice.choice(["1s", "20s", "90s"])}]
    longest = max(ms(one[of]) for one in all_of_them for of in ("min_share_timeout", "fair_share_timeout"))
    bound = (len(all_of_them) + 1) * (longest + ms(interval) + 2 * H)
    scenario = {"cluster": {"trackers": trackers}, "settings": settings, "heartbeats": {"interval": f"{H // 1000}s"},
                "steps": [*steps, {"advance": f"{2 * bound // 1000}s"}]}
    return scenario, {"waits": [], "keep": {}, "bound": bound}


# Where somebody waited for too long once, or for ever; run each time.
MENDED = {("large", "fair"): [974, 2481], ("gang", "capacity"): [2633], ("own", "capacity"): [718], ("own", "fair"): [21, 398, 440, 1313],
          ("only", "capacity"): [31, 149], ("only", "fair"): [16, 135, 159, 183, 485, 1245, 2620, 2688, 3502, 3955],
          ("tree", "capacity"): [255, 604, 763, 855, 976, 3550], ("tree", "fair"): [206, 618, 724, 800]}
KINDS = {"large": large, "own": own, "only": only, "tree": tree, "gang": gang, "gangs": gangs, "still": still}


def run(weir, kind, policy, seed, folder):
    """[(wait, bound)]; raises what is broken."""
    scenario, story = KINDS[kind](random.Random(f"{kind} {policy} {seed}"), policy)
    file, log = folder / f"{kind}-{policy}-{seed}.yaml", folder / "events"
    file.write_text(json.dumps(scenario))  # which is YAML
    ran = subprocess.run([weir, "sim", file, "--check", "full", "--events", log], capture_output=True, text=True, timeout=300)
    if ran.returncode != 0:
        raise Broken((ran.stdout + ran.stderr).strip())
    events = [json.loads(line) for line in log.read_text().splitlines()]
    for event in events:
        if "container" in event:
            event["container"] = {d: event["container"].get(d, 0) for d in DIMENSIONS}
    refused = [event for event in events if event["event"] == "refused"]
    if kind == "still":
        waits = check_still(scenario, story, events)
    elif refused:
        raise Broken(f"refused: {refused[0]}")
    else:
        if kind in ("own", "only", "tree"):
            check_own(scenario, story, events)
        waits = check_waits(scenario, story, events)
    file.unlink()
    return waits


def seconds(time):
    return f"{time / 1000:.1f} s"


def main():
    options = argparse.ArgumentParser()
    options.add_argument("weir")
    options.add_argument("--seeds", type=int, default=30)
    options.add_argument("--first-seed", type=int, default=1)
    options.add_argument("--only", choices=sorted(KINDS))
    options.add_argument("--policy", choices=["capacity", "fair", "fifo"])
    options.add_argument("--all", action="store_true", help="go on after one that is broken")
    options.add_argument("--keep", type=pathlib.Path)
    options = options.parse_args()
    row = "{:<6} {:<9} {:>7} {:>12} {:>12} {:>9}"
    table, failed = [], 0
    with tempfile.TemporaryDirectory() as own_folder:
        folder = options.keep or pathlib.Path(own_folder)
        folder.mkdir(exist_ok=True)
        for kind, policies in POLICIES.items():
            for policy in policies:
                if options.only not in (None, kind) or options.policy not in (None, policy):
                    continue
                waits = []
                seeds = range(options.first_seed, options.first_seed + options.seeds)
                for seed in [*seeds, *(seed for seed in MENDED.get((kind, policy), []) if seed not in seeds)]:
                    try:
                        waits += run(options.weir, kind, policy, seed, folder)
                    except Broken as wrong:
                        print(f"{kind}, {policy}, seed {seed}: {wrong}", flush=True)
                        failed += 1
                        if not options.all:
                            return 1
                most = max(waits, default=(0, 1))
                ratio = max((wait / bound for wait, bound in waits if bound), default=0)
                table.append(row.format(kind, policy, options.seeds, seconds(most[0]), seconds(most[1]), f"{ratio:.2f}"))
    print(row.format("kind", "policy", "stories", "largest wait", "its bound", "wait/bound"), *table, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
