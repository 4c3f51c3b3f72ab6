"""What users do with jobs: several at once by what they are called, input by patterns and in small files."""
import gzip
import json
import os
import subprocess
import unittest

from cluster import PATIENCE, WEIR, Cluster, wait_for


class Selections(Cluster):
    def test_jobs_are_killed_moved_and_waited_for_by_selection(self):
        self.start_jobtracker()
        jobs = [self.submitted(f"out{i}", "--name", name, reduces=0, queue=queue, user="ann")
                for i, (name, queue) in enumerate([("etl-1", "research"), ("etl-2", "production"), ("other", "research")])]
        self.refused(1, r"no unfinished job whose name is like 'x\*'", "job", "kill", "--name", "x*")
        self.refused(2, "no job is named", "job", "kill")
        self.assertEqual(self.ok("job", "priority", *jobs, "HIGH").count("now has priority HIGH"), 3)
        done = self.weir("job", "move", "--queue", "research", "--to", "production")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, f"{jobs[0]} moved to queue production\n{jobs[2]} moved to queue production\n")
        self.assertRegex(done.stderr, "move to queue production 2 jobs:\n")
        done = self.weir("job", "move", jobs[0], jobs[1], "nowhere")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr.count("\n"), 2)
        killed = self.json("job", "kill", "--name", "etl-*", "--state", "pending", "--yes")
        self.assertEqual([job["job"] for job in killed], jobs[:2])
        listed = self.json("job", "list", "--state", "KILLED")
        self.assertEqual(sorted(job["job"] for job in listed), jobs[:2])
        done = self.weir("job", "kill", jobs[0], jobs[2], "-o", "json")
        self.assertEqual(done.returncode, 1)
        first, second = json.loads(done.stdout)
        self.assertEqual(first["error"]["code"], "JOB_OVER")
        self.assertEqual(second["job"], jobs[2])

    def test_wait_for_several_says_whether_all_went_well(self):
        self.start_cluster(trackers=1)
        good = self.submitted("good", mapper="sleep 0.3; cat", reduces=0)
        bad = self.submitted("bad", "--max-attempts", "1", mapper="exit 3", reduces=0)
        done = self.weir("job", "wait", good, bad)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, f"^{good} SUCCEEDED in .*; output: .*/good\n$")
        self.assertRegex(done.stderr, f"weir: {bad} FAILED after .*; look at `weir job logs {bad}`\n")
        self.assertEqual(self.weir("job", "wait", good).returncode, 0)


class Logs(Cluster):
    def test_a_log_is_followed_from_before_its_attempt_starts_to_its_end(self):
        self.start_cluster(trackers=1)
        gate = self.dir / "gate"
        job = self.submitted("out", "--hold", "--time-limit", "1h", reduces=0,
                             mapper=f"echo line 1 >&2; while [ ! -e {gate} ]; do sleep 0.1; done; echo line 2 >&2; echo line 3 >&2; cat")
        reader = subprocess.Popen([WEIR, "job", "logs", job, "-f"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env={**os.environ, "WEIR_JOBTRACKER": self.address})
        self.ok("job", "release", job)
        # Line by line, while the attempt runs.
        self.assertEqual(reader.stdout.readline(), "line 1\n")
        self.assertEqual(self.json("job", "status", job)["state"], "RUNNING")
        gate.touch()
        out, err = reader.communicate(timeout=60 * PATIENCE)
        self.assertEqual((reader.returncode, out), (0, "line 2\nline 3\n"))
        attempt = f"attempt_{job[4:]}_m_000000_0"
        self.assertRegex(err, f"^== stderr of {attempt} .(LAUNCHING|RUNNING), tracker tt1.\n== {attempt} SUCCEEDED\n$")
        self.assertEqual(self.ok("job", "logs", job, "-f"), "line 1\nline 2\nline 3\n")
        self.processes["tt1"].kill()
        self.refused(1, "Connection refused; tracker tt1, where it ran, is (LIVE|SILENT), heard of", "job", "logs", job)


class Input(Cluster):
    def test_small_files_by_a_pattern_in_one_map(self):
        self.start_cluster(trackers=1)
        folder = self.dir / "in"
        folder.mkdir()
        for i in range(20):
            (folder / f"part-{i:02}").write_text(f"line {i}")  # no newline at its end
        (folder / "part-20.gz").write_bytes(gzip.compress(b"line 20\n"))
        (folder / "other").write_text("no\n")
        job = self.submitted("out", "--combine-files", "1k", mapper="cat", input=str(folder / "part-*"), reduces=0)
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED", self.json("job", "status", job)["diagnostics"])
        self.assertEqual(self.output("out").decode(), "".join(f"line {i}\n" for i in range(21)))
        status = self.json("job", "status", job)
        self.assertEqual(status["maps"]["total"], 1)
        self.assertEqual(status["counters"]["weir"]["MAP_INPUT_RECORDS"], 21)
        self.refused(2, r"in/no-\*: matches nothing",
                     *self.submit("out2", input=str(folder / "no-*"), reduces=0))

    def test_a_combined_map_knows_its_input_and_many_pieces_are_uploaded(self):
        self.start_cluster(trackers=1)
        text = self.some_text(lines=3000)
        program = "echo $weir_map_input_pieces $mapreduce_map_input_start $mapreduce_map_input_length; cat >/dev/null"
        size = text.stat().st_size
        self.assertGreater(size, 50_000)
        job = self.submitted("out", "--split-size", "2", "--combine-files", "1G", mapper=program, reduces=0)
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED")
        pieces = (size + 1) // 2
        lines = self.output("out").decode().split("\n")[:-1]
        self.assertEqual(len(lines), (pieces + 999) // 1000)
        self.assertEqual(lines[1], "1000 2000 2000")
        self.assertEqual(sum(int(line.split()[0]) for line in lines), pieces)


class HoldsAndLimits(Cluster):
    def restart(self):
        """Kills the JobTracker alone and starts it again on its ports."""
        jobtracker = self.processes.pop("jobtracker")
        port = self.address.rsplit(":", 1)[1]
        jobtracker.kill()
        jobtracker.wait()
        conf = self.dir / "weir.yaml"
        conf.write_text(conf.read_text().replace(
            "thrift: 127.0.0.1:0", f"thrift: 127.0.0.1:{port}, trackers: 127.0.0.1:{self.tracker_port}"))
        self.start_jobtracker(conf)

    def test_a_held_job_waits_over_a_restart_for_its_release(self):
        self.start_jobtracker()
        job = self.submitted("out", "--hold", mapper="cat", reduces=0, user="ann")
        other = self.submitted("other", mapper="cat", reduces=0)
        self.assertEqual(self.job_state(job), "HELD")
        self.assertIn(f"held: held by ann; `weir job release {job}` lets it start", self.ok("job", "explain", job))
        self.assertEqual([j["job"] for j in self.json("job", "list", "--state", "HELD")], [job])
        self.restart()
        self.start_tracker("tt1")
        self.assertEqual(self.wait_for_end(other), "SUCCEEDED")
        self.assertEqual(self.job_state(job), "HELD")
        self.refused(1, "has already ended", "job", "release", other)
        self.assertEqual(self.ok("job", "release", "--user", "ann"), f"{job} released\n")
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED")

    def test_a_time_limit_kills_and_outlives_a_restart(self):
        self.start_cluster(trackers=1)
        quick = self.submitted("quick", "--time-limit", "1h", mapper="cat", reduces=0)
        slow = self.submitted("slow", "--time-limit", "3s", mapper="sleep 600", reduces=0)
        wait_for("the deadline is set", lambda: self.json("job", "status", slow)["deadline_ms"])
        self.restart()
        self.assertEqual(self.wait_for_end(slow), "KILLED")
        self.assertEqual(self.json("job", "status", slow)["diagnostics"],
                         "killed at its time limit, 3s after its first task started")
        self.assertEqual(self.wait_for_end(quick), "SUCCEEDED")


class Files(Cluster):
    def test_files_are_there_before_mapper_and_reducer_start_on_every_tracker(self):
        self.start_cluster(trackers=2)
        script = self.dir / "map.py"
        script.write_text("#!/usr/bin/python3\nimport sys\nword = open('word.txt').read().strip()\n"
                          "for line in sys.stdin:\n    print(word + '\\t1')\n")
        script.chmod(0o755)
        (self.dir / "word.txt").write_text("w\n")
        (self.dir / "red.sh").write_text("wc -l")
        job = self.submitted("out", "--files", "map.py,word.txt", "--files", "red.sh", "--split-size", "2k",
                             mapper="./map.py", reducer="sh ./red.sh", reduces=1)
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED", self.json("job", "status", job)["diagnostics"])
        self.assertEqual(int(self.output("out")), 2000)
        self.assertGreater(self.json("job", "status", job)["maps"]["total"], 4)

    def test_a_job_keeps_its_files_over_a_restart_and_what_cannot_travel_is_refused(self):
        self.start_jobtracker()
        (self.dir / "data").write_bytes(bytes(range(256)) * 4096)  # exactly 1 MiB
        job = self.submitted("out", "--files", "data", mapper="cat >/dev/null; cat data", reduces=0)
        (self.dir / "data").unlink()
        process = self.processes.pop("jobtracker")
        process.kill()
        process.wait()
        self.start_jobtracker(self.dir / "weir.yaml")
        self.start_tracker("tt1")
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED", self.json("job", "status", job)["diagnostics"])
        self.assertEqual(self.output("out"), bytes(range(256)) * 4096)
        (self.dir / "large").write_bytes(b"x" * ((1 << 20) + 1))
        self.refused(2, r"files\[0\]: 'large' has 1048577 bytes; at most 1048576 a file", *self.submit("o", "--files", "large"))
        self.refused(2, "--files none: does not exist", *self.submit("o", "--files", "none"))


if __name__ == "__main__":
    unittest.main()
