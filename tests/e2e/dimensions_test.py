"""The pages where containers count: every figure of queues, trackers and jobs by dimension, held against the API and the
metrics, with MapReduce beside an application, a gang that holds room and a tracker that is kept for it."""
import json
import re
import unittest
import urllib.request

import requests

from cluster import wait_for
from document import DOCUMENT, check
from pages import PAGES, WithPages

QUEUES = """
  - {name: research, guaranteed: {memory_mb: 60%, gpu: 50%}, reclaim_after: never, queues: [{name: vision}, {name: speech}]}
  - {name: production, guaranteed: {memory_mb: 40%, gpu: 50%}, maximum: {vcores: 80%}, reclaim_after: never}
"""
MORE = """policy: POLICY
resources: containers
containers: {resources: [gpu], gang_hold: 1h, map: {memory_mb: 512, vcores: 1}}
heartbeat: {floor: 100ms}
administrators: [ann]
fair: {pools: [{name: research, weight: 2}, {name: production, min_share: {memory_mb: 1024}}]}
"""
UNITS = {"memory_mb": "MB", "vcores": "vcores", "gpu": "gpu"}


def amount(number, dimension):
    unit = "vcore" if dimension == "vcores" and number == 1 else UNITS[dimension]
    return f"{number:,} {unit}"


class Dimensions(WithPages):
    def start_containers(self, policy):
        self.conf = self.settings(QUEUES, MORE.replace("POLICY", policy))
        self.conf.write_text(self.conf.read_text().replace("127.0.0.1:0}", "127.0.0.1:0, http: 127.0.0.1:0}"))
        self.start_all()
        for name, ports in (("tt1", "21100-21109"), ("tt2", "21110-21119")):
            self.start(name, ["tracker", "--jobtracker", self.address, "--name", name, "--work-dir", self.dir / name,
                              "--port-range", ports,
                              "--offer", "memory_mb=4096,vcores=4,gpu=2", "--label", "disk=ssd"])
        wait_for("both trackers are there", lambda: len(self.json("tracker", "list")) == 2)
        self.browser.visit(f"http://127.0.0.1:{self.http}")
        self.browser.act_as("ann")
        self.sleeper("count", "research.speech", inputs=2)
        wait = f"while [ ! -e {self.dir}/gate ]; do sleep 0.1; done"
        (self.dir / "train.yaml").write_text(
            f"name: train\nqueue: research.vision\ngroups:\n"
            f"  - {{name: ps, count: 1, command: '{wait}', resources: {{memory_mb: 1024, vcores: 1}}}}\n"
            f"  - {{name: worker, count: 2, command: '{wait}', resources: {{memory_mb: 1024, vcores: 1, gpu: 1}}}}\n")
        self.ok("run", "-f", self.dir / "train.yaml", user="bob")
        wait_for("all of both run", lambda: self.queue("research")["dimensions"]["memory_mb"]["running"] == 4096)
        self.ok("run", "--queue", "production", "--name", "together", "--count", 3, "--gang", 3, "--memory", "2G",
                "--resource", "gpu=1", "--", wait, user="cat")
        wait_for("the gang holds room, and a tracker is kept for it", lambda: all(
            any(one[what] == "job_0003" for one in self.json("tracker", "list")) for what in ("room_for", "reserved_for")))

    def queue(self, name):
        return self.json("queue", "show", name)

    def read(self, path):
        return urllib.request.urlopen(f"http://127.0.0.1:{self.http}{path}", timeout=60).read().decode()

    def labels(self, selector):
        return self.browser.js("return [...document.querySelectorAll(arguments[0])].map((one) => one.getAttribute('aria-label'))",
                               selector)

    def sentence(self, queue, dimension):
        """What a queue's bar says of a dimension, as the API has it."""
        of = queue["dimensions"][dimension]
        said = [f"runs {amount(of['running'], dimension)}"]
        if of["borrows"]:
            said[0] += f", {of['borrows']:,} of them borrowed"
        if of["lends"] is not None:
            said += [f"allocated {of['allocated']:,}", f"guaranteed {of['guaranteed']:,}"]
        elif of["share_thousandths"] is not None:
            demand = min(of["maximum"], of["running"] + of["pending"])
            share = (of["share_thousandths"] + 50) // 100
            said += [f"fair share {share // 10:,}.{share % 10}", f"minimum {of['min_share']:,}", f"demand {demand:,}"]
        said += [f"at most {of['maximum']:,}", f"{of['pending']:,} pending"]
        said += [f"lends {of['lends']:,} to others"] if of["lends"] else []
        said += [f"{of['reserved']:,} reserved"] if of["reserved"] else []
        said += [f"{of['kept']:,} never lent"] if of["kept"] else []
        return f"{queue['name']}: {'; '.join(said)}."

    def figures_are_those_of_the_api(self):
        cluster = self.json("queue", "list")
        self.browser.open("/queues")
        self.browser.wait("the bars say what the API says", lambda: {
            self.sentence(queue, dimension) for queue in self.json("queue", "list") for dimension in UNITS}
            <= set(self.labels(".bar")))
        for queue in cluster:
            self.browser.see(f"{queue['dominant_thousandths'] // 10}.{queue['dominant_thousandths'] % 10}%")
        metrics = dict(re.findall(r"^(weir_queue_\w+{.*}) (\S+)$", self.read("/metrics"), re.M))
        for queue in self.json("queue", "list"):
            for dimension, of in queue["dimensions"].items():
                for what in ("running", "pending", "allocated", "guaranteed", "maximum", "reserved"):
                    name = f'weir_queue_{what}_amount{{queue="{queue["name"]}",dimension="{dimension}"}}'
                    self.assertEqual(float(metrics[name]), of[what], name)
            dominant = metrics[f'weir_queue_dominant_share_ratio{{queue="{queue["name"]}"}}']
            self.assertEqual(round(1000 * float(dominant)), queue["dominant_thousandths"])

    def the_cluster_and_its_trackers(self):
        trackers = self.json("tracker", "list")
        self.browser.open("/")
        for dimension in UNITS:
            used, total = (sum(one["offer"][dimension][what] for one in trackers) for what in ("used", "total"))
            self.browser.see(f"{used:,} / {total:,}", ".stats")
        offered = re.findall(r'weir_offered_amount{dimension="memory_mb",state="free"} (\d+)', self.read("/metrics"))
        self.assertEqual(int(offered[0]), sum(one["offer"]["memory_mb"]["free"] for one in trackers))
        self.browser.open("/trackers")
        self.browser.see("2 trackers, 8,192 MB, 8 vcores, 4 gpu")
        self.browser.see("job_0003: ", ".lines-cell")
        self.browser.wait("a bar for each dimension", lambda: len(self.labels(".offer")) == 6)
        said = " ".join(self.labels(".offer"))
        for one in trackers:
            for dimension, of in one["offer"].items():
                self.assertIn(f"{one['name']}: {of['used']:,} of {amount(of['total'], dimension)} in use, {of['free']:,} free", said)
        self.assertIn("held for the gang of job_0003", said)
        self.browser.open("/trackers/tt1")
        memory = trackers[[one["name"] for one in trackers].index("tt1")]["offer"]["memory_mb"]
        self.browser.see(f"{memory['used']:,} of {memory['total']:,} MB in use, {memory['free']:,} free")
        self.browser.see("disk=ssd")

    def a_job_by_its_groups(self):
        self.browser.open("/jobs/2?tab=attempts")
        self.browser.see("0 of 1 done (0%), 1 running, 0 pending")
        self.browser.see("0 of 2 done (0%), 2 running, 0 pending")
        for group in ("ps", "worker"):
            self.browser.find(".lanes-box .legend-item", group)
        self.browser.open("/jobs")
        self.browser.see("0/3")
        self.browser.see("Maps, tasks")

    def everything_fits(self):
        for width, dark in ((390, True), (1440, False)):
            self.browser.size(width, 900, dark)
            for path in [path for path, _ in PAGES] + ["/jobs/2", "/queues/research.vision?tab=history"]:
                with self.subTest(path=path, width=width):
                    self.browser.open(path)
                    self.browser.wait("it has loaded", lambda: not self.browser.js(
                        "return [...document.querySelectorAll('main .loading')].some((one) => one.offsetParent)"))
                    self.assertLessEqual(self.browser.js("return document.documentElement.scrollWidth - innerWidth"), 0)
                    self.sound()

    def history_is_by_dimension(self):
        self.browser.open("/queues/research?tab=history")
        for label in ("Memory, MB", "Vcores", "gpu"):
            self.browser.see(label, "main h3")
        wait_for("a point of it", lambda: '"memory_mb":{' in self.read("/api/v1/series?queue=research&step=1s"))

    def a_change_of_settings_in_amounts(self):
        """Of 8,192 MB, 8 vcores and 4 gpu: the command, the API and the page say the same."""
        changed = self.json("conf", "show")["text"]
        changed = changed.replace("gpu: 50%}, reclaim", "gpu: 25%}, reclaim").replace("gpu: 50%}, maximum: {vcores: 80%}", "gpu: 75%}, maximum: {vcores: 50%}")
        conf = self.dir / "changed.yaml"
        conf.write_text(changed)
        said = self.ok("conf", "diff", conf, user="ann")
        self.assertRegex(said, r"research +changed +memory_mb +4915 +8192\n +vcores +4 +8\n +gpu +2 -> 1 +4")
        self.assertRegex(said, r"production +changed .*\n +vcores +4 +6 -> 4")
        queue = self.json("conf", "diff", conf, user="ann")["queues"][0]
        self.assertEqual(queue["amounts"][2], {"dimension": "gpu", "guaranteed_before": 2, "guaranteed_after": 1,
                                               "maximum_before": 4, "maximum_after": 4})
        self.browser.open("/settings")
        self.browser.see("As in force")
        self.browser.js("""const area = document.querySelector('.editor textarea'); area.value = arguments[0];
                           area.dispatchEvent(new Event('input', {bubbles: true}))""", changed)
        for text in ("Dimension", "Memory, MB", "2 → 1", "6 → 4"):
            self.browser.see(text, ".effect")
        self.browser.click(".edit-side button", "Discard changes")

    def test_every_figure_is_there_by_dimension_under_capacity(self):
        self.start_containers("capacity")
        self.figures_are_those_of_the_api()
        self.the_cluster_and_its_trackers()
        self.a_job_by_its_groups()
        self.only_what_helps_is_offered()
        self.history_is_by_dimension()
        self.a_change_of_settings_in_amounts()
        self.everything_fits()
        self.a_submission_is_as_documented()

    def only_what_helps_is_offered(self):
        """Nothing to who waits for nothing; to a gang no queue that has room for less than all of it."""
        self.browser.open("/jobs/2?tab=why")
        self.browser.see("Nothing holds it back")
        self.browser.see("gpu", ".with-side .side")
        self.assertNotIn("has room for", self.browser.text())
        memory = self.queue("research.speech")["dimensions"]["memory_mb"]
        self.assertGreater(max(memory["guaranteed"], memory["allocated"]), memory["running"] + memory["pending"])
        self.browser.open("/jobs/3?tab=why")
        self.browser.see("No other queue to which it may go has room for it now.")

    def a_submission_is_as_documented(self):
        """All that a group may say comes back, and is in the document."""
        (self.dir / "all.yaml").write_text(
            "name: all\nqueue: production\ngroups:\n"
            "  - {name: g, count: 3, command: 'true', resources: {memory_mb: 512, vcores: 1, gpu: 1}, gang: 2, ports: 1, retries: 3,\n"
            "     require: {disk: [ssd, nvme], rack: '!r9'}, spread: {by: name, max_skew: 1}, time_limit: 1h, on_member: replace,\n"
            "     environment: {A: b}}\n")
        self.ok("run", "-f", self.dir / "all.yaml", user="cat")
        path = "/api/v1/jobs/4/submission"
        answer = requests.get(f"http://127.0.0.1:{self.http}{path}", timeout=60)
        check("GET", path.removeprefix("/api/v1"), answer)
        group, = answer.json()["groups"]
        self.assertEqual(set(group), set(DOCUMENT["components"]["schemas"]["AskedGroup"]["properties"]))
        self.assertEqual(group["require"][1], {"label": "rack", "values": ["r9"], "none_of": True})

    def test_every_figure_is_there_by_dimension_under_fair(self):
        self.start_containers("fair")
        self.figures_are_those_of_the_api()
        self.the_cluster_and_its_trackers()
        self.browser.open("/pools")
        for word in ("Dimension", "memory", "vcores", "gpu", "1,024"):
            self.browser.see(word)
        self.jobs_stand_by_dimension()
        self.browser.open("/policy")
        for label in ("Memory, MB", "Vcores", "gpu"):
            self.browser.see(label, "main h2")
        self.sound()

    def jobs_stand_by_dimension(self):
        self.browser.open("/pools?pool=research.vision&advanced=1")
        heads = lambda: self.browser.text('main .panel:last-child [role="row"]')
        self.browser.wait("its columns are there", lambda: "Share, memory" in heads())
        for head in ("Share, vcores", "Share, gpu", "Weight"):
            self.assertIn(head, heads())
        self.assertNotIn("Deficit", heads())
        told = lambda: json.loads(self.read("/api/v1/policy?advanced=1"))
        train = lambda: next(one for one in told()["jobs"] if one["job"] == "job_0002")
        wait_for("its containers are published", lambda: train()["dimensions"]["memory_mb"]["running"] == 3072)
        self.assertEqual(train()["dimensions"]["gpu"]["running"], 2)
        self.assertEqual(train()["weight"], 1)
        self.assertGreater(train()["dimensions"]["memory_mb"]["share"], 0)
        # The page asks every few seconds; shares may be others by then.
        cells = lambda: self.browser.text('main .panel:last-child').split("\n")
        shown = lambda of: f"{of['share']:,.2f}" if of["share"] % 1 else f"{of['share']:,.0f}"
        self.browser.wait("the page has the shares", lambda: all(
            shown(of) in cells() for of in train()["dimensions"].values()))
        modes = {one["name"]: one["mode"] for one in next(o for o in told()["outlooks"] if o["policy"] == "fair")["shares"]}
        self.assertEqual(set(modes.values()), {"drf"})
        for width in (390, 800, 1440):
            self.browser.size(width, 900)
            self.browser.wait("all of it fits", lambda: self.browser.js(
                "return [...document.querySelectorAll('.table')]"
                ".every((one) => one.scrollWidth <= one.clientWidth + 1)"))
        self.browser.size(1440, 900)


if __name__ == "__main__":
    unittest.main()
