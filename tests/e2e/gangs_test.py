"""Gangs on real trackers: their tasks start together or not at all, under each policy; one that loses a member, or a tracker,
starts again whole; and a JobTracker that is killed finds those that run, and starts again those of which one is missing."""
import os
import re
import signal
import textwrap
import unittest

from cluster import PATIENCE, ROOT, Cluster, wait_for

CONTAINERS = "policy: {policy}\nresources: containers\nheartbeat: {{floor: 100ms, expiry: {expiry}}}"


class Gangs(Cluster):
    def start_cluster(self, policy, trackers, expiry=60 * PATIENCE):
        self.conf = self.settings("\n  - {name: a}\n", extra=CONTAINERS.format(policy=policy, expiry=f"{expiry:.0f}s"))
        self.start_jobtracker(self.conf)
        self.keep_ports(self.conf)
        self.gate = self.dir / "gate"
        for number in range(1, trackers + 1):
            self.start_tracker(f"tt{number}")
        wait_for("all trackers are there", lambda: len(self.json("tracker", "list")) == trackers)

    def start_tracker(self, name):
        first_port = 15000 + os.getpid() % 400 * 40 + 10 * (int(name[2:]) - 1)  # others test on this machine, too
        self.start(name, ["tracker", "--jobtracker", self.address, "--name", name, "--work-dir", self.dir / "work" / name,
                          "--offer", "memory_mb=1024,vcores=4", "--port-range", f"{first_port}-{first_port + 9}"])

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

    TRAIN = """
import os, socket, sys, time
peers = [line.split() for line in open(os.environ["WEIR_PEERS"])]
open(sys.argv[1] + "/" + os.environ["WEIR_ATTEMPT"], "w").write("")
own = [os.environ["WEIR_GROUP"], os.environ["WEIR_TASK_INDEX"]]
assert own in [peer[:2] for peer in peers], peers
workers = sorted(peer[1] for peer in peers if peer[0] == "worker")
if own[0] == "ps":
    server, met = socket.create_server(("", int(os.environ["WEIR_PORT0"]))), set()
    while sorted(met) != workers:
        with server.accept()[0] as worker:
            met.add(worker.recv(16).decode())
            worker.sendall(b"ok")
    print("met workers", *workers)
else:
    [[host, port]] = [peer[2:] for peer in peers if peer[0] == "ps"]
    while True:
        try:
            with socket.create_connection((host, int(port)), 5) as ps:
                ps.sendall(own[1].encode())
                assert ps.recv(2) == b"ok"
                break
        except OSError:
            time.sleep(0.05)
    first = sys.argv[1] + "/failed"
    if own[1] == "1" and not os.path.exists(first):
        while len(os.listdir(sys.argv[1])) < len(peers):  # one that is taken before it begins was never there
            time.sleep(0.05)
        open(first, "w").write("")
        sys.exit(3)
while not os.path.exists(sys.argv[2]):
    time.sleep(0.05)
"""

    def train(self):
        """A parameter server and three workers, on four trackers; the first time a worker fails once it has met the server."""
        (self.dir / "train.py").write_text(self.TRAIN)
        (self.dir / "began").mkdir()
        command = f"python3 {self.dir}/train.py {self.dir}/began {self.gate}"
        (self.dir / "train.yaml").write_text(
            f"name: train\nqueue: a\ngroups:\n"
            f"  - {{name: ps, count: 1, gang: 1, ports: 1, resources: {{memory_mb: 1024}}, command: '{command}'}}\n"
            f"  - {{name: worker, count: 3, gang: 3, resources: {{memory_mb: 1024}}, command: '{command}'}}\n")
        return re.search(r"job_\d+", self.ok("run", "-f", self.dir / "train.yaml")).group()

    def began(self):
        return sorted(each.name for each in (self.dir / "began").iterdir() if each.name != "failed")

    def test_members_find_each_other_also_when_they_start_again(self):
        self.start_cluster("capacity", 4)
        job = self.train()
        wait_for("all have begun twice", lambda: len(self.began()) == 8)
        self.gate.touch()
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED")
        self.assertIn("met workers 0 1 2", self.ok("job", "logs", job, "--task", "ps.0", "--stdout"))

    def example(self):
        """The files of docs/applications.md, as they stand there."""
        text = (ROOT / "docs/applications.md").read_text()
        for name, begin in (("train.yaml", "name: train"), ("worker.py", "import os, socket, sys"),
                            ("ps.py", "import os, socketserver")):
            block = re.search(rf"\n((    {begin}.*\n)(    .*\n)+)", text).group(1)
            (self.dir / name).write_text(textwrap.dedent(block))

    def run_example(self):
        done = self.ok("run", "-f", self.dir / "train.yaml", "--queue", "a", "--working-directory", self.dir, "--wait")
        self.assertIn("SUCCEEDED", done)
        return self.result_of_example()

    def result_of_example(self):
        [(ps, workers)] = [[group["tasks"] for group in self.json("job", "status", "1")["groups"]]]
        return ps["failed_attempts"] + workers["failed_attempts"], self.ok("job", "logs", "1", "--task", "ps.0")

    def test_the_example_of_the_documentation_trains(self):
        self.start_cluster("capacity", 4)
        self.example()
        failed, weight = self.run_example()
        self.assertEqual(failed, 0)
        self.assertRegex(weight, r"^weight 2\.[012]")

    def test_the_example_trains_on_when_a_worker_fails_after_others_are_done(self):
        self.start_cluster("capacity", 4)
        self.example()
        worker, end = (self.dir / "worker.py").read_text(), 'print("worker'
        self.assertIn(end, worker)
        (self.dir / "worker.py").write_text(worker.replace(end, f'''
if rank == 1 and not os.path.exists("{self.dir}/failed"):
    while not os.path.exists("{self.dir}/others"):
        time.sleep(0.05)
    open("{self.dir}/failed", "w")
    sys.exit(3)
{end}'''))
        began = self.ok("run", "-f", self.dir / "train.yaml", "--queue", "a", "--working-directory", self.dir)
        job = re.search(r"job_\d+", began).group()
        wait_for("the others are done",
                 lambda: self.json("job", "status", job)["groups"][1]["tasks"]["succeeded"] == 2)
        (self.dir / "others").touch()
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED")
        failed, weight = self.result_of_example()
        self.assertEqual(failed, 1)
        self.assertEqual(weight, "weight 2.100\n")  # of the one worker that came again

    def test_nobody_begins_before_all_are_known_also_when_the_jobtracker_is_killed_then(self):
        self.start_cluster("capacity", 4)
        self.processes["tt4"].send_signal(signal.SIGSTOP)
        job = self.train()
        wait_for("the gang has started but for one that its tracker has not heard of",
                 lambda: self.running() == 4096)
        attempts = lambda: [one for one in self.json("job", "status", job, "--tasks")["attempts"] if one["state"] == "RUNNING"]
        wait_for("three wait for the fourth", lambda: len(attempts()) == 3)
        self.assertEqual(self.began(), [])
        self.processes["jobtracker"].send_signal(signal.SIGKILL)
        self.processes["jobtracker"].wait()
        self.start_jobtracker(self.conf)
        self.processes["tt4"].send_signal(signal.SIGCONT)
        wait_for("all have begun twice", lambda: len(self.began()) == 8)
        self.gate.touch()
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED")

    def test_a_tracker_is_lost_that_holds_room(self):
        self.start_cluster("capacity", 2, expiry=8 * PATIENCE)
        first = self.submit(1, 0)
        wait_for("one tracker is full", lambda: self.started() == ["0"])
        gang = self.submit(2, 2)
        holders = lambda: [one["name"] for one in self.json("tracker", "list") if one["room_for"] == gang]
        [holder] = wait_for("the other one has room for a member", holders)
        self.assertIn(f"1 of {gang}", self.ok("tracker", "list"))
        self.processes[holder].send_signal(signal.SIGKILL)
        self.processes[holder].wait()
        wait_for("it is lost, and its room with it", lambda: not holders())
        self.start_tracker("tt3")
        wait_for("the room is on another one", lambda: holders() == ["tt3"])
        self.gate.touch()
        self.assertEqual([self.wait_for_end(first), self.wait_for_end(gang)], ["SUCCEEDED"] * 2)

    def test_a_tracker_is_lost_and_the_jobtracker_killed(self):
        self.start_cluster("capacity", 3, expiry=8 * PATIENCE)
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
