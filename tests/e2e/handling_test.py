"""Many things handled from the pages: several jobs at a time, remedies that help, the keyboard, panels that are drawn anew
under the focus; and an overview of many queues."""
import unittest

from browser import Keys
from cluster import wait_for
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

    def test_a_move_goes_where_one_may_and_to_queues_that_take_jobs(self):
        self.busy("bob")
        self.ok("queue", "stop", "production", user="ann")
        self.browser.open(f"/jobs/{self.second}")
        self.browser.find(".reasons button", "Move…")
        self.browser.click(".reasons button", "Move…")
        self.assertEqual(self.browser.js(
            "return [...document.querySelectorAll('dialog option')].map((one) => one.value)"), ["research.speech"])
        self.browser.press(Keys.ESCAPE)
        self.browser.js("localStorage.setItem('weir.user', 'carl')")
        self.browser.open(f"/jobs/{self.second}")
        self.browser.see("may change it", ".side")
        self.assertEqual(self.buttons(), "")
        self.sound()


if __name__ == "__main__":
    unittest.main()
