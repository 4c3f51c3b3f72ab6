"""The store under a JobTracker that runs: locked by another process for longer than a tracker may be silent, deleted,
replaced, cut off, opened by a second JobTracker. No tracker is lost, no task killed, nothing acknowledged that is not there."""
import os
import signal
import sqlite3
import time
import unittest

from cluster import PATIENCE, Cluster, wait_for

EXPIRY = 4 * PATIENCE


class Store(Cluster):
    def setUp(self):
        super().setUp()
        self.store = self.dir / "weir.db"

    def part(self, suffix):
        return self.dir / f"weir.db{suffix}"

    def start_store(self, trackers=0):
        conf = self.settings(extra=f"heartbeat: {{expiry: {EXPIRY:.0f}s}}")
        self.start_cluster(trackers=trackers, conf=conf)
        return conf

    def refused_by_store(self, pattern):
        """Submissions are refused with the pattern, and `weir info` says it, too."""
        done = self.weir(*self.submit("refused", reduces=0))
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stderr, pattern)
        self.assertRegex(self.json("info")["store_error"] or "", pattern)
        self.assertIsNone(self.processes["jobtracker"].poll())

    def test_a_write_lock_that_is_held_for_longer_than_the_expiry(self):
        self.start_store(trackers=2)
        go = self.dir / "go"
        other = self.submitted("other", mapper=f"while ! test -e {self.dir}/end; do sleep 0.1; done; cat", reduces=0,
                               queue="production")
        commits = self.submitted("commits", mapper=f"while ! test -e {go}; do sleep 0.05; done; cat", reduces=0)
        wait_for("both run", lambda: all(self.json("job", "status", job)["maps"]["running"] for job in (other, commits)))
        with sqlite3.connect(self.store, isolation_level=None) as holder:
            holder.execute("BEGIN IMMEDIATE")
            go.touch()  # its map asks to commit, and the grant cannot be stored
            wait_for("the store is said to be locked", lambda: self.json("info")["store_error"])
            self.assertRegex(self.json("info")["store_error"], "locked by another process")
            deadline = time.monotonic() + 3 * EXPIRY
            while time.monotonic() < deadline:
                self.assertNotIn("LOST", [t["state"] for t in self.json("tracker", "list")])
                self.assertEqual(self.job_state(commits), "RUNNING")
                time.sleep(0.5)
            self.refused_by_store("locked by another process")
            holder.execute("ROLLBACK")
        holder.close()
        self.assertEqual(self.wait_for_end(commits), "SUCCEEDED")
        (self.dir / "end").touch()
        self.assertEqual(self.wait_for_end(other), "SUCCEEDED")
        for job in (commits, other):
            maps = self.json("job", "status", job)["maps"]
            self.assertEqual((maps["failed_attempts"], maps["killed_attempts"]), (0, 0))
        self.assertNotRegex(self.log("jobtracker"), "tracker tt.*lost")

    def test_a_store_that_was_deleted_or_moved_away(self):
        self.start_store()
        kept = self.submitted("kept", reduces=0)
        self.store.rename(self.dir / "aside.db")
        self.refused_by_store(r"weir\.db is gone.*deleted or moved away")
        (self.dir / "aside.db").rename(self.store)
        wait_for("it goes on with the file that is back", lambda: not self.json("info")["store_error"])
        self.submitted("again", reduces=0)
        self.assertEqual(self.job_state(kept), "PENDING")
        self.store.unlink()
        self.refused_by_store(r"weir\.db is gone")
        self.assertRegex(self.log("jobtracker"), r"\[error\] store: .*weir\.db is gone.*restore a copy")

    def test_a_store_that_was_replaced(self):
        self.start_store()
        self.submitted("kept", reduces=0)
        copy = self.dir / "copy.db"
        with sqlite3.connect(self.store) as store, sqlite3.connect(copy) as target:
            store.backup(target)
        store.close()
        target.close()
        copy.rename(self.store)
        self.refused_by_store(r"weir\.db is another file")

    def test_a_store_that_was_cut_off(self):
        self.start_store()
        self.submitted("kept", reduces=0)

        # What is being written while the file is cut off makes it long again.
        def is_refused():
            os.truncate(self.part("-wal"), 100)
            return self.weir(*self.submit("refused", reduces=0)).returncode
        wait_for("a submission is refused", is_refused)
        self.refused_by_store(r"weir\.db-wal was truncated")
        process = self.processes.pop("jobtracker")
        process.kill()
        process.wait()

    # Of the index a part is mapped into memory. Whether the JobTracker looks at it before it sees that it was cut off, and
    # gets a signal, is chance; it says so in either case.
    def test_an_index_that_was_cut_off(self):
        self.start_store()
        self.submitted("kept", reduces=0)
        os.truncate(self.part("-shm"), 0)
        done = self.weir(*self.submit("refused", reduces=0))
        self.assertNotEqual(done.returncode, 0, done.stdout)
        wait_for("it says so", lambda: "weir.db-shm" in self.log("jobtracker"))
        self.processes["jobtracker"].terminate()
        self.assertIn(self.processes.pop("jobtracker").wait(20 * PATIENCE), (0, 1), self.log("jobtracker"))

    def test_a_bus_error_is_said_in_the_log(self):
        self.start_store()
        process = self.processes.pop("jobtracker")
        process.send_signal(signal.SIGBUS)
        self.assertEqual(process.wait(20 * PATIENCE), 1)
        self.assertRegex(self.log("jobtracker"),
                         r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}\] \[error\] store: .*weir\.db-shm.*SIGBUS")
        self.start_jobtracker(self.dir / "weir.yaml")

    def test_a_second_jobtracker_without_the_lock_file(self):
        conf = self.start_store()
        self.part("-lock").unlink()
        second = self.start("second", ["jobtracker", "--conf", conf])
        self.assertEqual(second.wait(30 * PATIENCE), 1)
        self.assertRegex(self.log("second"), r"weir\.db is in use by another JobTracker")
        self.submitted("still", reduces=0)
        self.assertFalse(self.json("info")["store_error"])


if __name__ == "__main__":
    unittest.main()
