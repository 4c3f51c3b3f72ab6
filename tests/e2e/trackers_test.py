"""Trackers that drain, stop, fail, run full, have wrong clocks or are killed: jobs go on, and nothing is left behind."""
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

from cluster import MAPPER, PATIENCE, ROOT, SUM, Cluster, wait_for

BEAT = "heartbeat: {interval: 100ms}\n"
HOUR = 3600


class Trackers(Cluster):
    def tracker(self, name):
        return next((each for each in self.json("tracker", "list") if each["name"] == name), {"state": "unknown"})

    def wait_for_state(self, name, state, seconds=20):
        wait_for(f"{name} is {state}", lambda: self.tracker(name)["state"] == state, seconds)

    def ends_cleanly(self, name):
        self.assertEqual(self.processes.pop(name).wait(20 * PATIENCE), 0)
        self.assertIn("stopped by", self.log(name))

    def succeeds(self, job):
        self.assertEqual(self.wait_for_end(job, 60), "SUCCEEDED", self.weir("job", "status", job).stdout)

    def test_drain_stop_and_resume(self):
        self.start_cluster(trackers=2, conf=self.settings(extra=BEAT + "administrators: [boss]"))
        self.refused(2, "not permitted|administrator", "tracker", "drain", "tt1", user="eve")
        self.refused(2, "'tt11', did you mean 'tt1'", "tracker", "drain", "tt2", "tt11", user="boss")
        self.wait_for_state("tt2", "LIVE")
        self.refused(2, "there is no tracker 'tt3', did you mean", "tracker", "show", "tt3")
        self.assertEqual(self.json("tracker", "show", "tt1")["name"], "tt1")
        self.ok("tracker", "drain", "tt1", "--reason", "new disks", user="boss")
        self.assertEqual(self.tracker("tt1")["state"], "DRAINED", "nothing runs there")
        self.assertRegex(self.ok("tracker", "show", "tt1"),
                         r"drain ordered by boss .* ago: new disks\nremaining: +nothing\n")
        job = self.submitted("drained", mapper=MAPPER, reducer=SUM, reduces=2, input=self.some_text())
        self.succeeds(job)
        self.assertEqual(list((self.dir / "work" / "tt1" / "logs").glob("*")), [], "nothing ran on the draining tracker")
        # The drain is about the machine: it outlives both daemons.
        conf = self.dir / "weir.yaml"
        port = self.address.split(":")[1]
        conf.write_text(conf.read_text().replace("127.0.0.1:0", f"127.0.0.1:{port}, trackers: 127.0.0.1:{self.tracker_port}"))
        for name in ("jobtracker", "tt1"):
            self.processes[name].send_signal(signal.SIGKILL)
            self.processes.pop(name).wait()
        self.start_jobtracker(conf)
        self.start_tracker("tt1")
        self.wait_for_state("tt1", "DRAINED")
        self.assertIn("new disks", self.ok("tracker", "show", "tt1"))
        self.ok("tracker", "resume", "tt1", user="boss")
        self.wait_for_state("tt1", "LIVE")
        # A stop waits for what runs, and for outputs that are needed.
        self.ok("tracker", "drain", "tt2", user="boss")
        gate = self.dir / "gate"
        job = self.submitted("stopped", mapper=MAPPER, reducer=f"while ! [ -e {gate} ]; do sleep 0.1; done; " + SUM,
                             reduces=1, input=self.some_text())
        wait_for("its map is done", lambda: self.json("job", "status", job)["maps"]["succeeded"] == 1)
        self.ok("tracker", "stop", "tt1", user="boss")
        self.assertEqual(self.tracker("tt1")["state"], "STOPPING")
        wait_for("it says what it waits for", lambda: re.search(
            rf"remaining: +1 attempt runs here, 1 map output is needed by {job}\n", self.ok("tracker", "show", "tt1")))
        gate.touch()
        self.succeeds(job)
        self.ends_cleanly("tt1")
        self.wait_for_state("tt1", "LOST")
        self.assertIn("stopped by boss", self.tracker("tt1")["lost_why"])
        # Started again it is welcome.
        self.start_tracker("tt1")
        self.wait_for_state("tt1", "LIVE")
        self.succeeds(self.submitted("again", mapper="cat", reduces=0))

    def test_a_dead_tracker_is_declared_lost_and_its_name_is_free(self):
        # One that is late is not silent yet.
        self.start_cluster(trackers=2, conf=self.settings(extra=f"heartbeat: {{interval: {500 * PATIENCE:.0f}ms}}\n"))
        gate = self.dir / "gate"
        job = self.submitted("long", mapper=f"while ! [ -e {gate} ]; do sleep 0.1; done; cat", reduces=0,
                             input=self.some_text())
        wait_for("its map runs", lambda: self.json("job", "status", job)["maps"]["running"] == 1)
        where = next(each["name"] for each in self.json("tracker", "list") if each["attempts"] == 1)
        other = "tt2" if where == "tt1" else "tt1"
        self.refused(2, f"{where} was heard of .* it is not dead", "tracker", "lost", where)
        self.refused(2, f"{other} is not lost", "tracker", "forget", other)
        # Another tracker of that name, elsewhere, is refused and takes nothing over.
        self.start_tracker(where, process="impostor")
        wait_for("it is refused", lambda: f"another tracker named {where}" in self.log("impostor"))
        self.assertEqual(self.json("job", "status", job)["maps"]["running"], 1)
        self.wait_for_state(where, "LIVE")
        self.processes[where].send_signal(signal.SIGKILL)
        self.processes.pop(where).wait()
        self.wait_for_state(where, "SILENT")
        self.ok("tracker", "lost", where, "--reason", "power supply")
        wait_for("the other one has the name", lambda: self.tracker(where)["state"] == "LIVE")
        gate.touch()
        self.succeeds(job)
        self.processes["impostor"].send_signal(signal.SIGKILL)
        self.processes.pop("impostor").wait()
        self.wait_for_state(where, "SILENT")
        self.ok("tracker", "lost", where)
        self.assertRegex(self.tracker(where)["lost_why"], "declared lost by")
        self.ok("tracker", "forget", where)
        self.assertEqual(self.tracker(where)["state"], "unknown")

    def test_stop_now(self):
        self.start_cluster(trackers=2, conf=self.settings(extra=BEAT))
        self.ok("tracker", "drain", "tt2")
        gate = self.dir / "gate"
        job = self.submitted("out", "--split-size", "8KiB",
                             mapper=f"[ -e {gate} ] || sleep 600; " + MAPPER, reducer=SUM, reduces=1,
                             input=self.some_text(lines=2000))
        wait_for("maps run", lambda: self.json("job", "status", job)["maps"]["running"] == 2)
        wait_for("they have found no gate",
                 lambda: len([p for p in self.processes_below() if p[1].startswith("sleep")]) == 2)
        gate.touch()
        self.ok("tracker", "resume", "tt2")
        wait_for("a map is done", lambda: self.json("job", "status", job)["maps"]["succeeded"] > 0)
        self.ok("tracker", "stop", "--now", "tt1")
        self.ends_cleanly("tt1")
        wait_for("nothing of it is left", lambda: not [p for p in self.processes_below() if "sleep" in p[1]])
        self.succeeds(job)
        status = self.json("job", "status", job)
        self.assertEqual(status["maps"]["failed_attempts"], 0)
        self.assertGreaterEqual(status["maps"]["killed_attempts"], 2)
        self.assertEqual(sorted(self.output("out").splitlines()),
                         self.coreutils_wordcount(self.some_text(lines=2000)))

    def test_a_tracker_with_many_faults_gets_no_tasks_and_comes_back(self):
        self.start_cluster(trackers=2, conf=self.settings(
            extra=BEAT + f"tracker_faults: {{at_most: 1, forget_after: {8 * PATIENCE:.0f}s}}\nspeculation: off"))
        # It fails wherever tt1 runs it.
        job = self.submitted("out", "--split-size", "2KiB", "--max-attempts", "9", reduces=0,
                             mapper='case $PWD in */tt1/*) exit 1;; esac; sleep 0.1; cat', input=self.some_text())
        self.succeeds(job)
        self.assertEqual(self.tracker("tt1")["state"], "FAULTY", self.weir("job", "status", job).stdout)
        self.assertRegex(self.ok("tracker", "show", "tt1"), r"jobs? succeeded.*back in \d")
        self.succeeds(self.submitted("healthy", mapper="cat", reduces=0))
        self.wait_for_state("tt1", "LIVE")
        self.ok("tracker", "resume", "tt1")

    def mounted(self, folder, options):
        folder.mkdir(parents=True, exist_ok=True)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True).returncode:
            self.skipTest("may not mount a file system")
        self.addCleanup(subprocess.run, ["umount", "--lazy", str(folder)])

    def test_a_full_disk(self):
        work = self.dir / "work" / "tt1"
        self.mounted(work, "size=24m,mode=755")
        conf = self.settings(extra=BEAT + "tracker: {min_free_disk_mb: 8, job_disk_mb: 1000}\nspeculation: off")
        self.start_jobtracker(conf)
        self.start("tt1", ["tracker", "--jobtracker", self.address, "--conf", conf, "--name", "tt1", "--work-dir", work])
        self.wait_for_state("tt1", "LIVE")
        job = self.submitted("out", "--max-attempts", "30", reducer="wc -l", reduces=1,
                             mapper="head -c 48000000 /dev/zero | tr '\\0' x | fold -w 1000")
        failed = wait_for("an attempt has failed", lambda: self.json("job", "status", job)["maps"]["failed_attempts"])
        self.assertGreaterEqual(failed, 1)
        self.start_tracker("tt2")
        self.succeeds(job)
        self.assertEqual(self.output("out").strip().split()[-1], b"48000")
        tasks = self.ok("job", "status", job, "--tasks", "-o", "json")
        self.assertRegex(tasks, f"file.out: No space left on device \\(the disk mounted at {work} is full\\)")
        # Below its minimum it gets nothing, until there is room.
        (work / "ballast").write_bytes(b"x" * (18 << 20))
        self.wait_for_state("tt1", "LOW_DISK")
        self.assertRegex(self.ok("tracker", "show", "tt1"), "free disk .* below the minimum")
        (work / "ballast").unlink()
        self.wait_for_state("tt1", "LIVE")

    def test_no_orphan_survives_a_killed_tracker(self):
        self.start_cluster(trackers=1, conf=self.settings(extra=BEAT))
        # Children of all sorts: in the group, in a session of their own, twice forked, deaf to signals, without a
        # trace of Weir in their environment.
        own = os.getpid()  # others test on this machine, too
        spawn = (f"trap '' TERM HUP INT; sleep 7771.{own} & setsid sleep 7772.{own} & (setsid sh -c 'sleep 7773.{own} & exit' &) ; "
                 f"env -i setsid sleep 7774.{own} & (env -i /usr/bin/setsid /bin/sh -c '/bin/sleep 7775.{own} & exit' &) ; ")
        job = self.submitted("out", mapper=MAPPER, reducer=spawn + f"cat; sleep 7776.{own}", reduces=1)
        other = self.submitted("maps", mapper=spawn + f"sleep 7777.{own}", reduces=0, queue="production")

        def sleepers():
            return subprocess.run(["pgrep", "-fx", rf"(/bin/)?sleep 777[1-7]\.{own}"], capture_output=True).stdout.split()

        wait_for("the reduce and the map have their children", lambda: len(sleepers()) == 12)
        self.processes["tt1"].send_signal(signal.SIGKILL)
        self.processes.pop("tt1").wait()
        wait_for("no process of the jobs is left", lambda: not sleepers(), 10)
        for left in ("attempts/attempt_0099_m_000000_0/spill0", "outputs/job_0099/attempt_0099_m_000000_0/file.out"):
            (self.dir / "work/tt1" / left).parent.mkdir(parents=True)
            (self.dir / "work/tt1" / left).write_text("of an earlier life")
        self.start_tracker("tt1")
        wait_for("it is back", lambda: self.tracker("tt1")["state"] == "LIVE")
        for name in (job, other):
            self.ok("job", "kill", name)
        wait_for("no process of the jobs is left", lambda: not sleepers(), 10)
        wait_for("its directories are clean", lambda: not [
            *(self.dir / "work/tt1/attempts").glob("*_*"), *(self.dir / "work/tt1/outputs").glob("*/*0099*")], 10)

    def test_clocks_that_are_hours_apart_and_jump(self):
        if PATIENCE > 1:
            self.skipTest("a sanitizer's library must be the first")
        library = self.dir / "clock_skew.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, ROOT / "tests/e2e/clock_skew.c"], check=True)

        def skewed(name, hours):
            (self.dir / f"{name}.clock").write_text(str(hours * HOUR))
            return {**os.environ, "LD_PRELOAD": f"{os.environ.get('LD_PRELOAD', '')} {library}".strip(),
                    "WEIR_CLOCK_SKEW": str(self.dir / f"{name}.clock")}
        conf = self.settings(extra="heartbeat: {interval: 100ms, expiry: 3s}")
        self.start_jobtracker(conf, env=skewed("jobtracker", 5))
        self.start_tracker("tt1", env=skewed("tt1", -7))
        self.start_tracker("tt2", env=skewed("tt2", 11))
        wait_for("all trackers are there", lambda: len(self.json("tracker", "list")) == 2)
        job = self.submitted("out", "--split-size", "8KiB", mapper="sleep 0.2; " + MAPPER, reducer=SUM, reduces=2,
                             input=self.some_text(lines=4000))
        wait_for("some maps are done", lambda: self.json("job", "status", job)["maps"]["succeeded"] >= 2)
        for name, hours in (("jobtracker", -9), ("tt1", 20), ("tt2", -20)):  # they jump while the job runs
            skewed(name, hours)
        self.succeeds(job)
        self.assertEqual(sorted(self.output("out").splitlines()), self.coreutils_wordcount(self.some_text(lines=4000)))
        status = self.json("job", "status", job)
        self.assertEqual((status["maps"]["failed_attempts"], status["maps"]["killed_attempts"]), (0, 0))
        self.assertEqual({tracker["state"] for tracker in self.json("tracker", "list")}, {"LIVE"})
        # It began five hours ahead, and its time has not jumped since.
        self.assertAlmostEqual(self.json("info")["now_ms"] / 1000 - time.time(), 5 * HOUR, delta=300)
        self.assertNotEqual(self.log("tt1").split()[1][:2], self.log("tt2").split()[1][:2])


if __name__ == "__main__":
    unittest.main()
