"""Each kind of bad input gets one clear error that says where, what and what is allowed; nothing is lost and the daemon
goes on. WEIR_SHOW=1 prints each message."""
import os
import resource
import shutil
import signal
import socket
import struct
import subprocess
import threading
import unittest

from cluster import MAPPER, PATIENCE, SUM, WEIR, Cluster, wait_for

QUEUES = """
  - {name: research, guaranteed: 60%, queues: [{name: vision}, {name: speech}]}
  - {name: production, guaranteed: 40%, submit: ["alice"], administer: ["carol"]}
"""


class Submissions(Cluster):
    def setUp(self):
        super().setUp()
        self.start_cluster(trackers=1, conf=self.settings(QUEUES))

    def tearDown(self):
        # Whatever was asked, the daemon goes on.
        job = self.submitted("after", mapper="cat", queue="vision", reduces=0)
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED")
        super().tearDown()

    def test_unknown_queue(self):
        self.refused(2, r"no queue 'sales'.*research\.vision, research\.speech, production",
                     *self.submit("out", queue="sales", reduces=0))

    def test_inner_queue(self):
        self.refused(2, r"queue research has queues of its own.*research\.vision",
                     *self.submit("out", queue="research", reduces=0))

    def test_stopped_queue(self):
        self.refused(2, "may not administer", "queue", "stop", "production", user="bob")
        # Nobody is named: the cluster is its starter's, a job its submitter's.
        self.refused(2, "no administrator of this cluster", "policy", "set", "fifo", user="carol")
        own = self.submitted("own", mapper="sleep 100", queue="vision", reduces=0, user="bob")
        self.refused(2, "bob and, as administrators of its queue", "job", "kill", own, user="dan")
        self.refused(2, "may not administer", "queue", "stop", "research", user="bob")
        self.ok("job", "kill", own, user="bob")
        self.ok("queue", "stop", "research")
        self.ok("queue", "start", "research")
        self.ok("queue", "stop", "production", user="carol")
        self.refused(2, "queue production is stopped", *self.submit("out", queue="production", reduces=0),
                     user="alice")
        self.ok("queue", "start", "production", user="carol")
        self.ok(*self.submit("out", queue="production", reduces=0), user="alice")

    def test_no_permission(self):
        self.refused(2, "user bob may not submit to queue production.*allowed: alice",
                     *self.submit("out", queue="production", reduces=0), user="bob")

    def test_missing_input(self):
        self.refused(2, "missing.*(no such file|not exist)",
                     *self.submit("out", queue="vision", input=self.dir / "missing", reduces=0))

    def test_empty_input(self):
        (self.dir / "empty").touch()
        self.refused(2, "empty", *self.submit("out", queue="vision", input=self.dir / "empty", reduces=0))

    def test_output_exists(self):
        (self.dir / "out").mkdir()
        self.refused(2, "out.*exists", *self.submit("out", queue="vision", reduces=0))

    def test_output_in_use(self):
        job = self.submitted("out", queue="vision", mapper="sleep 600; cat", reduces=0)
        self.refused(2, "being written by job_", *self.submit("out", queue="vision", reduces=0))
        self.ok("job", "kill", job)

    def test_mapper_that_fails(self):
        error = self.refused(1, "failed 4 times.*status 3",
                             *self.submit("out", "--wait", queue="vision", mapper="echo boom >&2; exit 3", reduces=0))
        self.assertIn("boom", error)
        self.assertFalse(list((self.dir / "out").glob("part-*")) if (self.dir / "out").exists() else [])

    def test_mapper_that_hangs(self):
        self.refused(1, "task.timeout", *self.submit("out", "--wait", "--task-timeout", "1s", "--max-attempts", "1",
                                                     queue="vision", mapper="sleep 600", reduces=0))
        wait_for("the hanging program is gone", lambda: not [p for p in self.processes_below() if "sleep" in p[1]])

    def test_mapper_that_is_killed(self):
        self.refused(1, "signal 9|SIGKILL|Killed", *self.submit("out", "--wait", "--max-attempts", "2", queue="vision",
                                                               mapper="kill -9 $$", reduces=0))

    def test_mapper_that_does_not_exist(self):
        self.refused(1, "status 127.*not found|not found.*status 127",
                     *self.submit("out", "--wait", "--max-attempts", "1", queue="vision", mapper="no-such-program",
                                  reduces=0))

    def test_mapper_that_writes_binary(self):
        job = self.submitted("out", queue="vision", mapper="head -c 300000 /dev/urandom; cat >/dev/null",
                             reducer="cat", reduces=2)
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED")
        self.assertGreaterEqual(len(self.output("out")), 300000)

    def test_mapper_that_writes_a_line_of_100_mb(self):
        job = self.submitted("out", queue="vision", reducer="wc -c", reduces=1,
                             mapper="cat >/dev/null; head -c 100000000 /dev/zero | tr '\\0' x")
        self.assertEqual(self.wait_for_end(job, 300), "SUCCEEDED")
        self.assertIn(int(self.output("out").split()[0]), (100000000, 100000001, 100000002))

    def test_mapper_that_writes_nothing(self):
        job = self.submitted("out", queue="vision", mapper="cat >/dev/null", reducer="cat", reduces=2)
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED")
        self.assertEqual(self.output("out"), b"")

    def test_too_many_reduces(self):
        self.refused(2, "100,?000|100000", *self.submit("out", queue="vision", reducer="cat", reduces=1000000))

    def test_unknown_job_and_wrong_use(self):
        self.refused(1, "no job_0999", "job", "status", "999")
        self.refused(2, "job_x", "job", "status", "job_x")
        self.refused(2, "policy 'quick'; policies: capacity, fair, fifo", "policy", "set", "quick")
        self.refused(2, "ID is required", "job", "status")

    def test_garbage_and_half_open_connections_while_a_job_runs(self):
        job = self.submitted("out", "--split-size", "20KiB", queue="vision", mapper="sleep 0.2; " + MAPPER,
                             reducer=SUM, reduces=2)
        host, port = self.address.split(":")
        attacks = [
            b"GET / HTTP/1.1\r\nHost: weir\r\n\r\n",
            os.urandom(4096),
            struct.pack(">i", -1) + b"x",
            struct.pack(">i", 0x7FFFFFFF),
            struct.pack(">i", 100) + os.urandom(100),
            struct.pack(">i", 12) + b"\x80\x01\x00\x01" + struct.pack(">i", 0x7FFFFFFF) + b"evil",
            struct.pack(">i", 50) + b"half a frame",
            b"\x00\x00",
            b"",
        ]
        open_connections = []

        def attack(target):
            for _ in range(20):
                for garbage in attacks:
                    connection = socket.create_connection((host, target), timeout=5)
                    try:
                        connection.sendall(garbage)
                    except OSError:
                        pass
                    open_connections.append(connection)

        threads = [threading.Thread(target=attack, args=(target,)) for target in (int(port), self.tracker_port)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED")
        for connection in open_connections:
            connection.close()
        self.assertEqual(sorted(self.output("out").splitlines()), self.coreutils_wordcount(self.some_text()))
        self.assertGreater(self.json("info")["frames_refused"], 0)


class Settings(Cluster):
    def conf(self, text):
        path = self.dir / "bad.yaml"
        path.write_text(text)
        return path

    def test_all_errors_at_once_with_their_places(self):
        path = self.conf("policy: fastest\nlisten: {thrift: nowhere}\nqueus: []\nqueues:\n  - {name: a, guaranteed: 70%}\n"
                         "  - {name: a, guaranteed: 40%}\n")
        error = self.refused(2, rf"{path}:1:9: .*capacity", "conf", "check", path)
        self.assertRegex(error, r"bad\.yaml:3:1: .*queus.*queues")
        self.assertRegex(error, r"bad\.yaml:\d+:\d+: .*(twice|duplicate)")
        self.assertGreaterEqual(len(error.strip().splitlines()), 4)
        done = subprocess.run([WEIR, "jobtracker", "--conf", str(path)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"bad\.yaml:3:1")

    def test_unreadable_settings(self):
        self.refused(2, "missing.yaml", "conf", "check", self.dir / "missing.yaml")
        self.refused(2, r"bad\.yaml:3:1: not YAML", "conf", "check", self.conf("queues:\n  - {name: [\n"))
        (self.dir / "binary.yaml").write_bytes(os.urandom(1000))
        self.refused(2, "binary.yaml", "conf", "check", self.dir / "binary.yaml")

    def test_a_wrong_file_changes_nothing_on_a_running_jobtracker(self):
        self.start_jobtracker()
        self.refused(2, r"bad\.yaml:2:34: .*total 90%.*exactly 100%", "conf", "apply",
                     self.conf("queues:\n  - {name: research, guaranteed: 60%}\n  - {name: b, guaranteed: 30%}\n"))
        self.assertEqual([q["name"] for q in self.json("queue", "list")], ["research", "production"])

    def test_port_in_use(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            path = self.conf(f"listen: {{thrift: 127.0.0.1:{port}, trackers: 127.0.0.1:0}}\nstore: {{sqlite: {self.dir}/weir.db}}\n")
            done = subprocess.run([WEIR, "jobtracker", "--conf", str(path)], capture_output=True, text=True, timeout=30 * PATIENCE)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, rf"{port}.*in use")

    def test_nobody_listens(self):
        self.address = "127.0.0.1:1"
        self.refused(3, r"cannot reach the JobTracker at 127\.0\.0\.1:1", "queue", "list")


class Store(Cluster):
    def test_a_second_jobtracker_on_the_same_store(self):
        conf = self.settings()
        self.start_jobtracker(conf)
        done = subprocess.run([WEIR, "jobtracker", "--conf", str(conf)], capture_output=True, text=True, timeout=30 * PATIENCE)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"weir\.db.*in use")

    @unittest.skipIf(os.geteuid() != 0, "needs root, to run a daemon as somebody who may not write")
    def test_a_store_that_may_not_be_written(self):
        conf = self.settings()
        self.start_jobtracker(conf).terminate()
        self.processes.pop("jobtracker").wait()
        self.dir.chmod(0o755)
        binary = shutil.copy(WEIR, self.dir / "weir")  # he may not be let into the build's folder
        done = subprocess.run([binary, "jobtracker", "--conf", str(conf)], capture_output=True, text=True, timeout=30 * PATIENCE,
                              user=65534, group=65534, cwd=self.dir)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"weir\.db.*(read.only|not.*writ|permission)")

    def test_a_store_that_is_no_database(self):
        (self.dir / "weir.db").write_bytes(os.urandom(20000))
        done = subprocess.run([WEIR, "jobtracker", "--conf", str(self.settings())], capture_output=True, text=True,
                              timeout=30 * PATIENCE)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"weir\.db.*(not a|database|corrupt)")

    def test_a_store_that_is_damaged(self):
        conf = self.settings()
        self.start_jobtracker(conf)
        for i in range(30):
            self.ok(*self.submit(f"out{i}", mapper="cat #" + "x" * 2000, reduces=0))
        self.processes["jobtracker"].terminate()
        self.processes.pop("jobtracker").wait()
        store = self.dir / "weir.db"
        damaged = bytearray(store.read_bytes())
        damaged[8192:] = b"\x5a" * (len(damaged) - 8192)
        store.write_bytes(damaged)
        done = subprocess.run([WEIR, "jobtracker", "--conf", str(conf)], capture_output=True, text=True, timeout=30 * PATIENCE)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"weir\.db is damaged.*restore a copy")
        self.assertEqual(len(done.stderr.strip().splitlines()), 1)
        self.assertEqual(store.read_bytes()[8192:], bytes(damaged[8192:]))

    def mounted(self, options):
        """A file system of its own in the test's folder, if this machine lets us make one."""
        folder = self.dir / "disk"
        folder.mkdir(exist_ok=True)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True)
        if done.returncode != 0:
            self.skipTest("may not mount a file system")
        self.addCleanup(subprocess.run, ["umount", "--lazy", str(folder)])
        return folder

    def test_a_store_on_a_read_only_file_system(self):
        folder = self.mounted("size=8m")
        conf = self.settings()
        conf.write_text(conf.read_text().replace(f"{self.dir}/weir.db", f"{folder}/weir.db"))
        self.start_jobtracker(conf).terminate()
        self.processes.pop("jobtracker").wait()
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
        done = subprocess.run([WEIR, "jobtracker", "--conf", str(conf)], capture_output=True, text=True, timeout=30 * PATIENCE)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"weir\.db.*[Rr]ead-only")

    def test_a_file_system_that_is_full_and_then_is_not(self):
        folder = self.mounted("size=4m")
        conf = self.settings(extra="finished_jobs_kept: 1s")
        conf.write_text(conf.read_text().replace(f"{self.dir}/weir.db", f"{folder}/weir.db"))
        jobtracker = self.start_jobtracker(conf)
        killed = self.submitted("killed", mapper="cat", reduces=0)
        self.ok("job", "kill", killed)
        accepted = {self.submitted("first", mapper="cat", reduces=0)}
        ballast = os.open(folder / "ballast", os.O_CREAT | os.O_WRONLY)
        try:
            while os.write(ballast, b"x" * 4096):
                pass
        except OSError:
            os.close(ballast)
        refusal = None
        for i in range(200):
            done = self.weir(*self.submit(f"out{i}", mapper="cat #" + "x" * 20000, reduces=0))
            if done.returncode != 0:
                refusal = done.stderr
                break
            accepted.add(done.stdout.split()[0])
        self.assertRegex(refusal or "", r"store did not take it.*(no space left|reading or writing failed)")
        if os.environ.get("WEIR_SHOW"):
            print("full file system:", refusal.strip())
        # It goes on: lists, status, history and a reason that stays visible.
        self.assertIsNone(jobtracker.poll())
        self.assertEqual({job["job"] for job in self.json("job", "list")}, accepted)
        self.assertEqual([job["job"] for job in self.json("job", "list", "--history")], [killed])
        self.assertEqual(self.json("job", "status", killed)["state"], "KILLED")
        self.assertRegex(self.json("info")["store_error"] or "", "weir.db")
        (folder / "ballast").unlink()
        again = wait_for("the store takes jobs again",
                         lambda: (d := self.weir(*self.submit("again", mapper="cat", reduces=0))).returncode == 0 and d)
        accepted.add(again.stdout.split()[0])
        wait_for("it says so", lambda: not self.json("info")["store_error"])
        jobtracker.send_signal(signal.SIGKILL)
        jobtracker.wait()
        self.start_jobtracker(conf)
        self.assertEqual({job["job"] for job in self.json("job", "list")}, accepted)

    def test_a_full_disk_refuses_submissions_and_loses_nothing(self):
        # No file may grow over 400,000 bytes, from now on: writes fail as on a full disk.
        jobtracker = self.start_jobtracker(preexec_fn=lambda: signal.signal(signal.SIGXFSZ, signal.SIG_IGN))
        resource.prlimit(jobtracker.pid, resource.RLIMIT_FSIZE, (400000, resource.RLIM_INFINITY))
        accepted = []
        refusal = None
        for i in range(400):
            done = self.weir(*self.submit(f"out{i}", mapper="cat #" + "x" * 2000, reduces=0))
            if done.returncode != 0:
                refusal = done.stderr
                break
            accepted.append(done.stdout.split()[0])
        self.assertRegex(refusal or "", "store did not take it")
        if os.environ.get("WEIR_SHOW"):
            print("full store:", refusal.strip())
        self.assertIsNone(jobtracker.poll())
        self.assertEqual(len(self.json("job", "list")), len(accepted))
        resource.prlimit(jobtracker.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        again = wait_for("the store takes jobs again",
                         lambda: (d := self.weir(*self.submit("again", mapper="cat", reduces=0))).returncode == 0 and d)
        accepted.append(again.stdout.split()[0])
        jobtracker.send_signal(signal.SIGKILL)
        jobtracker.wait()
        self.start_jobtracker(self.dir / "weir.yaml")
        self.assertEqual({job["job"] for job in self.json("job", "list")}, set(accepted))


if __name__ == "__main__":
    unittest.main()
