"""A cluster with pages and a browser that looks at them, for the tests of the pages."""
import unittest

from browser import Browser, there_is_one
from cluster import Cluster, wait_for

QUEUES = """
  - {name: research, guaranteed: 50%, reclaim_after: never, queues: [{name: vision}, {name: speech}]}
  - {name: production, guaranteed: 40%, reclaim_after: never, priorities: true}
  - {name: spare, guaranteed: 10%}
"""
MORE = """
administrators: [ann]
fair: {pools: [{name: production, weight: 2}]}
"""
PAGES = [("/", "Overview"), ("/queues", "Queues"), ("/queues/research.vision", "research.vision"),
         ("/pools", "Pools and shares"), ("/jobs", "Jobs"), ("/jobs/1", "job_0001"), ("/trackers", "Trackers"), ("/trackers/tt1", "tracker tt1"),
         ("/policy", "Policy"), ("/settings", "Settings"), ("/events", "Events")]


@unittest.skipUnless(there_is_one(), "there is no chromedriver; apt-get install chromium-driver")
class WithPages(Cluster):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()  # one for all: to start it takes as long as a test

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()

    def setUp(self):
        super().setUp()
        self.http = 0

    def tearDown(self):
        self.browser.leave()
        super().tearDown()

    def start_pages(self, user="ann"):
        self.conf = self.settings(QUEUES, MORE)
        text = self.conf.read_text().replace("127.0.0.1:0}", "127.0.0.1:0, http: 127.0.0.1:0}")
        self.conf.write_text(text)
        self.start_all()
        self.start_tracker("tt1", 2, 1)
        self.start_tracker("tt2", 2, 1)
        wait_for("all trackers are there", lambda: len(self.json("tracker", "list")) == 2)
        self.browser.visit(f"http://127.0.0.1:{self.http}")
        self.browser.act_as(user)
        self.sound()

    def start_all(self):
        """A JobTracker with pages."""
        ports = self.dir / "ports"
        ports.unlink(missing_ok=True)
        arguments = ["jobtracker", "--conf", self.conf, "--port-file", ports]
        process = self.start("jobtracker", arguments)
        wait_for("the JobTracker listens", lambda: (ports.exists() and len(ports.read_text().split()) == 3)
                 or process.poll() is not None)
        self.assertIsNone(process.poll(), self.log("jobtracker"))
        client, tracker, http = ports.read_text().split()
        self.address, self.tracker_port, self.http = f"127.0.0.1:{client}", int(tracker), int(http)

    def fix_ports(self):
        """The settings name the ports that the system has chosen; a JobTracker that runs would read them anew."""
        client = self.address.split(":")[1]
        both = f"thrift: 127.0.0.1:{client}, trackers: 127.0.0.1:{self.tracker_port}"
        text = self.conf.read_text().replace("thrift: 127.0.0.1:0", both)
        self.conf.write_text(text.replace("http: 127.0.0.1:0", f"http: 127.0.0.1:{self.http}"))

    def sleeper(self, name, queue="research.vision", user="bob", seconds=120, inputs=3, *extra):
        """A job that keeps slots: each map sleeps."""
        paths = []
        for i in range(inputs):
            path = self.dir / f"in{i}"
            path.write_text("x\n")
            paths += ["--input", path]
        self.count = getattr(self, "count", 0) + 1
        done = self.ok("submit", "--queue", queue, "--name", name, *paths, "--output", self.dir / f"out{self.count}",
                       "--mapper", f"sleep {seconds}; cat", "--reduces", 0, *extra, user=user)
        return int(done.split("job_")[1].split()[0])

    def sound(self):
        """Nothing went wrong on the page since this was last asked."""
        self.assertEqual(self.browser.console(), [])
        self.assertEqual(self.browser.failed_requests(), [])

    def job(self, number):
        return self.json("job", "status", number)
