"""One JobTracker under load from all sides at once: clients that submit, read, steer and govern, garbage on both ports, fake
trackers that speak the protocol and run nothing, and two real trackers that count words. It is an ordinary test that runs
in every preset; built with a sanitizer the daemons must have nothing to report. WEIR_LOAD_SECONDS says how long (10)."""
import collections
import multiprocessing
import os
import pathlib
import random
import re
import shutil
import socket
import threading
import time
import unittest

from cluster import MAPPER, PATIENCE, SUM, Cluster, wait_for
from retrying import Retrying
from jobtracker import connect
from tracker_test import Tracker
from thrift.Thrift import TException
from weir_wire.admin.ttypes import SettingsFile
from weir_wire.client.ttypes import SubmitRequest
from weir_wire.common.ttypes import Caller, JobSpec, Resources, Split, WeirError
from weir_wire.tracker import TrackerService
from weir_wire.tracker.ttypes import Registration

SECONDS = float(os.environ.get("WEIR_LOAD_SECONDS") or 10)
CLIENTS, TRACKERS, PROCESSES = 24, 48, 3
REPORTS = re.compile(r"(ERROR|WARNING|SUMMARY): \w+Sanitizer|runtime error:|LeakSanitizer")
OVER = ("SUCCEEDED", "FAILED", "KILLED")


class FakeTracker(Tracker):
    """Has one slot of each kind, so that it never gets the real jobs' tasks, and does last duties as it should."""

    def register(self):
        return self.service.register_tracker(Registration(
            name=self.name, incarnation=1, host="127.0.0.1", shuffle_port=4000,
            total=Resources(map_slots=1, reduce_slots=1)))

    def beat(self):
        reply = super().beat()
        for duty in reply.duties:
            output = pathlib.Path(duty.output)
            output.mkdir(parents=True, exist_ok=True)
            shutil.rmtree(output / "_temporary", ignore_errors=True)
            if duty.succeed:
                (output / "_SUCCESS").touch()
        return reply


def track(number, port, deadline, counts):
    tracker = FakeTracker(connect(port, TrackerService.Client, timeout_ms=60_000), f"fake{number}")
    tracker.register()
    while time.time() < deadline:
        try:
            interval_ms = tracker.beat().interval_ms
            counts["heartbeats"] += 1
        except WeirError:
            counts["refused"] += 1
            tracker.register()
            interval_ms = 300
        time.sleep(min(interval_ms, 300) / 1000 * random.uniform(0.3, 1))


class LoadClient:
    """Does one thing after the other, of its own choice; a refusal is an answer, too."""

    def __init__(self, number, port, directory, deadline, counts):
        self.user, self.dice = f"user{number % 7}", random.Random(number)
        self.remote, self.directory, self.deadline, self.counts = Retrying(port), directory, deadline, counts
        self.name, self.jobs = f"client{number}", collections.deque()

    def run(self):
        what = [self.submit] * 3 + [self.read] * 6 + [self.steer] * 2 + ([self.govern] if self.name == "client0" else [])
        while time.time() < self.deadline:
            work = self.dice.choice(what)
            try:
                work()
            except WeirError:
                self.counts["refused"] += 1
            self.counts[work.__name__] += 1
            time.sleep(self.dice.uniform(0, 0.05))
        for job in self.jobs:
            try:
                self.remote.client("kill_job", Caller(user=self.user), job)
            except WeirError:
                pass
        self.remote.close_all()

    def submit(self):
        while len(self.jobs) >= 5:
            job = self.jobs.popleft()
            if self.remote.client("job_status", job, 0).state not in OVER:
                self.jobs.append(job)
                return self.read()
        name = f"{self.name}-{self.counts['submit']}-{self.dice.random()}"
        splits = [Split(file=0, offset=100 * i, length=100) for i in range(self.dice.randrange(1, 12))]
        spec = JobSpec(name=name, queue=self.dice.choice(["research", "production"]), splits=splits, reduces=0,
                       input_files=[str(self.directory / "text")], output=str(self.directory / "fake" / name), mapper="cat")
        reply = self.remote.client("submit", SubmitRequest(caller=Caller(user=self.user), spec=spec, submission=name))
        status = self.remote.client("job_status", reply.job, reply.version)
        assert status.name == name, status
        self.jobs.append(reply.job)

    def read(self):
        job = self.dice.choice(self.jobs) if self.jobs else 1
        self.dice.choice([
            lambda: self.remote.client("list_jobs", "", "", self.dice.random() < 0.7, 50, 0),
            lambda: self.remote.client("job_status", job, 0), lambda: self.remote.client("explain", job),
            lambda: self.remote.client("attempts", job), lambda: self.remote.client("queues", "", 0),
            lambda: self.remote.client("trackers"), lambda: self.remote.admin("policy"),
            lambda: self.remote.admin("info"), lambda: self.remote.admin("settings_text")])()

    def steer(self):
        if not self.jobs:
            return
        job, caller = self.dice.choice(self.jobs), Caller(user=self.user)
        self.dice.choice([
            lambda: self.remote.client("kill_job", caller, job),
            lambda: self.remote.client("set_priority", caller, job, self.dice.choice(["HIGH", "LOW"])),
            lambda: self.remote.client("move_job", caller, job, self.dice.choice(["research", "production"]))])()

    def govern(self):
        text = (self.directory / "weir.yaml").read_text().replace("60%", f"{self.dice.randrange(50, 61)}%")
        caller, file = Caller(user="root"), SettingsFile(name="load.yaml", text=text)
        self.dice.choice([
            lambda: self.remote.admin("set_policy", caller, self.dice.choice(["capacity", "fair", "fifo"])),
            lambda: self.remote.admin("diff_settings", file), lambda: self.remote.admin("apply_settings", caller, file)])()


def garbage(ports, deadline, counts):
    """Connections that say nonsense, half a frame, or nothing, and go."""
    dice = random.Random(1)
    while time.time() < deadline:
        with socket.socket() as connection:
            try:
                connection.settimeout(5)
                connection.connect(("127.0.0.1", dice.choice(ports)))
                connection.sendall(dice.choice([b"GET / HTTP/1.0\r\n\r\n", b"\0\0\1\0abc", dice.randbytes(500), b""]))
            except OSError:
                pass
        counts["garbage"] += 1
        time.sleep(0.05)


def load(process, ports, directory, deadline, results):
    """One process of clients, fake trackers and garbage; sends back what it counted and what went wrong."""
    counts, troubles = collections.Counter(), []

    def guarded(work, *arguments):
        def run():
            try:
                work(*arguments)
            except (TException, OSError, AssertionError) as trouble:
                troubles.append(repr(trouble))
        return threading.Thread(target=run)

    threads = [guarded(garbage, ports, deadline, counts)]
    for i in range(process, CLIENTS, PROCESSES):
        threads.append(guarded(LoadClient(i, ports[0], directory, deadline, counts).run))
    for i in range(process, TRACKERS, PROCESSES):
        threads.append(guarded(track, i, ports[1], deadline, counts))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results.put((counts, troubles))


class Load(Cluster):
    def test_from_all_sides(self):
        self.some_text()
        conf = self.settings(extra=f"heartbeat: {{interval: 300ms, expiry: {30 * PATIENCE:.0f}s}}\nadministrators: [\"*\"]")
        self.start_cluster(trackers=2, map_slots=4, reduce_slots=2, conf=conf)
        ports = (int(self.address.split(":")[1]), self.tracker_port)
        results = multiprocessing.Queue()
        deadline = time.time() + SECONDS
        processes = [multiprocessing.Process(target=load, args=(i, ports, self.dir, deadline, results))
                     for i in range(PROCESSES)]
        for process in processes:
            process.start()
        counted = self.count_words(deadline)
        counts, troubles = collections.Counter(), []
        for _ in processes:
            more, trouble = results.get(timeout=60 * PATIENCE + SECONDS)
            counts.update(more)
            troubles += trouble
        for process in processes:
            process.join()
        self.assertEqual(troubles, [])
        for job in counted:
            self.assertEqual(self.wait_for_end(job, 120), "SUCCEEDED", self.weir("job", "status", job).stdout)
            self.assertEqual(sorted(self.output(job).splitlines()), self.coreutils_wordcount(self.some_text()))
        self.assertGreaterEqual(self.json("info")["trackers"], 2)
        for name, process in self.processes.items():
            process.terminate()
            self.assertEqual(process.wait(60 * PATIENCE), 0, f"{name}: {self.log(name)[-5000:]}")
            report = REPORTS.search(self.log(name))
            self.assertIsNone(report, report and self.log(name)[report.start():][:8000])
        print(", ".join(f"{n} {what}" for what, n in sorted(counts.items())), f"{len(counted)} real jobs", sep=", ")
        for what in ("heartbeats", "submit", "read", "steer", "garbage"):
            self.assertGreater(counts[what], 0, what)

    def count_words(self, deadline):
        """Real jobs, one after the other; their tasks are two slots wide, which only real trackers have."""
        jobs = {}
        while time.time() < deadline or not jobs:
            done = self.ok(*self.submit(f"real{len(jobs)}", "--split-size", "8KiB", "--map-slots-per-task", 2,
                                        "--reduce-slots-per-task", 2, "--combiner", SUM, "--priority", "HIGH",
                                        mapper=MAPPER, reducer=SUM, reduces=2))
            job = re.search(r"job_\d+", done).group()
            jobs[job] = f"real{len(jobs)}"
            while self.job_state(job) not in OVER and time.time() < deadline:
                time.sleep(0.5)
        for job, output in jobs.items():
            (self.dir / job).symlink_to(self.dir / output)
        return list(jobs)


if __name__ == "__main__":
    unittest.main(warnings="ignore")  # sockets are left to the garbage collector
