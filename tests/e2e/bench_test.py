"""`weir bench rpc` on a small cluster: a real JobTracker, the echo beside it, people at the web page; and `weir bench tasks`
with few tasks. What they measure is not judged here, only that they measure what they say, and leave nothing behind."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import urllib.request

BIN = os.environ["WEIR_BIN"]
MAPS = 120_000 // int(os.environ.get("WEIR_TEST_PATIENCE", "1"))
SMALL = ["bench", "rpc", "--trackers", "20", "--jobs", "6", "--queues", "3", "--maps", str(MAPS), "--seconds", "0.3",
         "--turns", "1"]


class BenchRpc(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_bench(self, *more):
        ran = subprocess.run([BIN, *SMALL, "--dir", self.folder.name, *more], capture_output=True, text=True, timeout=600)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(os.listdir(self.folder.name), [])
        return ran

    def test_heartbeats_beside_the_echo(self):
        for policy in "capacity", "fair":
            figures = json.loads(self.run_bench("--policy", policy, "-o", "json").stdout)
            for name in "idle", "busy", "one_connection":
                self.assertGreater(figures[name]["jobtracker"], 0)
                self.assertGreater(figures[name]["echo"], 0)
            self.assertGreater(figures["launches_per_heartbeat"], 2.5)
            self.assertLessEqual(figures["launches_per_heartbeat"], 3.0)
            self.assertGreater(figures["half_load_p99_us"], 0)

    def test_people_at_the_page(self):
        figures = json.loads(self.run_bench("--streams", "5", "--readers", "5", "-o", "json").stdout)
        self.assertGreater(figures["answers"], 5)
        self.assertEqual(figures["refused"], 0)
        self.assertGreater(figures["idle_with_readers"], 0)

    def test_tables_fit(self):
        for line in self.run_bench().stdout.splitlines():
            self.assertLessEqual(len(line), 100)

    def test_a_cluster_to_look_at(self):
        held = subprocess.Popen([BIN, *SMALL, "--dir", self.folder.name, "--hold"], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, text=True)
        try:
            address = held.stdout.readline().strip()
            self.assertRegex(address, r"^http://127\.0\.0\.1:\d+/$")
            with urllib.request.urlopen(address + "api/v1/cluster", timeout=30) as answer:
                cluster = json.load(answer)
            self.assertEqual(sum(cluster["trackers"].values()) if isinstance(cluster["trackers"], dict)
                             else cluster["trackers"], 20)
        finally:
            held.terminate()
            held.communicate(timeout=60)
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_a_directory_that_is_none(self):
        ran = subprocess.run([BIN, *SMALL, "--dir", str(pathlib.Path(self.folder.name) / "none")], capture_output=True,
                             text=True)
        self.assertEqual(ran.returncode, 2)
        self.assertTrue(re.search("--dir .*: not a directory", ran.stderr), ran.stderr)


class BenchTasks(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_bench(self, *more):
        ran = subprocess.run([BIN, "bench", "tasks", "--dir", self.folder.name, "--slots", "4", "--turns", "1",
                              "--seconds", "0.1", *more], capture_output=True, text=True, timeout=600)
        self.assertEqual(os.listdir(self.folder.name), [])
        return ran

    def figures(self, *more):
        ran = self.run_bench("-o", "json", *more)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return json.loads(ran.stdout)

    def test_maps_beside_the_bare_loop(self):
        figures = self.figures("--only", "tasks", "--tasks", "20")
        self.assertEqual(list(figures), ["tasks"])
        for name in "per_second", "shell_loop_per_second", "plain_loop_per_second", "tracker_cpu_ms":
            self.assertGreater(figures["tasks"][name], 0)

    def test_freed_slots(self):
        slots = self.figures("--only", "slots")["slots"]
        for how in "out_of_band", "regular":
            self.assertGreater(slots[how]["p50_ms"], 0)
            self.assertLessEqual(slots[how]["p50_ms"], slots[how]["p90_ms"])

    def test_jobs_of_one_map(self):
        jobs = self.figures("--only", "jobs", "--jobs", "20", "--clients", "3")["jobs"]
        self.assertEqual(jobs["jobs"], 20)
        self.assertGreater(jobs["per_second"], 0)

    def test_the_table_fits(self):
        ran = self.run_bench("--only", "tasks", "--tasks", "8")
        for line in ran.stdout.splitlines():
            self.assertLessEqual(len(line), 100)

    def test_tasks_that_fail_are_no_figure(self):
        ran = self.run_bench("--only", "tasks", "--tasks", "2", "--command", "/bin/false")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("FAILED", ran.stderr)


class BenchSort(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_bench(self, *more):
        ran = subprocess.run([BIN, "bench", "sort", "--dir", self.folder.name, "--size", "3MB", "--split-size", "1MB",
                              "--memory", "8M", "--turns", "1", *more], capture_output=True, text=True, timeout=600)
        self.assertEqual(os.listdir(self.folder.name), [])
        return ran

    def test_a_small_sort_with_each_codec(self):
        for codec in "none", "lz4", "zstd":
            ran = self.run_bench("--codec", codec, "-o", "json")
            self.assertEqual(ran.returncode, 0, ran.stderr)
            figures = json.loads(ran.stdout)
            self.assertEqual(figures["bytes"], 3_000_000)
            for name in "job_seconds", "sort_seconds", "of_sort", "of_synced_sort", "job_cpu_seconds":
                self.assertGreater(figures[name], 0)
            self.assertGreaterEqual(figures["synced_sort_seconds"], figures["sort_seconds"])

    def test_the_table_fits(self):
        for line in self.run_bench("--reduces", "1").stdout.splitlines():
            self.assertLessEqual(len(line), 100)

    def test_sizes_that_are_none(self):
        self.assertEqual(self.run_bench("--size", "1k").returncode, 2)
        self.assertEqual(self.run_bench("--memory", "many").returncode, 2)


if __name__ == "__main__":
    unittest.main()
