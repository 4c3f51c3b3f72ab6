"""The tables of a real cluster, as terminals of several widths and pipes get them."""
import os
import unittest

from cluster import WEIR, Cluster
from terminal import on_terminal, width

# Wide, turning the direction about, combining.
NAMES = ["monthly revenue by region and product line, second try", "日本語の名前のとても長いジョブ名です 👩‍🔬",
         "\u202eesrever\u2028\u2067", "हिन्दी नाम e\u0301\u0302", "plain"]
# Each with columns that are never left out, and some that a terminal of 80 columns may not have.
LISTS = [
    (["job", "list", "--all"], ["JOB", "NAME", "STATE", "MAPS", "REDUCES"],
     ["USER", "QUEUE", "PRIORITY", "RUN", "SUBMITTED"]),
    (["job", "list", "--history"], ["JOB", "NAME", "STATE", "MAPS", "REDUCES"],
     ["USER", "QUEUE", "FAILED", "KILLED", "FINISHED", "TOOK"]),
    (["queue", "list"], ["QUEUE", "MAP GUAR", "RUN", "PEND", "RED GUAR", "CLAIMS"], ["STATE", "ALLOC", "USERS"]),
    (["tracker", "list"], ["TRACKER", "STATE", "MAPS", "REDUCES", "HEALTH"],
     ["HOST", "RACK", "MEMORY MB", "HEARD", "FREE DISK"]),
    (["policy", "show"], ["QUEUE OR POOL", "CLASS", "RUNNING", "GUARANTEED", "FAIR SHARE"],
     ["PENDING", "ALLOCATED", "MIN SHARE"]),
]
REASON = "new disks are put in, back by the end of the week; ask carol before it is taken away"


class Tables(Cluster):
    def setUp(self):
        super().setUp()
        self.start_cluster(trackers=3)
        self.jobs = []
        for i, name in enumerate(NAMES):
            job = self.submitted(f"out{i}", "--name", name, reduces=0, queue=["research", "production"][i % 2],
                                 user=["ann", "alice-of-accounting-and-more"][i % 2])
            self.assertEqual(self.wait_for_end(job), "SUCCEEDED")
            self.jobs.append(job)
        self.ok("tracker", "drain", "tt2", "--reason", REASON)

    def drawn(self, columns, command):
        return on_terminal(columns, [WEIR, *command], {**os.environ, "WEIR_JOBTRACKER": self.address})

    def test_tables_fit_the_terminal_and_are_whole_in_a_pipe(self):
        for command, kept, others in LISTS:
            for columns in (80, 100, 200):
                with self.subTest(command=command, columns=columns):
                    text = self.drawn(columns, command)
                    for line in text.split("\n"):
                        self.assertLessEqual(width(line), columns, text)
                    for header in kept:
                        self.assertIn(header, text)
                    self.assertFalse(set(text) & set("\x1b\u202e\u2028"), repr(text))
            whole = self.ok(*command)
            for header in kept + others:
                self.assertIn(header, whole)
                self.assertIn(header, text)  # of the last one: 200 columns have room for all
        listed = self.ok("job", "list", "--all")
        for whole in (NAMES[0], NAMES[1], "alice-of-accounting-and-more"):
            self.assertIn(whole, listed)
        self.assertIn(REASON, self.ok("tracker", "list"))

    def test_names_do_not_break_the_alignment(self):
        for columns in (60, 80, 100, 200):
            lines = self.drawn(columns, ["job", "list", "--all"]).splitlines()
            self.assertEqual(len(lines), 1 + len(NAMES), lines)
            at = lines[0].index("STATE")
            for line in lines[1:]:
                self.assertEqual(width(line[:line.index("SUCCEEDED")]), at, "\n".join(lines))

    def test_attempts_and_queues_fit_too(self):
        bad = self.submitted("bad", mapper="echo what went wrong is told at length " + "x" * 200 + " >&2; exit 3",
                             reduces=0)
        self.assertEqual(self.wait_for_end(bad), "FAILED")
        table = self.drawn(80, ["job", "status", bad, "--tasks"]).split("\n\n", 1)[1]
        self.assertIn("WHY", table)
        for line in (table + self.drawn(80, ["queue", "show", "research"])).split("\n"):
            self.assertLessEqual(width(line), 80, line)


if __name__ == "__main__":
    unittest.main(verbosity=2)
