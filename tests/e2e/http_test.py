"""The HTTP API of a real cluster: every path of its OpenAPI document against the server and the other way round, every
refusal, names that mean harm, paging, tags, settings that two people edit, logs by range, the stream, and the figures of
the command line against those of the API."""
import json
import re
import socket
import unittest

import jsonschema
import requests

from cluster import ROOT, Cluster, wait_for
from document import DOCUMENT, check, strict

HTTP = "listen: {thrift: '127.0.0.1:0', http: '127.0.0.1:0', http_names: [weir.example.org]}"
API = "/api/v1"
HOSTILE = ["<script>alert(1)</script>", "a' OR 1=1 --", "\u202etxt.exe", "name\u00e4\u20ac\U0001f600", "%00%2e%2e", "${jndi}"]


def settings_text(folder, more=""):
    return (f"{HTTP}\nstore: {{sqlite: {folder}/weir.db}}\nadministrators: [root, ann]\n{more}\n"
            "queues:\n  - {name: research, guaranteed: 60%}\n  - {name: production, guaranteed: 40%}\n")


class Http(Cluster):
    trackers = 1

    def setUp(self):
        super().setUp()
        self.conf = self.dir / "weir.yaml"
        self.conf.write_text(self.write_settings())
        self.start_cluster(self.trackers, conf=self.conf)
        self.session = requests.Session()

    def write_settings(self):
        return settings_text(self.dir)

    def checked(self, method, path, answer):
        """Looks at every answer that a call gets."""

    def call(self, method, path, status, *, user="ann", body=None, headers=None, **options):
        """A call of the API; its answer, which has that status and the headers that every answer has."""
        headers = dict(headers or {})
        if user and method != "GET":
            headers.setdefault("X-Weir-User", user)
        if body is not None:
            options["data"] = json.dumps(body)
            headers.setdefault("Content-Type", "application/json")
        answer = self.session.request(method, self.page + API + path, headers=headers, timeout=60, **options)
        self.assertEqual(answer.status_code, status, f"{method} {path}: {answer.text[:500]}")
        self.assertIn("default-src 'self'", answer.headers["Content-Security-Policy"])
        self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
        if status >= 400:
            self.assertEqual(set(answer.json()), {"code", "message", "hint", "diagnostics"})
        check(method, path, answer)
        self.checked(method, path, answer)
        return answer

    def get(self, path, status=200, **options):
        return self.call("GET", path, status, **options)

    def submission(self, output="out", **more):
        return {"queue": "research", "input_files": [str(self.some_text())], "output": str(self.dir / output),
                "mapper": "cat", "reduces": 0, **more}

    def submit_job(self, **more):
        return self.call("POST", "/jobs", 201, body=self.submission(**more)).json()

    def wait_over(self, number):
        return wait_for("the job is over", lambda: (job := self.get(f"/jobs/{number}").json())["state"] in
                        ("SUCCEEDED", "FAILED", "KILLED") and job, 120)


class Document(Http):
    """openapi.json and the server say the same."""

    def answer_schema(self, path, method="get"):
        operation = DOCUMENT["paths"][path][method]
        status, answer = next((status, answer) for status, answer in operation["responses"].items() if status < "300")
        return int(status), answer["content"].get("application/json", {}).get("schema")

    def test_every_path_and_field(self):
        self.assertEqual(self.get("/openapi.json").json(), DOCUMENT)
        job = self.submit_job(name="first", reducer="cat", reduces=1)
        self.wait_over(job["number"])
        waiting = self.submit_job(output="held", hold=True)
        self.call("PATCH", "/trackers/tt1", 200, body={"order": "drain", "reason": "to see the fields"})
        attempt = self.get(f"/jobs/{job['number']}/tasks").json()[0]["attempt"]
        names = {"queue": "research", "tracker": "tt1", "job": str(job["number"]), "attempt": attempt,
                 "number": str(self.get("/settings").json()["number"])}
        for path, operations in DOCUMENT["paths"].items():
            if path == "/events":
                continue
            there = re.sub(r"\{(\w+)\}", lambda m: names[m[1]], path)
            with self.subTest(path=path):
                if "get" in operations:
                    answer = self.get(there)
                    _, schema = self.answer_schema(path)
                    if schema:
                        jsonschema.validate(answer.json(), strict(schema))
                # What the document does not name, is not there; and what is there, is named.
                allowed = {method.upper() for method in operations} | {"OPTIONS"}
                allowed |= {"HEAD"} if "get" in operations else set()
                options = self.call("OPTIONS", there, 204)
                self.assertEqual({one.strip() for one in options.headers["Allow"].split(",")}, allowed)
                for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - allowed:
                    self.call(method, there, 405, body={})
        explained = self.get(f"/jobs/{waiting['number']}/explain").json()
        jsonschema.validate(explained, strict({"$ref": "#/components/schemas/Explanation"}))
        self.assertTrue(explained["reasons"])

    def test_every_parameter_is_known_and_no_other(self):
        values = {"integer": "1", "boolean": "1", "string": "x"}
        known = {"cursor": "7", "state": "RUNNING", "sort": "submitted", "queue": "research", "step": "1s",
                 "stream": "stdout", "min_version": "1"}
        for path, operations in DOCUMENT["paths"].items():
            operation = operations.get("get")
            if not operation or "{" in path or path == "/events":
                continue
            for parameter in operation.get("parameters", []):
                if parameter["in"] != "query":
                    continue
                value = known.get(parameter["name"], values[parameter["schema"]["type"]])
                if path in ("/queues", "/trackers") and parameter["name"] == "cursor":
                    value = "research" if path == "/queues" else "a"
                answer = self.session.get(f"{self.page}{API}{path}?{parameter['name']}={value}", timeout=60)
                self.assertNotIn("no parameter", answer.text, f"{path} {parameter['name']}")
                self.assertIn(answer.status_code, (200, 400, 404), f"{path} {parameter['name']}: {answer.text}")
            refusal = self.get(path + "?nonsense=1", 400).json()
            self.assertIn("nonsense", refusal["message"])

    def test_fields_of_a_submission_are_those_of_the_document(self):
        wrong = self.call("POST", "/jobs", 400, body={**self.submission(), "nonsense": 1}).json()
        self.assertIn("nonsense", wrong["message"])
        fields = DOCUMENT["components"]["schemas"]["Submission"]["properties"]
        self.assertEqual(set(wrong["hint"].removeprefix("one of: ").split(", ")), set(fields))
        files = fields["files"]["items"]["properties"]
        wrong = self.call("POST", "/jobs", 400, body={**self.submission(), "files": [{"nonsense": 1}]}).json()
        self.assertEqual(set(wrong["hint"].removeprefix("one of: ").split(", ")), set(files))
        for name, schema in fields.items():
            bad = {"string": 7, "integer": "x", "boolean": "x", "array": 7, "object": 7}[schema["type"]]
            with self.subTest(field=name):
                refusal = self.call("POST", "/jobs", 400, body={**self.submission(), name: bad}).json()
                self.assertIn(name, refusal["message"] + refusal["hint"])


class Refusals(Http):
    def test_what_cannot_be_right(self):
        job = self.submit_job(hold=True)["number"]
        self.get("/nothing", 404)
        self.assertEqual(self.get("/jobs/99", 404).json()["code"], "UNKNOWN_JOB")
        self.get("/jobs/x", 400)
        self.get("/jobs?state=NONE", 400)
        self.get("/jobs?limit=10001", 400)
        self.get("/jobs?limit=1&limit=2", 400)
        self.get("/jobs?cursor=x", 400)
        self.assertEqual(self.get("/queues/none", 404).json()["code"], "UNKNOWN_QUEUE")
        self.assertEqual(self.get("/trackers/none", 404).json()["code"], "UNKNOWN_TRACKER")
        self.get("/trackers/none/attempts", 404)
        self.get("/settings/history/x", 400)
        self.assertIn("did you mean 'state'", self.get("/jobs?stat=RUNNING", 400).json()["message"])
        wrong = self.call("POST", "/cluster", 405, body={})
        self.assertEqual(wrong.headers["Allow"], "GET, HEAD, OPTIONS")
        patch = f"/jobs/{job}"
        for body in ({}, {"priority": "HUGE"}, {"priority": 7}, {"queue": "research", "pool": "x"}, {"colour": "red"},
                     {"held": True}):
            self.call("PATCH", patch, 400, body=body)
        self.call("PATCH", patch, 400, data="{", headers={"Content-Type": "application/json"})
        self.call("PATCH", patch, 400, data="[]", headers={"Content-Type": "application/json"})
        self.call("PATCH", patch, 400, data="[" * 100_000, headers={"Content-Type": "application/json"})
        self.call("PATCH", patch, 400, data="{\"queue\": [" + "[]," * 200_000 + "[]]}",
                  headers={"Content-Type": "application/json"})
        twice = self.call("PATCH", patch, 400, data='{"priority": "HIGH", "priority": "LOW"}',
                          headers={"Content-Type": "application/json"}).json()
        self.assertIn("'priority' twice", twice["message"])
        self.call("PATCH", patch, 415, data="{}", headers={"Content-Type": "text/plain"})
        self.call("PATCH", patch, 415, data="{}")
        self.call("PATCH", patch, 400, data="{}", headers={"Content-Type": "Application/JSON ; charset=utf-8"})
        self.call("PATCH", patch, 404, body={"queue": "nowhere"})
        self.call("PATCH", "/queues/research", 400, body={"state": "HALF"})
        self.call("PUT", "/policy", 404, body={"name": "none"})
        self.call("PATCH", "/trackers/tt1", 400, body={"order": "dance"})
        self.call("PATCH", "/trackers/none", 404, body={"order": "drain"})
        self.call("POST", "/jobs", 400, body=self.submission(output="relative") | {"output": "relative"})
        self.call("POST", "/jobs", 413, data=b"x" * (17 << 20), headers={"Content-Type": "application/json"})
        self.call("DELETE", patch, 200)
        self.assertEqual(self.call("DELETE", patch, 409).json()["code"], "JOB_OVER")

    def test_who_asks_and_from_where(self):
        job = self.submit_job(hold=True)["number"]
        patch = f"/jobs/{job}"
        nobody = self.call("PATCH", patch, 400, user=None, body={"priority": "LOW"}).json()
        self.assertIn("X-Weir-User", nobody["message"])
        self.assertEqual(self.call("PATCH", patch, 403, user="mallory", body={"priority": "LOW"}).json()["code"],
                         "NOT_PERMITTED")
        change = {"priority": "LOW"}
        for origin in ("http://evil.example", "null", self.page + ".evil.example", "file://"):
            self.call("PATCH", patch, 403, body=change, headers={"Origin": origin})
            self.call("POST", "/settings/check", 403, data="x", headers={"Origin": origin, "Content-Type": "text/plain"})
        self.call("PATCH", patch, 403, body=change, headers={"Sec-Fetch-Site": "cross-site"})
        # A name that was made to point here.
        rebound = {"Host": "evil.example", "Origin": "http://evil.example"}
        self.call("PATCH", patch, 421, body=change, headers=rebound)
        self.call("GET", "/jobs", 421, headers={"Host": "evil.example"})
        self.call("GET", "/jobs", 421, headers={"Host": "10.9.9.9"})
        self.call("GET", "/jobs", 400, headers={"Host": ""})
        self.call("GET", "/jobs", 200, headers={"Host": "weir.example.org"})
        self.call("GET", "/jobs", 200, headers={"Host": "127.0.0.1:1"})
        self.assertEqual(self.get(patch).json()["priority"], "NORMAL")
        self.call("PATCH", patch, 200, body=change, headers={"Origin": self.page})
        self.call("PATCH", patch, 200, body=change,
                  headers={"Origin": "https://weir.example.org", "Host": "weir.example.org"})

    def test_names_that_mean_harm_stay_text(self):
        for place, name in enumerate(HOSTILE):
            with self.subTest(name=name):
                job = self.submit_job(output=f"o{place}", name=name, hold=True)
                answer = self.get(f"/jobs/{job['number']}")
                self.assertEqual(answer.json()["name"], name)
                self.assertNotIn("\u202e", answer.text)  # what steers a terminal is escaped
                self.assertEqual(answer.headers["Content-Type"], "application/json")
                quoted = requests.utils.quote(name, safe="")
                for path in (f"/queues/{quoted}", f"/trackers/{quoted}", f"/jobs/{quoted}"):
                    answer = self.get(path, 404 if "jobs" not in path else 400)
                    self.assertEqual(answer.headers["Content-Type"], "application/json")
                found = self.session.get(f"{self.page}/{quoted}", timeout=60)
                self.assertEqual(found.status_code, 404)
                self.assertNotIn(name, found.text)
        self.get("/jobs/%00", 400)
        self.get("/jobs/%ff", 400)


class Reading(Http):
    def test_pages_of_a_list(self):
        jobs = [self.submit_job(output=f"o{i}", hold=True)["number"] for i in range(7)]
        seen, path = [], "/jobs?limit=3&user=ann"
        while path:
            answer = self.get(path)
            self.assertLessEqual(len(answer.json()), 3)
            seen += [job["number"] for job in answer.json()]
            link = answer.links.get("next")
            path = link["url"].removeprefix(API) if link else None
            if link:
                self.assertIn("user=ann", path)
        self.assertEqual(seen, sorted(jobs, reverse=True))
        self.assertEqual([job["number"] for job in self.get("/jobs?sort=submitted").json()], sorted(jobs))
        self.assertEqual(self.get("/jobs?state=RUNNING").json(), [])
        self.assertEqual(len(self.get("/jobs?state=HELD,RUNNING&queue=research").json()), 7)
        served = self.get("/jobs?sort=service&queue=research&limit=5")
        self.assertEqual([job["number"] for job in served.json()], sorted(jobs)[:5])
        self.assertNotIn("next", served.links)
        for path in ("/queues", "/trackers"):
            page, all_of_them = self.get(path + "?limit=1"), []
            all_of_them += page.json()
            while "next" in page.links:
                page = self.get(page.links["next"]["url"].removeprefix(API))
                all_of_them += page.json()
            self.assertEqual([one["name"] for one in all_of_them], [one["name"] for one in self.get(path).json()])

    def test_the_history_by_state_and_name_in_both_directions(self):
        jobs = []
        for name in ("daily 1", "hourly", "daily 2"):
            jobs.append(self.submit_job(name=name, output=name, hold=True)["number"])
            self.call("DELETE", f"/jobs/{jobs[-1]}", 200)
        over = self.submit_job(name="daily 3")["number"]
        self.wait_over(over)

        def listed(query):
            return [job["number"] for job in self.get("/history" + query).json()]
        wait_for("all are on record", lambda: len(listed("")) == 4)
        self.assertEqual(listed(""), [over, *reversed(jobs)])
        self.assertEqual(listed("?sort=finished"), [*jobs, over])
        self.assertEqual(listed("?state=KILLED&sort=finished&limit=2"), jobs[:2])
        self.assertEqual(listed("?state=FAILED,SUCCEEDED"), [over])
        self.assertEqual(listed("?name=daily*&state=KILLED"), [jobs[2], jobs[0]])
        first = self.get("/history?name=daily*&sort=finished&limit=1")
        second = self.get(first.links["next"]["url"].removeprefix(API))
        self.assertEqual([job["number"] for job in first.json() + second.json()], [jobs[0], jobs[2]])
        self.get("/history?state=RUNNING", 400)
        self.get("/history?sort=name", 400)

    def test_what_has_not_changed_is_not_sent_again(self):
        job = self.submit_job(hold=True)
        version = job["version"]
        tag = None

        def not_sent_again():  # in a moment when no job of another test ends
            nonlocal tag
            answer = self.get(f"/queues?min_version={version}")
            tag = answer.headers["ETag"]
            self.assertEqual(int(answer.headers["X-Weir-Version"]), int(tag.removesuffix('-gzip"').strip('"')))
            same = self.session.get(self.page + API + "/queues", headers={"If-None-Match": tag}, timeout=60)
            return same.status_code == 304 and same.content == b""

        wait_for("nothing has changed", not_sent_again)
        done = self.call("PATCH", f"/jobs/{job['number']}", 200, body={"priority": "HIGH"}).json()
        self.assertGreater(done["version"], version)
        self.get(f"/jobs?min_version={done['version']}", headers={"If-None-Match": tag})
        head = self.session.head(self.page + API + "/queues", timeout=60)
        self.assertEqual((head.status_code, head.content), (200, b""))

    def test_the_command_line_shows_the_same(self):
        job = self.submit_job()["number"]
        self.wait_over(job)
        pairs = [("/queues", ["queue", "list"]), ("/queues/research", ["queue", "show", "research"]),
                 ("/jobs", ["job", "list", "--all"]), (f"/jobs/{job}", ["job", "status", job]),
                 (f"/jobs/{job}/tasks", ["job", "logs", job, "--list"]), ("/trackers", ["tracker", "list"]),
                 ("/trackers/tt1", ["tracker", "show", "tt1"]), ("/policy", ["policy", "show"]),
                 ("/settings/history", ["conf", "history"]), ("/history", ["job", "list", "--history"])]
        moving = {"last_heartbeat_ms_ago", "now_ms", "version", "views_version", "free_disk_mb"}

        def still(value):
            if isinstance(value, list):
                return [still(one) for one in value]
            if isinstance(value, dict):
                return {name: still(one) for name, one in value.items() if name not in moving}
            return value

        def asked(path):
            """The command line says with a job what it was submitted with."""
            answer = self.get(path).json()
            return answer | {"submission": self.get(path + "/submission").json()} if path == f"/jobs/{job}" else answer

        for path, command in pairs:
            with self.subTest(path=path):
                wait_for(f"{path} is what {command} shows", lambda: still(asked(path)) == still(self.json(*command)))
        decided = self.get("/decisions?job=1").json()
        self.assertEqual({one["job_number"] for one in decided}, {1})
        self.assertIn("launch", {one["event"] for one in decided})
        self.assertEqual(self.get("/decisions?kind=submit,launch&limit=1").links["next"]["rel"], "next")
        # The first points are from before the tracker came.
        wait_for("a point of the series", lambda: (of := self.get("/series?step=1s").json())["points"] and
                 of["points"][-1]["map"]["guaranteed"] == 2)
        self.get("/series?step=7s", 400)
        self.get("/series?queue=none", 404)
        metrics = self.session.get(self.page + "/metrics", timeout=60)
        self.assertTrue(metrics.headers["Content-Type"].startswith("text/plain; version=0.0.4"))
        slots = re.search(r'^weir_slots{class="map",state="free"} (\d+)', metrics.text, re.M)
        self.assertEqual(int(slots[1]), self.get("/cluster").json()["slots"]["maps"]["free"])
        server, cluster = self.json("info"), self.get("/cluster").json()
        self.assertEqual(still(server), still({name: cluster[name] for name in server}))
        refused = self.weir("job", "status", "99").stderr
        self.assertIn(self.get("/jobs/99", 404).json()["message"], refused)

    def test_probes_and_pages(self):
        self.assertEqual(self.session.get(self.page + "/healthz", timeout=60).text, "ok\n")
        wait_for("it is ready", lambda: self.session.get(self.page + "/readyz", timeout=60).status_code == 200)
        index = self.session.get(self.page + "/", timeout=60)
        self.assertTrue(index.headers["Content-Type"].startswith("text/html"))
        for path in ("/queues", "/queues/research", "/jobs/7", "/trackers/tt1", "/policy", "/settings", "/events", "/pools"):
            self.assertEqual(self.session.get(self.page + path, timeout=60).text, index.text)
        files = [name for name in (ROOT / "web/pages").rglob("*") if name.is_file()]
        for name in files:
            path = f"{self.page}/assets/{name.relative_to(ROOT / 'web/pages')}"
            answer = self.session.get(path, timeout=60)
            self.assertEqual(answer.content, name.read_bytes())
            again = self.session.get(path, headers={"If-None-Match": answer.headers["ETag"]}, timeout=60)
            self.assertEqual(again.status_code, 304)
        for path in ("/", "/jobs", "/assets/main.js", "/healthz", "/readyz", "/metrics"):
            wrong = self.session.delete(self.page + path, timeout=60)
            self.assertEqual((wrong.status_code, wrong.headers["Allow"]), (405, "GET, HEAD, OPTIONS"))
            self.assertEqual(set(wrong.json()), {"code", "message", "hint", "diagnostics"})
        for path in ("/assets/none.js", "/assets/../front.cpp", "/nothing", "/assets/"):
            self.assertEqual(self.session.get(self.page + path, timeout=60).status_code, 404)


class Changing(Http):
    def test_a_job_is_moved_raised_released_and_killed(self):
        job = self.submit_job(hold=True)["number"]
        done = self.call("PATCH", f"/jobs/{job}", 200, body={"queue": "production", "priority": "HIGH"}).json()
        seen = self.get(f"/jobs/{job}?min_version={done['version']}").json()
        self.assertEqual((seen["queue"], seen["priority"], seen["state"]), ("production", "HIGH", "HELD"))
        self.call("PATCH", f"/jobs/job_{job:04}", 200, body={"held": False})
        self.assertEqual(self.wait_over(job)["state"], "SUCCEEDED")
        other = self.submit_job(output="second", hold=True)["number"]
        done = self.call("DELETE", f"/jobs/{other}", 200).json()
        self.assertEqual(self.get(f"/jobs/{other}?min_version={done['version']}").json()["state"], "KILLED")

    def test_queues_trackers_and_the_policy(self):
        self.call("PATCH", "/queues/research", 200, body={"state": "STOPPED"})
        self.assertEqual(self.get("/queues/research").json()["state"], "STOPPED")
        self.assertEqual(self.call("POST", "/jobs", 409, body=self.submission()).json()["code"], "QUEUE_STOPPED")
        self.call("PATCH", "/queues/research", 200, body={"state": "RUNNING"})
        self.call("PATCH", "/trackers/tt1", 200, body={"order": "drain", "reason": "a new disk"})
        self.assertEqual(self.get("/trackers/tt1").json()["order_reason"], "a new disk")
        self.call("PATCH", "/trackers/tt1", 200, body={"order": "resume"})
        self.call("PUT", "/policy", 200, body={"name": "fair"})
        self.assertEqual(self.get("/policy").json()["current"], "fair")
        self.assertEqual(self.get("/pools").json()["policy"], "fair")
        self.assertEqual(self.get("/cluster").json()["policy"], "fair")

    def test_jobs_and_slots_by_what_holds_them(self):
        """What is worked out only for who asks: jobs under the fair policy, slots by queue."""
        path = self.dir / "in"
        path.write_text("x\n")
        self.call("PUT", "/policy", 200, body={"name": "fair"})
        job = self.call("POST", "/jobs", 201, body=self.submission(mapper="sleep 60; cat", input_files=[str(path)])).json()
        wait_for("it runs", lambda: self.get(f"/jobs/{job['number']}").json()["maps"]["running"])
        policy = self.get("/policy?advanced=1").json()
        jsonschema.validate(policy, strict({"$ref": "#/components/schemas/Policy"}))
        self.assertEqual([(one["job"], one["maps"]["running"]) for one in policy["jobs"]], [(job["job"], 1)])
        self.assertNotIn("jobs", self.get("/policy").json())
        slots = self.get("/slots").json()
        jsonschema.validate(slots, strict({"type": "array", "items": {"$ref": "#/components/schemas/TrackerSlots"}}))
        self.assertEqual(slots, [{"tracker": "tt1", "queues": [{"queue": "research", "maps": 1, "reduces": 0, "dimensions": {}}]}])

    def test_two_people_edit_the_settings(self):
        now = self.get("/settings")
        tag, text = now.headers["ETag"], now.json()["text"]
        yaml = {"Content-Type": "application/yaml"}
        bad = self.call("POST", "/settings/check", 200, data="queues:\n  - {nam: x}\n", headers=yaml).json()
        self.assertFalse(bad["ok"])
        self.assertEqual(bad["findings"][0]["line"], 2)
        mine = text.replace("60%", "70%").replace("40%", "30%")
        diff = self.call("POST", "/settings/diff", 200, body={"text": mine}).json()
        self.assertEqual({queue["queue"]: queue["change"] for queue in diff["queues"]}["research"], "changed")
        self.call("PUT", "/settings", 428, data=mine, headers=yaml)
        self.call("PUT", "/settings", 403, user="mallory", data=mine, headers={**yaml, "If-Match": tag})
        self.call("PUT", "/settings", 200, data=mine, headers={**yaml, "If-Match": tag})
        late = self.call("PUT", "/settings", 412, data=text, headers={**yaml, "If-Match": tag}).json()
        self.assertEqual(late["code"], "SETTINGS_CHANGED")
        refused = self.call("PUT", "/settings", 400, data="queues:\n  - {nam: x}\n", headers={**yaml, "If-Match": "*"})
        self.assertTrue(refused.json()["diagnostics"])
        self.assertIn("70%", self.get("/settings").json()["text"])
        records = self.get("/settings/history").json()
        self.assertEqual(records[0]["by"], "ann")
        self.assertIn("60%", self.get(f"/settings/history/{records[1]['number']}").json()["text"])


class Following(Http):
    def test_logs_by_range(self):
        job = self.submit_job(mapper="cat >/dev/null; for i in $(seq 1000); do echo line $i >&2; done")["number"]
        self.wait_over(job)
        attempt = self.get(f"/jobs/{job}/tasks").json()[0]["attempt"]
        path = f"/jobs/{job}/logs/{attempt}"
        whole = self.get(path)
        self.assertEqual(whole.headers["Content-Type"], "text/plain; charset=utf-8")
        self.assertIn("line 1000\n", whole.text)
        self.assertEqual(int(whole.headers["X-Weir-Log-Size"]), len(whole.content))
        part = self.get(path, 206, headers={"Range": "bytes=10-19"})
        self.assertEqual(part.content, whole.content[10:20])
        self.assertEqual(part.headers["Content-Range"], f"bytes 10-19/{len(whole.content)}")
        self.assertEqual(self.get(path, 206, headers={"Range": "bytes=-7"}).content, whole.content[-7:])
        self.assertEqual(self.get(path, 206, headers={"Range": "bytes=8000-"}).content, whole.content[8000:])
        self.get(path, 416, headers={"Range": "bytes=999999-"})
        self.get(path, 416, headers={"Range": "bytes=999999-9223372036854775807"})
        self.get(path, 416, headers={"Range": "bytes=99999999999999999999-"})
        self.get(path, 416, headers={"Range": "bytes=-0"})
        self.assertEqual(self.get(path, 206, headers={"Range": "Bytes=10-19"}).content, whole.content[10:20])
        for ignored in ("lines=1-2", "nonsense", "bytes=x-", "bytes=19-10", "bytes=0-1,4-5", "bytes=", "bytes=-", "bytes=5"):
            self.assertEqual(self.get(path, headers={"Range": ignored}).content, whole.content, ignored)
        self.assertEqual(self.get(path, headers={"Range": "bytes=10-19", "If-Range": '"any"'}).content, whole.content)
        head = self.session.head(self.page + API + path, timeout=60,
                                 headers={"Range": "bytes=10-19", "Accept-Encoding": "identity"})
        self.assertEqual((head.status_code, int(head.headers["Content-Length"])), (200, len(whole.content)))
        empty = self.get(path + "?stream=stdout", headers={"Range": "bytes=-7"})
        self.assertEqual(empty.content, b"")
        self.get(path + "?stream=passwd", 400)
        self.of_a_long_log()
        self.get(f"/jobs/{job}/logs/attempt_0001_m_000009_0", 404)
        self.processes["tt1"].kill()
        self.processes["tt1"].wait()
        self.get(path, 502)

    def of_a_long_log(self):
        """More than is given at once: any part of it can be had, from where it is asked for."""
        job = self.submit_job(mapper="cat >/dev/null; seq 1000000 >&2", output="long")["number"]
        self.wait_over(job)
        path = f"/jobs/{job}/logs/{self.get(f'/jobs/{job}/tasks').json()[0]['attempt']}"
        size = int(self.get(path).headers["X-Weir-Log-Size"])
        self.assertGreater(size, 6_000_000)
        part = self.get(path, 206, headers={"Range": "bytes=0-8"})
        self.assertEqual((part.text, part.headers["Content-Range"]), ("1\n2\n3\n4\n5", f"bytes 0-8/{size}"))
        rest, at = b"", 0
        while at < size:
            part = self.get(path, 206, headers={"Range": f"bytes={at}-"})
            self.assertTrue(part.headers["Content-Range"].startswith(f"bytes {at}-"), part.headers["Content-Range"])
            rest, at = rest + part.content, at + len(part.content)
        self.assertEqual(len(rest), size)
        self.assertTrue(rest.endswith(b"999999\n1000000\n"), rest[-30:])

    def stream(self, query="", **headers):
        address = self.page.removeprefix("http://").split(":")
        one = socket.create_connection((address[0], int(address[1])), timeout=30)
        self.addCleanup(one.close)
        lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
        one.sendall(f"GET {API}/events{query} HTTP/1.1\r\nHost: 127.0.0.1\r\n{lines}\r\n".encode())
        reader = one.makefile("r", encoding="utf-8", newline="\n")
        self.assertEqual(reader.readline(), "HTTP/1.1 200 OK\r\n")
        while reader.readline() != "\r\n":
            pass
        return reader

    @staticmethod
    def event(reader):
        event = {}
        for line in reader:
            if line == "\n":
                if event:
                    return event
                continue
            name, _, value = line.rstrip("\n").partition(": ")
            if name:
                event[name] = value
        return event or None

    def until(self, reader, topic):
        while (event := self.event(reader)) is not None:
            if event.get("event") == topic:
                return json.loads(event["data"])
        self.fail(f"the stream ended before {topic}")

    def test_the_stream_tells_what_changes(self):
        reader, only = self.stream("?topics=jobs"), self.stream("?topics=settings,policy")
        job = self.submit_job(hold=True)["number"]
        told = self.until(reader, "jobs")
        self.assertEqual([one["number"] for one in told["changed"]], [job])
        jsonschema.validate(told["changed"][0], strict({"$ref": "#/components/schemas/Job"}))
        self.call("PATCH", f"/jobs/{job}", 200, body={"priority": "HIGH"})
        self.assertEqual(self.until(reader, "jobs")["changed"][0]["priority"], "HIGH")
        self.call("PUT", "/policy", 200, body={"name": "fifo"})
        self.assertEqual(self.until(only, "policy")["changed"][0]["current"], "fifo")
        other = self.submit_job(output="other", hold=True)["number"]
        named = self.stream(f"?topics=jobs&jobs={other}")
        self.call("DELETE", f"/jobs/{job}", 200)
        self.call("DELETE", f"/jobs/{other}", 200)
        self.assertEqual({one["number"] for one in self.until(named, "jobs")["changed"]}, {other})
        self.get("/events?topics=nonsense", 400)

    def test_who_comes_back_is_told_what_was_missed(self):
        reader = self.stream("?topics=jobs")
        job = self.submit_job(hold=True)
        self.until(reader, "jobs")
        self.call("PATCH", f"/jobs/{job['number']}", 200, body={"priority": "LOW"})
        self.until(reader, "jobs")
        back = self.stream("?topics=jobs", Last_Event_ID=job["version"])
        event = wait_for("an event", lambda: self.event(back))
        while "event" not in event:
            event = self.event(back)
        self.assertIn(event["event"], ("jobs", "reload"))
        old = self.stream("?topics=jobs", Last_Event_ID="1")
        self.until(old, "reload")

    def test_the_end_is_said(self):
        reader = self.stream()
        self.processes["jobtracker"].terminate()
        self.assertIn("ends", self.until(reader, "bye")["reason"])


if __name__ == "__main__":
    unittest.main()
