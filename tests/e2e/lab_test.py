#!/usr/bin/env python3
"""Two binaries: `weir` hands over to the weir-lab beside it what belongs there, and has none of its code itself."""
import os
import pathlib
import subprocess
import tempfile
import unittest

WEIR = pathlib.Path(os.environ.get("WEIR_BIN", "weir")).resolve()
LAB = WEIR.with_name("weir-lab")
# Classes that break something, or draw chance.
OF_THE_LAB = ("Saboteur", "FuzzStory", "weir::faults::", "weir::experiments::")


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


class TwoBinaries(unittest.TestCase):
    def same(self, of_weir, of_lab, code):
        self.assertEqual(run(WEIR, *of_weir)[:2], run(LAB, *of_lab)[:2])
        self.assertEqual(run(WEIR, *of_weir)[0], code)

    def test_what_weir_once_had_is_handed_over(self):
        rules = ["--only", "rules", "--seeds", "2"]
        self.same(["sim", "--fuzz", *rules, "--events", "-"], ["fuzz", *rules, "--events", "-"], 0)
        self.same(["sim", *rules, "--break", "running", "--fuzz"], ["fuzz", *rules, "--break", "running"], 1)
        self.same(["experiment", "--help"], ["experiment", "--help"], 0)
        self.same(["experiment", "none-such"], ["experiment", "none-such"], 2)

    def test_a_weir_that_is_alone_says_what_is_missing(self):
        with tempfile.TemporaryDirectory(dir=WEIR.parent) as folder:
            alone = pathlib.Path(folder, "weir")
            alone.hardlink_to(WEIR)
            code, out, err = run(alone, "sim", "--fuzz")
        self.assertEqual((code, out), (2, ""))
        self.assertRegex(err, r"^weir: this is a part of the development build: .*/weir-lab: No such file or directory\n$")

    def test_nothing_of_the_lab_is_in_weir(self):
        found = {name for name in OF_THE_LAB if name in run("nm", "-C", WEIR)[1]}
        self.assertEqual(found, set())
        self.assertEqual({name for name in OF_THE_LAB if name in run("nm", "-C", LAB)[1]}, set(OF_THE_LAB))


if __name__ == "__main__":
    unittest.main()
