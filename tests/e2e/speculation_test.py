"""Speculative attempts on real processes: on one slow tracker a task sleeps, or is stopped altogether; it is tried once more
elsewhere, its output is there once and right, and nothing is left of the attempt that lost."""
import contextlib
import os
import pathlib
import signal
import sys
import time
import unittest

from cluster import MAPPER, PATIENCE, SUM, Cluster, wait_for

SOON = "speculation: {after: 2s, lag: 10%}"
NEVER = "speculation: off"


def slow(command, seconds):
    """The command, which on the tracker `slow` begins so many seconds later, elsewhere after one."""
    return f'case "$PWD" in */work/slow/*) sleep {seconds};; *) sleep 1;; esac; {command}'


class Speculation(Cluster):
    def start_with(self, speculation):
        self.conf = self.settings(extra=speculation)
        self.start_jobtracker(self.conf)
        for name in ("tt1", "tt2", "slow"):
            self.start_tracker(name, 2, 2)
        wait_for("all trackers are there", lambda: len(self.json("tracker", "list")) == 3)
        # More than a pipe holds in each split: what waits unread in a pipe counts as read.
        self.text = self.dir / "text"
        letters = "abcdefghij"
        words = [a + b + c for a in letters for b in letters for c in letters]
        self.text.write_text("".join(" ".join(words[(i * 7 + j * 131) % 1000] for j in range(5)) + "\n"
                                     for i in range(130_000)))
        self.split = self.text.stat().st_size // 6 + 1

    def count_words(self, out, mapper=MAPPER, reducer=SUM, reduces=2, *extra):
        return self.submitted(out, "--split-size", self.split, *extra, mapper=mapper, reducer=reducer, reduces=reduces,
                              input=self.text)

    def tasks(self, job, kind="maps"):
        return self.json("job", "status", job)[kind]

    def attempts(self, job):
        return self.json("job", "logs", job, "--list")

    def runs_twice(self, job):
        """Every map that is left sleeps on the slow tracker, and runs once more elsewhere: this stays so."""
        runs = [a for a in self.attempts(job) if a["kind"] == "map" and a["state"] == "RUNNING"]
        sleeping = [a for a in runs if a["tracker"] == "slow"]
        second = [a for a in runs if a["speculative"]]
        return len(second) == len(sleeping) > 0 and len(runs) == 2 * len(second)

    def seconds_until_it_ends(self, job, begun):
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED", self.weir("job", "status", job).stdout)
        return time.monotonic() - begun

    def check_output(self, out):
        self.assertEqual(sorted(self.output(out).splitlines()), self.coreutils_wordcount(self.text))

    def check_losers(self, job, kind):
        """Somebody lost, on the slow tracker, and left no process and no directory."""
        lost = [a for a in self.attempts(job) if a["kind"] == kind and a["tracker"] == "slow" and a["state"] == "KILLED"]
        self.assertTrue(lost, self.attempts(job))
        won = [a for a in self.attempts(job) if a["speculative"] and a["state"] == "SUCCEEDED"]
        self.assertTrue(won, self.attempts(job))
        wait_for("what the losers ran is gone", lambda: not self.processes_on_slow(), 20)
        work = self.dir / "work" / "slow"
        wait_for("so is what they wrote", lambda: not any(
            path for a in lost for path in work.rglob(a["attempt"] + "*")
            if path.is_dir() and "log" not in str(path.relative_to(work))), 20)

    def processes_on_slow(self):
        mark = str(self.dir / "work" / "slow")
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and os.readlink(entry / "cwd").startswith(mark):
                    found.append(int(entry.name))
            except OSError:
                pass
        return found

    def test_a_slow_map_is_tried_elsewhere(self):
        took = {}
        for name, setting in (("without", NEVER), ("with", SOON)):
            if name == "with":
                self.tearDown()
                self.setUp()
            self.start_with(setting)
            begun = time.monotonic()
            job = self.count_words("out", mapper=slow(MAPPER, 12 if PATIENCE <= 1 else 25))
            took[name] = self.seconds_until_it_ends(job, begun)
            self.check_output("out")
            if name == "without":
                self.assertNotIn("speculative", self.tasks(job))
                continue
            self.assertGreaterEqual(self.tasks(job)["speculative_won"], 1)
            self.assertEqual(self.tasks(job)["failed_attempts"], 0)
            self.check_losers(job, "map")
        print(f"one slow tracker: {took['without']:.1f} s, with second attempts {took['with']:.1f} s", file=sys.stderr)

    def test_a_job_may_have_none(self):
        self.start_with(SOON)
        job = self.count_words("out", slow(MAPPER, 8), SUM, 2, "--conf", "mapreduce.map.speculative=false")
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED")
        self.assertNotIn("speculative", self.tasks(job))
        self.refused(2, "mapreduce.map.speculative is 'maybe'",
                     *self.submit("other", "--conf", "mapreduce.map.speculative=maybe", reduces=0))

    def test_a_stopped_reduce_is_tried_elsewhere(self):
        self.start_with(SOON)
        gate = self.dir / "gate"
        held = f"while [ ! -e {gate} ]; do sleep 0.1; done; "
        job = self.count_words("out", MAPPER, held + SUM, 6, "--slowstart", "1")
        wait_for("all reduces run", lambda: self.tasks(job, "reduces")["running"] == 6)
        wait_for("two on the slow tracker have begun", lambda: len(self.processes_on_slow()) >= 4)
        stopped = self.processes_on_slow()
        for process in stopped:
            with contextlib.suppress(ProcessLookupError):  # one of the short sleeps
                os.kill(process, signal.SIGSTOP)
        gate.touch()
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED", self.weir("job", "status", job).stdout)
        self.check_output("out")
        self.assertGreaterEqual(self.tasks(job, "reduces")["speculative_won"], 1)
        self.check_losers(job, "reduce")

    def test_both_attempts_outlive_the_jobtracker(self):
        self.start_with(SOON)
        gate = self.dir / "gate"  # for second attempts
        held = (f'case "$mapreduce_task_attempt_id" in *_0) ;; *) while [ ! -e {gate} ]; do sleep 0.1; done;; esac; ')
        job = self.count_words("out", mapper=slow(held + MAPPER, 600))
        wait_for("what is left of the maps runs twice", lambda: self.runs_twice(job), 60)
        running = self.tasks(job)["running"]
        port = self.address.split(":")[1]
        self.conf.write_text(self.conf.read_text().replace(
            "127.0.0.1:0", f"127.0.0.1:{port}, trackers: 127.0.0.1:{self.tracker_port}"))
        self.processes["jobtracker"].send_signal(signal.SIGKILL)
        self.processes["jobtracker"].wait()
        self.start_jobtracker(self.conf)
        wait_for("all attempts are known again", lambda: self.tasks(job)["running"] >= running, 60)
        gate.touch()
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED", self.weir("job", "status", job).stdout)
        self.check_output("out")
        self.assertEqual(self.tasks(job)["failed_attempts"], 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
