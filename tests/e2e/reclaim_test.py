"""Lent slots come back by force, on real processes: org A is idle, org B borrows its slots with long tasks, A submits,
and B's newest tasks are killed when A's timer runs out and not before. Both outputs are right. Also over a kill -9 of
the JobTracker, and a queue that is removed while its jobs run."""
import contextlib
import json
import signal
import sqlite3
import time
import unittest

import requests

from cluster import MAPPER, SUM, Cluster, wait_for

SPLIT = ["--split-size", "16KiB"]


class Reclaim(Cluster):
    def start_two_orgs(self, reclaim_after):
        conf = self.settings(f"""
  - {{name: a, guaranteed: 50%, reclaim_after: {reclaim_after}}}
  - {{name: b, guaranteed: 50%, reclaim_after: {reclaim_after}}}
""")
        self.start_cluster(trackers=2, map_slots=2, reduce_slots=2, conf=conf)
        return conf

    def borrow(self):
        """B's maps wait for a file, so that nothing but a kill frees a slot: 4 slots, 2 of them A's."""
        self.gate = self.dir / "gate"
        mapper = f"while [ ! -e {self.gate} ]; do sleep 0.1; done; " + MAPPER
        self.text = self.some_text(lines=4000)
        job = self.submitted("out_b", *SPLIT, queue="b", user="bob", mapper=mapper, reducer=SUM, reduces=2, input=self.text)
        wait_for("B runs on every map slot", lambda: self.show("b")["maps"]["running"] == 4)
        self.assertEqual(self.show("b")["maps"]["borrows"], 2)
        self.assertEqual(self.show("a")["maps"]["lends"], 2)
        wait_for("what is lent is counted", lambda: self.show("a")["map_slot_time"]["lent_ms"] > 0)
        return job

    def show(self, queue):
        return self.json("queue", "show", queue)

    def claim(self):
        claims = [c for c in self.show("a")["claims"] if c["kind"] == "map"]
        return claims[0] if claims else None

    def submit_a(self):
        return self.submitted("out_a", *SPLIT, queue="a", user="ann", mapper=MAPPER, reducer=SUM, reduces=1, input=self.text)

    def check_both(self, job_a, job_b):
        expected = self.coreutils_wordcount(self.text)
        self.assertEqual(self.wait_for_end(job_a), "SUCCEEDED", self.weir("job", "status", job_a).stdout)
        self.assertEqual(sorted(self.output("out_a").splitlines()), expected)
        self.assertEqual(self.job_state(job_b), "RUNNING")
        self.gate.touch()
        self.assertEqual(self.wait_for_end(job_b), "SUCCEEDED", self.weir("job", "status", job_b).stdout)
        self.assertEqual(sorted(self.output("out_b").splitlines()), expected)

    def check_kills(self, job_b, reclaim_ms):
        kills = self.show("a")["kills"]
        for kill in kills:
            self.assertGreaterEqual(kill["owed_ms"], reclaim_ms, "nobody dies before the deadline")
            self.assertEqual((kill["claimant"], kill["victim"], kill["user"], kill["job"]), ("a", "b", "bob", job_b))
        return kills

    def test_newest_tasks_die_when_the_timer_runs_out_and_not_before(self):
        self.start_two_orgs("8s")
        job_b = self.borrow()
        job_a = self.submit_a()
        claim = wait_for("A's claim", self.claim)
        self.assertEqual((claim["slots"], claim["state"]), (2, "waiting"))
        why = self.json("job", "explain", job_a)["reasons"]
        self.assertIn("claim", " ".join(r["code"] + " " + r["message"] for r in why))
        while (claim := self.claim()) and claim["milliseconds_left"] > 0:
            # Asked after the claim, whose time was left: had anybody died by then, A would have been early.
            seen = self.show("a")
            if seen["claims"] and seen["claims"][0]["milliseconds_left"] > 0:
                self.assertEqual(seen["kills"], [])
        wait_for("kills", lambda: len(self.show("a")["kills"]) >= 2)
        self.check_both(job_a, job_b)
        kills = self.check_kills(job_b, 8000)
        self.assertEqual(len(kills), 2)
        # B's maps were launched in order: its newest are 2 and 3.
        self.assertEqual(sorted(k["attempt"].split("_m_")[1][:6] for k in kills), ["000002", "000003"])
        self.assertEqual([k["outcome"] for k in kills], ["used", "used"])
        status = self.json("job", "status", job_b)
        self.assertEqual(status["maps"]["killed_attempts"], 2)
        self.assertEqual(status["maps"]["failed_attempts"], 0)  # a kill costs no attempt
        a, b = self.show("a"), self.show("b")
        self.assertEqual(sum(k["lost_slot_ms"] for k in kills), b["map_slot_time"]["lost_ms"])
        self.assertGreater(b["map_slot_time"]["borrowed_ms"], 0)
        bob = next(u for u in b["users"] if u["user"] == "bob")
        self.assertEqual((bob["jobs_succeeded"], bob["lost_map_slot_ms"]), (1, b["map_slot_time"]["lost_ms"]))
        self.assertEqual(a["claims"], [])

    def decisions(self, kinds):
        return requests.get(f"{self.page}/api/v1/decisions", params={"kind": kinds}, timeout=30).json()

    def totals(self, queue):
        shown = self.show(queue)
        return {key: shown[key] for key in ("jobs_succeeded", "map_slot_time", "reduce_slot_time", "totals_since_ms", "kills")}

    def test_who_took_whose_slots_outlives_the_jobtracker(self):
        conf = self.start_two_orgs("1s")
        self.keep_ports(conf, ", http: 127.0.0.1:0")
        self.restart(conf, signal.SIGTERM)
        job_b = self.borrow()
        job_a = self.submit_a()
        wait_for("kills", lambda: len(self.show("a")["kills"]) >= 2)
        self.check_both(job_a, job_b)
        before = {queue: self.totals(queue) for queue in "ab"}
        told = self.decisions("kill,claim,claim_met")
        self.assertEqual(len([one for one in told if one["event"] == "kill"]), 2)
        self.restart(conf, signal.SIGTERM)
        after = {queue: self.totals(queue) for queue in "ab"}
        for queue in "ab":  # what is lent and borrowed goes on being counted
            for one in (before, after):
                for key in ("map_slot_time", "reduce_slot_time"):
                    one[queue][key].pop("lent_ms"), one[queue][key].pop("borrowed_ms")
        self.assertEqual(after, before)
        self.assertEqual(self.decisions("kill,claim,claim_met"), told)
        series = requests.get(f"{self.page}/api/v1/series", params={"queue": "b", "step": "1s", "since": 0}, timeout=30)
        self.assertEqual(sum(point["map"]["kills"] for point in series.json()["points"]), 2)
        # A crash costs the last seconds, and no more.
        job = self.submitted("out_c", queue="b", user="bob", mapper="cat", reduces=0, input=self.text)
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED")
        wait_for("it is written", lambda: self.stored_of("b")["jobs"][0] == before["b"]["jobs_succeeded"] + 1)
        self.restart(conf, signal.SIGKILL)
        self.assertEqual(self.totals("b")["jobs_succeeded"], before["b"]["jobs_succeeded"] + 1)

    def test_what_was_decided_outlives_a_kill_and_what_ran_on_does_not_start_again(self):
        conf = self.start_two_orgs("1h")
        self.keep_ports(conf, ", http: 127.0.0.1:0")
        self.restart(conf, signal.SIGTERM)
        job_b = self.borrow()
        told = self.decisions("submit,job")
        self.assertEqual([one["event"] for one in told], ["job", "submit"])
        self.assertEqual(len(self.decisions("launch")), 4)
        series = {"queue": "b", "step": "1s", "since": 0}
        wait_for("it is written", lambda: "RUNNING" in self.stored(-3) and self.stored(1000, "b"))
        seen = requests.get(f"{self.page}/api/v1/series", params=series, timeout=30).json()["points"]
        wait_for("the series go on being written", lambda: self.stored(1000, "b") != self.stored(1000, "b", wait=0.5))
        self.restart(conf, signal.SIGKILL)
        wait_for("all are known again", lambda: len(self.decisions("adopt")) == 4)
        self.assertEqual(self.decisions("launch"), [])
        self.assertEqual(self.decisions("submit,job"), told)
        killed, ended, *_ = self.decisions("start")
        self.assertIn("was killed", killed["reason"])
        self.assertNotIn("reason", ended)
        since = {kind: int(requests.get(f"{self.page}/api/v1/decisions", params={"kind": kind}, timeout=30)
                           .headers["X-Weir-Complete-Since"]) for kind in ("launch", "job", "kill", "launch,job")}
        self.assertEqual(since["launch"], killed["t"])
        self.assertEqual(since["launch,job"], killed["t"])
        self.assertLessEqual(since["job"], told[-1]["t"])
        self.assertLessEqual(since["kill"], ended["t"])
        after = requests.get(f"{self.page}/api/v1/series", params=series, timeout=30).json()["points"]
        self.assertEqual(after[:len(seen)], seen)
        self.gate.touch()
        self.assertEqual(self.wait_for_end(job_b), "SUCCEEDED")

    def stored(self, step, series="", wait=0):
        time.sleep(wait)
        with contextlib.closing(sqlite3.connect(f"file:{self.dir}/weir.db?mode=ro", uri=True)) as store:
            rows = store.execute("SELECT hex(data) FROM series WHERE step = ? AND series = ? ORDER BY start", (step, series))
            return "".join(bytes.fromhex(row[0]).decode("latin-1") for row in rows)

    def stored_of(self, queue):
        """What the store has of a queue's past."""
        with contextlib.closing(sqlite3.connect(f"file:{self.dir}/weir.db?mode=ro", uri=True)) as store:
            return json.loads(store.execute("SELECT data FROM series WHERE step = -1 AND series = ?", (queue,)).fetchone()[0])

    def is_stored(self, claim):
        with contextlib.closing(sqlite3.connect(f"file:{self.dir}/weir.db?mode=ro", uri=True)) as store:
            return store.execute("SELECT 1 FROM claims WHERE id = ?", (claim,)).fetchone() is not None

    def restart(self, conf, how):
        self.processes["jobtracker"].send_signal(how)
        self.processes["jobtracker"].wait()
        self.start_jobtracker(conf)
        wait_for("the trackers are there", lambda: sum(one["state"] == "LIVE" for one in self.json("tracker", "list")) == 2)

    def test_a_claim_outlives_the_jobtracker(self):
        conf = self.start_two_orgs("12s")
        self.keep_ports(conf, ", http: 127.0.0.1:0")
        job_b = self.borrow()
        job_a = self.submit_a()
        before = wait_for("A's claim", self.claim)
        # It is seen at once, and the disk has it a moment later.
        wait_for("the store has it", lambda: self.is_stored(before["claim"]))
        self.processes["jobtracker"].send_signal(signal.SIGKILL)
        self.processes["jobtracker"].wait()
        self.start_jobtracker(conf)
        after = wait_for("it is owed it as before", self.claim)
        for key in ("claim", "slots", "opened_at_ms"):
            self.assertEqual(after[key], before[key], key)
        # By the clock it is later, by as long as the JobTracker was down.
        self.assertGreaterEqual(after["deadline_ms"], before["deadline_ms"])
        self.assertGreater(after["milliseconds_left"], 0)
        wait_for("the guarantees are as before", lambda: self.show("a")["maps"]["guaranteed"] == 2)
        wait_for("kills", lambda: len(self.show("a")["kills"]) >= 2, 60)
        self.check_both(job_a, job_b)
        self.check_kills(job_b, 12000)

    def test_a_removed_queue_hands_its_jobs_on(self):
        conf = self.start_two_orgs("10m")
        job = self.borrow()
        conf = self.dir / "without_b.yaml"
        store = f"listen: {{thrift: 127.0.0.1:0}}\nstore: {{sqlite: {self.dir}/weir.db}}\n"
        queues = "queues: [{name: a, guaranteed: 40%}, {name: c, guaranteed: 60%, maximum: 75%}]\n"
        conf.write_text(store + queues)
        self.refused(2, "queue b has 1 unfinished job and would be gone", "conf", "apply", conf)
        self.refused(2, "queue b has 1 unfinished job and would be gone", "conf", "diff", conf)
        conf.write_text(store + queues + "removed_queues: [{queue: b, move_to: c}]\n")
        diff = self.json("conf", "diff", conf)
        self.assertEqual(diff["refusals"], [])
        change = {q["queue"]: q for q in diff["queues"]}
        self.assertEqual((change["b"]["change"], change["b"]["moves_to"], change["b"]["jobs"]), ("removed", "c", 1))
        self.assertEqual((change["a"]["maps_before"], change["a"]["maps_after"]), (2, 2))
        self.assertEqual((change["c"]["maps_after"], change["c"]["maps_maximum_after"]), (2, 3))
        self.ok("conf", "apply", conf)
        self.assertEqual(self.json("job", "status", job)["queue"], "c")
        self.assertEqual(self.show("c")["maps"]["running"], 4)
        self.gate.touch()
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED")
        self.assertEqual(sorted(self.output("out_b").splitlines()), self.coreutils_wordcount(self.text))


if __name__ == "__main__":
    unittest.main()
