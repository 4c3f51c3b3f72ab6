"""Containers under capacity, on real trackers: what an org lent comes back by force when its claims are due, in the
amounts that they are for, also where the JobTracker is killed between the claim and the kill; and what users are told."""
import contextlib
import json
import re
import signal
import sqlite3
import unittest

import requests

from cluster import PATIENCE, Cluster, wait_for

CONTAINERS = "policy: capacity\nresources: containers\nheartbeat: {floor: 100ms}\ncapacity: {interval: 200ms}"
GIB_OF_ONE = {"memory_mb": 1024, "vcores": 1}


class Containers(Cluster):
    def start_two_orgs(self, reclaim_after):
        conf = self.settings(f"""
  - {{name: a, guaranteed: 50%, reclaim_after: {reclaim_after}}}
  - {{name: b, guaranteed: 50%, reclaim_after: {reclaim_after}}}
""", extra=CONTAINERS)
        self.start_jobtracker(conf)
        self.start("tt1", ["tracker", "--jobtracker", self.address, "--name", "tt1", "--work-dir", self.dir / "work",
                           "--offer", "memory_mb=4096,vcores=8"])
        wait_for("the tracker is there", lambda: len(self.json("tracker", "list")) == 1)
        return conf

    def queue(self, name):
        return self.json("queue", "show", name)

    def amounts(self, name, dimension="memory_mb"):
        return self.queue(name)["dimensions"][dimension]

    def started(self, queue, count, memory, command):
        """B's tasks run until they are let go."""
        done = self.ok("run", "--queue", queue, "--count", count, "--memory", memory, "--", command)
        return re.search(r"job_\d+", done).group()

    def borrow(self):
        self.gate = self.dir / "gate"
        job = self.started("b", 6, "1G", f"while [ ! -e {self.gate} ]; do sleep 0.1; done; echo done")
        wait_for("B runs on all there is", lambda: self.amounts("b")["running"] == 4096)
        return job

    def test_what_was_lent_comes_back_by_force(self):
        seconds = int(5 * PATIENCE)  # for all commands until the kills
        self.start_two_orgs(f"{seconds}s")
        b = self.borrow()
        before = {one["attempt"] for one in self.json("job", "logs", b, "--list")}
        a = self.started("a", 1, "2G", "echo mine")
        claims = wait_for("A is owed it", lambda: self.queue("a")["claims"])
        self.assertEqual({(claim["dimension"], claim["slots"]) for claim in claims}, {("memory_mb", 2048), ("vcores", 1)})
        self.assertRegex(self.ok("queue", "list"), r"memory_mb +2048 +2048 +0 +2048 +4096 +2048 \(")
        self.assertRegex(self.ok("queue", "show", "a"), r"2048 MB +\S+ +in \S+ +waiting")
        why = self.ok("job", "explain", a)
        self.assertRegex(why, r"queue a runs no memory_mb of its guaranteed 2048 MB and is owed 2048 MB and 1 vcore: its claim for "
                              r"2048 MB kills in \S+ at the latest")
        self.assertRegex(self.ok("job", "explain", b), r"what comes free goes first to a, whose claim for 2048 MB kills in")
        self.assertEqual(wait_for("A has run", lambda: self.job_state(a) == "SUCCEEDED" and "SUCCEEDED"), "SUCCEEDED")
        kills = self.queue("a")["kills"]
        self.assertEqual([(kill["victim"], kill["outcome"]) for kill in kills], [("b", "used")] * 2)
        newest = sorted(before)[-2:]
        self.assertEqual(sorted(kill["attempt"] for kill in kills), newest)
        self.assertTrue(all(kill["owed_ms"] >= 1000 * seconds for kill in kills), kills)
        self.gate.touch()
        self.assertEqual(wait_for("B is done", lambda: self.job_state(b) == "SUCCEEDED" and "SUCCEEDED"), "SUCCEEDED")
        self.assertEqual(self.queue("a")["claims"], [])

    def restart(self, conf):
        self.processes["jobtracker"].send_signal(signal.SIGKILL)
        self.processes["jobtracker"].wait()
        self.start_jobtracker(conf)

    def lost_of(self, metrics, queue):
        found = re.findall(rf'^weir_queue_lost_amount_seconds_total{{queue="{queue}",dimension="(\w+)"}} (\S+)$', metrics, re.M)
        return {dimension: float(seconds) for dimension, seconds in found}

    def stored(self, question, *values):
        with contextlib.closing(sqlite3.connect(f"file:{self.dir}/weir.db?mode=ro", uri=True)) as store:
            return store.execute(question, values).fetchone()

    def jobs_stored(self, queue):
        """How many of its jobs have succeeded, by what the store has of its past."""
        row = self.stored("SELECT data FROM series WHERE step = -1 AND series = ?", queue)
        return json.loads(row[0])["jobs"][0] if row else None

    def totals(self, name):
        """Of what has ended; what is lent and borrowed goes on being counted."""
        shown = self.queue(name)
        times = {dimension: (its["time"]["used_ms"], its["time"]["lost_ms"]) for dimension, its in shown["dimensions"].items()}
        return times, shown["users"], shown["kills"]

    def test_what_a_kill_has_cost_is_told_in_amounts_and_outlives_the_jobtracker(self):
        conf = self.start_two_orgs("1s")
        self.keep_ports(conf, ", http: 127.0.0.1:0")
        self.restart(conf)
        wait_for("the tracker is back", lambda: [one["state"] for one in self.json("tracker", "list")] == ["LIVE"])
        b = self.borrow()
        has = self.queue("b")["users"][0]["dimensions"]
        self.assertEqual({dimension: its["running"] for dimension, its in has.items()}, {"memory_mb": 4096, "vcores": 4})
        a = self.started("a", 1, "2G", "echo mine")
        wait_for("A has run", lambda: self.job_state(a) == "SUCCEEDED")
        self.gate.touch()
        wait_for("B is done", lambda: self.job_state(b) == "SUCCEEDED")
        shown = self.queue("b")
        self.assertEqual([kill["container"] for kill in shown["kills"]], [GIB_OF_ONE] * 2)
        for kill in shown["kills"]:
            self.assertGreaterEqual(kill["ran_ms"], 1000)
            self.assertEqual(kill["lost_ms"], {dimension: amount * kill["ran_ms"] for dimension, amount in GIB_OF_ONE.items()})
        lost = {dimension: sum(kill["lost_ms"][dimension] for kill in shown["kills"]) for dimension in GIB_OF_ONE}
        self.assertEqual({dimension: its["time"]["lost_ms"] for dimension, its in shown["dimensions"].items()}, lost)
        self.assertEqual({dimension: its["lost_ms"] for dimension, its in shown["users"][0]["dimensions"].items()}, lost)
        self.assertEqual((shown["map_slot_time"], shown["users"][0]["used_map_slot_ms"]), (None, None))
        text = self.ok("queue", "show", "b")
        self.assertRegex(text, r"\d MB-s, [\d.]+ vcore-s +used\n")
        self.assertRegex(text, r"TOTALS +USED +LENT +BORROWED +LOST TO KILLS\nMB-seconds +\d+\.\d .*\nvcore-seconds +\d+\.\d")
        self.assertNotRegex(text, "SLOT-SECONDS|REDUCES")
        hour = requests.get(f"{self.page}/api/v1/cluster", timeout=30).json()["kills_last_hour"]
        self.assertEqual((hour["attempts"], hour["waste_ms"]), (2, lost))
        metrics = requests.get(f"{self.page}/metrics", timeout=30).text
        self.assertEqual(self.lost_of(metrics, "b"), {dimension: ms / 1000 for dimension, ms in lost.items()})
        self.assertNotIn("\nweir_queue_used_slot_seconds_total{", metrics)
        before = {queue: self.totals(queue) for queue in "ab"}
        wait_for("the store has it", lambda: all(self.jobs_stored(queue) == 1 for queue in "ab"))
        self.restart(conf)
        self.assertEqual({queue: self.totals(queue) for queue in "ab"}, before)
        metrics = requests.get(f"{self.page}/metrics", timeout=30).text
        self.assertEqual(self.lost_of(metrics, "b"), {dimension: ms / 1000 for dimension, ms in lost.items()})

    def test_claims_outlive_the_jobtracker(self):
        conf = self.start_two_orgs(f"{10 * PATIENCE:.0f}s")
        self.keep_ports(conf)
        b = self.borrow()
        a = self.started("a", 2, "1G", "echo mine")
        born = wait_for("A is owed it", lambda: self.queue("a")["claims"])[0]
        # It is seen at once, and the disk has it a moment later.
        wait_for("the store has it", lambda: self.stored("SELECT 1 FROM claims WHERE id = ?", born["claim"]))
        self.restart(conf)
        again = wait_for("it is owed it as before", lambda: self.queue("a")["claims"])[0]
        self.assertEqual((again["claim"], again["opened_at_ms"]), (born["claim"], born["opened_at_ms"]))
        wait_for("A has run", lambda: self.job_state(a) == "SUCCEEDED")
        self.gate.touch()
        wait_for("B is done", lambda: self.job_state(b) == "SUCCEEDED")
        self.assertEqual({kill["victim"] for kill in self.queue("a")["kills"]}, {"b"})


if __name__ == "__main__":
    unittest.main()
