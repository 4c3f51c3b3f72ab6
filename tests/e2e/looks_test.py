"""How the pages look, by what a browser measures: contrast, figures that say what they are, nothing that moves under the
reader's eyes; and the three questions that people come with, each in the clicks that docs/web.md names."""
import time
import unittest

from audit import CONTRAST, UNEXPLAINED, WATCH_SHIFTS
from cluster import PATIENCE, wait_for
from pages import PAGES, WithPages

TABS = [f"/jobs/1?tab={tab}" for tab in ("attempts", "failures", "logs", "counters", "settings")]
TABS += [f"/queues/research.vision?tab={tab}" for tab in ("history", "users", "claims", "settings")]
TABS += ["/settings?tab=history", "/settings?tab=in_force", "/jobs?state=all"]
ADDRESSES = [path for path, _ in PAGES] + TABS


class Looks(WithPages):
    def start_busy(self):
        """Two queues that want slots, one of which waits; a job that has failed, one that is held."""
        self.start_pages()
        self.sleeper("first", inputs=6)
        wait_for("four maps run", lambda: self.job(1)["maps"]["running"] == 4)
        self.waits = self.sleeper("second", queue="production", inputs=3)
        held = self.sleeper("held", "spare", "eve", 1, 1, "--hold")
        self.ok("job", "kill", held, user="ann")

    def drawn(self, path):
        self.browser.open(path)
        self.browser.wait("it has loaded", lambda: self.browser.js("return document.querySelector('main h1')") and
                          not self.browser.js("return [...document.querySelectorAll('main .loading')]"
                                              ".some((one) => one.offsetParent)"))

    def test_all_text_has_contrast_enough(self):
        self.start_busy()
        for dark in (False, True):
            self.browser.size(1280, 2400, dark)
            for path in ADDRESSES:
                with self.subTest(path=path, dark=dark):
                    self.drawn(path)
                    self.assertEqual(self.browser.js(CONTRAST), [])
            with self.subTest("dialog, notice", dark=dark):
                self.drawn(f"/jobs/{self.waits}")
                self.browser.click("button", "Priority…")
                self.browser.choose("dialog select", "LOW" if dark else "HIGH")
                self.browser.find("dialog button.primary")
                self.assertEqual(self.browser.js(CONTRAST), [])
                self.browser.click("dialog button", "Set priority")
                self.browser.find(".toast button", "Undo")
                self.assertEqual(self.browser.js(CONTRAST), [])
        self.processes["jobtracker"].kill()
        self.processes["jobtracker"].wait()
        self.browser.see("does not answer since", "#banner")
        self.assertEqual(self.browser.js(CONTRAST), [])

    def test_every_figure_says_what_it_is(self):
        self.start_busy()
        for width in (390, 1280):
            self.browser.size(width, 900)
            for path in ADDRESSES:
                with self.subTest(path=path, width=width):
                    self.drawn(path)
                    self.assertEqual(self.browser.js(UNEXPLAINED), [])

    def test_nothing_moves_while_figures_change(self):
        self.start_busy()
        for path in ("/", "/queues", "/pools", "/trackers", "/jobs/1", "/policy"):
            with self.subTest(path=path):
                self.drawn(path)
                time.sleep(1)
                self.browser.js(WATCH_SHIFTS)
                for i in range(3):
                    self.sleeper(f"more {i}", "spare", "bob", 1, 12)
                time.sleep(4 * PATIENCE)
                self.assertEqual(self.browser.js("return window.weirShifts"), [])

    def test_what_is_drawn_anew_keeps_the_focus(self):
        self.start_busy()
        self.drawn("/")
        self.browser.see("second", ".waits")
        self.browser.js("const one = document.querySelector('.waits-job'); one.focus(); one.dataset.old = 'yes'")
        self.browser.wait("the list is drawn anew", lambda: not self.browser.js(
            "return document.querySelector('[data-old]')"), 60)
        self.assertTrue(self.browser.js("return document.activeElement.matches('.waits-job')"))
        self.assertIn("second", self.browser.focused())
        self.sound()

    # --- What people come for, from the overview, by clicks alone ---

    def press(self, selector, text=None):
        self.browser.click(selector, text)
        self.clicks += 1

    def test_why_a_job_waits_and_how_to_mend_it(self):
        self.start_busy()
        self.clicks = 0
        self.drawn("/")
        self.browser.see("second", ".waits")
        self.press(".waits-job", "second")
        self.browser.see("What could be done")
        self.browser.find(".reasons .why")
        self.assertEqual(self.clicks, 1)
        self.press(".with-side button", "Move")  # beside a reason, or into the queue that has room
        self.press("dialog button.primary", "Move")
        wait_for("it is elsewhere", lambda: self.job(self.waits)["queue"] != "production")
        self.assertEqual(self.clicks, 3)
        self.sound()

    def test_who_took_my_queues_slots(self):
        self.start_busy()
        self.clicks = 0
        self.drawn("/")
        self.press(".tree-name a", "production")
        self.browser.see("Who uses its slots")
        self.browser.see("research.vision")
        self.browser.see("borrows 3")
        self.assertEqual(self.clicks, 1)
        self.sound()

    def test_what_another_policy_would_do(self):
        self.start_busy()
        self.clicks = 0
        self.drawn("/")
        self.press("#shell nav a", "Policy")
        self.press("button", "Switch to fair…")
        self.browser.see("may be killed", "dialog")
        self.browser.find("dialog .gain")
        self.browser.find("dialog .loss")
        self.assertEqual(self.clicks, 2)
        self.press("dialog button.primary")
        wait_for("fair rules", lambda: self.json("policy", "show")["current"] == "fair")
        self.assertEqual(self.clicks, 3)
        self.sound()


if __name__ == "__main__":
    unittest.main()
