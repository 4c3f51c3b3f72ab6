"""The JobTracker is killed (-9) at random moments, some while it starts, some while it recovers, most while jobs run, and
started again. Clients go on submitting, killing, moving, stopping and setting all the while. Whatever was acknowledged
is there afterwards, once; each task of a job that succeeded was done once; outputs are right.

WEIR_SEED draws the same moments again, WEIR_KILLS says how many (20; with patience, as under sanitizers, 10)."""
import collections
import os
import pathlib
import random
import signal
import subprocess
import threading
import time
import unittest

from cluster import PATIENCE, WEIR, Cluster, wait_for
from kill_jobs import KINDS, UNSTEERED, Job
from retrying import Retrying
from weir_wire.admin.ttypes import SettingsFile
from weir_wire.client.ttypes import SubmitRequest
from weir_wire.common.ttypes import Caller, ErrorCode, JobSpec, Split, WeirError

KILLS = int(os.environ.get("WEIR_KILLS") or (20 if PATIENCE <= 1 else 10))
SEED = int(os.environ.get("WEIR_SEED") or random.randrange(1 << 31))
SLOWNESS = 1 if PATIENCE <= 1 else 3
UNFINISHED = 10  # jobs at a time
OVER = ("SUCCEEDED", "FAILED", "KILLED")
ME = Caller(user="alice")
QUEUES = """
  - {{name: research, guaranteed: {research}%}}
  - {{name: production, guaranteed: {production}%}}
  - {{name: spare, guaranteed: 10%}}
"""


def settings_text(directory, research=50):
    queues = QUEUES.format(research=research, production=90 - research)
    return (f"policy: capacity\nlisten: {{thrift: 127.0.0.1:0}}\nstore: {{sqlite: {directory}/weir.db}}\n"
            f"heartbeat: {{interval: 300ms, expiry: 120s}}\nadministrators: [\"*\"]\nqueues:{queues}")


def forks_attempts(process):
    """Whether it is what a tracker forks attempts from, which stays for as long as the tracker."""
    try:
        return (pathlib.Path("/proc") / process / "comm").read_text() == "weir-attempts\n"
    except OSError:
        return False


class Killed(Cluster):
    def setUp(self):
        super().setUp()
        self.dice = random.Random(SEED)
        self.stop = threading.Event()
        self.troubles, self.jobs, self.acknowledged = [], [], {}
        self.expected = {"running": True, "policy": "capacity", "text": None}
        self.lives, self.commands = [], collections.Counter()
        self.names, self.ended, self.done_by = {}, {}, {}
        self.tries = self.calls = self.told_to_wait = 0
        self.lock, self.ruling = threading.Lock(), threading.Lock()
        self.marks_file = self.dir / "marks"
        self.begun = time.time()

    # --- The JobTracker's lives ---

    def free_port(self):
        """Not one of those that the system gives away for outgoing connections while nobody listens there."""
        import socket
        while True:
            port = random.randrange(15000, 30000)
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) != 0:
                    return port

    def spawn(self):
        self.port_file.unlink(missing_ok=True)
        self.spawned_at = time.time()
        return self.start("jobtracker", ["jobtracker", "--conf", self.conf, "--port-file", self.port_file, "--port",
                                         self.port, "--tracker-port", self.tracker_port])

    def wait_until_up(self, process):
        wait_for("the JobTracker listens", lambda: self.port_file.exists() or process.poll() is not None, 60)
        self.assertIsNone(process.poll(), self.log("jobtracker")[-3000:])

    def live_and_die(self):
        """One life and its violent end."""
        process = self.spawn()
        choice = self.dice.random()
        up_at = None
        if choice < 0.15:
            time.sleep(self.dice.uniform(0, 0.12) * SLOWNESS)
        else:
            self.wait_until_up(process)
            up_at = time.time()
            time.sleep((self.dice.uniform(0, 0.6) if choice < 0.4 else self.dice.uniform(0.6, 2.6)) * SLOWNESS)
        listened = self.port_file.exists()
        self.assertIsNone(process.poll(), self.log("jobtracker")[-3000:])
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.lives.append((up_at or (time.time() if listened else None), time.time()))
        if self.dice.random() < 0.3:
            time.sleep(self.dice.uniform(0, 0.8))

    # --- Those who ask ---

    def thread(self, work, *arguments):
        def run():
            remote = Retrying(self.port, 120 * PATIENCE)
            try:
                work(remote, *arguments)
            except Exception as trouble:  # told by the test, not by a thread that dies quietly
                self.troubles.append(f"{work.__name__}: {trouble!r}")
                self.stop.set()
            finally:
                remote.close_all()
                with self.lock:
                    self.tries += remote.tries
                    self.calls += remote.calls
        thread = threading.Thread(target=run)
        thread.start()
        return thread

    def next_job(self, dice, kinds):
        with self.lock:
            job = Job(len(self.jobs) + 1, dice.choice(kinds), self.dir, self.marks_file, dice)
            self.jobs.append(job)
        job.asked_at = time.monotonic()
        return job

    def acknowledge(self, job, number):
        job.told_at = time.monotonic()
        with self.lock:
            job.number = number
            self.acknowledged[job.name] = number

    def submitting(self, remote, way):
        """A client that submits one job after the other: by the command line, waiting or not, or by Thrift."""
        dice = random.Random(f"{SEED} {way}")
        while not self.stop.is_set():
            with self.lock:
                unfinished = sum(job.number not in self.ended for job in self.jobs)
            if unfinished >= UNFINISHED:
                time.sleep(0.1)
                continue
            # One that is waited for is not known to whoever kills and moves.
            job = self.next_job(dice, UNSTEERED if way == "wait" else KINDS)
            if way == "thrift":
                self.acknowledge(job, remote.client("submit", self.request(job, dice)).job)
                continue
            wait = ["--wait"] if way == "wait" else []
            done = subprocess.run([WEIR, "submit", "--jobtracker", self.address, "--user", "alice", "--retry", "120s",
                                   *job.arguments(), *wait], capture_output=True, text=True, timeout=600 * PATIENCE)
            with self.lock:
                self.told_to_wait += "trying again" in done.stderr
            as_expected = done.returncode == (1 if wait and job.state != "SUCCEEDED" else 0)
            if "submitted to queue" not in done.stdout or not as_expected:
                raise AssertionError(f"{job.name}: exit {done.returncode}: {done.stdout}{done.stderr}")
            self.acknowledge(job, int(done.stdout.split()[0].removeprefix("job_")))

    def request(self, job, dice):
        size = job.input.stat().st_size
        splits = [Split(file=0, offset=at, length=min(job.split, size - at)) for at in range(0, size, job.split)]
        spec = JobSpec(name=job.name, queue=job.queue, input_files=[str(job.input)], output=str(job.output),
                       mapper=job.mapper, splits=splits, reduces=job.reduces, reducer=job.reducer,
                       combiner=job.combiner, max_attempts=job.max_attempts)
        return SubmitRequest(caller=ME, spec=spec, submission=f"{SEED}-{job.name}-{dice.random()}")

    def unless_over(self, what, remote, name, *arguments, done=()):
        """True: acknowledged, or found to be carried out already by a call whose answer was lost. False: the job was over;
        None: it is, and whether a call whose answer was lost came before that is not known."""
        tries = remote.tries
        try:
            remote.client(name, *arguments)
        except WeirError as refusal:
            if refusal.code == ErrorCode.JOB_OVER:
                return False if remote.tries == tries + 1 else None
            if refusal.code not in done or remote.tries == tries + 1:
                raise
        self.commands[what] += 1
        return True

    def steering(self, remote):
        """Kills, moves and changes priorities of jobs as soon as it hears of them."""
        dice = random.Random(f"{SEED} steering")
        steered = set()
        while not self.stop.is_set():
            with self.lock:
                fresh = [job for job in self.jobs if job.number and job.name not in steered]
            if not fresh:
                time.sleep(0.1)
                continue
            job = dice.choice(fresh)
            steered.add(job.name)
            if job.kind == "killed":
                time.sleep(dice.uniform(0, 1.5))
                self.unless_over("kill", remote, "kill_job", ME, job.number)
                job.kill_acknowledged = True
            elif job.kind == "moved":
                with self.ruling:
                    if self.expected["policy"] == "fair":
                        continue  # it would move the job to a pool, not to a queue
                    # What is there already was moved by a call whose answer was lost.
                    moved = self.unless_over("move", remote, "move_job", ME, job.number, "research",
                                             done=[ErrorCode.BAD_REQUEST])
                job.expected_queue = {True: "research", False: job.queue, None: None}[moved]
            elif dice.random() < 0.6:
                priority = dice.choice(["VERY_HIGH", "HIGH", "LOW", "VERY_LOW"])
                changed = self.unless_over("priority", remote, "set_priority", ME, job.number, priority)
                job.expected_priority = {True: priority, False: "NORMAL", None: None}[changed]

    def governing(self, remote):
        """Queue state, settings and policy: it alone changes them, so what it was told must be so whenever it looks."""
        dice = random.Random(f"{SEED} governing")
        while not self.stop.is_set():
            what = dice.choice(["queue", "settings", "policy"])
            if what == "queue":
                self.expected["running"] = not self.expected["running"]
                remote.admin("set_queue_state", ME, "spare", self.expected["running"])
            elif what == "settings":
                self.expected["text"] = settings_text(self.dir, dice.randrange(20, 80))
                remote.admin("apply_settings", ME, SettingsFile(name="applied.yaml", text=self.expected["text"]))
            else:
                with self.ruling:
                    self.expected["policy"] = dice.choice(["capacity", "fair", "fifo"])
                    remote.admin("set_policy", ME, self.expected["policy"])
            self.commands[what] += 1
            time.sleep(dice.uniform(0, 0.8))
            self.check_rules(remote)

    def check_rules(self, remote):
        queue = remote.client("queues", "spare", 0)[0]
        self.assertEqual(queue.state, "RUNNING" if self.expected["running"] else "STOPPED")
        self.assertEqual(remote.admin("policy").current, self.expected["policy"])
        if self.expected["text"]:
            self.assertEqual(remote.admin("settings_text"), self.expected["text"])

    def watching(self, remote):
        """What is seen once stays so: a number's name, a job's end, which attempt did a task."""
        dice = random.Random(f"{SEED} watching")
        while not self.stop.is_set():
            with self.lock:
                known = dict(self.acknowledged)
            listed = remote.client("list_jobs", "", "", False, 0, 0)
            self.look_at(known, listed)
            running = [job for job in listed if job.state not in OVER]
            if running:
                self.look_at_tasks(remote, dice.choice(running).job)
            time.sleep(0.25)

    def look_at(self, known, listed):
        numbers = {job.name: job.job for job in listed}
        self.assertEqual(len(numbers), len(listed), "a submission is there twice")
        for name, number in known.items():
            self.assertEqual(numbers.get(name), number, f"{name} was acknowledged")
        for job in listed:
            self.assertEqual(self.names.setdefault(job.job, job.name), job.name, "a number was used again")
            if job.job in self.ended:
                self.assertEqual(job.state, self.ended[job.job], f"{job.name} had ended")
            elif job.state in OVER:
                self.ended[job.job] = job.state

    def look_at_tasks(self, remote, number):
        try:
            attempts = remote.client("attempts", number)
        except WeirError:
            return  # over meanwhile
        for attempt in attempts:
            if attempt.state == "SUCCEEDED":
                task = (number, attempt.id.kind, attempt.id.index)
                self.assertEqual(self.done_by.setdefault(task, attempt.name), attempt.name, "a task was done anew")

    # --- The story ---

    def test_at_random_moments(self):
        print(f"WEIR_SEED={SEED} WEIR_KILLS={KILLS}", flush=True)
        self.conf = self.dir / "weir.yaml"
        self.conf.write_text(settings_text(self.dir))
        self.port_file = self.dir / "ports"
        self.port, self.tracker_port = self.free_port(), self.free_port()
        self.address = f"127.0.0.1:{self.port}"
        process = self.spawn()
        self.wait_until_up(process)
        first_up = time.time()
        trackers = [f"tt{i}" for i in range(1, 4)]
        for name in trackers:
            self.start_tracker(name, 3, 2)
        wait_for("all trackers are there", lambda: len(self.json("tracker", "list")) == len(trackers))
        threads = [self.thread(self.submitting, way) for way in ("plain", "wait", "wait", "thrift")]
        threads += [self.thread(work) for work in (self.steering, self.governing, self.watching)]
        try:
            time.sleep(1)
            process.send_signal(signal.SIGKILL)
            process.wait()
            self.lives.append((first_up, time.time()))
            while len(self.lives) < KILLS and not self.troubles:
                self.live_and_die()
            self.wait_until_up(self.spawn())
            self.lives.append((time.time(), None))
            killing_s = time.time() - self.begun
        finally:
            self.stop.set()
            for thread in threads:
                thread.join(300 * PATIENCE)
        self.assertEqual(self.troubles, [])
        self.check(trackers)
        self.tell(killing_s)

    def check(self, trackers):
        remote = Retrying(self.port)
        for job in self.jobs:
            if job.kind == "killed" and not job.kill_acknowledged:  # nobody came to it any more
                remote.client("kill_job", ME, job.number)
        wait_for("all jobs are over", lambda: all(j.state in OVER for j in remote.client(
            "list_jobs", "", "", False, 0, 0)), 180)
        self.final = {job.name: job for job in remote.client("list_jobs", "", "", False, 0, 0)}
        self.assertEqual(set(self.final), {job.name for job in self.jobs})
        self.check_rules(remote)
        remote.close_all()
        for name in trackers:
            self.assertIsNone(self.processes[name].poll(), f"{name} has ended")
        wait_for("only the daemons are left", lambda: len([
            process for process in self.processes_below() if not forks_attempts(process[0])]) == 1 + len(trackers), 20)
        self.check_numbers()
        self.attempts = self.read_marks()
        for job in self.jobs:
            end = self.final[job.name]
            self.assertEqual(end.state, job.state, f"{job.name}: {end.diagnostics}")
            self.assertEqual(end.job, job.number)
            self.assertIn(job.expected_queue, (end.queue, None), job.name)
            self.assertIn(job.expected_priority, (end.priority, None), job.name)
            job.check_output(self)
            if job.state == "SUCCEEDED":
                self.check_tasks(job)

    def check_numbers(self):
        """A submission that was begun after another one's answer has a larger number."""
        for one in self.jobs:
            for other in self.jobs:
                if one.told_at < other.asked_at:
                    self.assertLess(one.number, other.number, f"{one.name} {other.name}")

    def read_marks(self):
        """What the tasks' programs themselves say: name of the attempt -> when it began, when it was through."""
        attempts = {}
        for line in self.marks_file.read_text().splitlines():
            at, what, attempt = line.split()
            attempts.setdefault(attempt, {})[what] = float(at)
        return attempts

    def check_tasks(self, job):
        """No tracker was lost and nothing preempted: each task was begun once, and that attempt did it."""
        tasks = collections.defaultdict(list)
        for attempt in self.attempts:
            if attempt.startswith(f"attempt_{job.number:04}_"):
                tasks[attempt.rsplit("_", 1)[0]].append(attempt)
        end = self.final[job.name]
        self.assertEqual(len(tasks), end.maps.total + end.reduces.total, job.name)
        for task, attempts in tasks.items():
            self.assertEqual(len(attempts), 1, f"{job.name}: {task} was begun {attempts}: "
                             f"{[(a, self.attempts[a]) for a in attempts]}")
            self.assertIn("end", self.attempts[attempts[0]], attempts)

    # --- The table ---

    def tell(self, killing_s):
        downs = [(died, next(up for up, _ in self.lives[i + 1:] if up)) for i, (_, died) in enumerate(self.lives[:-1])]
        through = [sum(a["begin"] < died and up < a["end"] for died, up in downs)
                   for a in self.attempts.values() if "end" in a]
        phases = collections.Counter(self.phase(*life) for life in self.lives[:-1])
        states = collections.Counter(job.state for job in self.final.values())
        rows = [("kills", len(downs)), ("  before it listened", phases["starting"]),
                ("  before it launched anything", phases["recovering"]), ("  while it scheduled", phases["scheduling"]),
                ("jobs", len(self.jobs)), *((f"  {state}", count) for state, count in sorted(states.items())),
                ("attempts begun", len(self.attempts)), ("  taken on after a restart", sum(n > 0 for n in through)),
                ("  after several", sum(n > 1 for n in through)),
                ("calls", self.calls), ("  asked more than once", self.tries - self.calls),
                ("submissions and waits that lived through a kill", self.told_to_wait),
                *((f"acknowledged: {what}", count) for what, count in sorted(self.commands.items())),
                ("seconds of killing", round(killing_s)), ("seconds in all", round(time.time() - self.begun))]
        print("\n".join(f"{what:<50}{value:>8}" for what, value in rows), flush=True)
        self.assertGreater(sum(n > 0 for n in through), 0, "no attempt was taken on")

    def phase(self, up, died):
        if up is None:
            return "starting"
        begun = any(up < attempt["begin"] < died for attempt in self.attempts.values())
        return "scheduling" if begun else "recovering"


if __name__ == "__main__":
    unittest.main(warnings="ignore")  # sockets are left to the garbage collector
