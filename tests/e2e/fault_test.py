"""Processes are killed at bad moments: acknowledged jobs are there again, finished work stays finished, outputs are
right, and no process is left behind."""
import signal
import time
import unittest

from cluster import MAPPER, SUM, Cluster, wait_for


class Faults(Cluster):
    def start_job(self, output="out", **options):
        return self.submitted(output, "--split-size", "8KiB", mapper="sleep 0.2; " + MAPPER, reducer=SUM, reduces=3,
                              input=self.some_text(lines=4000), **options)

    def check(self, job, output="out"):
        self.assertEqual(self.wait_for_end(job, 60), "SUCCEEDED", self.weir("job", "status", job).stdout)
        self.assertEqual(sorted(self.output(output).splitlines()),
                         self.coreutils_wordcount(self.some_text(lines=4000)))

    def maps_done(self, job):
        return self.json("job", "status", job)["maps"]["succeeded"]

    def test_jobtracker_killed_and_started_again(self):
        self.start_cluster(trackers=2)
        conf = self.dir / "weir.yaml"
        # The same ports again, as on a real cluster.
        port = self.address.split(":")[1]
        conf.write_text(conf.read_text().replace("127.0.0.1:0", f"127.0.0.1:{port}, trackers: 127.0.0.1:{self.tracker_port}"))
        job = self.start_job()
        killed = self.submitted("never", mapper="sleep 600", reduces=0, queue="production")
        self.ok("job", "kill", killed)
        self.ok("queue", "stop", "production")
        wait_for("some maps are done", lambda: self.maps_done(job) >= 3)
        self.processes["jobtracker"].send_signal(signal.SIGKILL)
        self.processes["jobtracker"].wait()
        self.start_jobtracker(conf)
        wait_for("what is finished is known, by the store or from the trackers", lambda: self.maps_done(job) >= 1)
        self.assertEqual(self.job_state(killed), "KILLED")
        self.assertEqual({q["name"]: q["state"] for q in self.json("queue", "list")}["production"], "STOPPED")
        self.check(job)
        later = self.submitted("later", mapper="cat", reduces=0)
        self.assertGreater(later, killed)

    def test_tracker_killed(self):
        conf = self.settings(extra="heartbeat: {expiry: 3s}")
        self.start_cluster(trackers=2, conf=conf)
        job = self.start_job()
        wait_for("some maps are done", lambda: self.maps_done(job) >= 3)
        self.processes["tt1"].send_signal(signal.SIGKILL)
        self.processes["tt1"].wait()
        wait_for("nothing of the killed tracker is left",
                 lambda: not [p for p in self.processes_below() if "/work/tt1" in p[1]], 10)
        self.check(job)

    def test_tracker_restarted_under_the_same_name(self):
        self.start_cluster(trackers=2)
        job = self.start_job()
        wait_for("some maps are done", lambda: self.maps_done(job) >= 3)
        self.processes["tt1"].send_signal(signal.SIGKILL)
        self.processes["tt1"].wait()
        self.start_tracker("tt1")
        self.check(job)

    def test_a_task_killed_from_outside_runs_again(self):
        self.start_cluster(trackers=1)
        job = self.start_job()
        wait_for("a map runs", lambda: self.json("job", "status", job)["maps"]["running"] > 0)
        victims = wait_for("its program is there", lambda: [p for p in self.processes_below() if "sleep" in p[1]])
        import os
        try:
            os.kill(int(victims[0][0]), signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.check(job)

    def test_kill_leaves_no_process(self):
        self.start_cluster(trackers=1)
        job = self.submitted("out", mapper="setsid sleep 987 & sleep 986 & sleep 985", reduces=0)
        wait_for("the programs run", lambda: len([p for p in self.processes_below() if "98" in p[1]]) >= 3)
        self.ok("job", "kill", job)
        wait_for("they are gone", lambda: not [p for p in self.processes_below() if "98" in p[1] and "sleep" in p[1]])
        self.assertEqual(self.job_state(job), "KILLED")
        self.assertNotEqual(self.weir("job", "kill", job).returncode, 0)


if __name__ == "__main__":
    unittest.main()
