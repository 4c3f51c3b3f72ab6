"""What has no room: names that are cut so that they stay apart, tables on a telephone, reasons, placeholders."""
import unittest

from cluster import wait_for
from pages import WithPages

TEAMS = ("research", "production", "engineering-platform", "marketing-analytics", "science")
GROUPS = ("vision", "speech", "language-understanding", "robotics", "ads", "search", "billing", "mail")
LONG = [f"{team}.{group}" for team in TEAMS for group in GROUPS]
SHOWN = """
    return [...document.querySelectorAll(arguments[0] + ' .path')].filter((one) => one.offsetParent).map((one) =>
        [one.textContent, one.title, one.scrollWidth <= one.clientWidth])"""


class Fit(WithPages):
    def many(self):
        self.start_pages()
        tree = "".join(f"\n  - {{name: {team}, guaranteed: 20%, queues: [{', '.join(f'{{name: {group}}}' for group in GROUPS)}]}}"
                       for team in TEAMS)
        conf = self.dir / "many.yaml"
        text = self.json("conf", "show")["text"]
        conf.write_text(text[:text.index("queues:")] + "queues:" + tree + "\n")
        self.ok("conf", "apply", conf, user="ann")

    def shown(self, place=".t-body"):
        """Names that can be seen, by the whole of each. A column that has just become narrower is fitted at the next frame."""
        whole_ones = lambda: (found := self.browser.js(SHOWN, place)) is not None and all(fits for *_, fits in found) and [found]
        seen = {}
        for text, whole, _ in self.browser.wait("no name is cut by the browser", whole_ones)[0]:
            seen.setdefault(whole, set()).add(text)
        return seen

    def test_names_that_are_cut_stay_apart(self):
        self.start_pages()
        self.browser.open("/events")
        cut = lambda names, letters: self.browser.driver.execute_async_script("""
            const [names, letters, done] = arguments;
            import('/assets/names.js').then(({cutNames}) =>
              done(cutNames(names.map((name) => ({name, fits: (text) => [...text].length <= letters})))))""", names, letters)
        alike = [name for name in LONG if name.endswith("understanding")]
        self.assertEqual(cut(alike, 19), ["research.langu…ding", "prod…tion.lang…ding", "engi…form.lang…ding",
                                          "mark…tics.lang…ding", "science.langu…nding"])
        for letters in (8, 12, 20, 30):
            self.assertEqual(len(set(cut(LONG, letters))), len(LONG), letters)
        self.assertEqual(cut(["a.b.c.d.vision", "b.speech"], 11), ["a.….vision", "b.speech"])
        # Where the middle tells, it stays.
        self.assertEqual(cut(["research.one.vision", "research.two.vision"], 15), ["re…ch.one.vi…on", "re…ch.two.vi…on"])
        self.assertEqual(cut(["queue-number-1-of-many", "queue-number-2-of-many"], 9), ["…er-1-of…", "…er-2-of…"])
        self.assertEqual(cut(["same.name", "same.name"], 7), ["s…e.n…e"] * 2)
        self.assertEqual(cut(["研究研究研究.名前名前"], 7), ["研…究.名…前"])
        self.assertEqual(cut(["one.two"], 2), ["one.two"])  # nothing helps
        self.sound()

    def test_no_two_queues_look_alike(self):
        self.many()
        for width in (390, 700, 1024, 1440):
            self.browser.size(width, 2400)
            for path in ("/queues?sort=-pending", "/?sort=-pending", "/queues", "/"):
                with self.subTest(width=width, path=path):
                    self.browser.open(path)
                    self.browser.see("science" if "sort" in path else "robotics")
                    self.browser.wait("names are there", lambda: len(self.shown()) >= len(LONG))
                    seen = self.shown()
                    texts = [next(iter(one)) for one in seen.values()]
                    if "sort" in path:
                        self.assertEqual(len(set(texts)), len(texts))
                    else:
                        self.assertTrue(all(text[-1] == whole[-1] for whole, (text,) in seen.items()), texts)
                    if width == 1440 and path.startswith("/queues"):
                        self.assertNotIn("…", "".join(texts))
        self.sound()

    def test_the_list_of_jobs_shows_names_whole_where_there_is_room(self):
        self.many()
        for queue in ("engineering-platform.language-understanding", "research.language-understanding", "research.speech"):
            self.sleeper(queue[:4], queue, "bob", 120, 1)
        for width, cut in ((390, 3), (700, 3), (1440, 1), (1920, 0)):
            self.browser.size(width, 900)
            self.browser.open("/jobs")
            self.browser.see("engi")
            self.browser.wait("three queues", lambda: len(self.shown()) == 3)
            texts = sorted(text for (text,) in self.shown().values())
            self.assertEqual(len(set(texts)), 3)
            self.assertLessEqual(sum("…" in text for text in texts), cut, texts)
            if width == 390:  # what is beside a name takes some of its room
                self.browser.js("for (const one of document.querySelectorAll('.path + span')) one.textContent += ', and 3 more'")
                self.shown()
        self.sound()

    def test_pools_on_a_telephone(self):
        self.start_pages()
        self.ok("policy", "set", "fair", user="ann")
        self.sleeper("first")
        self.browser.size(390, 1200)
        self.browser.open("/pools")
        self.browser.see("research", ".table")
        self.browser.wait("both", lambda: {"research.vision", "research.speech"} <= set(self.shown()))
        seen = self.shown()
        self.assertTrue(next(iter(seen["research.speech"])).endswith("speech"))
        self.assertTrue(next(iter(seen["research.vision"])).endswith("vision"))
        self.sound()

    def test_a_pool_above_others_has_their_jobs(self):
        self.start_pages()
        self.ok("policy", "set", "fair", user="ann")
        self.sleeper("first", "research.vision")
        self.sleeper("second", "research.speech")
        self.browser.open("/pools")
        jobs = lambda: self.browser.js(
            "return Object.fromEntries([...document.querySelectorAll('.t-row')].filter((row) => row.item.maps.share !== undefined)"
            ".map((row) => [row.item.name, row.children[1].textContent]))")
        self.browser.wait("two jobs", lambda: jobs().get("research") == "2/0")
        self.assertEqual(jobs()["research.vision"], "1/0")
        self.sound()

    def test_policies_side_by_side_are_whole_on_a_telephone(self):
        self.start_pages()
        self.sleeper("first", inputs=6)
        self.browser.size(390, 1600)
        self.browser.open("/policy")
        self.browser.see("production", ".compare")
        cut = self.browser.js("""
            return [...document.querySelectorAll('.compare td, .compare .num')].filter((one) => {
              const at = one.getBoundingClientRect();
              return at.right > innerWidth || one.scrollWidth > one.clientWidth + 1;
            }).map((one) => one.textContent)""")
        self.assertEqual(cut, [])
        heads = self.browser.js("return [...document.querySelectorAll('.compare td')].map((one) => "
                                "getComputedStyle(one, '::before').content)")
        for head in ("capacity, rules", "fair (pools)", "fifo"):
            self.assertIn(f'"{head}"', heads)
        self.sound()

    def test_a_reason_that_is_cut_can_be_opened(self):
        self.start_pages()
        number = self.sleeper("first")
        self.assertNotEqual(self.weir("job", "kill", "--yes", number, user="eve").returncode, 0)
        for width in (390, 1440):
            self.browser.size(width, 900)
            self.browser.open("/events?kind=refused")
            self.browser.see("kill refused", ".t-body")
            tip = "return document.querySelector('.whole').dataset.tip ?? ''"
            whole = "return document.querySelector('.whole').textContent.trim()"
            self.assertEqual(self.browser.js(tip), "" if width == 1440 else self.browser.js(tip))
            self.browser.js("""document.querySelector('.whole > span').append(' because'.repeat(60));
                               dispatchEvent(new Event('scroll'))""")
            self.browser.wait("it can be opened", lambda: self.browser.js(tip))
            self.browser.click(".whole")
            self.browser.wait("it is whole", lambda: self.browser.text("#tip") == self.browser.js(whole))
        self.sound()

    def test_placeholders_fit(self):
        self.start_pages()
        for width in (390, 1440):
            self.browser.size(width, 900)
            for path in ("/jobs", "/events", "/queues", "/trackers", "/"):
                self.browser.open(path)
                self.browser.find("input[placeholder]")
                self.assertEqual(self.browser.js("""
                    const pen = document.createElement('canvas').getContext('2d');
                    return [...document.querySelectorAll('main input[placeholder]')].filter((one) => {
                      const style = getComputedStyle(one);
                      pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
                      const room = one.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
                      return pen.measureText(one.placeholder).width > room - 16;  // the button that empties it
                    }).map((one) => one.placeholder)"""), [], f"{path} at {width}")
        self.sound()


if __name__ == "__main__":
    unittest.main()
