"""Jobs that are over leave the live lists for the history: on a real JobTracker, with real trackers, across kill -9."""
import signal
import time
import unittest

from cluster import Cluster, wait_for

SOON = "finished_jobs_kept: 1s\nhistory: {keep: 1h, at_most: 5}"


class History(Cluster):
    def ended(self, *arguments, **options):
        job = self.submitted(*arguments, **options)
        return job, self.wait_for_end(job)

    def history(self, *arguments):
        return [job["job"] for job in self.json("job", "list", "--history", *arguments)]

    def restart(self):
        jobtracker = self.processes.pop("jobtracker")
        jobtracker.send_signal(signal.SIGKILL)
        jobtracker.wait()
        for name in [name for name in self.processes if name.startswith("tt")]:
            process = self.processes.pop(name)
            process.terminate()
            process.wait()
        self.start_jobtracker(self.dir / "weir.yaml")

    def test_what_is_over_is_on_record_also_after_a_crash(self):
        self.start_cluster(trackers=1, conf=self.settings(extra=SOON))
        counting = "cat; echo reporter:counter:mine,lines,3 >&2"
        good, state = self.ended("out1", mapper=counting, reduces=0, user="ann")
        self.assertEqual(state, "SUCCEEDED")
        bad, state = self.ended("out2", mapper="echo no good >&2; exit 7", reduces=0, queue="production")
        self.assertEqual(state, "FAILED")
        wait_for("both have left the live lists", lambda: not self.json("job", "list", "--all"))
        self.assertEqual(self.history(), [bad, good])
        before = self.json("job", "status", good)
        self.assertTrue(before["from_history"])
        self.assertEqual(before["counters"]["mine"]["lines"], 3)
        self.assertEqual(before["maps"]["succeeded"], before["maps"]["total"])
        self.restart()
        self.assertEqual(self.history(), [bad, good])
        # What the store still had in its live tables is listed until the next tick.
        wait_for("the live lists are empty again", lambda: not self.json("job", "list", "--all"))
        self.assertEqual(self.json("job", "status", good), before)
        status = self.json("job", "status", bad, "--tasks")
        self.assertEqual(status["state"], "FAILED")
        self.assertIn("failed 4 times", status["diagnostics"])
        self.assertEqual(status["maps"]["failed_attempts"], 4)
        self.assertEqual([attempt["state"] for attempt in status["attempts"]], ["FAILED"] * 4)
        self.assertIn("7", status["attempts"][0]["diagnostics"])
        self.assertEqual(self.history("--queue", "production"), [bad])
        self.assertEqual(self.history("--user", "ann"), [good])
        self.assertEqual(self.history("--since", "1h"), [bad, good])
        self.assertEqual(self.history("--before", "1h"), [])
        self.assertIn(good, self.ok("job", "list", "--history"))
        self.assertIn("FAILED", self.ok("job", "explain", bad))
        self.refused(1, "there is no job_0099", "job", "status", "99")
        self.refused(2, "--since: 'never' is no point in time", "job", "list", "--history", "--since", "never")
        # Numbers go on where they were, although nothing of the old jobs is left among the live ones.
        self.assertEqual(self.submitted("out3", mapper="cat", reduces=0), "job_0003")

    def test_a_job_that_ended_just_before_a_crash_has_its_counters(self):
        self.start_cluster(trackers=1)
        job, _ = self.ended("out", mapper="cat; echo reporter:counter:mine,lines,3 >&2", reduces=0)
        before = self.json("job", "status", job)
        self.restart()
        after = self.json("job", "status", job)
        self.assertEqual(after["counters"], before["counters"])
        self.assertEqual(after["started_at_ms"], before["started_at_ms"])
        self.assertFalse(after["from_history"])

    def test_failed_attempts_of_a_job_that_ended_before_a_crash(self):
        self.start_cluster(trackers=1)
        job, state = self.ended("out", mapper="echo no good >&2; exit 7", reduces=0)
        self.assertEqual(state, "FAILED")
        self.restart()
        attempts = self.json("job", "status", job, "--tasks")["attempts"]
        self.assertEqual([attempt["state"] for attempt in attempts], ["FAILED"] * 4)

    def test_bench_store(self):
        figures = self.json("bench", "store", "--dir", self.dir, "--seconds", "0.3", "--unfinished", "100",
                            "--finished-tasks", "1000")
        self.assertGreater(figures["submissions"]["acknowledged"], 10)
        self.assertGreater(figures["restart"]["launch_seconds"], 0)
        self.refused(2, "--dir /nowhere: not a directory", "bench", "store", "--dir", "/nowhere")

    def test_the_clean_up_of_a_job_that_ended_just_before_a_crash_is_done(self):
        self.start_cluster(trackers=1)
        job = self.submitted("out", mapper="cat; sleep 100", reduces=0)
        wait_for("it writes", lambda: (self.dir / "out" / "_temporary").exists())
        # The tracker is gone before it can clean up.
        tracker = self.processes.pop("tt1")
        tracker.send_signal(signal.SIGKILL)
        tracker.wait()
        self.ok("job", "kill", job)
        self.restart()
        self.assertEqual(self.job_state(job), "KILLED")
        self.assertTrue((self.dir / "out" / "_temporary").exists())
        self.start_tracker("tt1")
        wait_for("it is cleaned up", lambda: not (self.dir / "out" / "_temporary").exists(), 60)

    def test_the_history_is_bounded(self):
        self.start_cluster(trackers=1, conf=self.settings(extra=SOON))
        jobs = [self.submitted(f"out{i}", mapper="cat", reduces=0) for i in range(8)]
        for job in jobs:
            self.wait_for_end(job)
        wait_for("the oldest are gone", lambda: len(self.history()) == 5, 60)
        left = set(self.history())
        self.assertEqual(self.history("--limit", "2"), self.history()[:2])
        gone = [job for job in jobs if job not in left]
        self.refused(1, "there is no", "job", "status", gone[0])

    def test_after_a_restart_work_goes_on_as_soon_as_the_trackers_have_reported(self):
        self.start_cluster(trackers=2)
        job = self.submitted("out", "--split-size", "1KiB", mapper="cat; sleep 0.3", reduces=0)
        wait_for("some tasks are done", lambda: self.json("job", "status", job)["maps"]["succeeded"] > 2)
        jobtracker = self.processes.pop("jobtracker")
        port = self.address.rsplit(":", 1)[1]
        jobtracker.send_signal(signal.SIGKILL)
        jobtracker.wait()
        conf = self.dir / "weir.yaml"
        conf.write_text(conf.read_text().replace(
            "thrift: 127.0.0.1:0", f"thrift: 127.0.0.1:{port}, trackers: 127.0.0.1:{self.tracker_port}"))
        began = time.monotonic()
        self.start_jobtracker(conf)
        done = self.json("job", "status", job)["maps"]["succeeded"]
        wait_for("new tasks are done", lambda: self.json("job", "status", job)["maps"]["succeeded"] > done + 4, 60)
        print(f"new tasks done {time.monotonic() - began:.1f} s after the start")
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED")


if __name__ == "__main__":
    unittest.main()
