"""Real MapReduce jobs on real processes, compared with coreutils; output does not depend on how tasks are spread."""
import bz2
import gzip
import os
import unittest

from cluster import MAPPER, PATIENCE, SUM, Cluster, wait_for

# Fewer under the sanitizers, where a process of our own takes long to start.
MAPS, REDUCES = (100, 300) if PATIENCE <= 1 else (50, 100)
REDUCES = int(os.environ.get("WEIR_REDUCES") or REDUCES)


def stored_zstd(data):
    """A frame of one block that is stored as it is."""
    return b"\x28\xb5\x2f\xfd\0\x58" + (len(data) << 3 | 1).to_bytes(3, "little") + data


class WordCount(Cluster):
    def test_both_queues_at_once(self):
        self.start_cluster(trackers=3)
        text = self.some_text(lines=20000)
        first = self.submitted("out1", "--combiner", SUM, "--split-size", "100KiB", queue="research", mapper=MAPPER,
                               reducer=SUM, input=text, reduces=3)
        done = self.weir(*self.submit("out2", "--split-size", "200KiB", "--wait", queue="production", mapper=MAPPER,
                                      reducer=SUM, input=text, reduces=2))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.wait_for_end(first), "SUCCEEDED")
        expected = self.coreutils_wordcount(text)
        for output in ("out1", "out2"):
            self.assertEqual(sorted(self.output(output).splitlines()), expected)
        status = self.json("job", "status", first)
        self.assertEqual(status["counters"]["weir"]["MAP_INPUT_BYTES"], text.stat().st_size)

    def test_output_is_the_same_bytes_however_tasks_are_spread(self):
        text = self.some_text(lines=20000)
        split = text.stat().st_size // MAPS
        outputs = []
        for run, (trackers, slots) in enumerate([(1, 3), (3, 2), (2, 1)]):
            self.start_cluster(trackers=trackers, map_slots=slots, reduce_slots=slots)
            job = self.submitted(f"out{run}", "--split-size", split, mapper="awk '{print $1 \"\\t\" $0}'",
                                 reducer="cat", input=text, reduces=5)
            self.assertEqual(self.wait_for_end(job, 300), "SUCCEEDED")
            self.assertGreaterEqual(self.json("job", "status", job)["maps"]["total"], MAPS)
            outputs.append(self.output(f"out{run}"))
            for process in self.processes.values():
                process.terminate()
            for process in self.processes.values():
                process.wait()
            (self.dir / "weir.db").unlink()
        self.assertEqual(outputs[0], outputs[1])
        self.assertEqual(outputs[0], outputs[2])

    def test_map_only_job_with_compressed_and_plain_input(self):
        self.start_cluster(trackers=1)
        folder = self.dir / "in"
        folder.mkdir()
        lines = [b"line %d\n" % i for i in range(1000)]
        (folder / "a.gz").write_bytes(gzip.compress(b"".join(lines[:200])) + gzip.compress(b"".join(lines[200:300])))
        (folder / "b").write_bytes(b"".join(lines[300:500]))
        (folder / "c.bz2").write_bytes(bz2.compress(b"".join(lines[500:600])) + bz2.compress(b"".join(lines[600:700])))
        (folder / "d.zst").write_bytes(stored_zstd(b"".join(lines[700:900])) + stored_zstd(b"".join(lines[900:])))
        (folder / "_ignored").write_bytes(b"no\n")
        job = self.submitted("out", mapper="cat", input=folder, reduces=0)
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED")
        self.assertEqual(self.output("out"), b"".join(lines))
        self.assertEqual(self.json("job", "status", job)["maps"]["total"], 4)

    def test_a_compressed_file_that_is_cut_fails_the_job_and_says_where(self):
        self.start_cluster(trackers=1)
        folder = self.dir / "in"
        folder.mkdir()
        (folder / "cut.zst").write_bytes(stored_zstd(b"line\n" * 100)[:-20])
        job = self.submitted("out", mapper="cat", input=folder, reduces=0)
        self.assertEqual(self.wait_for_end(job), "FAILED")
        self.assertIn("cut.zst: zstd data ends too early, at byte 489",
                      self.json("job", "status", job)["diagnostics"])

    def test_counters_status_and_logs_of_streaming_programs(self):
        self.start_cluster(trackers=1)
        program = ("echo reporter:counter:mine,lines,5 >&2; echo reporter:status:half way >&2; echo a word for the log"
                   " >&2; echo \"$mapreduce_task_id $mapreduce_job_id\"; cat >/dev/null")
        job = self.submitted("out", mapper=program, reduces=0)
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED")
        status = self.json("job", "status", job)
        self.assertEqual(status["counters"]["mine"]["lines"], 5)
        self.assertRegex(self.output("out").decode(), r"^task_\d+_m_000000 job_\d+\n$")
        wait_for("the log can be read", lambda: "a word for the log" in self.weir("job", "logs", job).stdout)

    def test_queue_figures_and_policy_switch_while_jobs_run(self):
        self.start_cluster(trackers=2)
        go = self.dir / "go"
        slow = self.submitted("slow", "--split-size", "1KiB", mapper=f"while [ ! -e {go} ]; do sleep 0.1; done; cat",
                              input=self.some_text(lines=400), reduces=0)
        wait_for("the job runs", lambda: self.json("job", "status", slow)["maps"]["running"] > 0)
        queues = {q["name"]: q for q in self.json("queue", "list")}
        self.assertEqual(queues["research"]["maps"]["guaranteed"], 2)
        self.assertEqual(queues["production"]["maps"]["guaranteed"], 2)
        self.assertEqual(queues["research"]["maps"]["allocated"], 4)
        self.ok("policy", "set", "fifo")
        self.assertEqual(self.json("policy", "show")["current"], "fifo")
        self.ok("policy", "set", "capacity")
        go.touch()
        self.assertEqual(self.wait_for_end(slow), "SUCCEEDED")


class ManyReduces(Cluster):
    def test_many_reduces(self):
        self.start_cluster(trackers=2, map_slots=2, reduce_slots=8)
        text = self.some_text()
        job = self.submitted("out", mapper=MAPPER, reducer=SUM, input=text, reduces=REDUCES)
        self.assertEqual(self.wait_for_end(job, 400), "SUCCEEDED")
        self.assertEqual(len(list((self.dir / "out").glob("part-*"))), REDUCES)
        self.assertEqual(sorted(self.output("out").splitlines()), self.coreutils_wordcount(text))


if __name__ == "__main__":
    unittest.main()
