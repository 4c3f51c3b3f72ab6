"""The pages in a headless Chromium against a real cluster: every page, every change that can be made there, the keyboard
alone, narrow screens, a JobTracker that dies and comes back under an open page, names meant to break out of the page. A
script's error or a request that failed is a failure of the test it happened in."""
import json
import os
import re
import signal
import time
import unittest
import urllib.request

from browser import Keys
from cluster import ROOT, wait_for
from pages import PAGES, WithPages

HOSTILE = ["<img src=x onerror=\"document.title='broken'\">", "right \u202e tfel", "\U0001F680 rocket", "x" * 256,
           "'; </script><script>document.title='broken'</script>"]


class Pages(WithPages):
    # --- Looking ---

    def test_every_page_opens_at_every_width_without_an_error(self):
        self.start_pages()
        self.sleeper("first", inputs=6)
        for width, dark in ((1280, False), (390, True), (2560, False)):
            self.browser.size(width, 900, dark)
            for path, title in PAGES:
                with self.subTest(path=path, width=width):
                    self.browser.open(path)
                    self.browser.wait("the title", lambda: self.browser.js("return document.title").startswith(title))
                    self.browser.wait("what was loading is there", lambda: not self.browser.js(
                        "return [...document.querySelectorAll('main .loading')].some((one) => one.offsetParent)"))
                    self.assertEqual(self.browser.js("return document.querySelectorAll('main .failure').length"), 0,
                                     self.browser.text())
                    self.assertLessEqual(self.browser.js("return document.documentElement.scrollWidth - innerWidth"), 0)
                    self.sound()

    def test_tabs_of_queue_and_job(self):
        self.start_pages()
        number = self.sleeper("first", inputs=6)
        tabs_of = ((f"/jobs/{number}", ("why", "attempts", "failures", "logs", "counters", "settings")),
                   ("/queues/research.vision", ("jobs", "history", "users", "claims", "settings")),
                   ("/settings", ("edit", "history", "in_force")))
        for width, path, tab in ((width, path, tab) for width in (1280, 390) for path, tabs in tabs_of for tab in tabs):
            with self.subTest(path=path, tab=tab, width=width):
                self.browser.size(width, 900)
                self.browser.open(f"{path}?tab={tab}")
                self.browser.wait("the tab is chosen", lambda: self.browser.find(
                    f'[data-tab="{tab}"]').get_attribute("aria-selected") == "true")
                self.browser.wait("it has loaded", lambda: not self.browser.js(
                    "return [...document.querySelectorAll('main .loading')].some((one) => one.offsetParent)"))
                self.assertLessEqual(self.browser.js("return document.documentElement.scrollWidth - innerWidth"), 0)
                self.sound()

    def read(self, path):
        return urllib.request.urlopen(f"http://127.0.0.1:{self.http}{path}", timeout=60).read().decode()

    def bars(self):
        """What the queues' bars say, by queue and class: {("research", "map"): "runs 4 map slots; ..."}"""
        said = self.browser.js("return [...document.querySelectorAll('.bar')].map((one) => one.getAttribute('aria-label'))")
        found = [re.match(r"(\S+): (runs \d+ (map|reduce) slots?.*)\.$", one) for one in said if one]
        return {(one[1], one[3]): one[2] for one in found if one}

    def metrics(self):
        """The queues' slots as Prometheus reads them: {("running", "research", "map"): 4}"""
        lines = re.findall(r'^weir_queue_(\w+)_slots{queue="([^"]+)",class="(\w+)"} (\S+)$', self.read("/metrics"), re.M)
        return {(what, queue, kind): float(value) for what, queue, kind, value in lines}

    def test_a_figure_is_the_same_wherever_it_is_shown(self):
        self.start_pages()
        self.sleeper("first", inputs=6)
        wait_for("four maps run", lambda: self.job(1)["maps"]["running"] == 4)
        self.browser.open("/")
        self.browser.see("4 / 4", ".stats")
        self.browser.open("/queues")
        queues = []

        def the_api_says_so_too():  # it may be half a second behind, and slots are used meanwhile
            queues[:] = self.json("queue", "list")
            return json.loads(self.read("/api/v1/queues")) == queues
        wait_for("the command line and the API say the same", the_api_says_so_too)
        metrics = self.metrics()
        self.browser.wait("every queue has two bars", lambda: len(self.bars()) == 2 * len(queues))
        bars = self.bars()
        for queue in queues:
            for kind in ("map", "reduce"):
                slots = queue[kind + "s"]
                with self.subTest(queue=queue["name"], kind=kind):
                    for what in ("running", "pending", "guaranteed", "allocated"):
                        self.assertEqual(metrics[what, queue["name"], kind], slots[what], what)
                    said = bars[queue["name"], kind]
                    self.assertRegex(said, rf"^runs {slots['running']} {kind} slots?[,;]")
                    for part in (f"allocated {slots['allocated']}", f"guaranteed {slots['guaranteed']}",
                                 f"{slots['pending']} pending"):
                        self.assertIn(part, said.split("; "))
        vision = next(one for one in queues if one["name"] == "research.vision")
        self.assertEqual((vision["maps"]["running"], vision["maps"]["pending"]), (4, 2))
        self.assertIn(f"runs 4 map slots, {vision['maps']['borrows']} of them borrowed", bars["research.vision", "map"])
        self.sound()

    def test_why_a_job_waits_is_one_click_from_the_overview(self):
        self.start_pages()
        self.sleeper("first", inputs=6)
        wait_for("four maps run", lambda: self.job(1)["maps"]["running"] == 4)
        second = self.sleeper("second", queue="production", inputs=2)
        reason = wait_for("it says why", lambda: next((job["reason"] for job in self.json("job", "list")
                                                       if job["number"] == second), None))
        self.browser.open("/")
        self.browser.see("second", ".side")
        self.browser.see(reason.split(":")[0][:40], ".side")
        self.browser.click(".waits-job", "second")
        first = self.json("job", "explain", second)["reasons"][0]["message"]
        self.browser.see(first.split(":")[0][:40], ".reasons")
        self.sound()

    def test_pages_speak_of_what_the_ruling_policy_has(self):
        self.start_pages()
        self.sleeper("first", inputs=6)
        wait_for("four maps run", lambda: self.job(1)["maps"]["running"] == 4)
        self.sleeper("second", queue="production", inputs=3)
        words = "return document.querySelector('main').textContent + [...document.querySelectorAll('main .bar')]" \
                ".map((one) => one.getAttribute('aria-label')).join()"
        for policy, says, silent in (
                ("fair", {"/": "4/1.3", "/queues": "4/1.3", "/queues/research.vision": "a fair share of 1.3"},
                 ("guarantee", "borrow", "lend")),
                ("fifo", {"/": "runs 4 map slots; ", "/queues": "runs 4 map slots; ",
                          "/queues/research.vision": "4 running, at most 4; 2 pending"},
                 ("guarantee", "borrow", "lend", "fair share"))):
            self.ok("policy", "set", policy, user="ann")
            for width, path, text in [(width, *one) for width in (1440, 390) for one in says.items()]:
                with self.subTest(policy=policy, path=path, width=width):
                    self.browser.size(width, 900)
                    self.browser.open(path)
                    self.browser.wait(text, lambda: text in self.browser.js(words))
                    for word in silent:
                        self.assertNotIn(word, self.browser.js(words))
                    self.assertEqual(self.browser.js(
                        "return [...document.querySelectorAll('.table, .wide-bar')].filter((one) =>"
                        "one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)"), [])
                    self.sound()

    def test_what_is_only_logged_took_nothing_and_takes_nothing(self):
        self.start_pages()
        conf = self.dir / "logged.yaml"
        text = self.json("conf", "show")["text"].replace("reclaim_after: never", "reclaim_after: 1s")
        conf.write_text(text + "\ncapacity: {preemption: log_only}\n")
        self.ok("conf", "apply", conf, user="ann")
        self.sleeper("first", inputs=4)
        wait_for("four maps run", lambda: self.job(1)["maps"]["running"] == 4)
        self.sleeper("second", queue="production", inputs=1)
        self.browser.open("/")
        self.browser.see("would have taken 1 slot back from", ".lines")
        self.browser.see("1 slot, log only", ".stats")
        self.browser.wait("it is logged again", lambda: self.json("queue", "show", "production")["claims"][0]["owed_ms"] > 4000)
        self.assertEqual(len(self.json("queue", "show", "production")["kills"]), 1)
        self.browser.see("would have taken 1 slot back from", ".lines")
        self.assertNotIn("first in", self.browser.text(".stats"))
        self.assertEqual(self.job(1)["maps"]["running"], 4)

    def test_a_queue_at_its_maximum_says_why_nothing_pends(self):
        self.start_pages()
        conf = self.dir / "limited.yaml"
        conf.write_text(self.json("conf", "show")["text"].replace("guaranteed: 40%,", "guaranteed: 40%, maximum: 50%,"))
        self.ok("conf", "apply", conf, user="ann")
        self.sleeper("first", "production", inputs=2)
        wait_for("two maps run", lambda: self.job(1)["maps"]["running"] == 2)
        for name in ("second", "third"):
            self.sleeper(name, "production")
        self.browser.open("/queues/production")
        self.browser.see("0 pending as it runs its maximum, with 2 jobs waiting")
        self.browser.see("It runs its maximum of 2 map slots, with 2 jobs waiting.")
        self.assertNotIn("that it wants", self.browser.text(".columns > :first-child"))
        self.browser.open("/queues")
        self.browser.see("0 at max")
        self.assertIn("maps: production runs its maximum of 2, with 2 jobs waiting", self.ok("queue", "list"))
        self.sound()

    def test_a_claim_that_stands_still_is_paused_wherever_it_is_shown(self):
        self.start_pages()
        conf = self.dir / "owed.yaml"
        conf.write_text(self.json("conf", "show")["text"].replace("reclaim_after: never", "reclaim_after: 1h"))
        self.ok("conf", "apply", conf, user="ann")
        self.sleeper("first", inputs=6)
        wait_for("four maps run", lambda: self.job(1)["maps"]["running"] == 4)
        self.sleeper("second", queue="production", inputs=3)
        wait_for("a claim", lambda: self.json("queue", "show", "production")["claims"])
        self.ok("policy", "set", "fair", user="ann")
        self.assertRegex(self.ok("queue", "list"), r"\d maps? paused")
        self.browser.size(1440, 900)
        self.browser.open("/")
        for place in (".stats", ".side", ".table"):
            self.browser.see("paused", place)
        self.assertNotIn("first in", self.browser.text(".stats"))
        self.browser.open("/queues/production?tab=claims")
        self.browser.see("paused")
        self.browser.open("/queues/production?tab=settings")
        self.browser.see("40%; does not count while fair rules")
        self.browser.see("map 1h00m, reduce 1h00m; does not count while fair rules")
        self.ok("policy", "set", "fifo", user="ann")
        self.browser.see("40%; does not count while fifo rules")
        self.ok("policy", "set", "capacity", user="ann")
        self.browser.wait("it counts", lambda: "does not count" not in self.browser.text())
        self.sound()

    def test_pages_follow_when_the_policy_is_switched(self):
        self.start_pages()
        self.browser.open("/")
        self.browser.see("guaranteed", ".legend")
        self.ok("policy", "set", "fair", user="ann")
        self.browser.see("fair share", ".legend")
        self.ok("policy", "set", "fifo", user="ann")
        self.browser.wait("fifo deals nothing", lambda: "share" not in self.browser.text(".legend"))
        self.sound()

    def chart(self, points, step):
        """What a chart of them draws: {"running": its path, "above": the marks}"""
        return self.browser.driver.execute_async_script("""
            const [points, step, done] = arguments;
            import('/assets/chart.js').then(({timeChart}) => {
              const of = (name) => (p) => p[name];
              const chart = timeChart({label: 'l', unit: 'u', series: [
                {name: 'running', kind: 'area', className: 'c-running', of: of('running')},
                {name: 'pending', kind: 'line', clip: true, className: 'c-pending', of: of('pending')}]});
              document.querySelector('main').append(chart.element);
              chart.set(points, step);
              const path = (name) => chart.element.querySelector('.c-line.' + name).getAttribute('d');
              done({running: path('c-running'), pending: path('c-pending'),
                    above: [...chart.element.querySelectorAll('.c-above')].map((one) => one.textContent),
                    over: [...chart.element.querySelectorAll('.c-over')].map((one) => one.getAttribute('d'))});
            })""", points, step)

    def test_a_chart_has_gaps_where_nothing_was_measured_and_marks_what_is_above_it(self):
        self.start_pages()
        self.browser.open("/events")
        points = [{"t": t * 1000, "running": 4, "pending": 2} for t in (*range(20), *range(60, 80))]
        drawn = self.chart(points, 1000)
        self.assertEqual([drawn[name].count("M") for name in ("running", "pending")], [2, 2])
        self.assertEqual(drawn["above"], [])
        for point in points[5:15]:
            point["pending"] = 35
        drawn = self.chart(points, 1000)
        self.assertEqual(drawn["above"], ["\u25b2 up to 35"])
        top = min(float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)", drawn["pending"]))
        self.assertNotRegex(drawn["pending"], rf"[ML][\d.]+ {top}L[\d.]+ {top}\D")  # no flat line at the top
        self.assertEqual(len(drawn["over"]), 1)
        points = [{"t": t * 1000, "running": 4, "pending": 35 if t in (10, 11, 13, 60, 70) else 2} for t in range(80)]
        points[60]["pending"] = 50
        drawn = self.chart(points, 1000)
        self.assertEqual(len(drawn["over"]), 4, "each stretch, near to one another or not")
        self.assertIn("\u25b2 50", drawn["above"])
        self.sound()

    def test_events_say_since_when_nothing_is_missing(self):
        self.start_pages()
        self.browser.open("/events")
        self.browser.see("Nothing is missing since")
        self.browser.see("Of the time before")
        self.browser.see("The JobTracker (Weir ")
        self.browser.open("/events?kind=kill")
        self.browser.see("Nothing of that kind is remembered.")
        self.browser.see("Nothing is missing since")
        self.assertNotIn("Of the time before", self.browser.text())
        self.sound()

    def test_changes_arrive_by_themselves(self):
        self.start_pages()
        self.browser.open("/jobs")
        self.browser.see("No job is like that")
        self.sleeper("brand new")
        self.browser.see("brand new")
        self.weir("job", "kill", 1, user="ann")
        self.browser.see("No job is like that")
        self.sound()

    def test_the_address_holds_the_view(self):
        self.start_pages()
        self.sleeper("alpha", user="bob")
        self.sleeper("beta", user="carl", queue="production")
        self.browser.open("/jobs?user=carl")
        self.browser.see("beta")
        self.assertNotIn("alpha", self.browser.text(".t-body"))
        self.browser.open("/jobs")
        self.browser.see("alpha")
        self.browser.find('input[placeholder="User"]').send_keys("bob")
        self.browser.wait("beta is gone", lambda: "beta" not in self.browser.text(".t-body"))
        self.assertIn("user=bob", self.browser.driver.current_url)
        self.sound()

    def test_a_job_that_is_over_will_have_no_counters(self):
        self.start_pages()
        number = self.sleeper("held", "spare", "bob", 1, 1, "--hold")
        self.browser.open(f"/jobs/{number}?tab=counters")
        self.browser.see("No counters yet")
        self.ok("job", "kill", number, user="ann")
        self.browser.open(f"/jobs/{number}?tab=counters")
        self.browser.see("no attempt of it")
        self.browser.open("/jobs?state=all")
        self.browser.wait("one job is one", lambda: re.search(r"\b1 job\b", self.browser.text()))
        self.assertNotIn("1 jobs", self.browser.text())
        self.sound()

    def test_states_of_jobs_are_known_in_any_case(self):
        self.start_pages()
        self.browser.open("/jobs?state=failed")
        self.browser.see("No job is like that.")
        self.assertEqual(self.browser.text(".chips [aria-pressed=true]"), "failed")
        self.sound()

    def test_hostile_names_are_text(self):
        self.start_pages()
        numbers = [self.sleeper(name, user="mal<b>lory" if i == 0 else "bob") for i, name in enumerate(HOSTILE)]
        for path in ("/", "/jobs", "/pools", "/queues/research.vision?tab=users", *[f"/jobs/{n}" for n in numbers]):
            self.browser.open(path)
            self.browser.wait("it is drawn", lambda: ("mal<b>" if "users" in path else "job_000") in self.browser.text())
            self.assertEqual(self.browser.js("return document.querySelectorAll('main img, main script, main b').length"), 0)
            self.assertNotIn("\u202e", self.browser.js("return document.body.textContent + document.title"))
            self.assertNotEqual(self.browser.js("return document.title"), "broken")
            self.assertLessEqual(self.browser.js("return document.documentElement.scrollWidth - innerWidth"), 0)
        self.browser.see("'; </script><script>")
        self.sound()

    # --- Changing ---

    def test_priority_move_and_kill_of_a_job(self):
        self.start_pages()
        number = self.sleeper("first")
        self.browser.open(f"/jobs/{number}")
        self.browser.click("button", "Priority…")
        self.browser.choose("dialog select", "HIGH")
        self.browser.click("dialog button", "Set priority")
        wait_for("it is HIGH", lambda: self.job(number)["priority"] == "HIGH")
        self.browser.click(".toast button", "Undo")
        wait_for("it is NORMAL again", lambda: self.job(number)["priority"] == "NORMAL")
        self.browser.click("button", "Move…")
        self.browser.choose("dialog select", "production")
        self.browser.click("dialog button.primary", "Move")
        wait_for("it is in production", lambda: self.job(number)["queue"] == "production")
        self.browser.see("production")
        self.browser.click("button", "Kill…")
        self.browser.click("dialog button.danger")
        self.wait_for_end(f"job_{number:04}")
        self.browser.see("It was killed")
        self.sound()

    def test_a_held_job_is_released(self):
        self.start_pages()
        for number, release in ((self.sleeper("by the button", "spare", "bob", 1, 1, "--hold"),
                                 lambda: self.browser.click(".heading button", "Release…")),
                                (self.sleeper("by the reason", "spare", "bob", 1, 1, "--hold"),
                                 lambda: self.browser.click(".reasons button", "Release…")),
                                (self.sleeper("by the key", "spare", "bob", 1, 1, "--hold"),
                                 lambda: self.browser.press("r"))):
            with self.subTest(job=number):
                self.assertEqual(self.job(number)["state"], "HELD")
                self.browser.open(f"/jobs/{number}")
                self.browser.see("once somebody releases it")
                release()
                self.browser.click("dialog button", "Release")
                self.wait_for_end(f"job_{number:04}")
                self.browser.see("It has succeeded")
                self.browser.wait("nothing is left to do", lambda: not self.browser.js(
                    "return document.querySelector('.heading .buttons').offsetParent"))
                self.sound()

    def test_menus_of_the_pools_page_change_in_place(self):
        self.start_pages()
        self.weir("policy", "set", "fair", user="ann")
        number = self.sleeper("first")
        self.browser.open("/pools")
        self.browser.find(f'[aria-label="Priority of job_{number:04}"]')
        self.browser.js("document.querySelector(arguments[0]).focus()", f'[aria-label="Priority of job_{number:04}"]')
        self.browser.choose(f'[aria-label="Priority of job_{number:04}"]', "VERY_HIGH")
        wait_for("it is VERY_HIGH", lambda: self.job(number)["priority"] == "VERY_HIGH")
        self.browser.wait("the pools are there", lambda: self.browser.js(
            "const one = document.querySelector(arguments[0]); one.blur(); one.focus();"
            "return [...one.options].some((option) => option.value === 'production')",
            f'[aria-label="Pool of job_{number:04}"]'))
        self.browser.choose(f'[aria-label="Pool of job_{number:04}"]', "production")
        wait_for("it is in the pool", lambda: self.job(number)["pool"] == "production")
        self.sound()

    def test_any_part_of_a_log(self):
        self.start_pages()
        number = int(self.submitted("out", queue="spare", mapper="seq 100000 >&2; sleep 120; cat", reduces=0,
                                    user="bob").removeprefix("job_"))
        wait_for("it runs", lambda: self.job(number)["maps"]["running"] == 1)
        shown = lambda: self.browser.js("return document.querySelector('pre.log').textContent")
        self.browser.open(f"/jobs/{number}?tab=logs")
        self.browser.wait("the end is there", lambda: shown().endswith("\n100000\n"))
        self.assertNotIn("\n50000\n", shown())
        self.browser.click("button", "Earlier")
        self.browser.wait("what was before", lambda: shown() and not shown().endswith("\n100000\n"))
        earlier = shown()
        self.browser.click("button", "First")
        self.browser.wait("the beginning", lambda: shown().startswith("1\n2\n"))
        self.browser.see("Bytes 0 to", ".log-place")
        self.browser.driver.refresh()
        self.browser.wait("the address holds it", lambda: shown().startswith("1\n2\n"))
        self.browser.click("button", "Later")
        self.browser.wait("what comes after", lambda: not shown().startswith("1\n2\n"))
        self.assertNotEqual(shown(), earlier)
        self.browser.click("button", "Last")
        self.browser.wait("the end again", lambda: shown().endswith("\n100000\n"))
        self.sound()

    def test_the_advanced_view_of_the_pools_tells_of_jobs(self):
        self.start_pages()
        self.weir("policy", "set", "fair", user="ann")
        number = self.sleeper("first", inputs=6)
        wait_for("it runs", lambda: self.job(number)["maps"]["running"] == 4)
        self.browser.open("/pools?pool=research.vision")
        self.browser.see(f"job_{number:04}")
        heads = lambda: self.browser.text('main .panel:last-child [role="row"]')
        self.assertNotIn("Deficit", heads())
        self.browser.click(".toggle input")
        self.browser.see("4 / 0", '.panel:last-child [role="gridcell"]')
        for head in ("Share", "Weight", "Deficit", "Locality"):
            self.assertIn(head, heads())
        for width in (390, 800, 1280):
            self.browser.size(width, 900)
            self.browser.wait("all of it fits", lambda: self.browser.js(
                "return [...document.querySelectorAll('.table')]"
                ".every((one) => one.scrollWidth <= one.clientWidth + 1)"))
        self.sound()

    def test_jobs_stand_in_the_order_in_which_they_are_served(self):
        self.start_pages()
        low, normal, high = (self.sleeper(priority, "production", "bob", 60, 3, "--priority", priority)
                             for priority in ("LOW", "NORMAL", "HIGH"))
        held = self.sleeper("held", "production", "bob", 60, 3, "--priority", "VERY_HIGH", "--hold")
        self.browser.open("/queues/production")
        shown = lambda: self.browser.js("return [...document.querySelectorAll('.t-row')]"
                                        ".sort((a, b) => a.index - b.index).map((row) => row.item.number)")
        self.browser.wait("they are in order", lambda: shown() == [high, normal, low, held])
        self.sound()

    def test_every_tracker_shows_whose_its_slots_are(self):
        self.start_pages()
        self.sleeper("first", "research.vision", "bob", 60, 6)
        wait_for("all slots are used", lambda: sum(one["attempts"] for one in self.json("tracker", "list")) == 4)
        coloured = "return document.querySelectorAll('.slot.map.used[class*=\" q\"]').length"
        for path, slots in (("/trackers", 4), ("/trackers/tt2", 2)):
            self.browser.open(path)
            self.browser.wait("the slots have a colour", lambda: self.browser.js(coloured) == slots)
        self.sound()

    def test_what_a_job_runs_without_its_secrets(self):
        self.start_pages()
        number = self.sleeper("held", "spare", "bob", 1, 1, "--hold", "--env", "TOKEN=hush", "--conf", "k=v")
        self.browser.open(f"/jobs/{number}?tab=settings")
        for text in ("mapper", "sleep", "TOKEN=***", "k=v", "bob at 127.0.0.1", f"weir job submit-again {number}"):
            self.browser.see(text)
        self.assertNotIn("hush", self.browser.text())
        self.sound()

    def test_on_paper(self):
        self.start_pages()
        for i in range(60):
            self.sleeper(f"job {i}", "spare", "bob", 1, 1, "--hold")
        self.browser.open("/jobs")
        rows = lambda: self.browser.js("return document.querySelectorAll('.t-row').length")
        self.browser.see("job_0060")
        self.assertLess(rows(), 60)
        self.browser.print_media(True)
        self.browser.wait("all rows are drawn", lambda: rows() == 60)
        self.assertFalse(self.browser.js("return document.querySelector('#shell').offsetParent"))
        self.assertEqual(self.browser.js("return getComputedStyle(document.body).color"), "rgb(0, 0, 0)")
        self.browser.print_media(False)
        self.browser.wait("only what is in view is drawn again", lambda: rows() < 60)
        self.sound()


class Administrators(WithPages):
    def test_drain_and_resume_a_tracker(self):
        self.start_pages()
        state = lambda: self.json("tracker", "show", "tt1")["state"]
        self.browser.open("/trackers/tt1")
        self.browser.click("button", "Drain…")
        self.browser.find('dialog input[type="text"]').send_keys("new disks")
        self.browser.click("dialog button.primary", "Drain")
        wait_for("it drains", lambda: state() in ("DRAINING", "DRAINED"))
        self.browser.see("new disks")
        self.browser.click("button", "Resume…")
        self.browser.click("dialog button.primary", "Resume")
        wait_for("it is back", lambda: state() == "LIVE")
        self.sound()

    def test_a_silent_tracker_is_declared_lost(self):
        self.start_pages()
        self.browser.open("/trackers/tt1")
        self.browser.find("button", "Drain…")
        self.assertFalse(self.browser.js("return [...document.querySelectorAll('.heading button')].some("
                                         "(one) => one.offsetParent && one.textContent.includes('lost'))"))
        os.kill(self.processes["tt1"].pid, signal.SIGSTOP)
        try:
            wait_for("it is silent", lambda: self.json("tracker", "show", "tt1")["state"] == "SILENT")
            self.browser.click("button", "Declare lost…")
            self.browser.see("starts elsewhere", "dialog")
            self.browser.click("dialog button.danger", "Declare lost")
            wait_for("it is lost", lambda: self.json("tracker", "show", "tt1")["state"] == "LOST")
            self.browser.see("was declared lost by ann")
            self.browser.find("button", "Forget…")
            self.browser.open("/")
            self.browser.see("1 lost")
            self.browser.open("/trackers")
            self.browser.find("button", "Forget…")
            self.assertEqual(self.browser.js("return [...document.querySelectorAll('.t-row button')].filter("
                                             "(one) => one.textContent === 'Drain…').length"), 1, "tt2's")
        finally:
            os.kill(self.processes["tt1"].pid, signal.SIGCONT)
        self.sound()

    def test_the_settings_say_which_they_are(self):
        self.start_pages()
        self.browser.open("/settings")
        self.browser.see(f"Number 1, {self.conf}, read from the file, ")
        self.conf.write_text(self.conf.read_text() + "policy: capacity\nheartbeat: {floor: 300ms}\n")
        self.ok("conf", "apply", self.conf, user="ann")
        origins = {one["name"]: one["origin"] for one in self.json("conf", "show", "--origin")["settings"]}
        self.assertEqual([origins[name] for name in ("policy", "heartbeat.floor", "heartbeat.per_second",
                                                     "queues.production.priorities", "queues.spare.priorities")],
                         ["settings", "settings", "default", "settings", "default"])
        self.sound()

    def test_stop_and_start_a_queue(self):
        self.start_pages()
        state = lambda: self.json("queue", "show", "spare")["state"]
        self.browser.open("/queues/spare")
        self.browser.click("button", "Stop…")
        self.browser.click("dialog button.primary")
        wait_for("it is stopped", lambda: state() == "STOPPED")
        self.browser.click(".toast button", "Undo")
        wait_for("it runs", lambda: state() == "RUNNING")
        self.sound()

    def test_switching_the_policy_says_first_what_it_will_do(self):
        self.start_pages()
        self.sleeper("first", inputs=6)
        wait_for("four maps run", lambda: self.job(1)["maps"]["running"] == 4)
        self.sleeper("second", queue="production", inputs=6)
        self.browser.open("/policy")
        self.browser.click("button", "Switch to fair…")
        self.browser.see("production", "dialog")
        self.browser.see("+", "dialog .gain")
        self.assertIn("may be killed", self.browser.text("dialog"))
        self.browser.click("dialog button.primary")
        wait_for("fair rules", lambda: self.json("policy", "show")["current"] == "fair")
        self.browser.click(".toast button", "Undo")
        wait_for("capacity rules", lambda: self.json("policy", "show")["current"] == "capacity")
        self.sound()

    def test_settings_are_checked_compared_applied_and_taken_back(self):
        self.start_pages()
        self.browser.open("/settings")
        self.browser.see("As in force")
        type_in = """const area = document.querySelector('.editor textarea');
            area.value = area.value.replace(arguments[0], arguments[1]);
            area.dispatchEvent(new Event('input', {bubbles: true}))"""
        self.browser.js(type_in, "guaranteed: 50%", "guarantied: 50%")
        self.browser.see("guarantied", ".findings")
        self.browser.find(".editor mark")
        self.browser.js(type_in, "guarantied: 50%", "guaranteed: 50%, maximum: 75%")
        self.browser.see("Sound")
        self.browser.see("4 → 3", ".effect")
        for width in (1440, 390):  # its table is wider than the box
            self.browser.size(width, 900)
            self.browser.click("button", "Apply…")
            self.browser.find("dialog button.primary")
            self.assertEqual(self.browser.js("""
                const box = document.querySelector('dialog').getBoundingClientRect();
                return [...document.querySelectorAll('dialog button')].map((one) => one.getBoundingClientRect())
                    .filter((one) => one.left < box.left || one.right > box.right).length"""), 0)
            self.browser.click("dialog button", "Cancel")
        self.browser.click("button", "Apply…")
        self.browser.click("dialog button.primary")
        wait_for("it is in force", lambda: "maximum: 75%" in self.json("conf", "show")["text"])
        self.browser.see("The settings are in force", "#toasts")
        self.browser.see("from what ann applied", "#toasts")
        self.browser.click(".banner button", "What differs")
        self.browser.see("queues.research.maximum: 75% -> 100%", "dialog")
        self.browser.click("dialog button")
        self.browser.click('[data-tab="history"]')
        self.browser.see("ann")
        self.browser.click("tbody tr:last-child button", "Difference…")
        self.browser.click("dialog button.primary", "Back to this…")
        self.browser.click("dialog button.primary", "Apply it again")
        wait_for("the first are in force", lambda: "maximum: 75%" not in self.json("conf", "show")["text"])
        self.sound()

    def test_another_admin_is_not_overwritten(self):
        self.start_pages()
        self.browser.open("/settings")
        self.browser.see("As in force")
        other = self.dir / "other.yaml"
        other.write_text(self.json("conf", "show")["text"].replace("50%", "45%").replace("10%", "15%"))
        self.browser.js("""const area = document.querySelector('.editor textarea'); area.value += '\\n# mine\\n';
                           area.dispatchEvent(new Event('input', {bubbles: true}))""")
        may = "return !document.querySelector('.edit-side button.primary').disabled"
        self.browser.wait("it may be applied", lambda: self.browser.js(may))
        self.ok("conf", "apply", other, user="ann")
        self.browser.see("changed by ann (number 2) while you edit")
        self.browser.wait("it is checked", lambda: "Sound" in self.browser.text(".panel-head"))
        time.sleep(1)
        self.assertFalse(self.browser.js(may), "not onto what was not edited")
        self.assertIn("# mine", self.browser.js("return document.querySelector('.editor textarea').value"))
        self.browser.click("button", "Keep mine")
        self.browser.see("takes back what was changed by ann (number 2)")
        self.browser.click(".edit-side button", "Apply…")
        self.browser.see("It takes back what was changed by ann (number 2)", "dialog")
        # What comes while the dialog is open is not overwritten either.
        other.write_text(other.read_text().replace("45%", "44%").replace("15%", "16%"))
        self.ok("conf", "apply", other, user="ann")
        self.browser.click("dialog button.primary")
        self.browser.see("meanwhile (number 3)", "dialog .problem")
        self.assertIn("44%", self.json("conf", "show")["text"])
        self.browser.press(Keys.ESCAPE)
        self.browser.see("(number 3) while you edit")
        self.browser.click("button", "Keep mine")
        self.browser.click(".edit-side button", "Apply…")
        self.browser.click("dialog button.primary")
        wait_for("mine are in force", lambda: "# mine" in self.json("conf", "show")["text"])
        self.assertEqual([one for one in self.browser.failed_requests() if not one.startswith("412")], [])

    def test_who_may_not_is_told_so_and_nothing_happens(self):
        self.start_pages(user="eve")
        number = self.sleeper("first", user="bob")
        self.browser.open(f"/jobs/{number}")
        self.browser.click("button", "Kill…")
        self.browser.click("dialog button.danger")
        self.browser.see("Not allowed", "dialog .problem")
        self.assertIn(self.job(number)["state"], ("RUNNING", "PENDING"))
        self.assertEqual([one for one in self.browser.failed_requests() if not one.startswith("403")], [])

    # --- Other ways of being there ---

    def test_the_keyboard_alone(self):
        self.start_pages()
        number = self.sleeper("first", inputs=6)
        self.browser.open("/")
        self.browser.see("vision")
        self.browser.press(Keys.TAB)
        self.assertIn("Skip", self.browser.focused())
        self.browser.press("g", "j")
        self.browser.see("first")
        self.browser.press("/")
        self.browser.wait("the filter has the focus", lambda: self.browser.js(
            "return document.activeElement.matches('[data-filter]')"))
        self.browser.press(Keys.ESCAPE)
        self.browser.press("?")
        self.browser.see("these keys", "dialog")
        self.browser.press(Keys.ESCAPE)
        self.browser.js("document.querySelector('.t-row[tabindex=\"0\"]').focus()")
        self.browser.press("p")
        self.browser.see("Change the priority", "dialog")
        self.browser.press(Keys.ARROW_UP)
        self.browser.press(Keys.TAB)
        self.browser.press(Keys.TAB)
        self.browser.press(Keys.ENTER)
        wait_for("it is HIGH", lambda: self.job(number)["priority"] == "HIGH")
        self.browser.wait("the dialog is closed", lambda: not self.browser.js("return document.querySelector('dialog[open]')"))
        self.browser.js("document.querySelector('.t-row[tabindex=\"0\"]').focus()")
        self.browser.press(Keys.ENTER)
        self.browser.see(f"job_{number:04}", ".heading")
        self.sound()

    def test_a_jobtracker_that_dies_and_comes_back_under_an_open_page(self):
        self.start_pages()
        self.sleeper("first")
        self.browser.open("/jobs")
        self.browser.see("first")
        self.sound()
        self.processes["jobtracker"].kill()
        self.processes["jobtracker"].wait()
        self.browser.see("does not answer since", "#banner")
        self.browser.see("first")
        self.fix_ports()
        self.start_all()
        self.browser.wait("the banner is gone", lambda: not self.browser.text("#banner"), 60)
        self.browser.console(), self.browser.failed_requests()
        self.sleeper("second")
        self.browser.see("second")
        self.sound()

    def test_a_page_that_could_not_be_loaded_comes_by_itself(self):
        self.start_pages()
        self.browser.open("/jobs")
        self.browser.see("No job is like that")
        self.fix_ports()
        self.processes["jobtracker"].kill()
        self.processes["jobtracker"].wait()
        self.browser.js("document.querySelector('#shell nav a[href=\"/policy\"]').click()")
        self.browser.see("The JobTracker does not answer", ".failure")
        self.start_all()
        self.browser.see("Switch to fair", seconds=60)
        self.browser.wait("the banner is gone", lambda: not self.browser.text("#banner"))
        self.browser.console(), self.browser.failed_requests()

    def test_an_address_that_leads_nowhere(self):
        self.start_pages()
        for path in ("/jobs/9999", "/queues/none", "/trackers/none"):
            self.browser.open(path)
            self.browser.see("There is no")
            self.assertEqual([one for one in self.browser.failed_requests() if not one.startswith("404")], [])

    def test_what_does_not_exist_is_said_once_and_has_nothing_to_press(self):
        self.start_pages()
        self.sleeper("first", inputs=1)
        pressed = "return [...document.querySelectorAll('.heading button')].filter((one) => one.checkVisibility()).length"
        for path, there in (("/jobs/9999", "/jobs/1"), ("/queues/none", "/queues/production"), ("/trackers/none", "/trackers/tt1")):
            with self.subTest(path=path):
                self.browser.open(path)
                self.browser.see("There is no")
                self.assertEqual(self.browser.js(pressed), 0)
                time.sleep(1)  # whatever else the page asks for is refused, too
                self.assertEqual(self.browser.text().count("There is no"), 1)
                self.assertEqual(self.browser.js(pressed), 0)
                self.browser.open(there)
                self.browser.wait("buttons", lambda: self.browser.js(pressed) > 0)
        self.browser.console(), self.browser.failed_requests()

    def test_kills_of_which_more_than_are_told_may_be_are_at_least_so_many(self):
        self.start_pages()
        self.browser.open("/")

        def told(kills):
            """What is said of kills for claims at these times; the first claim was opened at 50, the second at 20."""
            queue = {"kills": [{"at_ms": at, "owed_ms": at - (50, 20)[claim - 1], "claim": claim, "claimant": "a", "victim": "b", "job": "j",
                                "attempt": f"t{i}", "slots": 1, "lost_slot_ms": 1, "outcome": "used"}
                               for i, (claim, at) in enumerate(kills)]}
            self.browser.js("import('/assets/queue_tree.js').then((its) => window.told = its.killLines(arguments[0]))",
                            [queue, queue])
            self.browser.wait("lines", lambda: self.browser.js("return window.told"))
            return [[one["slots"], one["least"]] for one in self.browser.js("const it = told; delete window.told; return it")]

        self.assertEqual(told([(1, 100)] * 9), [[9, ""]])
        self.assertEqual(told([(1, 100)] * 10), [[10, "at least "]])
        self.assertEqual(told([(1, 100)] * 9 + [(2, 40)]), [[9, ""], [1, "at least "]])
        self.assertEqual(told([(1, 100)] * 9 + [(2, 60)]), [[9, "at least "], [1, "at least "]])
        self.sound()

    def test_a_pool_with_other_jobs_than_the_queue_of_its_name(self):
        self.start_pages()
        self.sleeper("first", "production", "bob", 120, 3)
        self.sleeper("second", "production", "bob", 120, 3, "--conf", "pool=other")
        self.ok("policy", "set", "fair", user="ann")
        wait_for("four maps run", lambda: sum(self.job(n)["maps"]["running"] for n in (1, 2)) == 4)
        text = "return [...document.querySelectorAll('table')][0].innerText.replace(/\\s+/g, ' ')"
        pool = f"pool production {self.job(1)['maps']['running']}, +{3 - self.job(1)['maps']['running']}"
        for policy in ("fair", "capacity"):
            self.ok("policy", "set", policy, user="ann")
            self.browser.open("/policy")
            self.browser.wait(pool, lambda: pool in self.browser.js(text))
            self.assertIn(" production 4, +", self.browser.js(text))
            shown = self.ok("policy", "show")
            self.assertRegex(shown, r"\npool other +map")
            self.assertRegex(shown, r"\nproduction +map +4 ")
        self.ok("policy", "set", "fair", user="ann")
        self.browser.open("/queues/production")
        self.browser.see("It runs 4 map slots, which is its maximum; 2 more could be launched.")
        self.assertNotIn("fair share", self.browser.text())
        self.assertIn("SHARE: of the pool of that name", self.ok("queue", "show", "production"))
        self.sound()

    def test_the_pages_weigh_less_than_345_kb(self):
        self.start_pages()
        files = sum(path.stat().st_size for path in (ROOT / "web/pages").rglob("*") if path.is_file())
        self.assertLess(files, 345_000)


if __name__ == "__main__":
    unittest.main()
