#!/usr/bin/env python3
"""Builds all cases of tests/arrows at once and checks each: what is allowed compiles, what is refused does not, because the
header is not to be found.   check.py BUILD_FOLDER CASES   (a case a line: name, header, `allowed` or `refused`)"""
import pathlib
import re
import subprocess
import sys


def wrong(name, header, expected, failed, output):
    if expected == "allowed":
        return f"{name}: {header} is allowed and does not compile" if failed else None
    if not failed:
        return f"{name}: {header} compiles"
    if not re.search(rf"/{name}\.cpp:1:\d+: .*{re.escape(header)}: No such file or directory", output):
        return f"{name}: {header} does not compile, and not because it is not to be found"
    return None


def main():
    build, cases = sys.argv[1], [line.split() for line in pathlib.Path(sys.argv[2]).read_text().splitlines()]
    targets = [f"arrow_{name}" for name, _, _ in cases]
    done = subprocess.run(["cmake", "--build", build, "--target", *targets, "--", "-k", "0"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    broken = set(re.findall(r"^FAILED: \S*/arrow_(\w+)\.dir/", done.stdout, re.MULTILINE))
    found = [w for name, header, expected in cases
             if (w := wrong(name, header, expected, name in broken, done.stdout))]
    if not any(expected == "allowed" for _, _, expected in cases):
        found.append("no case is allowed: all may fail for another reason")
    if found:
        print(done.stdout)
    print("\n".join(found) if found else f"{len(cases)} arrows are as they should be")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
