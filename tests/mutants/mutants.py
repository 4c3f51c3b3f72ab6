#!/usr/bin/env python3
"""Puts small semantic changes into the code, one at a time, and says which of them the tests notice.

    scripts/test mutants                   all of them: about half an hour on two cores, 15 minutes more for the first build
    scripts/test mutants claims 'fair.*'   those of some rooms or names
    scripts/test mutants --list            names, files, rules; nothing is built

A mutant is a table in tests/mutants/*.toml:

    [[mutant]]
    id = 'reduce_latest'                   its name, after that of the file: claims.reduce_latest
    file = 'jobqueue/model/claims.cpp'
    from = 'earliest ? claims.begin()'     text that is in the file exactly once (a list that has rotted is an error)
    to = 'true ? claims.begin()'
    rule = 'what is wanted less is taken off the latest claim'
    killer = 'jobqueue_tests ClaimBook*'   what must notice it: an executable of tests/ and a filter of its tests,
                                           'scenario capacity/reclaim', 'scenarios capacity' (all of a folder), or
                                           'weir ...', a command line that exits with 0
    survives = '...'                       instead of a killer: why nothing notices it. It counts as not noticed.

The checkout is not touched. It is built as it is, each file by itself, in build/mutants; a mutant is a copy of its file,
compiled as that file is and linked in front of the library that has the original. A header is compiled into all that
include it. A killer must pass without the mutant; it notices by failing, or by running for longer than the time limit.
Exits with 1 if a mutant that has a killer survives or does not compile, or if less than 90% are noticed."""
import argparse
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
BUILD = ROOT / "build" / "mutants"
WORK = BUILD / "changed"
TIME_LIMIT_S = 120
LEAST_NOTICED = 0.9
FIELDS = {"id", "file", "from", "to", "rule", "killer", "survives"}


class Bad(Exception):
    pass


def load():
    """All mutants, each checked against the file that it changes."""
    mutants, wrong = [], []
    for path in sorted(HERE.glob("*.toml")):
        for mutant in tomllib.loads(path.read_text()).get("mutant", []):
            mutant["id"] = f"{path.stem}.{mutant.get('id', '?')}"
            where = f"{path.relative_to(ROOT)}: {mutant['id']}"
            unknown, missing = set(mutant) - FIELDS, FIELDS - {"killer", "survives"} - set(mutant)
            if unknown or missing or ("killer" in mutant) == ("survives" in mutant):
                wrong.append(f"{where}: has {sorted(mutant)}; needs {sorted(FIELDS)}, one of the last two")
                continue
            source = ROOT / mutant["file"]
            found = source.read_text().count(mutant["from"]) if source.is_file() else 0
            if found != 1 or mutant["from"] == mutant["to"]:
                wrong.append(f"{where}: its text is {found} times in {mutant['file']}, and must be there once")
            mutants.append(mutant)
    names = [mutant["id"] for mutant in mutants]
    wrong += [f"{name} is there twice" for name in sorted({name for name in names if names.count(name) > 1})]
    if wrong:
        raise Bad("\n".join(wrong))
    return mutants


def chosen(mutants, patterns):
    if not patterns:
        return mutants
    for pattern in patterns:
        if not any(matches(mutant, pattern) for mutant in mutants):
            raise Bad(f"no mutant is named '{pattern}'; see --list")
    return [mutant for mutant in mutants if any(matches(mutant, pattern) for pattern in patterns)]


def matches(mutant, pattern):
    name = mutant["id"]
    return fnmatch.fnmatch(name, pattern) or name.split(".")[0] == pattern


def killer_target(killer):
    """The executable that a killer runs."""
    word = killer.split()[0]
    return "weir" if word in ("scenario", "scenarios") else word


def killer_command(killer, binary):
    """(its command line, the folder to run it in)"""
    words = shlex.split(killer)
    if words[0] == "scenario":
        return [binary, "sim", "--check", "full", words[1] + ".yaml"], ROOT / "tests" / "scenarios"
    if words[0] == "scenarios":
        each = 'for file in "$1"/*.yaml; do "$0" sim --check full "$file" || exit 1; done'
        return ["sh", "-c", each, binary, words[1]], ROOT / "tests" / "scenarios"
    if words[0] == "weir":
        return [binary, *words[1:]], ROOT
    return [binary, "--gtest_brief=1", "--gtest_filter=" + ":".join(words[1:])], BUILD


def run(command, cwd):
    """(exit code or None if it took too long, the end of what it printed)"""
    environment = {**os.environ, "WEIR_BIN": str(BUILD / "weir")}
    process = subprocess.Popen(command, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               stdin=subprocess.DEVNULL, text=True, errors="replace", start_new_session=True)
    try:
        out, _ = process.communicate(timeout=TIME_LIMIT_S)
        return process.returncode, out
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        return None, "took too long"


class Tree:
    """The build of the checkout as it is, and how its parts were made."""

    def __init__(self, jobs):
        self.jobs = jobs

    def configure(self):
        command = ["cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                   "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g0", "-DWEIR_BATCH=1", "-DWEIR_TESTS=ON",
                   "-DCMAKE_GTEST_DISCOVER_TESTS_DISCOVERY_MODE=PRE_TEST"]
        made = subprocess.run(command, capture_output=True, text=True)
        if made.returncode != 0:
            raise Bad(made.stdout + made.stderr)

    def build(self, targets):
        command = ["cmake", "--build", BUILD, f"-j{self.jobs}", "--target", *sorted(targets)]
        if subprocess.run(command, stdout=sys.stderr).returncode != 0:
            raise Bad("the checkout does not build")
        self.compile, self.object_of = {}, {}
        for entry in json.loads((BUILD / "compile_commands.json").read_text()):
            words = shlex.split(entry["command"])
            output, source = words[words.index("-o") + 1], pathlib.Path(entry["file"])
            self.compile[output] = (entry["directory"], words)
            if source.is_relative_to(ROOT):
                self.object_of[str(source.relative_to(ROOT))] = output
        self.links = {target: self.link_of(target) for target in targets}

    def link_of(self, target):
        """(folder, words of the command that links the target, the objects in it and its libraries)"""
        binary = str(self.binary(target).relative_to(BUILD))
        lines = subprocess.run(["ninja", "-t", "commands", binary], cwd=BUILD, capture_output=True, text=True, check=True)
        link = next(part for part in lines.stdout.strip().split("\n")[-1].split(" && ") if f"-o {binary}" in part)
        inputs = subprocess.run(["ninja", "-t", "inputs", binary], cwd=BUILD, capture_output=True, text=True, check=True)
        objects = {line.strip() for line in inputs.stdout.split("\n") if line.strip().endswith(".o")}
        return shlex.split(link), objects

    def binary(self, target):
        for folder in (BUILD / "tests", BUILD / "cli", BUILD):
            if (folder / target).is_file():
                return folder / target
        raise Bad(f"there is no executable {target} in {BUILD}")

    def objects_with(self, file):
        """What is compiled from the file: one object, or those that include it."""
        if not file.endswith(".h"):
            return {self.object_of[file]}
        listed = subprocess.run(["ninja", "-t", "deps"], cwd=BUILD, capture_output=True, text=True, check=True).stdout
        leaf, room = pathlib.Path(file).name, str(pathlib.Path(file).parent)
        found, current = set(), None
        for line in listed.split("\n"):
            if line and not line.startswith(" "):
                current = line.split(":")[0]
            elif line.endswith(f"/{room}/{leaf}"):
                found.add(current)
        return found


def compile_changed(tree, mutant, output, folder):
    """The object, made anew with the change. Returns its path, or None if it does not compile."""
    directory, words = tree.compile[output]
    words = list(words)
    changed = folder / mutant["file"]
    target = folder / output
    target.parent.mkdir(parents=True, exist_ok=True)
    words[words.index("-o") + 1] = str(target)
    if mutant["file"].endswith(".h"):  # found before the one that it stands for
        words.insert(next(i for i, word in enumerate(words) if word.startswith("-I")), f"-I{folder}")
    else:
        words[words.index("-c") + 1] = str(changed)
    made = subprocess.run(words, cwd=directory, capture_output=True, text=True)
    (folder / "compiler.txt").write_text(made.stdout + made.stderr)
    return str(target) if made.returncode == 0 else None


def link_changed(tree, target, objects, folder):
    """`objects`: {object as it was: changed}. Returns the executable, or None."""
    link, _ = tree.links[target]
    own = [objects.get(word, word) for word in link]
    front = [made for was, made in objects.items() if was not in link]
    binary = folder / target
    own[own.index("-o") + 1] = str(binary)
    made = subprocess.run([own[0], *front, *own[1:]], cwd=BUILD, capture_output=True, text=True)
    (folder / "linker.txt").write_text(made.stdout + made.stderr)
    return str(binary) if made.returncode == 0 else None


def attempt(tree, mutant):
    """(noticed, survived, or did not compile; seconds)"""
    started = time.monotonic()
    folder = WORK / mutant["id"]
    shutil.rmtree(folder, ignore_errors=True)
    changed = folder / mutant["file"]
    changed.parent.mkdir(parents=True)
    changed.write_text((ROOT / mutant["file"]).read_text().replace(mutant["from"], mutant["to"]))
    target = killer_target(mutant["killer"])
    made = {}
    for output in sorted(tree.objects_with(mutant["file"]) & tree.links[target][1]):
        made[output] = compile_changed(tree, mutant, output, folder)
    binary = link_changed(tree, target, made, folder) if made and all(made.values()) else None
    if binary is None:  # what the compiler said stays in the folder
        return "did not compile", time.monotonic() - started
    command, cwd = killer_command(mutant["killer"], binary)
    code, out = run(command, cwd)
    if code == 0:
        (folder / "killer.txt").write_text(out)
        pathlib.Path(binary).unlink()
    else:
        shutil.rmtree(folder)
    return ("survived" if code == 0 else "noticed"), time.monotonic() - started


def check_killers(tree, killers):
    """Each must pass as the code is, and run something."""
    def wrong_with(killer):
        command, cwd = killer_command(killer, str(tree.binary(killer_target(killer))))
        code, out = run(command, cwd)
        if code != 0:
            return f"killer '{killer}' fails without any mutant:\n{out[-2000:]}"
        return f"killer '{killer}' runs no test" if "Running 0 tests" in out or "0 tests ran" in out else None
    with concurrent.futures.ThreadPoolExecutor(tree.jobs) as pool:
        wrong = [finding for finding in pool.map(wrong_with, sorted(killers)) if finding]
    if wrong:
        raise Bad("\n".join(wrong))


def report(results):
    """A line a list and what was not noticed; whether that is good."""
    print(f"\n{'list':<14}{'mutants':>8}{'noticed':>9}")
    rooms = {}
    for mutant, verdict in results:
        rooms.setdefault(mutant["id"].split(".")[0], []).append(verdict)
    for room, verdicts in sorted(rooms.items()):
        print(f"{room:<14}{len(verdicts):>8}{verdicts.count('noticed'):>9}")
    noticed = sum(verdict == "noticed" for _, verdict in results)
    print(f"{'all':<14}{len(results):>8}{noticed:>9}   {100 * noticed / len(results):.0f}%")
    bad = False
    for mutant, verdict in results:
        if verdict == "noticed":
            continue
        bad = bad or "killer" in mutant
        why = mutant.get("survives") or f"{verdict} ({mutant['killer']})"
        print(f"\n{mutant['id']} ({mutant['file']}): {mutant['rule']}\n  {why}")
    return not bad and noticed >= LEAST_NOTICED * len(results)


def play(mutants, jobs):
    tree = Tree(jobs)
    played = [mutant for mutant in mutants if "killer" in mutant]
    print("building the checkout as it is (build/mutants)", file=sys.stderr)
    tree.configure()
    tree.build({killer_target(mutant["killer"]) for mutant in played})
    check_killers(tree, {mutant["killer"] for mutant in played})
    verdicts = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(attempt, tree, mutant): mutant for mutant in played}
        for done in concurrent.futures.as_completed(running):
            mutant = running[done]
            verdict, seconds = done.result()
            verdicts[mutant["id"]] = verdict
            print(f"{len(verdicts):>4}/{len(played)}  {verdict:<15} {seconds:5.0f} s  {mutant['id']}", flush=True)
    return [(mutant, verdicts.get(mutant["id"], "no killer")) for mutant in mutants]


def main():
    parser = argparse.ArgumentParser(prog="scripts/test mutants", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="*", help="lists, names or patterns of names (default: all)")
    parser.add_argument("--list", action="store_true", help="say what there is, and stop")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="at a time (default: %(default)s)")
    options = parser.parse_args()
    try:
        mutants = chosen(load(), options.name)
        if options.list:
            for mutant in mutants:
                print(f"{mutant['id']:<40} {mutant['file']}: {mutant['rule']}")
            return 0
        return 0 if report(play(mutants, max(1, options.jobs))) else 1
    except Bad as bad:
        print(f"mutants: {bad}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
