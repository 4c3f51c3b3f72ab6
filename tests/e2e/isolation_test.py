"""Tasks that take more than their share of a tracker: what it is, and that others go on."""
import contextlib
import os
import re
import unittest

from cluster import Cluster, wait_for

BEAT = "heartbeat: {interval: 100ms, floor: 20ms}\n"


class Isolation(Cluster):
    def start_with(self, tracker):
        conf = self.settings(extra=BEAT + f"tracker: {{map_slots: 4, {tracker}}}")
        self.start_jobtracker(conf)
        self.start("tt1", ["tracker", "--jobtracker", self.address, "--conf", conf, "--name", "tt1", "--work-dir",
                           self.dir / "work" / "tt1"])
        wait_for("the tracker is there", lambda: self.json("tracker", "list"))

    def logged_bytes(self):
        """What the streams take; a sweep may remove them meanwhile."""
        total = 0
        for path in (self.dir / "work" / "tt1" / "logs").rglob("stderr"):
            with contextlib.suppress(FileNotFoundError):
                total += path.stat().st_size
        return total

    def test_what_protects_tasks_is_shown_and_logged(self):
        self.start_with("task_cgroups: false, task_mounts: false, job_disk_mb: 1000, log_stream_mb: 3")
        shown = self.ok("tracker", "show", "tt1")
        lines = self.json("tracker", "list")[0]["protections"]
        self.assertIn("cgroup: none: off (tracker.task_cgroups)", lines)
        self.assertIn("mounts: none: off (tracker.task_mounts)", lines)
        self.assertIn("disk: a job may take 1000 MB here", lines)
        self.assertIn("logs: 3 MB a stream, 256 MB a job, 2048 MB in all, for 24h", lines)
        for line in lines:
            self.assertIn(line, shown)
            self.assertEqual(self.log("tt1").count(line), 1, line)

    # Twelve maps of 64 MB on stderr each.
    def test_talkative_maps_fill_no_disk(self):
        self.start_with("log_stream_mb: 1, log_job_mb: 4, min_free_disk_mb: 1")
        inputs = self.dir / "in"
        inputs.mkdir()
        for i in range(12):
            (inputs / f"{i:02}").write_text("a\n")
        mapper = "echo first >&2; yes 'the same again and again, and so on for ever' | head -c 64000000 >&2; echo last >&2"
        job = self.submitted("out", input=inputs, mapper=mapper, reduces=0)
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED")
        self.assertLessEqual(self.logged_bytes(), 12 << 20)
        # A sweep may have come while the maps ran; the one that counts comes after the last of them.
        wait_for("the oldest logs are removed", lambda: self.logged_bytes() <= 4 << 20, 60)
        removed = r"removed the logs of \d+ attempts \(\d+ MB\), [0-4] MB are kept"
        wait_for("the tracker says so", lambda: re.search(removed, self.log("tt1")))
        kept = sorted((self.dir / "work" / "tt1" / "logs").rglob("stderr"))[-1].read_text()
        self.assertTrue(kept.startswith("first\n") and kept.endswith("last\n"), kept[:200])
        self.assertRegex(kept, r"\n\[weir: \d+ bytes are left out here: ")

    def test_a_job_that_fills_the_disk_fails_and_others_go_on(self):
        self.start_with("job_disk_mb: 20")
        greedy = self.submitted("greedy", "--max-attempts", 1, reduces=0,
                                mapper="head -c 60000000 /dev/zero > $TMPDIR/big; sleep 4711")
        modest = self.submitted("modest", reduces=0, mapper="cat")
        self.assertEqual(self.wait_for_end(modest), "SUCCEEDED")
        self.assertEqual(self.wait_for_end(greedy), "FAILED")
        self.assertRegex(self.json("job", "status", greedy)["diagnostics"],
                         r"takes \d+ MB of this tracker's disk, allowed are 20 MB \(tracker.job_disk_mb\)")

    # Maps without reduces share processes, those of two jobs never, also where they run at the same time.
    def test_processes_are_of_one_job(self):
        self.start_with("log_stream_mb: 1")
        inputs = self.dir / "in"
        inputs.mkdir()
        for i in range(24):
            (inputs / f"{i:02}").write_text("a\n")
        jobs = {name: self.submitted(name, input=inputs, mapper="echo $PPID", reduces=0) for name in ("one", "two", "three")}
        processes = {}
        for name, job in jobs.items():
            self.assertEqual(self.wait_for_end(job), "SUCCEEDED")
            told = [path.read_text() for path in (self.dir / name).glob("part-*")]
            self.assertEqual(len(told), 24)
            processes[name] = set(told)
            self.assertLess(len(processes[name]), 24)
        self.assertEqual(len(set.union(*processes.values())), sum(map(len, processes.values())))

    # The tracker has something to remove that no path can name, and starts at once.
    def test_a_tree_deeper_than_any_path_stops_no_tracker(self):
        self.start_with("log_stream_mb: 1")
        self.processes["tt1"].kill()
        self.processes["tt1"].wait()
        attempts = self.dir / "work" / "tt1" / "attempts"
        at = os.open(attempts, os.O_RDONLY)
        for _ in range(3000):
            os.mkdir("a-directory-in-a-directory", dir_fd=at)
            below = os.open("a-directory-in-a-directory", os.O_RDONLY, dir_fd=at)
            os.close(at)
            at = below
        os.close(at)
        self.start_tracker("tt1")
        job = self.submitted("out", mapper="cat", reduces=0)
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED")
        wait_for("the tree is removed", lambda: not (self.dir / "work" / "tt1" / "aside").exists(), 200)


if __name__ == "__main__":
    unittest.main()
