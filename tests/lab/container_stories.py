"""Random stories where containers count, each run by `weir sim` under the full checker: random clusters, queues or pools,
applications with sizes, labels, gangs and time limits, services, kills, moves, switches, lost and shrinking trackers. Nothing may
hang, no rule may be broken, the policy may choose nothing that the engine refuses; and from the events: a tracker and a job have
one reservation, one tracker in twenty (at least one) is reserved, and on a reserved tracker nothing starts but for the job that
reserved it, with a time limit, or for a claim; no task of a gang starts before its gang, and one gang at a time collects room.
In some stories several gangs wait under a stream of small tasks: each starts in time.

    container_stories.py WEIR [--seeds N] [--first-seed N] [--keep DIRECTORY]
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

GB = 1024


def trackers(dice, gpu):
    for number in range(1, dice.randint(1, 6) + 1):
        yield {"name": f"tt{number}", "memory_mb": dice.choice([2, 4, 8, 16]) * GB, "vcores": dice.choice([2, 4, 8]),
               **({"resources": {"gpu": dice.randint(0, 4)}} if gpu else {}),
               "labels": {"disk": dice.choice(["ssd", "hdd"]), "zone": f"z{dice.randint(1, 2)}"}}


# Milliseconds until kills end in a story whose demand stands still: some 160 s of submissions, then as many rounds
# of a timeout of 60 s at most as there are pools.
STILL = 600_000


def queues(dice):
    count, left = dice.randint(1, 4), 100
    for number in range(count):
        part = left if number == count - 1 else dice.randint(0, left)
        left -= part
        queue = {"name": f"q{number}", "guaranteed": f"{part}%", "reclaim_after": dice.choice(["5s", "20s", "60s"])}
        if dice.random() < 0.3:
            queue["maximum"] = f"{dice.randint(max(part, 1), 100)}%"
        if dice.random() < 0.2:
            queue["borrow"] = f"{dice.randint(0, 50)}%"
        if dice.random() < 0.2:
            queue["lend"] = dice.choice(["never", "50%"])
        if dice.random() < 0.3:
            queue["user_limit"] = {"minimum": dice.choice(["25%", "50%"])}
        yield queue


def pools(dice, count):
    for number in range(count):
        pool = {"name": f"q{number}", "weight": dice.randint(1, 3)}
        if dice.random() < 0.3:
            pool["min_share"] = {"memory_mb": dice.randint(1, 4) * GB}
        if dice.random() < 0.3:
            pool["max_share"] = {"memory_mb": dice.randint(4, 8) * GB}
        if dice.random() < 0.3:
            pool["policy"] = dice.choice(["drf", "fair", "fifo"])
        if dice.random() < 0.2:
            pool["lend"] = dice.choice(["never", "50%"])
        if dice.random() < 0.2:
            pool["kill_budget"] = dice.choice([0, 60, 600])
        yield pool


def fair(dice, count):
    return {"pools": list(pools(dice, count)), "preemption": dice.choice(["on", "on", "off", "log_only"]),
            "preemption_interval": dice.choice(["0s", "15s"]),
            "defaults": {"min_share_timeout": dice.choice(["5s", "30s"]), "fair_share_timeout": dice.choice(["30s", "60s"])}}


def group(dice, number, gpu):
    resources = {"memory_mb": dice.choice([128, 512, 1024, 1500, 2048, 4096]), "vcores": dice.randint(0, 3)}
    if gpu and dice.random() < 0.5:
        resources["gpu"] = 1
    group = {"name": f"g{number}", "count": dice.randint(1, 12), "resources": resources,
             "run_time": dice.choice(["3s", "10s", "40s", "120s"])}
    if dice.random() < 0.3:
        group["time_limit"] = dice.choice(["20s", "60s", "300s"])
    if dice.random() < 0.2:
        group["require"] = {"disk": "ssd"}
    if dice.random() < 0.1:
        group["spread"] = {"by": "zone", "max_skew": dice.randint(1, 2)}
    return group


def add_gangs(dice, scenario):
    for job in (step["submit"] for step in scenario["steps"] if "submit" in step):
        for one in job["groups"]:
            if dice.random() < 0.3:
                one["gang"] = dice.randint(1, one["count"])
                if dice.random() < 0.2:
                    one["on_member"] = "replace"
    return scenario


# Within that, milliseconds after the last of them was submitted, every gang of a crowded story has started: small tasks end
# within 40 s and what they free is collected; a gang runs for 30 s, and three take turns; under fifo those that were before
# them in line end first.
IN_TIME = 500_000


def crowded(dice):
    """Gangs within their queue's share, and a stream of small tasks from another one."""
    count, policy = dice.randint(2, 5), dice.choice(["capacity", "fair", "fifo"])
    machines = [{"name": f"tt{number + 1}", "memory_mb": 8 * GB, "vcores": 16} for number in range(count)]
    settings = {"policy": policy, "resources": "containers", "fair": {"pools": [{"name": "q0"}, {"name": "q1"}]},
                "queues": [{"name": "q0", "guaranteed": "50%"}, {"name": "q1", "guaranteed": "50%"}]}
    small = {"name": "s", "count": dice.randint(4, 8 * count), "run_time": dice.choice(["10s", "40s"]),
             "resources": {"memory_mb": GB, "vcores": 1}}
    stream = [{"submit": {"id": f"S{number}", "queue": "q0", "groups": [small]}} for number in range(40)]
    gangs = [{"submit": {"id": f"G{number}", "queue": "q1", "groups": [
        {"name": "w", "count": count, "gang": count, "run_time": "30s",
         "resources": {"memory_mb": dice.choice([2, 3, 4]) * GB, "vcores": 1}}]}} for number in range(dice.randint(1, 3))]
    steps = []
    for number, one in enumerate(stream):
        steps += [one, *(gangs if number == 2 else []), {"advance": "8s"}]
    return {"cluster": {"trackers": machines}, "settings": settings, "heartbeats": {"interval": "3s"},
            "steps": [*steps, {"advance": "600s"}], "in_time": [one["submit"]["id"] for one in gangs]}


def step(dice, jobs, there, queue_count, gpu):
    kind = dice.random()
    if kind < 0.6:
        job = {"id": f"J{len(jobs)}", "user": f"u{dice.randint(1, 3)}", "queue": f"q{dice.randrange(queue_count)}",
               "groups": [group(dice, number, gpu) for number in range(dice.randint(1, 2))]}
        if dice.random() < 0.1:
            job["kind"] = "service"
        jobs.append(job)
        return {"submit": job}
    if kind < 0.8 or not jobs:
        return {"advance": dice.choice(["1s", "7s", "30s", "90s"])}
    job, tracker = dice.choice(jobs)["id"], dice.choice(there)
    if kind < 0.84:
        return {"kill_job": job}
    if kind < 0.88:
        return {"set_priority": {"job": job, "priority": dice.choice(["HIGH", "LOW"])}}
    if kind < 0.91 and len(there) > 1:
        there.remove(tracker)
        return {"lose": tracker}
    if kind < 0.95:
        return {"set_offer": {"tracker": tracker, "memory_mb": dice.choice([1, 4, 8]) * GB}}
    if kind < 0.97 and len(there) > 1:
        there.remove(tracker)
        return {"drain": tracker}
    if kind < 0.985:
        return {"policy": dice.choice(["capacity", "fair", "fifo"])}
    return {"move": {"job": job, "queue": f"q{dice.randrange(queue_count)}"}}


def story(seed):
    dice = random.Random(seed)
    gpu = dice.random() < 0.4
    all_of_them, queue_list = list(trackers(dice, gpu)), list(queues(dice))
    policy = dice.choice(["capacity", "capacity", "fair", "fifo"])
    settings = {"policy": policy, "resources": "containers",
                "containers": {"minimum": {"memory_mb": 128, "vcores": 0}, **({"resources": ["gpu"]} if gpu else {})},
                "queues": queue_list}
    settings["fair"] = fair(dice, len(queue_list))
    jobs, there = [], [tracker["name"] for tracker in all_of_them]
    if dice.random() < 0.25:
        return standing(dice, all_of_them, settings, gpu)
    steps = [step(dice, jobs, there, len(queue_list), gpu) for _ in range(dice.randint(5, 25))]
    more = random.Random(f"gangs {seed}")  # apart: the stories without them stay what they were
    if more.random() < 0.2:
        return crowded(more)
    return add_gangs(more, {"cluster": {"trackers": all_of_them}, "settings": settings, "heartbeats": {"interval": "3s"},
            "steps": [*steps, {"advance": "600s"}]})


def standing(dice, all_of_them, settings, gpu):
    """What is wanted stands still from some moment on: then kills must end (see `STILL`)."""
    settings["policy"] = "fair"
    settings["fair"]["preemption"] = "on"
    jobs = []
    for number in range(dice.randint(2, 8)):
        groups = [group(dice, i, gpu) for i in range(dice.randint(1, 2))]
        for one in groups:
            one.pop("time_limit", None)
            one["run_time"] = "100h"
        jobs += [{"submit": {"id": f"J{number}", "queue": f"q{dice.randrange(len(settings['queues']))}", "groups": groups}},
                 {"advance": dice.choice(["1s", "20s"])}]
    return {"cluster": {"trackers": all_of_them}, "settings": settings, "heartbeats": {"interval": "3s"},
            "steps": [*jobs, {"advance": "1800s"}], "stands": True}


def broken(scenario, events):
    """What the events say that must not be."""
    limited = {(job["id"], f"{one['name']}"): "time_limit" in one for job in
               (step["submit"] for step in scenario["steps"] if "submit" in step) for one in job["groups"]}
    if scenario["stands"]:
        ends = max((event["t"] for event in events), default=0)
        late = [event for event in events if event["event"] == "kill" and event["t"] > STILL]
        if late:
            return f"{len(late)} kills after {STILL / 1000} s of demand that stands still, the last at {ends / 1000} s"
    if wrong := broken_gangs(scenario, events):
        return wrong
    policy = scenario["settings"]["policy"]
    rooms = {(event["job"], event["task"], event["tracker"]) for event in events if event["event"] == "gang_hold"}
    made_room, reserved, most = [], {}, max(1, len(scenario["cluster"]["trackers"]) // 20)
    for event in events:
        kind = event["event"]
        if kind == "reserve":
            if event["tracker"] in reserved or event["job"] in reserved.values():
                return f"a second reservation: {event}"
            reserved[event["tracker"]] = event["job"]
            if len(reserved) > most:
                return f"{len(reserved)} trackers are reserved, {most} at most may be: {event}"
        elif kind == "unreserve":
            if reserved.pop(event["tracker"], None) != event["job"]:
                return f"no such reservation: {event}"
        elif kind == "kill" and event["reason"] in ("min_share", "fair_share"):
            made_room.append(event["tracker"])
        elif kind == "launch" and event["tracker"] in reserved:
            if event["tracker"] in made_room:  # room that is held for a pool goes before reservations
                made_room.remove(event["tracker"])
            elif (event["job"], event["task"], event["tracker"]) in rooms:
                pass  # held before the tracker was reserved
            elif policy != "capacity" and not limited[event["job"], event["task"].split(".")[0]]:
                return f"it passes the reservation of {reserved[event['tracker']]}: {event}"
        elif kind == "policy":
            policy = event["policy"]
        elif kind == "refused" and event["what"] == "policy":
            return str(event)
    return None


def broken_gangs(scenario, events):
    gangs = {(job["id"], one["name"]) for job in (step["submit"] for step in scenario["steps"] if "submit" in step)
             for one in job["groups"] if one.get("gang")}
    started, holds = {}, {}  # when each began, and when it first held room since it last had none
    for event in events:
        kind, job = event["event"], event.get("job")
        if kind == "gang_hold":
            holds.setdefault(job, event["t"])
        elif kind == "gang_release":
            if holds.pop(job, None) is None:
                return f"it held nothing: {event}"
        elif kind == "gang_start":
            if holds.pop(job, None) is None:
                return f"it held nothing: {event}"
            started[job] = event["t"]
        elif kind == "kill" and event["reason"] == "gang":
            started.pop(job, None)
        elif kind == "launch" and (job, event["task"].split(".")[0]) in gangs and job not in started:
            return f"before its gang has started: {event}"
        # One that starts at once holds room for no longer than that.
        if len(holds) > 1 and sum(since < event["t"] for since in holds.values()) > 1:
            return f"{sorted(holds)} hold room: {event}"
    late = [job for job in scenario.get("in_time", []) if started.get(job, IN_TIME + 1) > IN_TIME]
    return f"these gangs start late or never: {late}" if late else None


def run(weir, seed, folder):
    scenario = story(seed)
    file, events = folder / f"{seed}.yaml", folder / "events"
    stands, in_time = scenario.pop("stands", False), scenario.pop("in_time", [])
    file.write_text(json.dumps(scenario))  # which is YAML
    try:
        ran = subprocess.run([weir, "sim", file, "--check", "full", "--events", events], capture_output=True, text=True,
                             timeout=300)
    except subprocess.TimeoutExpired:
        return "it does not end"
    # A step may name a job that was refused: such a story only says so.
    if ran.returncode != 0 and "actual" not in ran.stdout + ran.stderr:
        return (ran.stdout + ran.stderr).strip()
    return broken({**scenario, "stands": stands, "in_time": in_time}, [json.loads(line) for line in events.read_text().splitlines()])


def main():
    options = argparse.ArgumentParser()
    options.add_argument("weir")
    options.add_argument("--seeds", type=int, default=60)
    options.add_argument("--first-seed", type=int, default=1)
    options.add_argument("--keep", type=pathlib.Path)
    options = options.parse_args()
    with tempfile.TemporaryDirectory() as own:
        folder = options.keep or pathlib.Path(own)
        folder.mkdir(exist_ok=True)
        for seed in range(options.first_seed, options.first_seed + options.seeds):
            if wrong := run(options.weir, seed, folder):
                print(f"seed {seed}: {wrong}")
                return 1
    print(f"{options.seeds} stories: nothing is broken")
    return 0


if __name__ == "__main__":
    sys.exit(main())
