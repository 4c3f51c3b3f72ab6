"""A tracker in Python: registers, is given tasks by heartbeats, says that it has done them, publishes when told to,
and so brings jobs to their end. It runs no program: it is the protocol that is tested."""
import time
import unittest

from jobtracker import JobTracker, request
from weir_wire.common.ttypes import ErrorCode, Resources, TaskKind, WeirError
from weir_wire.tracker.ttypes import AttemptState, AttemptStatus, DutyReport, Heartbeat, Registration, TaskPhase


class Tracker:
    def __init__(self, service, name="py1", fail_first=False):
        self.service, self.name, self.fail_first = service, name, fail_first
        self.sequence = 0
        self.held = {}        # attempt -> its status
        self.duties = []
        self.jobs = {}        # job -> its description
        self.maps_seen = {}   # job -> map outputs known

    def register(self):
        total = Resources(map_slots=2, reduce_slots=1)
        return self.service.register_tracker(Registration(
            name=self.name, incarnation=1, host="127.0.0.1", shuffle_port=4000, total=total))

    @staticmethod
    def key(attempt):
        return attempt.job, attempt.kind, attempt.index, attempt.attempt

    def set(self, attempt, state):
        phase = TaskPhase.MAP if attempt.kind == TaskKind.MAP else TaskPhase.REDUCE
        self.held[self.key(attempt)] = AttemptStatus(
            id=attempt, state=state, progress_millionths=500000, phase=phase,
            diagnostics="told to fail" if state == AttemptState.FAILED else None)

    def beat(self):
        self.sequence += 1
        reply = self.service.heartbeat(Heartbeat(
            name=self.name, incarnation=1, sequence=self.sequence, attempts=list(self.held.values()),
            duties=self.duties, held_jobs=sorted({key[0] for key in self.held})))
        self.advance()
        for attempt in reply.acknowledged:
            self.held.pop(self.key(attempt), None)
        for attempt in reply.kill:
            self.set(attempt, AttemptState.KILLED)
        for attempt in reply.commit:
            self.set(attempt, AttemptState.SUCCEEDED)
        for launch in reply.launch:
            if self.key(launch.id) not in self.held:
                self.launch(launch)
        self.duties = [DutyReport(job=duty.job, ok=True) for duty in reply.duties]
        return reply

    def launch(self, launch):
        job = launch.id.job
        if job not in self.jobs:
            self.jobs[job] = self.service.job(job)
        if launch.id.kind == TaskKind.MAP:
            assert launch.split.length == 100, launch
        if self.fail_first and launch.id.index == 0 and launch.id.kind == TaskKind.MAP:
            self.fail_first = False
            return self.set(launch.id, AttemptState.FAILED)
        self.set(launch.id, AttemptState.RUNNING)

    def advance(self):
        """What ran at the last heartbeat goes one step on."""
        for status in self.held.values():
            if status.state != AttemptState.RUNNING:
                continue
            job = status.id.job
            reduces = self.jobs[job].spec.reduces
            if status.id.kind == TaskKind.MAP and reduces:
                status.state = AttemptState.SUCCEEDED
                continue
            if status.id.kind == TaskKind.REDUCE and not self.have_all_maps(job):
                continue
            status.state = AttemptState.COMMIT_PENDING

    def have_all_maps(self, job):
        outputs = self.service.map_outputs(job, 0)
        usable = {o.map_index for o in outputs.outputs if not o.obsolete}
        self.maps_seen[job] = outputs.outputs
        return len(usable) == self.jobs[job].maps


class TrackerTest(unittest.TestCase):
    def run_job(self, jobtracker, tracker, job):
        client = jobtracker.client()
        for _ in range(1000):
            tracker.beat()
            status = client.job_status(job, 0)
            if status.state not in ("WAITING", "PENDING", "RUNNING"):
                return status
            time.sleep(0.01)
        self.fail(f"the job did not end: {status}")

    def test_must_register_first(self):
        with JobTracker() as jobtracker:
            tracker = Tracker(jobtracker.tracker())
            with self.assertRaises(WeirError) as caught:
                tracker.beat()
            self.assertEqual(caught.exception.code, ErrorCode.UNKNOWN_TRACKER)
            self.assertGreater(tracker.register().interval_ms, 0)
            tracker.beat()

    def test_completes_a_map_only_job(self):
        with JobTracker() as jobtracker:
            tracker = Tracker(jobtracker.tracker())
            tracker.register()
            job = jobtracker.client().submit(request(5, 0, "/out/a")).job
            status = self.run_job(jobtracker, tracker, job)
            self.assertEqual((status.state, status.maps.succeeded), ("SUCCEEDED", 5))

    def test_completes_a_map_reduce_job_after_a_failure(self):
        with JobTracker() as jobtracker:
            tracker = Tracker(jobtracker.tracker(), fail_first=True)
            tracker.register()
            client = jobtracker.client()
            job = client.submit(request(6, 2, "/out/a", queue="production")).job
            status = self.run_job(jobtracker, tracker, job)
            self.assertEqual(status.state, "SUCCEEDED", status)
            self.assertEqual((status.maps.succeeded, status.reduces.succeeded), (6, 2))
            self.assertEqual(status.maps.failed_attempts, 1)
            self.assertEqual({o.host for o in tracker.maps_seen[job]}, {"127.0.0.1"})
            attempts = client.attempts(job)
            self.assertEqual(len(attempts), 9)
            failed = [a for a in attempts if a.state == "FAILED"]
            self.assertEqual([(a.tracker, a.diagnostics, a.log_port) for a in failed], [("py1", "told to fail", 4000)])

    def test_goes_on_after_the_jobtracker_was_killed(self):
        with JobTracker() as jobtracker:
            tracker = Tracker(jobtracker.tracker())
            tracker.register()
            job = jobtracker.client().submit(request(6, 1, "/out/a")).job
            for _ in range(3):
                tracker.beat()
            jobtracker.kill()
            jobtracker.start()
            tracker.service = jobtracker.tracker()
            tracker.register()
            status = self.run_job(jobtracker, tracker, job)
            self.assertEqual((status.state, status.maps.succeeded), ("SUCCEEDED", 6))


if __name__ == "__main__":
    unittest.main(warnings="ignore")  # sockets are left to the garbage collector
