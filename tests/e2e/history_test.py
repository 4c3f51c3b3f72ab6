"""Jobs that are over leave the live lists for the history: on a real JobTracker, with real trackers, across kill -9."""
import signal
import sqlite3
import time
import unittest

from cluster import PATIENCE, Cluster, wait_for

SOON = "finished_jobs_kept: 1s\nhistory: {keep: 1h, at_most: 5}"


class History(Cluster):
    def ended(self, *arguments, **options):
        job = self.submitted(*arguments, **options)
        return job, self.wait_for_end(job)

    def history(self, *arguments):
        return [job["job"] for job in self.json("job", "list", "--history", *arguments)]

    def status(self, job):
        """All but the moment of the question."""
        status = self.json("job", "status", job)
        del status["now_ms"]
        return status

    def restart(self):
        jobtracker = self.processes.pop("jobtracker")
        jobtracker.send_signal(signal.SIGKILL)
        jobtracker.wait()
        for name in [name for name in self.processes if name.startswith("tt")]:
            process = self.processes.pop(name)
            process.terminate()
            process.wait()
        self.start_jobtracker(self.dir / "weir.yaml")

    def restart_under_trackers(self, down_seconds=0):
        """Kills the JobTracker alone and starts it again on its ports."""
        jobtracker = self.processes.pop("jobtracker")
        jobtracker.send_signal(signal.SIGKILL)
        jobtracker.wait()
        time.sleep(down_seconds)
        conf = self.dir / "weir.yaml"
        self.keep_ports(conf)
        self.start_jobtracker(conf)

    def test_what_is_over_is_on_record_also_after_a_crash(self):
        self.start_cluster(trackers=1, conf=self.settings(extra=SOON))
        counting = "cat; echo reporter:counter:mine,lines,3 >&2"
        good, state = self.ended("out1", mapper=counting, reduces=0, user="ann")
        self.assertEqual(state, "SUCCEEDED")
        bad, state = self.ended("out2", mapper="echo no good >&2; exit 7", reduces=0, queue="production")
        self.assertEqual(state, "FAILED")
        wait_for("both have left the live lists", lambda: not self.json("job", "list", "--all"))
        self.assertEqual(self.history(), [bad, good])
        before = self.status(good)
        self.assertTrue(before["from_history"])
        self.assertEqual(before["counters"]["mine"]["lines"], 3)
        self.assertEqual(before["maps"]["succeeded"], before["maps"]["total"])
        self.restart()
        self.assertEqual(self.history(), [bad, good])
        # What the store still had in its live tables is listed until the next tick.
        wait_for("the live lists are empty again", lambda: not self.json("job", "list", "--all"))
        self.assertEqual(self.status(good), before)
        status = self.json("job", "status", bad, "--tasks")
        self.assertEqual(status["state"], "FAILED")
        self.assertIn("failed 4 times", status["diagnostics"])
        self.assertEqual(status["maps"]["failed_attempts"], 4)
        self.assertEqual([attempt["state"] for attempt in status["attempts"]], ["FAILED"] * 4)
        self.assertIn("7", status["attempts"][0]["diagnostics"])
        self.assertEqual(self.history("--queue", "production"), [bad])
        self.assertEqual(self.history("--user", "ann"), [good])
        self.assertEqual(self.history("--since", "1h"), [bad, good])
        self.assertEqual(self.history("--state", "FAILED"), [bad])
        name = self.status(good)["name"]
        self.assertEqual(self.history("--name", f"{name[:-1]}?", "--user", "ann"), [good])
        self.assertEqual(self.history("--name", "none"), [])
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
        wait_for("all have ended", lambda: not self.json("job", "list"), 120)  # by then some may be gone
        wait_for("the oldest are gone", lambda: len(self.history()) == 5, 60)
        left = set(self.history())
        self.assertEqual(self.history("--limit", "2"), self.history()[:2])
        gone = [job for job in jobs if job not in left]
        self.refused(1, "there is no", "job", "status", gone[0])

    def test_after_a_restart_work_goes_on_as_soon_as_the_trackers_have_reported(self):
        self.start_cluster(trackers=2)
        job = self.submitted("out", "--split-size", "1KiB", mapper="cat; sleep 0.3", reduces=0)
        wait_for("some tasks are done", lambda: self.json("job", "status", job)["maps"]["succeeded"] > 2)
        began = time.monotonic()
        self.restart_under_trackers()
        done = self.json("job", "status", job)["maps"]["succeeded"]
        wait_for("new tasks are done", lambda: self.json("job", "status", job)["maps"]["succeeded"] > done + 4, 60)
        print(f"new tasks done {time.monotonic() - began:.1f} s after the start")
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED")

    def test_times_are_the_clocks_however_long_it_was_down(self):
        self.start_cluster(trackers=1, map_slots=2)
        over, _ = self.ended("out1", reduces=0)
        runs = self.submitted("out2", mapper="cat; while [ ! -e %s/go ]; do sleep 0.1; done" % self.dir, reduces=0)
        wait_for("it runs", lambda: self.json("job", "status", runs)["maps"]["running"] == 1)
        ended, began = self.json("job", "status", over), self.json("job", "status", runs)
        self.restart_under_trackers(down_seconds=3)
        self.restart_under_trackers(down_seconds=3)
        wait_for("it runs still", lambda: self.json("job", "status", runs)["maps"]["running"] == 1)
        again = self.json("job", "status", over)
        for stamp in ("submitted_at_ms", "started_at_ms", "finished_at_ms"):
            self.assertEqual(again[stamp], ended[stamp])
        asked = time.time() * 1000
        status = self.json("job", "status", runs, "--tasks")
        told = time.time() * 1000
        self.assertEqual(status["submitted_at_ms"], began["submitted_at_ms"])
        self.assertTrue(asked - 1500 <= status["now_ms"] <= told + 1500, (asked, status["now_ms"], told))
        # The tracker counts from the launch's arrival.
        self.assertAlmostEqual(status["started_at_ms"], began["started_at_ms"], delta=1500 * PATIENCE)
        [attempt] = [attempt for attempt in status["attempts"] if attempt["state"] == "RUNNING"]
        self.assertGreaterEqual(attempt["ran_ms"], 6000)
        asked = time.time() * 1000
        new = self.submitted("out3", reduces=0)
        told = time.time() * 1000
        submitted = self.json("job", "status", new)["submitted_at_ms"]
        self.assertTrue(asked - 1500 <= submitted <= told + 1500, (asked, submitted, told))
        self.assertEqual([job["job"] for job in self.json("job", "list", "--history", "--since", "1h")][-1], over)
        (self.dir / "go").touch()
        self.assertEqual(self.wait_for_end(runs), "SUCCEEDED")
        self.assertEqual(self.wait_for_end(new), "SUCCEEDED")

    def test_a_store_that_is_restored_keeps_what_its_jobs_have_completed_since(self):
        self.start_cluster(trackers=1)
        go = self.dir / "go"
        counted = ["--split-size", "4KiB"]
        ends = self.submitted("out1", *counted, mapper=f"cat; while [ ! -e {go} ]; do sleep 0.1; done", reducer="wc -l",
                              reduces=2)
        wait_for("it runs", lambda: self.json("job", "status", ends)["maps"]["running"] == 2)
        with sqlite3.connect(self.dir / "weir.db") as store, sqlite3.connect(self.dir / "copy.db") as copy:
            store.backup(copy)
        go.touch()
        self.assertEqual(self.wait_for_end(ends), "SUCCEEDED")
        before, mark = self.output("out1"), (self.dir / "out1" / "_SUCCESS").read_text()
        self.assertRegex(mark, rf"^{ends} \d+\n$")
        for name in ("tt1", "jobtracker"):
            process = self.processes.pop(name)
            process.terminate()
            process.wait()
        (self.dir / "copy.db").replace(self.dir / "weir.db")
        for name in ("weir.db-wal", "weir.db-shm"):
            (self.dir / name).unlink(missing_ok=True)
        self.start_jobtracker(self.dir / "weir.yaml")
        self.start_tracker("tt1")
        self.assertIn(self.job_state(ends), ("PENDING", "RUNNING"))
        self.assertEqual(self.wait_for_end(ends), "SUCCEEDED")
        self.assertEqual(self.output("out1"), before)
        self.assertEqual((self.dir / "out1" / "_SUCCESS").read_text(), mark)

    def test_logs_of_what_is_over_are_found_after_a_restart(self):
        self.start_cluster(trackers=1)
        job, _ = self.ended("out", mapper="cat; echo seen >&2", reduces=0)
        before = self.json("job", "logs", job, "--list")
        self.restart_under_trackers()
        wait_for("the tracker is back", lambda: self.json("tracker", "list")[0]["state"] == "LIVE")
        self.assertEqual(self.json("job", "logs", job, "--list"), before)
        self.assertIn("seen", self.ok("job", "logs", job))


if __name__ == "__main__":
    unittest.main()
