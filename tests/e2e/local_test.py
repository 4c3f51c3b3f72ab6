"""`weir local --keep`: its JobTracker is started again, by command and by hand, under trackers that run jobs."""
import json
import os
import signal
import unittest

from cluster import Cluster, wait_for


class Local(Cluster):
    def setUp(self):
        super().setUp()
        self.cluster = self.dir / "cluster"

    def tearDown(self):
        self.weir("local", "--stop", self.cluster)
        super().tearDown()

    def start_local(self, *arguments):
        started = self.json("local", "--keep", "--dir", self.cluster, "--trackers", 2, *arguments)
        self.address = started["jobtracker"]
        return started

    def pids(self):
        """By name, as the cluster's own file has them."""
        return {name: int(pid) for pid, ticks, name in map(str.split, (self.cluster / "pids").read_text().splitlines())}

    def kill_jobtracker(self):
        pid = self.pids()["jobtracker"]
        os.kill(pid, signal.SIGKILL)
        wait_for("it is gone", lambda: not any(int(found) == pid for found, _ in self.processes_below()))

    def trackers_are_back(self):
        """All live; meanwhile none is awaited that was heard of."""
        def look():
            trackers = self.json("tracker", "list")
            for tracker in trackers:
                back = tracker["state"] not in ("AWAITED", "RETURNING")
                self.assertEqual(tracker["last_heartbeat_ms_ago"] is not None, back, tracker)
            return [tracker["state"] for tracker in trackers] == ["LIVE", "LIVE"]
        wait_for("both trackers are back", look)

    def test_jobs_go_on_over_restarts_on_the_same_ports(self):
        started = self.start_local()
        gate = self.dir / "gate"
        job = self.submitted("out", mapper=f"while ! [ -e {gate} ]; do sleep 0.1; done; cat", reduces=0)
        wait_for("it runs", lambda: self.json("job", "status", job)["maps"]["running"] == 1)
        before = self.pids()
        # One that lives is ended first, one that was killed is noticed.
        for kill in (False, True):
            if kill:
                self.kill_jobtracker()
            again = self.json("local", "--restart-jobtracker", self.cluster)
            for same in ("jobtracker", "client_port", "tracker_port"):
                self.assertEqual(again[same], started[same])
            self.assertEqual(self.pids(), {**before, "jobtracker": again["pid"]})
            self.assertNotEqual(again["pid"], before["jobtracker"])
            self.trackers_are_back()
            self.assertEqual(self.job_state(job), "RUNNING")
        gate.touch()
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED")
        maps = self.json("job", "status", job)["maps"]
        self.assertEqual((maps["failed_attempts"], maps["killed_attempts"]), (0, 0), "its attempt went on")
        self.assertIn("ended 3 processes", self.ok("local", "--stop", self.cluster))
        self.assertEqual(self.processes_below(), [])
        self.refused(1, "no cluster", "local", "--restart-jobtracker", self.cluster)

    def test_settings_and_store_of_its_own(self):
        conf = self.dir / "my.yaml"
        conf.write_text("listen: {thrift: 127.0.0.1:0}\nstore: {sqlite: my.db}\n"
                        "queues: [{name: mine, guaranteed: 100%}]\n")
        self.start_local("--conf", conf)
        job = self.submitted("out", queue="mine", mapper="cat", reduces=0)
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED")
        self.assertTrue((self.cluster / "my.db").exists())
        self.assertIn("started again", self.ok("local", "--restart-jobtracker", self.cluster))
        self.assertEqual([queue["name"] for queue in self.json("queue", "list")], ["mine"])
        self.assertEqual(self.job_state(job), "SUCCEEDED")
        self.ok("local", "--stop", self.cluster)
        self.assertEqual(self.processes_below(), [])

    def test_one_that_was_started_by_hand_belongs_to_it(self):
        self.start_local()
        client, tracker, _ = (self.cluster / "ports").read_text().split()
        self.kill_jobtracker()
        by_hand = ["jobtracker", "--conf", self.cluster / "weir.yaml", "--port", client, "--tracker-port", tracker]
        process = self.start("by hand", by_hand)
        wait_for("it listens", lambda: self.weir("tracker", "list").returncode == 0)
        self.trackers_are_back()
        self.refused(2, f"jobtracker is pid {process.pid}", "local", "--keep", "--dir", self.cluster)
        self.assertNotEqual(json.loads(self.ok("local", "--restart-jobtracker", self.cluster, "-o", "json"))["pid"],
                            process.pid)
        self.assertEqual(process.wait(), 0, "it was ended like any other")
        # And again, with what the cluster's directory says of it.
        self.kill_jobtracker()
        arguments = (self.cluster / "jobtracker.arguments").read_text().split("\0")[:-1]
        process = self.start("by hand", arguments)
        wait_for("it listens", lambda: self.weir("tracker", "list").returncode == 0)
        self.trackers_are_back()
        self.assertIn("ended 3 processes", self.ok("local", "--stop", self.cluster))
        self.assertEqual(process.wait(), 0)
        self.assertEqual(self.processes_below(), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
