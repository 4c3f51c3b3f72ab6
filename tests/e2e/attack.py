#!/usr/bin/env python3
"""Everything that a hostile tenant, task, peer or process can do (attacks/), at once, beside the jobs of another tenant.

A JobTracker and four trackers are real. A tenant counts words, one job after the other; each count is compared with that
of coreutils. First alone, then beside an ordinary neighbour, then under each class of attack, then under all of them. A
table says how long the tenant's jobs took. Exit 1, with a line for each, if an output is wrong, a job of the tenant does
not succeed, a daemon dies (except trackers that an attack has killed; they are started again, as a supervisor would), the
JobTracker does not answer for 10 s, or an attack gets what it must not."""
import argparse
import multiprocessing
import os
import re
import resource
import signal
import statistics
import subprocess
import sys
import threading
import time

from cluster import MAPPER, PATIENCE, SUM, Cluster, wait_for
import attacks
from attacks.base import OVER, TENANT, TENANT_QUEUE, HOSTILE_QUEUE, JobAttack, World
from jobtracker import connect
from thrift.Thrift import TException
from weir_wire.admin import AdminService
from weir_wire.client import ClientService
from weir_wire.client.ttypes import SubmitRequest
from weir_wire.common.ttypes import Caller, JobSpec, Split, WeirError

TRACKERS, MAPS, SILENCE_S = 4, 8, 10
SETTINGS = """heartbeat: {interval: 300ms, expiry: 20s}
administrators: [admin]
limits: {max_connections: 2000}
tracker: {map_slots: 2, reduce_slots: 1, task_memory_mb: 200, task_processes: 200, job_disk_mb: 100, log_stream_mb: 1,
          log_job_mb: 8, log_total_mb: 64, min_free_disk_mb: 64}"""
QUEUES = f"""
  - {{name: {TENANT_QUEUE}, guaranteed: 50%, maximum: 50%}}
  - {{name: {HOSTILE_QUEUE}, guaranteed: 50%, maximum: 50%}}
"""
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8b-\x8f\xaa-\xae]")


class Neighbour(JobAttack):
    """No attack: ordinary jobs that use what the hostile tenant has."""
    group, name = "an ordinary neighbour", "ordinary jobs"

    def program(self, output):
        return f"for i in 1 2 3 4; do cat {self.world.text}; done | {MAPPER} > /dev/null"


class Siege:
    """The attacks, a process each, forked before this one has threads; a group of them is let loose at a time."""

    def __init__(self, world):
        fork = multiprocessing.get_context("fork")
        self.over, self.results = fork.Event(), fork.Queue()
        self.active = {group: fork.Event() for group in (Neighbour.group, *attacks.GROUPS)}
        self.attacks = [kind(world, i) for i, kind in enumerate((Neighbour, *attacks.ALL))]
        self.processes = [fork.Process(target=self.play, args=(attack,), daemon=True) for attack in self.attacks]
        for process in self.processes:
            process.start()

    def play(self, attack):
        active = self.active[attack.group]
        attack.goes_on = lambda: active.is_set() and not self.over.is_set()
        if not isinstance(attack, JobAttack):
            os.nice(5)  # its processor would not be the cluster's
        while not self.over.is_set():
            if not active.wait(0.2):
                continue
            while attack.goes_on():
                self.tried(attack, attack.strike)
            self.tried(attack, attack.rest)
        self.results.put((attack.group, attack.name, attack.counts, sorted(attack.violations)))

    @staticmethod
    def tried(attack, work):
        """An attacker is refused, thrown out, cut off; it comes again."""
        try:
            work()
        except (TException, OSError, EOFError) as trouble:
            attack.counts["refused" if isinstance(trouble, WeirError) else "cut off"] += 1
            attack._client = attack._tracker = None
            time.sleep(0.5)

    def let_loose(self, groups):
        for group, event in self.active.items():
            (event.set if group in groups else event.clear)()

    def end(self):
        self.over.set()
        found = [self.results.get(timeout=120) for _ in self.processes]
        for process in self.processes:
            process.join()
        return sorted(found, key=lambda one: [attack.name for attack in self.attacks].index(one[1]))


class Hour(Cluster):
    def __init__(self, minutes):
        super().__init__()
        self.minutes, self.troubles, self.ending = minutes, [], False
        self.times, self.outputs, self.restarts, self.slowest_answer = {}, [], 0, 0

    def trouble(self, text):
        self.troubles.append(text)
        print(f"attack: {text}", file=sys.stderr, flush=True)

    # --- The cluster, and its supervisor ---

    def start_all(self):
        (self.dir / "hostile").mkdir()
        (self.dir / "tenant").mkdir()
        text = self.some_text("text", 60_000)
        self.expected = self.coreutils_wordcount(text)
        self.conf = self.settings(QUEUES, SETTINGS)
        self.start_jobtracker(self.conf)
        self.names = [f"tt{i}" for i in range(1, TRACKERS + 1)]
        for name in self.names:
            self.start_one(name)
        wait_for("all trackers are there", lambda: len(self.json("tracker", "list")) == TRACKERS)
        (self.dir / "killed").touch()
        return World(self.dir, int(self.address.split(":")[1]), self.tracker_port, self.names, text)

    def start_one(self, name):
        self.start(name, ["tracker", "--jobtracker", self.address, "--conf", self.conf, "--name", name, "--work-dir",
                          self.dir / "work" / name])

    def was_attacked(self, process, code):
        return code == -signal.SIGKILL and str(process.pid) in (self.dir / "killed").read_text().split()

    def supervise(self):
        while not self.ending:
            for name, process in list(self.processes.items()):
                code = process.poll()
                if code is None or self.ending:
                    continue
                if not self.was_attacked(process, code):
                    self.trouble(f"{name} ended with {code}, and no attack has killed it: {self.log(name)[-300:]!r}")
                if name == "jobtracker":
                    return
                self.restarts += 1
                self.start_one(name)
            time.sleep(0.3)

    def watch(self):
        """How long the JobTracker lets somebody wait who connects and asks."""
        port = int(self.address.split(":")[1])
        while not self.ending:
            started = time.monotonic()
            while not self.ending:
                try:
                    admin = connect(port, AdminService.Client, "admin", timeout_ms=30_000)
                    admin.info()
                    admin._iprot.trans.close()
                    break
                except (TException, OSError, EOFError):
                    time.sleep(0.1)
            took = time.monotonic() - started
            self.slowest_answer = max(self.slowest_answer, took)
            if took > SILENCE_S * PATIENCE and not self.ending:
                self.trouble(f"the JobTracker did not answer for {took:.0f} s, while: {self.phase}")
            time.sleep(0.3)

    # --- The tenant ---

    def insist(self, name, *arguments):
        """Asked again while the store does not take it, or the connection breaks; a job's time includes that."""
        deadline = time.monotonic() + 120
        while True:
            try:
                if not self.client:
                    self.client = connect(int(self.address.split(":")[1]), ClientService.Client, "client", 20_000)
                return getattr(self.client, name)(*arguments)
            except (TException, OSError, EOFError) as trouble:
                if not isinstance(trouble, WeirError):
                    self.client = None
                if time.monotonic() > deadline or self.processes["jobtracker"].poll() is not None:
                    raise
                time.sleep(0.3)

    def count_words(self, number, text):
        output, size = self.dir / "tenant" / str(number), text.stat().st_size
        splits = [Split(file=0, offset=size * i // MAPS, length=size * (i + 1) // MAPS - size * i // MAPS)
                  for i in range(MAPS)]
        spec = JobSpec(name=f"count {number}", queue=TENANT_QUEUE, input_files=[str(text)], splits=splits,
                       output=str(output), mapper=MAPPER, combiner=SUM, reducer=SUM, reduces=2)
        started = time.monotonic()
        job = self.insist("submit", SubmitRequest(caller=Caller(user=TENANT), spec=spec, submission=f"{number}")).job
        while (status := self.insist("job_status", job, 0)).state not in OVER:
            time.sleep(0.1)
            if time.monotonic() > started + 300 * PATIENCE:
                return self.trouble(f"{status.job_name} of the tenant has not ended after 300 s, while: {self.phase}")
        took = time.monotonic() - started
        if status.state != "SUCCEEDED":
            return self.trouble(f"{status.job_name} of the tenant has {status.state}, while: {self.phase}: "
                                f"{status.diagnostics}")
        self.outputs.append((status.job_name, output, self.phase))
        self.check(*self.outputs[-1])
        self.times[self.phase].append(took)

    def check(self, job, output, phase):
        try:
            counted = sorted(self.output(output.relative_to(self.dir)).splitlines())
        except (AssertionError, OSError) as trouble:
            return self.trouble(f"the output of {job} is wrong, it ran while: {phase}: {trouble}")
        if counted != self.expected:
            self.trouble(f"the output of {job} is wrong, it ran while: {phase}: {len(counted)} lines of {len(self.expected)}")

    # --- The hour ---

    def phases(self):
        """What goes on, who attacks, and which part of the time it takes."""
        yield "alone", (), 0.07
        yield Neighbour.group, (Neighbour.group,), 0.07
        for group in attacks.GROUPS:
            yield group, (group,), 0.36 / len(attacks.GROUPS)
        yield "all at once", attacks.GROUPS, 0.5

    def run(self):
        world = self.start_all()
        siege = Siege(world)
        self.client, self.phase, number = None, "the start", 0
        threads = [threading.Thread(target=work, daemon=True) for work in (self.supervise, self.watch)]
        for thread in threads:
            thread.start()
        for self.phase, groups, part in self.phases():
            siege.let_loose(groups)
            self.times[self.phase] = []
            deadline = time.monotonic() + part * self.minutes * 60
            while time.monotonic() < deadline or len(self.times[self.phase]) < 2 and not self.troubles:
                number += 1
                try:
                    self.count_words(number, world.text)
                except (TException, OSError, EOFError) as trouble:
                    self.trouble(f"the tenant is not served, while: {self.phase}: {trouble!r}")
                    break
            print(f"attack: {self.phase}: {len(self.times[self.phase])} jobs", file=sys.stderr, flush=True)
        siege.let_loose(())
        found = siege.end()
        self.ending = True
        for thread in threads:
            thread.join()
        for done in self.outputs:
            self.check(*done)
        self.end_daemons()
        self.report(found)

    def end_daemons(self):
        for name, process in self.processes.items():
            process.terminate()
        for name, process in self.processes.items():
            try:
                code = process.wait(20 * PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                code = "nothing within 20 s"
            if code != 0 and not self.was_attacked(process, code):
                self.trouble(f"{name} ended on SIGTERM with {code}: {self.log(name)[-300:]!r}")
            steering = CONTROL.search((self.dir / f"{name}.log").read_bytes())
            if steering:
                self.trouble(f"the log of {name} has {steering.group()!r} at byte {steering.start()}")
        try:
            wait_for("no process of the cluster is left", lambda: not self.processes_below(), 20)
        except AssertionError:
            self.trouble(f"processes are left: {self.processes_below()[:3]}")

    def report(self, found):
        alone = statistics.median(self.times["alone"] or [0])
        print(f"\n{'while':32} {'jobs':>5} {'median s':>9} {'longest s':>10} {'times alone':>12}")
        for phase, times in self.times.items():
            if times and alone:
                middle = statistics.median(times)
                print(f"{phase:32} {len(times):5} {middle:9.1f} {max(times):10.1f} {middle / alone:12.1f}")
        print(f"\n{len(self.outputs)} outputs compared with coreutils' twice; slowest answer of the JobTracker "
              f"{self.slowest_answer:.1f} s; {self.restarts} trackers killed and started again\n")
        for group, name, counts, violations in found:
            print(f"{group:22} {name:34} {', '.join(f'{n} {what}' for what, n in sorted(counts.items()))}")
            for violation in violations:
                self.trouble(f"{name}: {violation}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60, help="how long (60); half of it is all attacks at once")
    minutes = parser.parse_args().minutes
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    hour = Hour(minutes)
    hour.setUp()
    try:
        hour.run()
    finally:
        hour.ending = True
        hour.tearDown()
    print(f"attack: {len(hour.troubles)} troubles" if hour.troubles else "attack: the tenant was not harmed")
    return 1 if hour.troubles else 0


if __name__ == "__main__":
    sys.exit(main())
