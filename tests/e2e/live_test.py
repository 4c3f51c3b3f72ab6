"""`weir report` and `weir top` against a real cluster: what the page has, what the screen shows and what keys do, a
JobTracker that goes away under an open screen, and a terminal that is given back however it ends."""
import fcntl
import html.parser
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import unittest

from cluster import PATIENCE, WEIR, Cluster, wait_for

HOSTILE = "<script>alert(1)</script>\u202e"


class Screen:
    """A command on a terminal: what it has sent, and what that leaves on the screen of a plain ANSI terminal."""

    def __init__(self, arguments, environment, columns=80, rows=24):
        here, there = pty.openpty()
        fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        environment = {**environment, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
        self.process = subprocess.Popen([WEIR, *arguments], stdin=there, stdout=there, stderr=there, env=environment,
                                        start_new_session=True)
        os.close(there)
        self.here, self.sent = here, b""

    def read(self, seconds=0.1):
        while select.select([self.here], [], [], seconds)[0]:
            try:
                part = os.read(self.here, 65536)
            except OSError:  # it has ended
                return
            if not part:
                return
            self.sent += part

    def text(self):
        """All that was ever shown, without what steers."""
        return re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]|\x1b[=>]", b" ", self.sent).decode(errors="replace")

    def shows(self, what, seconds=20):
        return wait_for(f"the screen shows {what!r}", lambda: re.search(what, self.now()), seconds)

    def now(self):
        """What it shows now: at a new size all is drawn anew."""
        self.forget()
        self.process.send_signal(signal.SIGWINCH)
        self.read(0.5)
        return self.text()

    def press(self, keys):
        os.write(self.here, keys.encode())

    def forget(self):
        self.read()
        self.sent = b""

    def end(self):
        deadline = time.monotonic() + 20 * PATIENCE
        while self.process.poll() is None and time.monotonic() < deadline:
            self.read()
        self.read()
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
            raise AssertionError("weir top did not end")
        os.close(self.here)
        return self.process.returncode


class Tags(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.words = set(), ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)

    def handle_data(self, data):
        self.words += data


class Live(Cluster):
    def setUp(self):
        super().setUp()
        conf = self.dir / "weir.yaml"
        conf.write_text(f"listen: {{thrift: '127.0.0.1:0', http: '127.0.0.1:0'}}\nstore: {{sqlite: {self.dir}/weir.db}}\n"
                        "queues:\n  - {name: research, guaranteed: 60%, max_running_jobs: 1}\n"
                        "  - {name: production, guaranteed: 40%}\n")
        self.conf = conf
        self.start_cluster(1, conf=conf)
        self.http = self.page.removeprefix("http://")
        self.screens = []

    def tearDown(self):
        for screen in self.screens:
            if screen.process.poll() is None:
                screen.process.kill()
                screen.process.wait()
        super().tearDown()

    def top(self, *extra, **size):
        screen = Screen(["top", "--http", self.http, *extra], {**os.environ, "WEIR_JOBTRACKER": self.address}, **size)
        self.screens.append(screen)
        return screen


class Report(Live):
    def test_the_last_hours_as_one_page(self):
        self.ok(*self.submit("out", "--name", HOSTILE, "--wait", reduces=0))
        said = self.ok("report", "--since", "1h", "--output", "r.html", "--http", self.http)
        self.assertIn("r.html written", said)
        text = (self.dir / "r.html").read_text()
        page = Tags(text)
        self.assertNotIn("script", page.tags)
        self.assertIn("<script>alert(1)</script>?", page.words)
        self.assertIn("jobs ended", page.words)
        self.assertIn("research", page.words)
        self.assertRegex(page.words, r"job_0001")
        self.assertIn("What this was made from", page.words)

    def test_what_is_wrong_is_said(self):
        self.refused(2, "is no point in time", "report", "--since", "yesterday", "--output", "r.html", "--http", self.http)
        self.refused(2, "is not the address of an HTTP port", "report", "--output", "r.html", "--http", "nowhere")
        self.refused(3, "cannot reach the JobTracker's HTTP port", "report", "--output", "r.html", "--http", "127.0.0.1:1")
        # The port of Thrift's clients is none of HTTP.
        self.refused(3, "cannot reach", "report", "--output", "r.html", "--http", self.address)
        self.refused(2, "needs a terminal", "top", "--http", self.http)

    def test_a_simulated_run_gives_the_same_bytes(self):
        (self.dir / "s.yaml").write_text(
            "cluster: {map_slots: 2, reduce_slots: 0}\nheartbeats: {interval: 3s}\nsteps:\n"
            "  - submit: {id: '<b>J1', maps: 3}\n  - run_until: jobs_ended\n")
        self.ok("sim", "s.yaml", "--report", "a.html")
        self.ok("sim", "s.yaml", "--report", "b.html")
        first = (self.dir / "a.html").read_bytes()
        self.assertEqual(first, (self.dir / "b.html").read_bytes())
        page = Tags(first.decode())
        self.assertNotIn("b>j1", page.tags)
        self.assertIn("<b>J1", page.words)
        self.assertEqual(self.ok("sim", "s.yaml", "--report", "-").encode(), first)


class Top(Live):
    def test_shows_the_cluster_and_what_changes(self):
        screen = self.top()
        screen.shows("policy capacity, 1 tracker")
        screen.shows("production")
        job = self.submitted("out", mapper="sleep 600", reduces=0)
        screen.shows(job)
        waiting = self.submitted("out2", mapper="sleep 600", reduces=0)
        screen.shows(f"{waiting} +WAITING")
        screen.press("\r")  # the newest is chosen
        screen.shows("Why it, or a part of its tasks, waits")
        screen.press(" ")
        screen.press("xy")
        screen.shows("is killed")
        self.assertEqual(self.wait_for_end(waiting), "KILLED")
        screen.shows("1 job by")  # the one that is left is chosen
        screen.press("p1")
        screen.shows("has priority VERY_HIGH")
        wait_for("the priority", lambda: self.json("job", "status", job)["priority"] == "VERY_HIGH")
        screen.press("q")
        self.assertEqual(screen.end(), 0)
        self.assertIn(b"\x1b[?1049l", screen.sent)
        self.ok("job", "kill", "--yes", job)

    def test_gives_the_terminal_back_when_it_is_ended(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            screen = self.top()
            screen.shows("production")
            screen.process.send_signal(number)
            self.assertEqual(screen.end(), 130)
            self.assertIn(b"\x1b[?1049l", screen.sent)

    def test_a_jobtracker_that_goes_away_is_said_and_tried_again(self):
        self.conf.write_text(self.conf.read_text().replace("http: '127.0.0.1:0'", f"http: '{self.http}'"))
        screen = self.top(columns=160, rows=50)
        screen.shows("production")
        self.processes["jobtracker"].kill()
        self.processes["jobtracker"].wait()
        screen.shows("no answer for [0-9]+ s, trying again")
        self.start_jobtracker(self.conf)
        wait_for("the JobTracker answers again",
                 lambda: "policy capacity" in (text := screen.now()) and "no answer" not in text)
        screen.press("q")
        self.assertEqual(screen.end(), 0)


if __name__ == "__main__":
    unittest.main()
