"""Who speaks the protocol and is not who it says: trackers, uploads; and another process that has the store."""
import random
import sqlite3

from attacks.base import HOSTILE, Attack
from weir_wire.common.ttypes import AttemptId, Caller, Resources, Split, TaskKind, WeirError
from weir_wire.tracker.ttypes import (AttemptState, AttemptStatus, DutyReport, FetchFailure, Heartbeat, Registration,
                                      TaskPhase)


def registration(name, incarnation=1):
    return Registration(name=name, incarnation=incarnation, host="127.0.0.2", shuffle_port=9,
                        total=Resources(map_slots=1, reduce_slots=1))


class Registrations(Attack):
    """Trackers that are not there."""
    group, name = "forgeries", "forged registrations"

    def strike(self):
        for _ in range(200):
            try:
                self.tracker.register_tracker(registration(f"forged{random.getrandbits(60)}"))
                self.counts["accepted"] += 1
            except WeirError:
                self.counts["refused"] += 1
        self.pause(0.2)


class TakenNames(Attack):
    """Registers and reports under the names of trackers, while they are alive; a name that is free anybody may take."""
    group, name = "forgeries", "names of living trackers"

    def strike(self):
        before = self.client.trackers()
        for name in [t.name for t in before if t.state == "LIVE" and t.name in self.world.trackers]:
            incarnation = random.choice([0, 1, random.getrandbits(62)])
            for call, message in (
                    (self.tracker.register_tracker, registration(name, incarnation)),
                    (self.tracker.heartbeat, Heartbeat(name=name, incarnation=incarnation, sequence=1 << 60,
                                                       attempts=[], leaving=True, held_jobs=[]))):
                try:
                    call(message)
                    silent = next(t.last_heartbeat_ms_ago for t in before if t.name == name)
                    self.violations.add(f"the name {name}, heard of {silent} ms ago, was taken over")
                except WeirError:
                    self.counts["refused"] += 1
        self.pause(0.05)


class Reports(Attack):
    """A tracker that takes no tasks reports ends, lost outputs and last duties of the tenant's, and asks about its jobs."""
    group, name = "forgeries", "forged reports"

    def __init__(self, world, number=0):
        super().__init__(world, number)
        self.sequence = 0

    def strike(self):
        jobs = self.tenants_jobs()
        reports = [self.report(job.job, kind, index, attempt) for job in jobs for kind in (TaskKind.MAP, TaskKind.REDUCE)
                   for index in range(4) for attempt in range(2)]
        self.sequence += 1
        beat = Heartbeat(name="spy", incarnation=1, sequence=self.sequence, attempts=reports, accepts_tasks=False,
                         held_jobs=[job.job for job in jobs],
                         duties=[DutyReport(job=job.job, ok=random.random() < 0.5, message="forged") for job in jobs])
        try:
            reply = self.tracker.heartbeat(beat)
            self.counts["heartbeats"] += 1
            self.counts["told to kill"] += len(reply.kill)
            if reply.commit or reply.launch:
                self.violations.add(f"a forged tracker was told to publish or to launch: {reply}")
        except WeirError:
            self.tracker.register_tracker(registration("spy"))
        for job in jobs:
            for ask in (lambda: self.tracker.job(job.job), lambda: self.tracker.map_outputs(job.job, 0)):
                try:
                    ask()
                    self.violations.add("a tracker that runs nothing of a tenant's job was told about it")
                except WeirError:
                    self.counts["questions refused"] += 1
        self.pause(0.1)

    @staticmethod
    def report(job, kind, index, attempt):
        state = random.choice([AttemptState.SUCCEEDED, AttemptState.FAILED, AttemptState.COMMIT_PENDING])
        failures = [FetchFailure(map_index=i, map_attempt=0) for i in range(4)] if kind == TaskKind.REDUCE else None
        return AttemptStatus(id=AttemptId(job=job, kind=kind, index=index, attempt=attempt), state=state,
                             progress_millionths=1_000_000, phase=TaskPhase.COMMIT, fetch_failures=failures)


class Commands(Attack):
    """Another's jobs killed, moved and raised, under one's own name; 500 calls a go."""
    group, name = "forgeries", "commands for others' jobs"

    def strike(self):
        caller, jobs = Caller(user=HOSTILE), self.tenants_jobs()
        for i in range(500):
            job = jobs[0].job if jobs else 1
            try:
                random.choice([lambda: self.client.kill_job(caller, job), lambda: self.client.move_job(caller, job, "hostile"),
                               lambda: self.client.set_priority(caller, job, "VERY_LOW")])()
                self.violations.add("a command for another's job was carried out")
            except WeirError:
                self.counts["refused"] += 1


class Uploads(Attack):
    """Uploads that are begun, filled and never submitted."""
    group, name = "forgeries", "uploads"

    def __init__(self, world, number=0):
        super().__init__(world, number)
        self.splits = [Split(file=i, offset=i, length=1, hosts=["x" * 60] * 3) for i in range(5000)]

    def strike(self):
        try:
            upload = self.client.begin_upload(Caller(user=f"{HOSTILE}{random.randrange(50)}"))
            self.counts["begun"] += 1
            for _ in range(5):
                self.client.append_splits(upload, self.splits)
                self.counts["chunks"] += 1
        except WeirError:
            self.counts["refused"] += 1
            self.pause(0.1)


class StoreLock(Attack):
    """Holds SQLite's write lock for 15 s, as `sqlite3` by hand or a backup that is no .backup does."""
    group, name = "store", "write lock held for 15 s"

    def strike(self):
        holder = sqlite3.connect(self.world.dir / "weir.db", isolation_level=None, timeout=5)
        try:
            holder.execute("BEGIN IMMEDIATE")
            self.counts["locks"] += 1
            self.pause(15)
            holder.execute("ROLLBACK")
        except sqlite3.OperationalError:  # the JobTracker has it
            self.counts["not got"] += 1
        finally:
            holder.close()
        self.pause(20)
