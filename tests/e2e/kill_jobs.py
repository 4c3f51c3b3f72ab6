"""The kinds of job that kill_test.py submits: what each runs, how it must end, and what it must have written. Every task
says in a file when it began and when it was through, so that what really ran is known without asking the JobTracker."""
import subprocess

from cluster import MAPPER, SUM

UNSTEERED = ("count", "count", "copy", "failing")
KINDS = (*UNSTEERED, "killed", "moved")
WORDS = "the quick brown fox jumps over the lazy dog and runs away from it all day long".split()


def text_of(directory, dice):
    """One of a few inputs; a job's split size cuts it into five or so."""
    number = dice.randrange(4)
    path = directory / f"text{number}"
    if not path.exists():
        lines = (" ".join(WORDS[(i * (number + 5) + j) % len(WORDS)] for j in range(i % 11)) for i in range(1500))
        aside = directory / f"aside{dice.random()}"
        aside.write_text("".join(f"{line}\n" for line in lines))
        aside.rename(path)
    return path


class Job:
    def __init__(self, number, kind, directory, marks, dice):
        self.name, self.kind, self.marks = f"{kind}{number}", kind, marks
        self.input, self.output = text_of(directory, dice), directory / "out" / self.name
        self.split = self.input.stat().st_size // 5 + 1
        self.queue = "production" if kind == "moved" else dice.choice(["research", "production"])
        self.state = {"failing": "FAILED", "killed": "KILLED"}.get(kind, "SUCCEEDED")
        self.reduces, self.reducer, self.combiner, self.max_attempts = 0, None, None, 4
        seconds = dice.choice([0.3, 0.6, 1, 3])
        if kind in ("count", "moved"):
            self.reduces, self.combiner = 2, SUM
            self.mapper, self.reducer = self.marked(seconds, MAPPER), self.marked(seconds, SUM)
        elif kind == "copy":
            self.mapper = self.marked(dice.choice([0.5, 2, 5]), "cat")
        elif kind == "failing":
            self.mapper, self.max_attempts = self.marked(0.3, "exit 3"), 2
        else:
            self.mapper = self.marked(600, "cat")
        self.number = self.asked_at = self.told_at = None
        self.kill_acknowledged = False
        self.expected_queue, self.expected_priority = self.queue, "NORMAL"

    def marked(self, seconds, program):
        mark = f"echo $(date +%s.%N) {{}} $mapreduce_task_attempt_id >> {self.marks}"
        return f"{mark.format('begin')}; sleep {seconds}; {program}; {mark.format('end')}"

    def arguments(self):
        more = ["--combiner", self.combiner, "--reducer", self.reducer] if self.reduces else []
        return ["--queue", self.queue, "--input", self.input, "--output", self.output, "--name", self.name,
                "--mapper", self.mapper, "--reduces", str(self.reduces), "--split-size", str(self.split),
                "--max-attempts", str(self.max_attempts), *more]

    def check_output(self, test):
        test.assertEqual((self.output / "_SUCCESS").exists(), self.state == "SUCCEEDED", self.name)
        test.assertFalse((self.output / "_temporary").exists(), self.name)
        if self.state != "SUCCEEDED":
            return
        parts = b"".join(part.read_bytes() for part in sorted(self.output.glob("part-*")))
        if self.reduces:
            test.assertEqual(sorted(parts.splitlines()), test.coreutils_wordcount(self.input), self.name)
        else:
            test.assertEqual(parts, self.input.read_bytes(), self.name)
