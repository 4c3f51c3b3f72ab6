"""Real daemons for end-to-end tests: a JobTracker and trackers as processes in a temporary folder, and the command line
to talk to them. WEIR_BIN names the binary. Everything that a test starts is gone when it ends, and that is checked."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

WEIR = os.environ.get("WEIR_BIN") or sys.exit("WEIR_BIN must name the weir binary")
ROOT = pathlib.Path(__file__).resolve().parents[2]
# Sanitizer builds are slower: patience is scaled, nothing is asserted about time.
PATIENCE = float(os.environ.get("WEIR_TEST_PATIENCE", "1"))

TWO_QUEUES = """
  - {name: research, guaranteed: 60%}
  - {name: production, guaranteed: 40%}
"""
MAPPER = r"""tr -cs A-Za-z '\n' | awk 'NF {print $0 "\t1"}'"""
SUM = r"""awk -F'\t' '$1 != k {if (NR > 1) print k "\t" n; k = $1; n = 0} {n += $2} END {if (NR) print k "\t" n}'"""


def wait_for(what, condition, seconds=30):
    """Until the condition gives something. It mostly starts a process to ask, so it is asked less and less often."""
    deadline = time.monotonic() + seconds * PATIENCE
    pause = 0.05
    while time.monotonic() < deadline:
        result = condition()
        if result:
            return result
        time.sleep(pause)
        pause = min(pause * 1.2, 0.2 * PATIENCE)
    raise AssertionError(f"not within {seconds * PATIENCE:.0f} s: {what}")


class Cluster(unittest.TestCase):
    """A test case with a folder of its own, a JobTracker and trackers on demand."""

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="weir-e2e-"))
        self.processes = {}
        self.address = None

    def tearDown(self):
        for process in self.processes.values():
            if process.poll() is None:
                process.terminate()
        for name, process in self.processes.items():
            try:
                process.wait(20 * PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                self.fail(f"{name} did not end on SIGTERM")
        wait_for("no process of the test is left", lambda: not self.processes_below(), 10)
        if os.environ.get("WEIR_KEEP"):
            print(f"kept: {self.dir}", file=sys.stderr)
        else:
            shutil.rmtree(self.dir, ignore_errors=True)

    def processes_below(self):
        """Processes that have the test's folder in their environment, command line or working directory."""
        mine = os.getpid()
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == mine:
                continue
            try:
                where = os.readlink(entry / "cwd")
                command = (entry / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            if str(self.dir) in where or str(self.dir) in command:
                found.append((entry.name, command))
        return found

    # --- Daemons ---

    def settings(self, queues=TWO_QUEUES, extra=""):
        path = self.dir / "weir.yaml"
        path.write_text(
            f"listen: {{thrift: 127.0.0.1:0}}\nstore: {{sqlite: {self.dir}/weir.db}}\n{extra}\nqueues:{queues}")
        return path

    def start(self, name, arguments, **popen):
        with open(self.dir / f"{name}.log", "ab") as log:
            process = subprocess.Popen([WEIR, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                       cwd=self.dir, **popen)
        self.processes[name] = process
        return process

    def start_jobtracker(self, conf=None, **popen):
        ports = self.dir / "ports"
        ports.unlink(missing_ok=True)
        conf = conf or self.settings()
        process = self.start("jobtracker", ["jobtracker", "--conf", conf, "--port-file", ports], **popen)
        wait_for("the JobTracker listens", lambda: ports.exists() or process.poll() is not None)
        self.assertIsNone(process.poll(), self.log("jobtracker"))
        client, tracker, *http = ports.read_text().split()
        self.address = f"127.0.0.1:{client}"
        self.page = f"http://127.0.0.1:{http[0]}" if http else None
        self.tracker_port = int(tracker)
        return process

    def keep_ports(self, conf, more=""):
        """A JobTracker that is started with the file again is where its trackers look for it; `more`: of `listen`."""
        conf.write_text(conf.read_text().replace(
            "thrift: 127.0.0.1:0", f"thrift: {self.address}, trackers: 127.0.0.1:{self.tracker_port}{more}"))

    def start_tracker(self, name, map_slots=2, reduce_slots=2, process=None, **popen):
        """`process`: what it is known as here, and its work directory, if not its name."""
        process = process or name
        return self.start(process, ["tracker", "--jobtracker", self.address, "--name", name, "--map-slots", map_slots,
                                    "--reduce-slots", reduce_slots, "--work-dir", self.dir / "work" / process], **popen)

    def start_cluster(self, trackers=2, map_slots=2, reduce_slots=2, conf=None):
        self.start_jobtracker(conf)
        for i in range(1, trackers + 1):
            self.start_tracker(f"tt{i}", map_slots, reduce_slots)
        wait_for("all trackers are there", lambda: len(self.json("tracker", "list")) == trackers)

    def log(self, name):
        path = self.dir / f"{name}.log"
        return path.read_text(errors="replace") if path.exists() else ""

    # --- The command line ---

    def weir(self, *arguments, user=None, timeout=300):
        env = dict(os.environ)
        if self.address:
            env["WEIR_JOBTRACKER"] = self.address
        if user:
            env["WEIR_USER"] = user
        return subprocess.run([WEIR, *map(str, arguments)], capture_output=True, text=True, env=env, cwd=self.dir,
                              timeout=timeout * PATIENCE, stdin=subprocess.DEVNULL)

    def ok(self, *arguments, **options):
        done = self.weir(*arguments, **options)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stdout}{done.stderr}")
        return done.stdout

    def json(self, *arguments, **options):
        return json.loads(self.ok(*arguments, "-o", "json", **options))

    def refused(self, code, pattern, *arguments, **options):
        """The command fails with the exit code and one line on stderr that matches."""
        done = self.weir(*arguments, **options)
        self.assertEqual(done.returncode, code, f"{arguments}: {done.stdout}{done.stderr}")
        self.assertRegex(done.stderr, pattern)
        if os.environ.get("WEIR_SHOW"):
            print(f"{self._testMethodName}: exit {code}: {done.stderr.strip()}", file=sys.stderr)
        return done.stderr

    def submit(self, output, *extra, queue="research", mapper="cat", reducer=None, input=None, reduces=None):
        arguments = ["submit", "--queue", queue, "--input", input or self.some_text(), "--output", self.dir / output,
                     "--mapper", mapper]
        if reducer:
            arguments += ["--reducer", reducer]
        if reduces is not None:
            arguments += ["--reduces", reduces]
        return [*arguments, *extra]

    def submitted(self, *arguments, **options):
        """Submits without waiting; the job's name."""
        user = options.pop("user", None)
        return re.search(r"job_\d+", self.ok(*self.submit(*arguments, **options), user=user)).group()

    def job_state(self, job):
        return self.json("job", "status", job)["state"]

    def wait_for_end(self, job, seconds=120):
        return wait_for(f"{job} ends", lambda: (s := self.job_state(job)) in ("SUCCEEDED", "FAILED", "KILLED") and s,
                        seconds)

    # --- Data ---

    def some_text(self, name="text", lines=2000):
        path = self.dir / name
        if not path.exists():
            words = "the quick brown fox jumps over the lazy dog and runs away from it".split()
            path.write_text("".join(" ".join(words[(i * 7 + j) % len(words)] for j in range(i % 11)) + "\n"
                                    for i in range(lines)))
        return path

    def output(self, output):
        """All parts of an output directory, in order."""
        folder = self.dir / output
        self.assertTrue((folder / "_SUCCESS").exists(), f"{folder} has no _SUCCESS")
        self.assertFalse((folder / "_temporary").exists(), f"{folder}/_temporary is left")
        return b"".join(part.read_bytes() for part in sorted(folder.glob("part-*")))

    def coreutils_wordcount(self, *paths):
        """What tr, sort and uniq count, as sorted lines `word TAB n`."""
        command = r"""cat "$@" | tr -cs A-Za-z '\n' | grep . | LC_ALL=C sort | LC_ALL=C uniq -c |
                      awk '{print $2 "\t" $1}' | LC_ALL=C sort"""
        return subprocess.run(["bash", "-c", command, "count", *map(str, paths)], capture_output=True,
                              check=True).stdout.splitlines()
