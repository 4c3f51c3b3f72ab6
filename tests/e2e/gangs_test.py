"""Gangs on real trackers: their tasks start together or not at all, under each policy; one that loses a member, or a tracker,
starts again whole; and a JobTracker that is killed finds those that run, and starts again those of which one is missing."""
import re
import signal
import unittest

from cluster import Cluster, wait_for

CONTAINERS = "policy: {policy}\nresources: containers\nheartbeat: {{floor: 100ms, expiry: 3s}}"


class Gangs(Cluster):
    def start_cluster(self, policy, trackers):
        self.conf = self.settings("\n  - {name: a}\n", extra=CONTAINERS.format(policy=policy))
        self.start_jobtracker(self.conf)
        self.keep_ports(self.conf)
        self.gate = self.dir / "gate"
        for number in range(1, trackers + 1):
            self.start_tracker(f"tt{number}")
        wait_for("all trackers are there", lambda: len(self.json("tracker", "list")) == trackers)

    def start_tracker(self, name):
        self.start(name, ["tracker", "--jobtracker", self.address, "--name", name, "--work-dir", self.dir / "work" / name,
                          "--offer", "memory_mb=1024,vcores=4"])

    def submit(self, count, gang, memory="1G"):
        """Each task says that it starts, and ends when it is let go."""
        command = f"echo $WEIR_TASK_INDEX >> {self.dir}/started; while [ ! -e {self.gate} ]; do sleep 0.1; done"
        done = self.ok("run", "--queue", "a", "--count", count, "--gang", gang, "--memory", memory, "--", command)
        return re.search(r"job_\d+", done).group()

    def started(self):
        file = self.dir / "started"
        return sorted(file.read_text().split()) if file.exists() else []

    def running(self):
        return self.json("queue", "show", "a")["dimensions"]["memory_mb"]["running"]

    def all_start_or_none(self, policy):
        self.start_cluster(policy, 1)
        first = self.submit(1, 0)
        wait_for("the tracker is full", lambda: self.started() == ["0"])
        gang = self.submit(2, 2, memory="512M")
        wait_for("it says what it waits for", lambda: "gang" in [r["code"] for r in self.json("job", "explain", gang)["reasons"]])
        self.assertIn("2 tasks start together or none does", self.ok("job", "explain", gang))
        self.assertEqual(self.started(), ["0"])
        self.gate.touch()
        self.assertEqual([self.wait_for_end(first), self.wait_for_end(gang)], ["SUCCEEDED"] * 2)
        self.assertEqual(self.started(), ["0", "0", "1"])

    def test_all_start_or_none_under_capacity(self):
        self.all_start_or_none("capacity")

    def test_all_start_or_none_under_fair(self):
        self.all_start_or_none("fair")

    def test_all_start_or_none_under_fifo(self):
        self.all_start_or_none("fifo")

    def test_a_member_that_fails_takes_all_with_it(self):
        self.start_cluster("capacity", 3)
        # It fails when all have said that they start: a member may be taken with it before its command runs.
        command = (f"echo $WEIR_TASK_INDEX >> {self.dir}/started; [ $WEIR_TASK_INDEX = 1 ] && mkdir {self.dir}/failed &&"
                   f" while [ $(wc -l < {self.dir}/started) -lt 3 ]; do sleep 0.1; done && exit 3;"
                   f" while [ ! -e {self.gate} ]; do sleep 0.1; done")
        job = re.search(r"job_\d+", self.ok("run", "--queue", "a", "--count", 3, "--gang", 3, "--memory", "1G", "--", command)).group()
        wait_for("all have started twice", lambda: self.started() == ["0", "0", "1", "1", "2", "2"])
        self.gate.touch()
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED")
        [tasks] = self.json("job", "status", job)["groups"]
        self.assertEqual((tasks["tasks"]["failed_attempts"], tasks["tasks"]["killed_attempts"]), (1, 2))

    def test_a_tracker_is_lost_and_the_jobtracker_killed(self):
        self.start_cluster("capacity", 3)
        job = self.submit(2, 2)
        wait_for("both run", lambda: self.started() == ["0", "1"])
        self.processes["jobtracker"].send_signal(signal.SIGKILL)
        self.processes["jobtracker"].wait()
        self.start_jobtracker(self.conf)
        wait_for("both run on", lambda: self.running() == 2048)
        self.assertEqual(self.started(), ["0", "1"])
        at = next(one["name"] for one in self.json("tracker", "list") if one["offer"]["memory_mb"]["used"] > 0)
        self.processes[at].send_signal(signal.SIGKILL)
        self.processes[at].wait()
        wait_for("both have started again", lambda: self.started() == ["0", "0", "1", "1"])
        self.gate.touch()
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED")


if __name__ == "__main__":
    unittest.main()
