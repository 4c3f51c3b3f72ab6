"""Random stories in deep trees of queues or pools, on containers, long enough for orders that are kept to be out of date: large and
small tasks on a crowded cluster, each choice of `weir-lab sim --compare` against what looking at all queues, pools and jobs finds,
under the full checker.

    deep_stories.py WEIR_LAB [--seeds N] [--first-seed N] [--keep DIRECTORY]
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile


def queue(dice, name, depth):
    if depth <= 0:
        return {"name": name}
    return {"name": name, "queues": [queue(dice, name + c, depth - dice.choice([1, 1, 2])) for c in "abc"[:dice.randint(1, 3)]]}


def share(family):
    part = 100 // len(family)
    for place, one in enumerate(family):
        one["guaranteed"] = f"{part if place > 0 else 100 - part * (len(family) - 1)}%"
        share(one["queues"]) if "queues" in one else None


def leaves(one, above=""):
    path = above + one["name"]
    return [leaf for child in one["queues"] for leaf in leaves(child, path + ".")] if "queues" in one else [path]


def pool(dice, one):
    return {"name": one["name"], "weight": dice.randint(1, 3),
            **({"pools": [pool(dice, child) for child in one["queues"]]} if "queues" in one else {})}


def steps(dice, into):
    for number in range(25):
        memory = dice.choice([512, 1024, 1024, 1536, 2048, 6144, 9216])
        group = {"name": "t", "count": dice.randint(1, 200 if memory < 3000 else 4), "run_time": dice.choice(["5s", "10s", "20s", "40s"]),
                 "resources": {"memory_mb": memory, "vcores": dice.randint(0, 1)}}
        yield {"submit": {"id": f"J{number}", "queue": dice.choice(into), "groups": [group]}}
        if dice.random() < 0.6:
            yield {"advance": f"{dice.randint(1, 10)}s"}
    yield {"advance": "150s"}


def story(seed, policy):
    dice = random.Random(seed)
    trackers = [{"name": f"tt{n}", "memory_mb": dice.choice([8192, 16384]), "vcores": 64} for n in range(dice.randint(3, 8))]
    family = [queue(dice, c, 3) for c in "xyz"[:dice.randint(2, 3)]]
    share(family)
    into = [leaf for one in family for leaf in leaves(one)]
    settings = {"policy": policy, "resources": "containers", "queues": family, "fair": {"pools": [pool(dice, one) for one in family]},
                "containers": {"minimum": {"memory_mb": 128, "vcores": 0}, "reservations": dice.choice(["5%", "100%"])}}
    return {"cluster": {"trackers": trackers}, "settings": settings, "heartbeats": {"interval": "3s"}, "steps": list(steps(dice, into))}


def run(weir_lab, file):
    """What went wrong, or nothing."""
    try:
        ran = subprocess.run([weir_lab, "sim", "--compare", file], capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return "it did not end within 300 s"
    said = (ran.stderr or ran.stdout)[-500:] or f"it ended with {ran.returncode}, and said nothing"
    return said if ran.returncode != 0 else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weir_lab")
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--keep", help="where stories that fail are kept")
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(options.first_seed, options.first_seed + options.seeds):
            for policy in ("capacity", "fair"):
                text = json.dumps(story(seed, policy))
                file = pathlib.Path(scratch, f"deep-{policy}-{seed}.yaml")
                file.write_text(text)
                wrong = run(options.weir_lab, file)
                if wrong:
                    failed += 1
                    print(f"{policy}, seed {seed}: {wrong}", flush=True)
                    if options.keep:
                        pathlib.Path(options.keep, file.name).write_text(text)
                file.unlink()
    print(f"{2 * options.seeds} stories, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
