"""Copy-compute splitting on real processes: more reduces of a job copy than there are reduce slots, a small job that comes
later computes before them, the JobTracker may be killed meanwhile, and every output is right."""
import signal
import unittest

from cluster import MAPPER, SUM, Cluster, wait_for

SPLIT = "policy: fair\nfair: {copy_compute_split: true, pool_name_property: user}"


class CopySplit(Cluster):
    def start_splitting(self):
        self.conf = self.settings(extra=SPLIT)
        self.start_cluster(trackers=1, map_slots=2, reduce_slots=1, conf=self.conf)
        self.text = self.some_text(lines=2000)

    def count_words(self, out, user, reduces, mapper=MAPPER, reducer=SUM):
        return self.submitted(out, "--slowstart", "0", user=user, mapper=mapper, reducer=reducer, reduces=reduces,
                              input=self.text)

    def reduces(self, job):
        return self.json("job", "status", job)["reduces"]

    def check_output(self, out):
        self.assertEqual(sorted(self.output(out).splitlines()), self.coreutils_wordcount(self.text))

    def test_more_reduces_copy_than_there_are_slots(self):
        self.start_splitting()
        gate = self.dir / "gate"
        held = f"while [ ! -e {gate} ]; do sleep 0.1; done; "
        long = self.count_words("long", "ann", 4, mapper=held + MAPPER)
        wait_for("3 reduces copy beside one slot", lambda: self.reduces(long).get("copying") == 3)
        self.assertEqual(self.reduces(long)["running"], 0)
        gate.touch()
        self.assertEqual(self.wait_for_end(long), "SUCCEEDED", self.weir("job", "status", long).stdout)
        self.check_output("long")

    def test_those_that_have_copied_wait_for_the_slot(self):
        self.start_splitting()
        gate = self.dir / "gate"
        held = f"while [ ! -e {gate} ]; do sleep 0.1; done; "
        job = self.count_words("out", "ann", 3, reducer=held + SUM)
        wait_for("one computes, two wait", lambda: (self.reduces(job)["running"], self.reduces(job).get("copied")) == (1, 2))
        codes = [reason["code"] for reason in self.json("job", "explain", job)["reasons"]]
        self.assertIn("waiting_to_compute", codes)
        # What trackers say is enough to know it all again. The same ports again, as on a real cluster.
        port = self.address.split(":")[1]
        self.conf.write_text(self.conf.read_text().replace(
            "127.0.0.1:0", f"127.0.0.1:{port}, trackers: 127.0.0.1:{self.tracker_port}"))
        self.processes["jobtracker"].send_signal(signal.SIGKILL)
        self.processes["jobtracker"].wait()
        self.start_jobtracker(self.conf)
        wait_for("it is as it was", lambda: (self.reduces(job)["running"], self.reduces(job).get("copied")) == (1, 2), 60)
        gate.touch()
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED", self.weir("job", "status", job).stdout)
        self.assertEqual((self.reduces(job)["killed_attempts"], self.reduces(job)["failed_attempts"]), (0, 0))
        self.check_output("out")

    def test_a_switch_lets_those_that_copy_go_on(self):
        self.start_splitting()
        gate = self.dir / "gate"
        held = f"while [ ! -e {gate} ]; do sleep 0.1; done; "
        job = self.count_words("out", "ann", 3, mapper=held + MAPPER)
        wait_for("all copy", lambda: self.reduces(job).get("copying") == 3)
        self.weir("policy", "set", "capacity")
        gate.touch()
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED", self.weir("job", "status", job).stdout)
        self.check_output("out")


if __name__ == "__main__":
    unittest.main(verbosity=2)
