"""Applications where containers count: real commands on real trackers, what they are given, how they end, and what a
restart of the JobTracker leaves of them."""
import os
import pathlib
import random
import re
import signal
import unittest
import urllib.request

from cluster import WEIR, Cluster, wait_for
from terminal import Dialog

CONTAINERS = "policy: fifo\nresources: containers\ncontainers: {resources: [gpu]}\nheartbeat: {floor: 100ms}"


class Run(Cluster):
    def start_offers(self, *offers, extra=CONTAINERS):
        """A tracker for each: what it offers, and further options."""
        self.start_jobtracker(self.settings(extra=extra))
        for i, (offer, *more) in enumerate(offers, 1):
            self.offer(f"tt{i}", offer, *more)
        wait_for("all trackers are there", lambda: len(self.json("tracker", "list")) == len(offers))

    def offer(self, name, offer, *more):
        self.start(name, ["tracker", "--jobtracker", self.address, "--name", name, "--work-dir", self.dir / "work" / name,
                          "--offer", offer, *more])

    def run_job(self, *arguments):
        return re.search(r"job_\d+", self.ok("run", "--queue", "research", *arguments)).group()

    def stdout(self, job, task="main.0"):
        return self.ok("job", "logs", job, "--task", task, "--stdout")

    def used(self, dimension):
        return {one["name"]: one["offer"][dimension]["used"] for one in self.json("tracker", "list")}

    def test_a_command_is_as_quick_to_type_as_srun(self):
        self.start_offers(("memory_mb=2048,vcores=2,gpu=0",))
        done = self.weir("run", "--queue", "research", "--wait", "--", "echo", "two  words", "$HOME")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("SUCCEEDED", done.stdout)
        job = re.search(r"job_\d+", done.stdout).group()
        self.assertEqual(self.stdout(job), "two  words $HOME\n")
        # One word is a line for the shell.
        job = self.run_job("--wait", "--", "echo one; echo err >&2")
        self.assertEqual(self.stdout(job), "one\n")
        self.assertEqual(self.ok("job", "logs", job, "--task", "main.0", "--stderr"), "err\n")

    def test_one_task_ends_as_its_command_does(self):
        self.start_offers(("memory_mb=2048,vcores=2,gpu=0",))
        for command, status in (("exit 7", 7), ("kill -9 $$", 137), ("true", 0)):
            done = self.weir("run", "--queue", "research", "--wait", "--retries", "0", "--", command)
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertRegex(self.json("job", "status", "1")["diagnostics"], r"^main\.0 failed 1 time, last on tracker tt1: ")

    def test_what_a_task_needs_is_there_before_it_starts(self):
        self.start_offers(("memory_mb=2048,vcores=4,gpu=3", "--port-range", "23400-23440"))
        job = self.run_job("--count", 3, "--memory", "300M", "--vcores", 1, "--resource", "gpu=1", "--ports", 2, "--env",
                           "MODE=a b", "--wait", "--", "env | grep -E ^WEIR_\\|^MODE= | sort; sleep 1")
        seen = [dict(line.split("=", 1) for line in self.stdout(job, f"main.{i}").splitlines()) for i in range(3)]
        for i, of in enumerate(seen):
            self.assertEqual([of[f"WEIR_{name}"] for name in ("JOB", "GROUP", "TASK_INDEX", "TASK_COUNT", "MEMORY_MB",
                                                              "VCORES")], [job, "main", str(i), "3", "384", "1"])
            self.assertEqual(of["MODE"], "a b")
            self.assertRegex(of["WEIR_ATTEMPT"], rf"attempt_0001_g0_00000{i}_\d+")
        self.assertEqual(sorted(of["WEIR_RES_GPU"] for of in seen), ["0", "1", "2"])  # at the same time
        ports = [of[f"WEIR_PORT{i}"] for of in seen for i in range(2)]
        self.assertEqual(len(set(ports)), 6)
        self.assertTrue(all(23400 <= int(port) <= 23440 for port in ports))
        self.assertEqual(self.used("gpu"), {"tt1": 0})

    def test_groups_on_trackers_of_different_size_and_labels(self):
        self.start_offers(("memory_mb=1024,vcores=1,gpu=0", "--label", "disk=ssd"),
                          ("memory_mb=4096,vcores=4,gpu=0", "--label", "disk=hdd"),
                          ("memory_mb=4096,vcores=4,gpu=0", "--label", "disk=ssd"))
        self.ok("tracker", "drain", "tt3")
        (self.dir / "job.yaml").write_text("""
name: train
queue: research
groups:
  - {name: ps, count: 1, command: 'echo ps', resources: {memory_mb: 512, vcores: 1}, require: {disk: ssd}}
  - {name: worker, count: 4, command: 'echo worker', resources: {memory_mb: 1024, vcores: 1}, require: {disk: "!ssd"}}
""")
        self.ok("run", "-f", "job.yaml", "--wait")
        where = {attempt["attempt"]: attempt["tracker"] for attempt in self.json("job", "logs", "1", "--list")}
        self.assertEqual({(name.split("_")[2], tracker) for name, tracker in where.items()}, {("g0", "tt1"), ("g1", "tt2")})
        self.assertEqual(self.stdout("1", "worker.3"), "worker\n")
        groups = self.json("job", "status", "1")["groups"]
        self.assertEqual([(one["name"], one["tasks"]["succeeded"]) for one in groups], [("ps", 1), ("worker", 4)])
        self.assertIn("5/5", self.ok("job", "list", "--all"))

    def test_a_service_is_reached_and_starts_again(self):
        self.start_offers(("memory_mb=2048,vcores=2,gpu=0", "--port-range", "23450-23490"))
        (self.dir / "hello").write_text("hello\n")
        job = self.run_job("--service", "--ports", 1, "--working-directory", self.dir, "--",
                           "echo $WEIR_PORT0; exec python3 -m http.server $WEIR_PORT0")
        port = wait_for("it says its port", lambda: self.job_state(job) == "RUNNING" and
                        (self.weir("job", "logs", job, "--stdout").stdout.split() or [None])[0])

        def page():
            try:
                return urllib.request.urlopen(f"http://127.0.0.1:{port}/hello", timeout=5).read()
            except OSError:
                return None
        self.assertEqual(wait_for("it answers", page), b"hello\n")
        ended = self.run_job("--service", "--", "true")
        wait_for("it has run three times", lambda: len(self.json("job", "logs", ended, "--list")) >= 1 and
                 "starts again" in (self.json("job", "status", ended)["status"] or ""))
        self.assertEqual(self.job_state(ended), "RUNNING")
        self.ok("job", "kill", job, ended)
        self.assertEqual(self.wait_for_end(job), "KILLED")
        wait_for("nothing of it is left", lambda: self.used("vcores") == {"tt1": 0})

    def kill_jobtracker_and_start_again(self):
        self.processes["jobtracker"].send_signal(signal.SIGKILL)
        self.processes["jobtracker"].wait()
        self.start_jobtracker(self.dir / "weir.yaml")

    def test_a_jobtracker_that_is_killed_again_and_again_loses_and_doubles_nothing(self):
        self.start_offers(("memory_mb=4096,vcores=3,gpu=0",), ("memory_mb=4096,vcores=3,gpu=0",))
        self.keep_ports(self.dir / "weir.yaml")
        log = self.dir / "log"
        service = self.run_job("--service", "--vcores", 1, "--", f"echo service >> {log}; exec sleep 1000")
        array = self.run_job("--count", 40, "--vcores", 1, "--",
                             f"echo start $WEIR_TASK_INDEX >> {log}; sleep 0.3; echo done $WEIR_TASK_INDEX >> {log}")
        dice = random.Random(31)
        lines = 0
        while lines < 60:  # of 81
            lines += dice.randint(1, 15)
            wait_for("they get on", lambda: log.exists() and len(log.read_text().splitlines()) >= lines)
            self.kill_jobtracker_and_start_again()
        self.assertEqual(self.wait_for_end(array), "SUCCEEDED")
        expected = ["service"] + [f"{what} {index}" for what in ("start", "done") for index in range(40)]
        self.assertEqual(sorted(log.read_text().splitlines()), sorted(expected))
        self.assertEqual(self.job_state(service), "RUNNING")
        self.assertEqual(sum(self.used("vcores").values()), 1)

    def test_an_interrupt_asks_whether_the_job_is_to_end(self):
        self.start_offers(("memory_mb=2048,vcores=2,gpu=0",))
        for answer, state in ((b"\n", "RUNNING"), (b"y\n", "KILLED")):
            run = Dialog([WEIR, "run", "--jobtracker", self.address, "--queue", "research", "--wait", "--", "sleep 1000"],
                         os.environ, self.dir)
            job = run.until(r"(job_\d+) submitted").group(1)
            wait_for("it runs", lambda: self.job_state(job) == "RUNNING")
            run.process.send_signal(signal.SIGINT)
            run.until(rf"Kill {job}\? \[y/N\]")
            run.type(answer)
            status = run.end()
            self.assertEqual(status, 130 if state == "RUNNING" else 1, run.printed)
            self.assertEqual(self.job_state(job), state)

    def test_a_restart_of_the_jobtracker_leaves_what_runs(self):
        self.start_offers(("memory_mb=2048,vcores=4,gpu=2",), ("memory_mb=2048,vcores=4,gpu=2",))
        self.keep_ports(self.dir / "weir.yaml")
        go = self.dir / "go"
        job = self.run_job("--count", 3, "--resource", "gpu=1", "--", f"echo $WEIR_RES_GPU; until [ -e {go} ]; do sleep 0.1; done")
        wait_for("all run", lambda: sum(self.used("gpu").values()) == 3)
        before = {one["attempt"] for one in self.json("job", "logs", job, "--list")}
        self.kill_jobtracker_and_start_again()
        wait_for("they are known again", lambda: sum(self.used("gpu").values()) == 3)
        self.assertEqual({one["attempt"] for one in self.json("job", "logs", job, "--list")}, before)
        other = self.run_job("--resource", "gpu=1", "--wait", "--", "echo $WEIR_RES_GPU")
        where = self.json("job", "logs", other, "--list")[0]["tracker"]
        taken = {self.stdout(job, f"main.{i}").strip() for i in range(3)
                 if any(one["tracker"] == where and one["index"] == i for one in self.json("job", "logs", job, "--list"))}
        self.assertNotIn(self.stdout(other).strip(), taken)
        go.touch()
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED")
        self.kill_jobtracker_and_start_again()
        ended = self.json("job", "status", job)
        self.assertEqual([(one["name"], one["tasks"]["succeeded"]) for one in ended["groups"]], [("main", 3)])

    def test_queues_and_trackers_say_what_is_reserved(self):
        self.start_offers(("memory_mb=2048,vcores=4,gpu=0",))
        small = self.run_job("--memory", "1024M", "--count", 2, "--", "sleep 1000")
        wait_for("the tracker is full", lambda: self.used("memory_mb") == {"tt1": 2048})
        large = self.run_job("--memory", "2048M", "--", "true")
        tracker = wait_for("it is reserved", lambda: next(
            (one for one in self.json("tracker", "list") if one["reserved_for"] == large), None))
        self.assertEqual(tracker["offer"]["memory_mb"], {"total": 2048, "used": 2048, "free": 0})
        queue = next(one for one in self.json("queue", "list") if one["name"] == "research")
        memory = queue["dimensions"]["memory_mb"]
        self.assertEqual((memory["running"], memory["pending"], memory["reserved"]), (2048, 0, 2048))
        self.assertEqual((memory["kept"], memory["min_share"]), (0, None))
        self.assertEqual(queue["dominant_thousandths"], 1000)
        self.assertIn("RESERVED FOR", self.ok("tracker", "list"))
        self.assertRegex(self.ok("queue", "list"), r"RESERVED")
        self.ok("job", "kill", small)
        self.assertEqual(self.wait_for_end(large), "SUCCEEDED")
        wait_for("nothing is reserved", lambda: self.json("tracker", "list")[0]["reserved_for"] is None)

    def test_what_cannot_be_is_refused(self):
        self.start_offers(("memory_mb=2048,vcores=2,gpu=1",))
        run = ("run", "--queue", "research")
        self.refused(2, "write what is to run", *run)
        self.refused(2, "--queue is missing", "run", "--", "true")
        self.refused(2, "the largest of 1 tracker offers 2048 MB", *run, "--memory", "3G", "--", "true")
        self.refused(2, "no tracker has the labels that it requires", *run, "--require", "disk=ssd", "--", "true")
        self.refused(2, "there is no resource 'fpga'.*allowed: gpu|allowed: gpu", *run, "--resource", "fpga=1", "--", "true")
        self.refused(2, r"--count: 4294967297 is not within 1 to 1000000", *run, "--count", 4294967297, "--", "true")
        self.refused(2, "group main: gang: 3 is out of range", *run, "--count", 2, "--gang", 3, "--", "true")
        self.refused(2, "gang of main: 3 x 1024 MB, 1 vcore; the empty cluster holds 2", *run, "--count", 3, "--gang", 3,
                     "--memory", "1G", "--", "true")
        (self.dir / "bad.yaml").write_text("groups: [{name: M, command: x}]\n")
        self.refused(2, r"bad.yaml:1:17: groups\[0\].name is \"M\"", *run, "-f", "bad.yaml")

    def test_a_task_over_its_memory_is_killed_and_told_so(self):
        self.start_offers(("memory_mb=2048,vcores=2,gpu=0",))
        if "cgroup: none" in self.log("tt1") or "memory" not in re.search(r"cgroup: .*", self.log("tt1")).group():
            self.skipTest("no control group of memory here")
        done = self.weir("run", "--queue", "research", "--memory", "128M", "--retries", "0", "--wait", "--",
                         "python3 -c 'x = bytearray(400 << 20)'")
        self.assertEqual(done.returncode, 137, done.stderr)
        self.assertRegex(done.stderr, r"killed for memory: the attempt's processes took \d+ MB, its limit is 128 MB")

    def test_mapreduce_in_containers(self):
        self.start_offers(("memory_mb=4096,vcores=4,gpu=0",))
        job = self.submitted("out", mapper="cat", reducer="cat", reduces=2)
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED")
        self.assertEqual(sorted(self.output("out").splitlines()),
                         sorted(pathlib.Path(self.some_text()).read_bytes().splitlines()))
        amounts = {one["name"]: one["dimensions"] for one in self.json("queue", "list")}
        self.assertEqual(amounts["research"]["memory_mb"]["running"], 0)
        self.assertIn("memory_mb", self.ok("queue", "list"))


if __name__ == "__main__":
    unittest.main()
