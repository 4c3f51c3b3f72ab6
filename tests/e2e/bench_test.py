"""`weir bench rpc` on a small cluster: a real JobTracker, the echo beside it, people at the web page. What it measures is
not judged here, only that it measures what it says, and leaves nothing behind."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import urllib.request

BIN = os.environ["WEIR_BIN"]
SMALL = ["bench", "rpc", "--trackers", "20", "--jobs", "6", "--queues", "3", "--maps", "120000", "--seconds", "0.3",
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


if __name__ == "__main__":
    unittest.main()
