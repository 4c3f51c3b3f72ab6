#!/usr/bin/env python3
"""The house habits that a machine can check, over the files git knows. Prints each finding as file:line: what, what is
allowed; exits 1 if there is one."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINE_MAX, FILE_MAX, FUNCTION_MAX = 100, 400, 70
CORE = ("jobqueue/", "capacity/", "fifo/", "fair/")
# What the deterministic core must not do, and what it does instead.
CORE_BANNED = [
    (r"#include <(thread|mutex|atomic|condition_variable|future|random|iostream|chrono|ctime)>",
     "time is an argument, one thread, no I/O"),
    (r"\b(system_clock|steady_clock|random_device|mt19937|std::thread|std::mutex|getenv)\b|\btime\(nullptr\)",
     "time and chance are inputs"),
    (r"for \(.*: .*\b(tracker_by_name_|user_by_name_)\b", "the order of a hash table must not reach a decision"),
    (r"\b(double|float)\b", "decisions use integers and exact ratios"),
]
EVERYWHERE_BANNED = [
    (r'#include "\.\./', 'includes are "room/file.h"'),
    (r"\b(TODO|FIXME|XXX)\b", "an issue, or do it"),
    (r"\busing namespace std\b", "names are spelled std::"),
]


# A daemon that opens what a tenant has made waits for nobody, and writes through no link: posix.h does it, and who else
# opens something itself says here that it is nothing of a tenant's.
OPENS = re.compile(r"(?<![\w>])::(open|openat)\(|\b[io]?fstream\b \w|std::[io]?fstream\(|\bfopen\(")
OPENS_ITSELF = {
    "tracker/tasktracker/posix.cpp": "the one place",
    "tracker/tasktracker/open_below.cpp": "directories below one that is held open, through no link",
    "tracker/tasktracker/job_files.cpp": "below a directory that it holds open",
    "tracker/tasktracker/file_system.cpp": "likewise, directories alone",
    "tracker/tasktracker/task_limits.cpp": "/proc/self",
    "tracker/tasktracker/attempt_server.cpp": "/dev/null",
    "tracker/jobtracker/event_files.cpp": "on a thread that nobody waits for, and looks what it is before",
    "tracker/jobtracker/main.cpp": "the port file of the command line",
}

# What is published and printed is views (views/); of these rooms' files those that write and read the wire know its types.
WIRE = re.compile(r'\bwire::|#include "(thrift/wire_views|\w+_types|\w+Service)\.h"')
WIRE_ROOMS = ("cli/", "tracker/jobtracker/", "tracker/submission/")
KNOWS_WIRE = {
    "cli": "calls questions commands submission submit_command submit_spec submit_again run_command shipped_files store_bench tasks_bench sort_bench "
        "benched_cluster",
    "tracker/jobtracker": "client_service admin_service tracker_service wire_pages answering uploads daemon",
    "tracker/submission": "json_spec",
}


def knows_wire(name):
    path = pathlib.PurePosixPath(name)
    return path.stem in KNOWS_WIRE.get(str(path.parent), "").split()


def files():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    return [name for name in listed if name.endswith((".cpp", ".h")) and (ROOT / name).is_file()]


def functions(lines):
    """(first line, length) of each top-level or member function body, by indentation as clang-format leaves it."""
    start = None
    for number, line in enumerate(lines, 1):
        if start is None and re.match(r"^[A-Za-z].*\)[^;]*\{$|^ {4}.*\)[^;]*\{$", line) and not re.match(
                r"^(namespace|class|struct|enum|union|extern)\b", line) and not line.startswith(" "):
            start = number
        elif start is not None and line == "}":
            yield start, number - start + 1
            start = None


def check(name):
    lines = (ROOT / name).read_text().split("\n")
    in_core = name.startswith(CORE) and not name.startswith("jobqueue/store/")
    if len(lines) > FILE_MAX and not name.startswith("tests/"):
        yield 1, f"{len(lines)} lines; at most {FILE_MAX}: one idea a file"
    for number, line in enumerate(lines, 1):
        if len(line) > LINE_MAX:
            yield number, f"{len(line)} columns; at most {LINE_MAX}"
        code = line.split("//")[0]
        if name.startswith(("tracker/", "eventlog/")) and name not in OPENS_ITSELF and OPENS.search(code):
            yield number, f"'{line.strip()}': open_file or open_untrusted (posix.h), or a line in tests/tidy"
        if name.startswith(WIRE_ROOMS) and WIRE.search(code) and not knows_wire(name):
            yield number, f"'{line.strip()}': views, or a word in KNOWS_WIRE of tests/tidy"
        for pattern, instead in EVERYWHERE_BANNED + (CORE_BANNED if in_core else []):
            if re.search(pattern, line if "TODO" in pattern else code):
                yield number, f"'{line.strip()}': {instead}"
    if not name.startswith("tests/"):
        for start, length in functions(lines):
            if length > FUNCTION_MAX:
                yield start, f"a function of {length} lines; at most {FUNCTION_MAX}"
        if name.endswith(".h") and not lines[0].startswith("//"):
            yield 1, "a header opens with what it is"


def main():
    findings = [f"{name}:{number}: {what}" for name in files() for number, what in check(name)]
    print("\n".join(findings) if findings else f"{len(files())} files are tidy")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
