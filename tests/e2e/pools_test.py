"""Containers under the fair policy, on real trackers: the example of the paper on dominant resource fairness, a pool that
takes its minimum share by force, also where the JobTracker is killed before, and a switch of policy while tasks run."""
import re
import signal
import unittest

from cluster import Cluster, wait_for

FAIR = """policy: fair
resources: containers
containers: {{minimum: {{memory_mb: 128, vcores: 0}}}}
heartbeat: {{floor: 100ms}}
capacity: {{interval: 200ms}}
fair:
  update_interval: 200ms
  preemption: on
  preemption_interval: 0s
  pools: {pools}"""


class PoolsOfContainers(Cluster):
    def start_pools(self, pools):
        self.conf = self.settings("\n  - {name: a}\n  - {name: b}\n", extra=FAIR.format(pools=pools))
        self.start_jobtracker(self.conf)
        self.keep_ports(self.conf)
        self.gate = self.dir / "gate"

    def start_tracker(self, offer):
        self.start("tt1", ["tracker", "--jobtracker", self.address, "--name", "tt1", "--work-dir", self.dir / "work",
                           "--offer", offer])
        wait_for("the tracker is there", lambda: len(self.json("tracker", "list")) == 1)

    def submit(self, pool, count, memory, vcores):
        """Its tasks run until they are let go."""
        command = f"while [ ! -e {self.gate} ]; do sleep 0.1; done; echo done"
        done = self.ok("run", "--queue", pool, "--count", count, "--memory", memory, "--vcores", vcores, "--", command)
        return re.search(r"job_\d+", done).group()

    def running(self, pool, dimension="memory_mb"):
        return self.json("queue", "show", pool)["dimensions"][dimension]["running"]

    def test_the_example_of_the_paper(self):
        """9 CPUs, 18 GB: A wants (4 GB, 1) a task, B (1 GB, 3): A runs 3 and B 2, and more of neither."""
        self.start_pools("[{name: a}, {name: b}]")
        a, b = self.submit("a", 20, "4G", 1), self.submit("b", 20, "1G", 3)
        self.start_tracker("memory_mb=18432,vcores=9")
        wait_for("A runs 3 tasks, B 2", lambda: self.running("a") == 3 * 4096 and self.running("b", "vcores") == 6)
        self.gate.touch()
        self.assertEqual([self.wait_for_end(a), self.wait_for_end(b)], ["SUCCEEDED"] * 2)

    def test_a_pool_takes_its_minimum_by_force(self):
        self.start_pools("[{name: a}, {name: b, min_share: {memory_mb: 2048}, min_share_timeout: 2s}]")
        self.start_tracker("memory_mb=4096,vcores=8")
        a = self.submit("a", 6, "1G", 1)
        wait_for("A runs on all there is", lambda: self.running("a") == 4096)
        before = sorted(one["attempt"] for one in self.json("job", "logs", a, "--list"))
        b = self.submit("b", 3, "2G", 1)
        wait_for("B runs", lambda: self.running("b") == 2048)
        kills = self.json("queue", "show", "b")["kills"] or self.json("queue", "show", "a")["kills"]
        self.assertEqual(sorted(kill["attempt"] for kill in kills), before[-2:])
        self.assertEqual({(kill["claimant"], kill["victim"], kill["outcome"]) for kill in kills}, {("b", "a", "used")})
        self.assertTrue(all(kill["owed_ms"] >= 2000 for kill in kills), kills)
        self.assertRegex(self.log("jobtracker"), r"to be killed on tracker tt1 \(min_share\) for pool b after")
        self.processes["jobtracker"].send_signal(signal.SIGKILL)
        self.processes["jobtracker"].wait()
        self.start_jobtracker(self.conf)
        wait_for("all runs on", lambda: (self.running("a"), self.running("b")) == (2048, 2048))
        self.ok("policy", "set", "capacity", "--yes")
        self.gate.touch()
        self.assertEqual([self.wait_for_end(a), self.wait_for_end(b)], ["SUCCEEDED"] * 2)


if __name__ == "__main__":
    unittest.main()
