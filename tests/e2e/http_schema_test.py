"""The HTTP API's document against the server, in both directions: every answer is what the document says, down to the last
field, and every field, path and method of the document is in an answer. Under each policy, with jobs in every state."""
import unittest
from urllib.parse import quote

import jsonschema

from cluster import wait_for
from document import DOCUMENT, Seen, answer_schema, check, operation_of, strict
from http_test import HTTP, Http

SETTINGS = """
administrators: [root, ann]
fair:
  preemption: on
  algorithm: deficit
  locality_delay: {node: 30m, rack: 1h}
  copy_compute_split: true
  pools:
    - {name: research, min_share: {map: 2}, max_share: {map: 3}, min_share_timeout: 1s, fair_share_timeout: 1h}
queues:
  - name: research
    guaranteed: 40%
    maximum: 75%
    submit: [ann, "@staff"]
    administer: [bob]
    reclaim_after: 5s
    kill_budget: 100000
    max_running_jobs: 3
    user_limit: {minimum: 50%, factor: 1}
  - {name: production, guaranteed: 50%, reclaim_after: 1s}
  - {name: lab, guaranteed: 10%, queues: [{name: bench}]}
"""

# What takes another story than this one, or luck (a slot is held for as long as its task dies), and null: wide tasks,
# containers, speculation, copies that go on, a store or a tracker that fails, a cluster that anybody administers, trackers
# and attempts from before a restart.
NOT_HERE = {"Claim.width", "Claim.dimension", "Claim.overdue_ms", "OpenClaim.width", "OpenClaim.dimension", "Hold.room",
            "OpenClaim.overdue_ms", "Cluster.store_error", "Decision.speculative", "Decision.what", "Decision.container", "Decision.tasks", "Tracker.ports",
            "Figures.unmet", "Hold.claim", "Hold.dying", "Hold.kind", "Hold.slots", "Hold.tracker", "JobStanding.locality_left_ms",
            "JobStanding.weight", "JobAmount.running", "JobAmount.share", "Share.below_min_share_ms", "Share.below_half_share_ms",
            "JobStanding.may_run", "QueueUser.limit_reduces", "SeriesFigures.share_thousandths", "SettingsDiff.queues.moves_to",
            "Slots.copying", "Tasks.copied", "Tasks.copying", "Tasks.speculative", "Tasks.speculative_won", "Tracker.back_at_ms",
            "Tracker.copied", "Tracker.copying", "Tracker.health", "Offer.total", "Offer.used", "Offer.free",
            "Tracker.reserved_for", "Tracker.room_for", "Queue.dominant_thousandths", "Series.points.dimensions", "Kill.container", "Kill.lost_ms", "Cluster.kills_last_hour.waste_ms", "TaskGroup.name", "TaskGroup.tasks", "Asked.groups", "Asked.service"} | {
                "AskedGroup." + field for field in (
                    "name", "count", "command", "memory_mb", "vcores", "resources", "gang", "require", "require.label",
                    "require.values", "require.none_of", "retries", "ports", "time_limit_ms", "environment", "on_member", "spread",
                    "spread.by", "spread.max_skew")} | {
                "SettingsDiff.queues.amounts." + field for field in (
                    "dimension", "guaranteed_before", "guaranteed_after", "maximum_before", "maximum_after")}
NOT_NULL_HERE = {"SeriesFigures.running_thousandths", "SeriesFigures.lent_thousandths", "SeriesFigures.borrowed_thousandths",  # of points of an earlier version
                 "SettingsDiff.map_slots", "SettingsDiff.reduce_slots", "SettingsDiff.queues.maps_maximum_before",
                 "SettingsDiff.queues.maps_maximum_after", "SettingsDiff.queues.reduces_maximum_before",
                 "SettingsDiff.queues.reduces_maximum_after", "Attempt.log_host", "Attempt.log_port", "Attempt.ran_ms", "Claim.deadline_ms", "OpenClaim.deadline_ms", "Decision.for",
                 "Queue.administer", "Queue.map_slot_time", "Queue.reduce_slot_time", "QueueUser.used_map_slot_ms",
                 "QueueUser.used_reduce_slot_ms", "QueueUser.lost_map_slot_ms", "QueueUser.lost_reduce_slot_ms", "Slots.maximum", "Tracker.free_disk_mb", "Tracker.last_heartbeat_ms_ago"}


class Schema(Http):
    trackers = 2

    def write_settings(self):
        return f"{HTTP}\nstore: {{sqlite: {self.dir}/weir.db}}\n{SETTINGS}"

    def setUp(self):
        self.seen, self.called = Seen(), set()
        super().setUp()

    def checked(self, method, path, answer):
        schema = answer_schema(method, path, answer)
        if found := operation_of(method, path):
            self.called.add((method, found[0], answer.status_code))
        if schema:
            self.seen.note(schema, answer.json())

    def many_files(self, count):
        files = []
        for i in range(count):
            files.append(self.dir / f"in{i}")
            files[-1].write_text("x\n")
        return [str(one) for one in files]

    def look(self, path, *allowed):
        answer = self.session.get(f"{self.page}/api/v1{path}", timeout=60)
        self.assertIn(answer.status_code, allowed, f"{path}: {answer.text[:300]}")
        check("GET", path, answer)
        self.checked("GET", path, answer)

    def walk(self):
        """Every GET of the document, for whatever there is."""
        jobs = [job["number"] for job in self.get("/jobs").json()]
        attempts = {job: [one["attempt"] for one in self.get(f"/jobs/{job}/tasks").json()] for job in jobs}
        names = {"queue": [queue["name"] for queue in self.get("/queues").json()],
                 "tracker": [tracker["name"] for tracker in self.get("/trackers").json()],
                 "number": [record["number"] for record in self.get("/settings/history").json()], "job": jobs}
        for path, operations in DOCUMENT["paths"].items():
            if "get" not in operations or path == "/events":
                continue
            if "{attempt}" in path:
                for job, of in attempts.items():
                    for attempt in of[:2]:
                        self.look(f"/jobs/{job}/logs/{attempt}", 200, 404, 502)
                continue
            parameter = path[path.index("{") + 1:path.index("}")] if "{" in path else None
            for name in names[parameter] if parameter else [""]:
                # A change of the policy has a number among those of settings, and no text.
                allowed = (200, 404) if parameter == "number" else (200,)
                self.look(path.replace(f"{{{parameter}}}", quote(str(name))), *allowed)
        self.get("/policy?advanced=1")

    def change(self, job):
        """Every call that changes something, and whose answers say what it would."""
        for body in ({"priority": "HIGH", "queue": None, "held": None}, {"queue": "lab.bench", "pool": None, "priority": None},
                     {"pool": "research"}):
            jsonschema.validate(body, strict({"$ref": "#/components/schemas/JobChange"}))
            self.call("PATCH", f"/jobs/{job}", 200, body=body)
        for state in ("STOPPED", "RUNNING"):
            self.call("PATCH", "/queues/lab.bench", 200, body={"state": state})
        self.call("PATCH", "/trackers/tt2", 200, body={"order": "drain", "reason": "a new disk"})
        self.walk()
        self.call("PATCH", "/trackers/tt2", 200, body={"order": "resume"})
        yaml = {"Content-Type": "application/yaml"}
        now = self.get("/settings")
        other = now.json()["text"].replace("[{name: bench}]", "[{name: desk}]").replace("50%, reclaim", "50%, maximum: 70%, reclaim")
        self.call("POST", "/settings/check", 200, data="queues:\n  - {nam: x}\n", headers=yaml)
        self.call("POST", "/settings/check", 200, data=other, headers=yaml)
        self.call("POST", "/settings/diff", 200, data=other, headers=yaml)
        self.call("PUT", "/settings", 200, data=other, headers={**yaml, "If-Match": now.headers["ETag"]})

    def test_every_answer_is_what_the_document_says_and_all_of_it_is_there(self):
        over = self.submit_job(reducer="cat", combiner="cat", reduces=1, name="over", combine_bytes=1 << 20,
                               files=[{"name": "a", "content": "b", "executable": True}])["number"]
        failed = self.submit_job(output="failed", mapper="exit 3", max_attempts=1)["number"]
        self.wait_over(over)
        self.wait_over(failed)
        held = self.submit_job(output="held", hold=True, time_limit_ms=3_600_000)
        killed = self.submit_job(output="killed", hold=True)["number"]
        self.call("DELETE", f"/jobs/{killed}", 200)
        self.submit_job(output="long", queue="production", mapper="sleep 600; cat", input_files=self.many_files(6),
                        time_limit_ms=3_600_000)
        wait_for("all slots are borrowed", lambda: self.get("/queues/production").json()["maps"]["running"] == 4)
        self.submit_job(output="wanted", mapper="echo reporter:status:asleep >&2; sleep 600; cat", input_files=self.many_files(3), reducer="cat", reduces=1)
        wait_for("a claim", lambda: self.get("/queues/research").json()["claims"] and self.get("/cluster").json()["claims"])
        text = self.get("/settings").json()["text"]
        for what in (text, text.replace("name: production", "name: other")):  # with the claim; refused, for its jobs
            self.call("POST", "/settings/diff", 200, data=what, headers={"Content-Type": "application/yaml"})
        self.walk()
        wait_for("kills", lambda: self.get("/queues/research").json()["kills"])
        wait_for("a point of the series", lambda: self.get("/series?step=1s").json()["points"])
        self.walk()
        self.change(held["number"])
        for policy in ("fair", "fifo"):
            self.call("PUT", "/policy", 200, body={"name": policy})
            if policy == "fair":
                self.call("PATCH", f"/jobs/{held['number']}", 200, body={"pool": "production"})
            self.walk()
        self.processes["tt2"].kill()
        wait_for("it is silent", lambda: self.get("/trackers/tt2").json()["state"] == "SILENT")
        for order in ("lost", "forget"):
            self.call("PATCH", "/trackers/tt2", 200, body={"order": order})
            self.walk()
        called = {(method, path) for method, path, status in self.called if status < 300}
        self.assertEqual(called, {(method.upper(), path) for path, operations in DOCUMENT["paths"].items()
                                  for method in operations} - {("GET", "/events")})
        unseen, never_null = self.seen.missing()
        self.assertEqual(unseen - NOT_HERE, set(), "fields of the document that were in no answer")
        self.assertEqual(never_null - NOT_HERE - NOT_NULL_HERE, set(), "fields of the document that may be null and never were")


    def wrong_values(self, schema):
        """Values just beyond what the schema of a field takes."""
        if "minimum" in schema:
            yield schema["minimum"] - 1
        if "maximum" in schema:
            yield schema["maximum"] + 1
        if schema.get("minLength"):
            yield ""
        if "maxLength" in schema:
            yield "/" + "x" * schema["maxLength"]
        if schema.get("minItems"):
            yield []
        if "maxItems" in schema and schema["maxItems"] < 1000:
            yield [{"name": f"f{i}", "content": ""} for i in range(schema["maxItems"] + 1)]
        if "maxProperties" in schema:
            yield {f"k{i}": "" for i in range(schema["maxProperties"] + 1)}
        if "enum" in schema:
            yield "none of these"
        if "pattern" in schema:
            yield "a\0b"

    def test_the_document_knows_every_kind_of_decision(self):
        kind = next(one for one in DOCUMENT["paths"]["/decisions"]["get"]["parameters"] if one["name"] == "kind")
        known = self.get("/decisions?kind=none", 400).json()["hint"].split(", ")
        self.assertEqual(kind["schema"]["pattern"], "^((K)(,(K))*)?$".replace("K", "|".join(known)))
        self.get("/decisions?kind=" + ",".join(known))

    def test_what_the_document_says_of_bodies_is_what_the_server_takes(self):
        document = DOCUMENT["components"]["schemas"]["Submission"]
        known = self.call("POST", "/jobs", 400, body={"nonsense": 1}).json()["hint"].removeprefix("one of: ").split(", ")
        self.assertEqual(set(document["properties"]), set(known))
        good = {"queue": "research", "input_files": [str(self.dir)], "output": str(self.dir / "never"), "mapper": "cat", "reduces": 0,
                "hold": True}
        taken = jsonschema.Draft7Validator(strict({"$ref": "#/components/schemas/Submission"}))
        tried = 0
        for name, schema in document["properties"].items():
            for value in self.wrong_values(schema):
                body = {**good, name: value}
                self.assertFalse(taken.is_valid(body), f"the document takes {name}: {str(value)[:60]}")
                refused = self.call("POST", "/jobs", 400, body=body).json()
                self.assertIn(name, refused["message"], str(value)[:60])
                tried += 1
        self.assertGreater(tried, 40)
        for body in ({**good, "reduces": 1}, {key: value for key, value in good.items() if key != "queue"}):
            self.assertFalse(taken.is_valid(body), body)
            self.call("POST", "/jobs", 400, body=body)
        self.assertTrue(taken.is_valid(good))
        job = self.submit_job(hold=True)["number"]
        change = jsonschema.Draft7Validator(strict({"$ref": "#/components/schemas/JobChange"}))
        for body in ({}, {"held": None, "queue": None}, {"queue": "lab", "pool": "lab"}, {"held": True}, {"priority": "TOP"}):
            self.assertFalse(change.is_valid(body), body)
            self.call("PATCH", f"/jobs/{job}", 400, body=body)


if __name__ == "__main__":
    unittest.main()
