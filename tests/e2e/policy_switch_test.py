"""Policies switched ten times on a live JobTracker under load, on real processes: no job and no running task is lost or
started again for it, the new policy decides at once, queue tree, ACLs and limits hold under each, and every output is
right."""
import json
import time
import unittest

from cluster import MAPPER, SUM, Cluster, wait_for

POLICIES = ["fair", "fifo", "capacity", "fair", "capacity", "fifo", "fair", "capacity", "fair", "capacity"]
QUEUES = """
  - {name: research, guaranteed: 60%, queues: [{name: vision}, {name: speech}]}
  - {name: sales, guaranteed: 40%, maximum: 50%, submit: [sam]}
"""


class PolicySwitch(Cluster):
    def start_orgs(self):
        self.event_log = self.dir / "events.jsonl"
        log = f"event_log: {{path: {self.event_log}}}\nspeculation: off\n"
        self.start_cluster(trackers=2, map_slots=2, reduce_slots=2, conf=self.settings(QUEUES, log))
        self.text = self.some_text(lines=3000)

    def count_words(self, out, queue, user, mapper=MAPPER):
        return self.submitted(out, "--split-size", "16KiB", queue=queue, user=user, mapper=mapper, reducer=SUM, reduces=2,
                              input=self.text)

    def policy(self):
        return self.json("policy", "show")

    def test_ten_switches_while_jobs_run(self):
        self.start_orgs()
        gate = self.dir / "gate"
        slow = f"while [ ! -e {gate} ]; do sleep 0.1; done; sleep 0.4; " + MAPPER
        jobs = {f"out_{i}": self.count_words(f"out_{i}", queue, user, slow)
                for i, (queue, user) in enumerate([("vision", "ann"), ("speech", "bob"), ("sales", "sam"), ("vision", "cat")])}
        running = lambda: sum(q["maps"]["running"] for q in self.json("queue", "list") if q["leaf"])
        wait_for("all map slots busy", lambda: running() == 4)
        gate.touch()
        for policy in POLICIES:
            self.weir("policy", "set", policy)
            self.assertEqual(self.policy()["current"], policy)
            # Slots go on being filled under every policy, until there is nothing left to fill them with.
            wait_for("maps start under " + policy, lambda: running() > 0 or self.all_over(jobs.values()))
            self.refused(2, "may not submit", *self.submit("refused", queue="sales", reducer=SUM, input=self.text), user="ann")
            sales = self.json("queue", "show", "sales")["maps"]["running"]
            self.assertLessEqual(sales, 2, "sales' maximum of 50% holds under " + policy)
        expected = self.coreutils_wordcount(self.text)
        for out, job in jobs.items():
            self.assertEqual(self.wait_for_end(job), "SUCCEEDED", self.weir("job", "status", job).stdout)
            self.assertEqual(sorted(self.output(out).splitlines()), expected)
            status = self.json("job", "status", job)
            for kind in ("maps", "reduces"):
                self.assertEqual((status[kind]["killed_attempts"], status[kind]["failed_attempts"]), (0, 0))
        self.check_event_log(jobs.values())

    def test_settings_that_were_in_force_are_known_and_come_back(self):
        conf = self.settings("\n  - {name: a, guaranteed: 60%}\n  - {name: b, guaranteed: 40%}\n")
        self.start_cluster(trackers=1, map_slots=1, reduce_slots=1, conf=conf)
        other = self.dir / "other.yaml"
        other.write_text("queues:\n  - {name: a, guaranteed: 30%}\n  - {name: b, guaranteed: 70%}\n")
        self.ok("conf", "apply", other)
        self.ok("policy", "set", "fifo")
        self.ok("queue", "stop", "b")
        jobtracker = self.processes["jobtracker"]
        jobtracker.kill()
        jobtracker.wait()
        self.start_jobtracker(conf)
        self.assertLess(self.policy()["since_ms"], self.json("info")["started_at_ms"], "fifo ruled before the restart")
        records = self.json("conf", "history")
        self.assertEqual([(r["number"], r["by"] == "", r["policy"], r["source"]) for r in records],
                         [(3, False, "fifo", ""), (2, False, "capacity", str(other)), (1, True, "capacity", str(conf))])
        shown = self.json("conf", "show", "--origin")
        self.assertEqual((shown["policy"], shown["text"]), ("fifo", other.read_text()))
        origin = {s["name"]: (s["value"], s["origin"]) for s in shown["settings"]}
        self.assertEqual([origin[name] for name in ("policy", "queues.b.guaranteed", "queues.b.state", "heartbeat.expiry")],
                         [("fifo", "command"), ("70%", "settings"), ("stopped", "command"), ("10m", "default")])
        self.refused(2, "there is no number 99; see `weir conf history`", "conf", "revert", 99)
        self.refused(2, "user mallory is no administrator", "conf", "revert", 1, user="mallory")
        reverted = self.weir("conf", "revert", 1)
        self.assertEqual(reverted.stdout, f"{conf}, as of 1 applied\n")
        self.assertIn("policy: these say capacity, but fifo rules", reverted.stderr)
        self.assertEqual([q["guaranteed"] for q in self.json("queue", "list") if q["leaf"]], ["60%", "40%"])
        self.ok("policy", "set", "capacity")
        self.ok("conf", "revert", 3)
        self.assertEqual(self.policy()["current"], "fifo")

    def test_the_policy_of_the_settings_rules_since_it_began(self):
        conf = self.settings(QUEUES)
        self.start_cluster(trackers=1, map_slots=1, reduce_slots=1, conf=conf)
        text = conf.read_text()
        for more, policy in (("", "capacity"), ("# a comment\n", "capacity"), ("policy: fair\n", "fair")):
            conf.write_text(text + more)
            killed_at = time.time() * 1000
            jobtracker = self.processes["jobtracker"]
            jobtracker.kill()
            jobtracker.wait()
            self.start_jobtracker(conf)
            shown = self.policy()
            self.assertEqual(shown["current"], policy)
            if policy == "capacity":
                self.assertLess(shown["since_ms"], killed_at, more)
            else:
                self.assertGreater(shown["since_ms"], killed_at)

    def check_event_log(self, jobs):
        """The event log tells the ten switches, and each task was launched once and finished once."""
        def events():
            return [json.loads(line) for line in self.event_log.read_text().splitlines()]
        done = lambda: {e["job"] for e in events() if e["event"] == "job" and e["state"] == "SUCCEEDED"}
        wait_for("the ends of the jobs are in the event log", lambda: done() >= set(jobs))
        told = events()
        self.assertEqual([e["policy"] for e in told if e["event"] == "policy"], POLICIES)
        for what in ("launch", "finish"):
            tasks = [(e["job"], e["task"]) for e in told if e["event"] == what]
            self.assertGreater(len(tasks), 20)
            self.assertEqual(len(tasks), len(set(tasks)), what)
        self.assertEqual([e for e in told if e["event"] in ("kill", "fail", "lost")], [])

    def all_over(self, jobs):
        return all(self.job_state(job) == "SUCCEEDED" for job in jobs)

    def test_shows_what_each_policy_would_give(self):
        self.start_orgs()
        gate = self.dir / "gate"
        wait = f"while [ ! -e {gate} ]; do sleep 0.1; done; " + MAPPER
        sales = self.count_words("out_s", "sales", "sam", wait)  # first: its maximum leaves slots for vision
        vision = self.count_words("out_v", "vision", "ann", wait)
        wait_for("both run", lambda: all(self.json("queue", "show", q)["maps"]["running"] > 0 for q in ("vision", "sales")))
        outlooks = {o["policy"]: {s["name"]: s for s in o["shares"]} for o in self.policy()["outlooks"]}
        self.assertEqual(set(outlooks), {"capacity", "fair", "fifo"})
        self.assertEqual(outlooks["capacity"]["research"]["maps"]["guaranteed"], 2)
        self.assertEqual(sum(outlooks["capacity"][q]["maps"]["allocated"] for q in ("research", "sales")), 4)
        fair = outlooks["fair"]
        self.assertEqual(fair["sales"]["maps"]["share"] + fair["research.vision"]["maps"]["share"], 4)
        self.weir("policy", "set", "fair")
        self.assertEqual(self.policy()["current"], "fair")
        gate.touch()
        for job in (vision, sales):
            self.assertEqual(self.wait_for_end(job), "SUCCEEDED")


if __name__ == "__main__":
    unittest.main(verbosity=2)
