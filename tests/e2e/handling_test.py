"""Many things handled from the pages: several jobs at a time, remedies that help, the keyboard, panels that are drawn anew
under the focus; and an overview of many queues."""
import re
import unittest

from browser import Keys
from cluster import ROOT, wait_for
from pages import WithPages


class Bulk(WithPages):
    def box(self, number):
        return f'[aria-label="Select job_{number:04}"]'

    def test_selected_jobs_are_changed_by_one_dialog(self):
        self.start_pages()
        jobs = [self.sleeper(f"number {i}", "spare", "bob", 1, 1, "--hold") for i in range(3)]
        self.browser.open("/jobs")
        self.browser.see("Boxes, or Space")
        for number in jobs[:2]:
            self.browser.click(self.box(number))
        self.browser.see("2 of 3 jobs selected", ".bulk")
        self.browser.click(".bulk button", "Priority…")
        self.browser.see("Priority of 2 jobs", "dialog")
        self.browser.see("number 0, of bob in spare", "dialog")
        self.browser.choose("dialog select", "HIGH")
        self.browser.click("dialog button.primary")
        wait_for("two are HIGH", lambda: [self.job(one)["priority"] for one in jobs] == ["HIGH", "HIGH", "NORMAL"])
        self.browser.see("2 jobs have priority HIGH", "#toasts")
        self.browser.click(".toast button", "Undo")
        wait_for("none is HIGH", lambda: all(self.job(one)["priority"] == "NORMAL" for one in jobs))
        self.assertEqual(self.browser.text(".bulk button"), "   ")  # nothing is selected any more
        self.browser.js("document.querySelector('.t-row').focus()")
        self.browser.press(Keys.HOME)
        self.browser.press(Keys.SPACE, "j", Keys.SPACE, "m")
        self.browser.see("Move 2 jobs", "dialog")
        self.browser.choose("dialog select", "production")
        self.browser.click("dialog button.primary")
        wait_for("two have moved", lambda: [self.job(one)["queue"] for one in jobs] == ["spare", "production", "production"])
        self.sound()

    def test_all_that_the_filter_shows_are_killed(self):
        self.start_pages()
        ours = [self.sleeper(f"ours {i}", "spare", "bob", 1, 1, "--hold") for i in range(7)]
        others = self.sleeper("theirs", "spare", "eve", 1, 1, "--hold")
        self.browser.open("/jobs?user=bob")
        self.browser.see("7 jobs", ".heading")
        self.browser.click('[aria-label="Select all jobs that the filter shows"]')
        self.browser.see("7 of 7 jobs selected", ".bulk")
        self.browser.click(".bulk button", "Kill…")
        self.browser.see("Kill 7 jobs", "dialog h2")
        self.browser.see("and 2 more", "dialog")
        self.browser.click("dialog button.danger")
        wait_for("they are killed", lambda: all(self.job(one)["state"] == "KILLED" for one in ours))
        self.browser.see("7 jobs are killed", "#toasts")
        self.assertEqual(self.job(others)["state"], "HELD")
        self.sound()

    def test_another_filter_selects_nothing(self):
        self.start_pages()
        number = self.sleeper("one", "spare", "bob", 1, 1, "--hold")
        self.browser.open("/jobs")
        self.browser.click(self.box(number))
        self.browser.see("1 of 1 job selected", ".bulk")
        self.browser.click(".chips button", "all")
        self.browser.see("Boxes, or Space", ".bulk")
        self.sound()

    def test_what_is_refused_is_told_by_job(self):
        self.start_pages(user="bob")
        own = self.sleeper("own", "spare", "bob", 1, 1, "--hold")
        foreign = self.sleeper("foreign", "spare", "eve", 1, 1, "--hold")
        self.browser.open("/jobs")
        self.browser.click('[aria-label="Select all jobs that the filter shows"]')
        self.browser.click(".bulk button", "Kill…")
        self.browser.click("dialog button.danger")
        self.browser.see("1 of 2 jobs are killed", "dialog h2")
        self.browser.see(f"job_{foreign:04} Not allowed: user bob may not change", "dialog .failures")
        self.assertEqual([self.job(one)["state"] for one in (own, foreign)], ["KILLED", "HELD"])
        self.browser.click("dialog button", "Close")
        self.browser.see("1 of 1 job selected", ".bulk")  # what failed, to try otherwise


class Remedies(WithPages):
    def busy(self, user="ann"):
        self.start_pages(user)
        conf = self.dir / "listed.yaml"
        conf.write_text(self.json("conf", "show")["text"].replace(
            "{name: spare, guaranteed: 10%}", "{name: spare, guaranteed: 10%, submit: [carl]}"))
        self.ok("conf", "apply", conf, user="ann")
        self.first = self.sleeper("first", "research.vision", inputs=8)
        wait_for("four maps run", lambda: self.job(self.first)["maps"]["running"] == 4)
        self.second = self.sleeper("second", "research.vision", inputs=2)

    def buttons(self):
        return self.browser.text(".reasons button")

    def test_only_what_helps_is_offered(self):
        self.busy()
        self.browser.open(f"/jobs/{self.second}")
        self.browser.see("Right before it: job_0001 first of bob (normal priority)", ".reasons")
        self.browser.see("priority does not count in it")
        self.assertNotIn("Priority", self.buttons())  # research.vision goes by submit time
        self.assertIn("Move", self.buttons())
        self.ok("policy", "set", "fifo", user="ann")
        self.browser.see("Right before it: job_0001", ".reasons")
        self.browser.see("jobs of all queues go by priority")
        self.browser.wait("priority counts", lambda: "Priority" in self.buttons())
        self.ok("job", "priority", self.second, "VERY_HIGH", user="bob")
        self.browser.wait("there is none higher", lambda: "Priority" not in self.buttons())
        self.sound()

    def test_a_held_job_is_offered_its_release_and_no_move(self):
        self.busy()
        held = self.sleeper("held", "production", "bob", 1, 1, "--hold")
        self.browser.open(f"/jobs/{held}")
        self.browser.see("It would start in no queue while it is held", ".side")
        self.assertNotIn("Move", self.browser.text(".side") + self.buttons())
        self.assertIn("Release", self.buttons())
        self.ok("job", "release", held, user="bob")
        self.browser.wait("it is offered what others are", lambda: "held" not in self.browser.text(".side"))
        self.sound()

    def test_the_dialogs_of_the_priority_say_where_it_counts(self):
        self.busy()
        listed = self.sleeper("third", "production", "bob", 1, 1, "--hold")
        self.browser.open(f"/jobs/{self.second}")
        self.browser.click(".heading button", "Priority…")
        self.browser.see("It does not count in research.vision now: under capacity that queue goes by submit time.",
                         "dialog .loss")
        self.browser.press(Keys.ESCAPE)
        self.browser.open(f"/jobs/{listed}")
        self.browser.click(".heading button", "Priority…")
        self.browser.see("Jobs go by priority there", "dialog .muted")
        self.browser.press(Keys.ESCAPE)
        self.browser.open("/jobs")
        self.browser.click('[aria-label="Select all jobs that the filter shows"]')
        self.browser.click(".bulk button", "Priority…")
        self.browser.see("It does not count in research.vision now", "dialog .loss")
        self.browser.press(Keys.ESCAPE)
        self.ok("policy", "set", "fair", user="ann")
        self.browser.click(".bulk button", "Priority…")
        self.browser.see("Under fair a job's priority is its weight", "dialog .muted")
        self.browser.press(Keys.ESCAPE)
        self.sound()

    def test_a_move_goes_where_one_may_and_to_queues_that_take_jobs(self):
        self.busy("bob")
        self.ok("queue", "stop", "production", user="ann")
        self.browser.open(f"/jobs/{self.second}")
        self.browser.find(".reasons button", "Move…")
        self.browser.click(".reasons button", "Move…")
        self.browser.see("research.speech", "dialog")
        self.assertEqual(self.browser.js(
            "return [...document.querySelectorAll('dialog option')].map((one) => one.value)"), ["research.speech"])
        self.browser.press(Keys.ESCAPE)
        self.browser.js("localStorage.setItem('weir.user', 'carl')")
        self.browser.open(f"/jobs/{self.second}")
        self.browser.see("may change it", ".side")
        self.assertEqual(self.buttons(), "")
        self.sound()


class Keyboard(WithPages):
    def active(self, script):
        return self.browser.js(f"const a = document.activeElement; return {script}")

    def on_row(self, index):
        self.browser.wait(f"row {index} has the focus", lambda: self.active(
            "a.classList.contains('t-row') ? a.index : -1") == index)

    def test_from_the_filter_into_the_table(self):
        self.start_pages()
        for i in range(3):
            self.sleeper(f"number {i}", "spare", "bob", 1, 1, "--hold")
        self.browser.open("/jobs")
        self.browser.see("number 2")
        self.browser.press("/")
        self.browser.press(Keys.ARROW_DOWN)
        self.on_row(0)
        self.browser.press("j", "j", "k")
        self.on_row(1)
        self.browser.press("/")
        self.browser.press("number 1", Keys.ENTER)
        self.browser.wait("one is left", lambda: self.browser.text(".heading").endswith("1 job"))
        self.on_row(0)
        self.browser.open("/queues")
        self.browser.see("production")
        self.browser.press("j")  # from nowhere
        self.on_row(0)
        self.sound()

    def test_a_row_that_is_gone_leaves_the_focus_to_the_next(self):
        self.start_pages()
        jobs = [self.sleeper(f"number {i}", "spare", "bob", 1, 1, "--hold") for i in range(3)]
        self.browser.open("/jobs")
        self.browser.see("number 2")
        self.browser.press("j", "j")
        self.on_row(1)
        self.ok("job", "kill", "--yes", jobs[1], user="ann")
        self.browser.wait("it is gone", lambda: "number 1" not in self.browser.text(".t-body"))
        self.on_row(1)
        self.assertIn("number 0", self.browser.focused())
        self.sound()

    def test_the_focus_stays_on_the_button_of_its_reason(self):
        self.start_pages()
        self.browser.open("/")
        held = """
            const [done] = arguments;
            import('/assets/dom.js').then(({h, fill}) => {
              const place = h('div', {class: 'panel'});
              document.querySelector('main').append(place);
              const draw = (names) => fill(place, names.map((name) => h('button', {}, name)));
              const now = () => [...place.children].indexOf(document.activeElement);
              const seen = [];
              draw(['Move', 'Priority', 'Move']);
              place.children[2].focus();
              draw(['Move', 'Priority', 'Move']);
              seen.push(now());
              draw(['Priority', 'Move']);
              seen.push(now());
              draw(['Settings']);
              seen.push(now());
              draw([]);
              seen.push(document.activeElement === place);
              done(seen);
            })"""
        self.assertEqual(self.browser.driver.execute_async_script(held), [2, 1, 0, True])
        self.sound()

    def test_a_table_with_other_columns_keeps_the_focus(self):
        self.start_pages()
        self.browser.open("/queues")
        self.browser.see("production")
        self.browser.press("j", "j")
        self.on_row(1)
        self.ok("policy", "set", "fair", user="ann")
        self.browser.see("Minimum", ".t-head") if self.browser.js("return innerWidth") >= 1320 else \
            self.browser.see("fair share", ".legend")
        self.on_row(1)
        self.sound()

    def test_the_keys_are_those_of_top(self):
        """Each letter that the help of `weir top` names as the same does something here, or is in the help."""
        text = (ROOT / "live/top_bar.cpp").read_text()
        same = re.search(r'"/ (j k Enter s [a-z ?]+) mean the same', text)[1].split()
        self.start_pages()
        self.browser.open("/jobs")
        self.browser.press("h")
        self.browser.see("the same in weir top", "dialog")
        said = self.browser.text("dialog .keys")
        for key in same:
            self.assertRegex(said, rf"(^|[\s,]){re.escape(key)}([\s,]|$)")
        self.sound()

    def test_s_orders_the_table(self):
        self.start_pages()
        self.sleeper("one", "spare", "bob", 1, 1, "--hold")
        self.browser.open("/jobs")
        self.browser.see("one")
        self.browser.press("j")
        self.browser.press("s")
        self.browser.wait("by state", lambda: "sort=state" in self.browser.driver.current_url)
        self.sound()


class Overview(WithPages):
    def test_what_has_failed_is_a_click_away(self):
        self.start_pages()
        number = int(self.submitted("out", queue="spare", mapper="echo broken >&2; exit 3", reduces=0, user="bob"
                                    ).removeprefix("job_"))
        self.wait_for_end(f"job_{number:04}")
        self.browser.open("/")
        self.browser.see("1 job", ".stat[href*='kind=fail']")
        self.browser.see("4 attempts", ".stat[href*='kind=fail']")
        self.browser.see(f"job_{number:04}", ".side")
        self.browser.click(".side .kill a", f"job_{number:04}")
        self.browser.see("broken")
        self.sound()

    def test_the_use_of_the_cluster_over_time(self):
        self.start_pages()
        self.sleeper("first", inputs=4)
        self.browser.open("/")
        self.browser.see("Use over time")
        self.browser.wait("a line is drawn", lambda: self.browser.js(
            "return document.querySelector('.c-line.c-running')?.getAttribute('d').length > 10"))
        self.sound()

    def test_what_was_taken_back_leads_to_all_kills(self):
        self.start_pages()
        self.browser.open("/")
        self.browser.see("No attempt was killed for another queue")
        self.browser.click(".late a", "all")
        self.browser.see("Nothing of that kind is remembered")
        self.assertIn("/events?kind=kill", self.browser.driver.current_url)
        self.assertEqual(self.browser.text(".chips [aria-pressed=true]"), "kills")
        self.sound()

    def many(self):
        self.start_pages()
        names = [f"team_{i}" for i in range(22)]
        tree = "".join(f"{{name: {one}}}, " for one in names)
        conf = self.dir / "many.yaml"
        text = self.json("conf", "show")["text"].replace("{name: speech}", f"{{name: speech}}, {tree}")
        conf.write_text(text)
        self.ok("conf", "apply", conf, user="ann")

    def test_bars_of_many_queues_can_be_read(self):
        self.many()
        self.sleeper("first", "research.team_3", inputs=2)
        wait_for("it runs", lambda: self.job(1)["maps"]["running"] == 2)
        self.browser.size(1440, 900)
        self.browser.open("/queues")
        width = lambda: self.browser.js(
            "const bar = [...document.querySelectorAll('.slots-cell .bar')].find((one) =>"
            "one.getAttribute('aria-label')?.startsWith('research.team_3: runs 2 map'));"
            "return bar ? [...bar.querySelectorAll('.b-own, .b-over')].reduce((sum, one) =>"
            "sum + one.getBoundingClientRect().width, 0) / bar.getBoundingClientRect().width : 0")
        self.browser.wait("its bar is nearly whole", lambda: width() > 0.8)
        self.browser.click("button", "Bars on one scale")
        self.browser.wait("half of the cluster", lambda: 0.4 < width() < 0.6)
        self.assertIn("scale=one", self.browser.driver.current_url)
        self.sound()

    def test_queues_by_pending(self):
        self.start_pages()
        self.sleeper("first", "research.speech", inputs=9)
        wait_for("it runs", lambda: self.job(1)["maps"]["running"] == 4)
        self.browser.size(1440, 900)
        self.browser.open("/queues")
        self.browser.see("speech")
        self.browser.click(".t-h button", "Pending")
        rows = lambda: self.browser.js("return [...document.querySelectorAll('.t-row')].sort((a, b) => a.index - b.index)"
                                       ".map((row) => row.item.name)")
        self.browser.wait("most first, leaves alone", lambda: rows()[0] == "research.speech" and "research" not in rows())
        self.assertIn("sort=-pending", self.browser.driver.current_url)
        self.browser.click(".t-h button", "Borrowed")
        self.browser.wait("it borrows most", lambda: rows()[0] == "research.speech")
        self.browser.click(".t-h button", "Owed")
        self.browser.click(".t-h button", "Queue")
        self.browser.wait("the tree", lambda: rows()[0] == "research")
        self.sound()


class Settings(WithPages):
    def test_the_dialog_says_who_gains_who_loses_and_which_claims_open(self):
        self.start_pages()
        self.sleeper("first", "research.vision", inputs=8)
        wait_for("four maps run", lambda: self.job(1)["maps"]["running"] == 4)
        self.sleeper("second", "production", inputs=4)
        text = self.json("conf", "show")["text"]
        changed = text.replace("{name: production, guaranteed: 40%, reclaim_after: never", "{name: production, guaranteed: 70%, "
                               "reclaim_after: 90s").replace("{name: research, guaranteed: 50%", "{name: research, guaranteed: 20%")
        self.assertEqual(changed.count("70%") + changed.count("20%"), 2)
        conf = self.dir / "changed.yaml"
        conf.write_text(changed)
        said = self.ok("conf", "diff", conf, user="ann")
        self.assertRegex(said, r"production +map +0\.0 +3\.0 +\+3\.0")
        self.assertRegex(said, r"research.vision +map +4\.0 +1\.0 +-3\.0")
        self.assertIn("At most 3 running attempts may be killed for it", said)
        self.assertRegex(said, r"production +map +3 +2 +1m[0-9]+s")
        for width in (1440, 390):
            self.browser.size(width, 900)
            self.browser.open("/settings")
            self.browser.see("As in force")
            self.browser.js("""const area = document.querySelector('.editor textarea'); area.value = arguments[0];
                               area.dispatchEvent(new Event('input', {bubbles: true}))""", changed)
            self.browser.find("button:not([disabled])", "Apply…")
            self.browser.wait("it may be applied", lambda: self.browser.js(
                "return [...document.querySelectorAll('.edit-side button.primary')].some((one) => !one.disabled)"))
            self.browser.click(".edit-side button", "Apply…")
            self.browser.see("Who gains and who loses", "dialog")
            self.browser.find("dialog .gain")
            self.browser.find("dialog .loss")
            self.browser.see("At most 3 running attempts may be killed", "dialog")
            self.browser.see("3 map slots", "dialog")
            inside = "const at = document.querySelector('dialog button.primary').getBoundingClientRect();" \
                     "return at.left >= 0 && at.right <= innerWidth"
            self.assertTrue(self.browser.js(inside))
            self.browser.press(Keys.ESCAPE)
            self.browser.js("document.querySelector('.editor textarea').value = arguments[0];"
                            "document.querySelector('.editor textarea').dispatchEvent(new Event('input', {bubbles: true}))", text)
            self.browser.see("As in force")
        self.sound()


if __name__ == "__main__":
    unittest.main()
