"""The web port while its workers have more to do than they can: probes are answered all the same, and what nobody waits for
any more is not done."""
import os
import select
import socket
import threading
import time
import unittest

import requests

from cluster import wait_for
from http_test import API, Http

JOBS = 1500  # whose list takes a worker a while
READERS = 150


class Busy(Http):
    trackers = 0

    def setUp(self):
        super().setUp()
        text, threads = str(self.some_text()), []

        def submit(first):
            session = requests.Session()
            for i in range(first, JOBS, 4):
                body = {"queue": "research", "name": f"{i} " + "n" * 200, "input_files": [text], "mapper": "cat",
                        "output": str(self.dir / f"o{i}"), "reduces": 0, "hold": True}
                answer = session.post(self.page + API + "/jobs", json=body, headers={"X-Weir-User": "ann"}, timeout=60)
                self.assertEqual(answer.status_code, 201, answer.text)
        for first in range(4):
            threads.append(threading.Thread(target=submit, args=(first,)))
            threads[-1].start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(self.get(f"/jobs?limit={JOBS}").json()), JOBS)

    def readers(self):
        """Clients that each want a list that is nobody else's."""
        host, port = self.page.removeprefix("http://").split(":")
        clients = []
        for i in range(READERS):
            clients.append(socket.create_connection((host, int(port)), timeout=60))
            clients[-1].sendall(f"GET {API}/jobs?limit={JOBS}&since={i} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        return clients

    def cpu_seconds(self):
        with open(f"/proc/{self.processes['jobtracker'].pid}/stat", encoding="utf-8") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def answered(self, clients):
        poll = select.poll()
        for client in clients:
            poll.register(client, select.POLLIN)
        return len(poll.poll(0))

    def test_probes_are_answered_before_what_was_asked_earlier(self):
        self.get("/cluster")
        clients = self.readers()
        try:
            for path in ("/healthz", "/readyz", "/metrics"):
                answer = requests.get(self.page + path, timeout=60)
                self.assertEqual(answer.status_code, 200, answer.text)
                self.assertLess(self.answered(clients), READERS // 2, path)
            wait_for("all have their lists", lambda: self.answered(clients) == READERS, 120)
        finally:
            for client in clients:
                client.close()

    def test_what_nobody_waits_for_is_not_done(self):
        before = self.cpu_seconds()
        clients = self.readers()
        wait_for("all have their lists", lambda: self.answered(clients) == READERS, 120)
        costs = self.cpu_seconds() - before
        for client in clients:
            client.close()
        before = self.cpu_seconds()
        for client in self.readers():
            client.close()
        last = before

        def still():  # for as long as a look of wait_for takes
            nonlocal last
            seen, last = last, self.cpu_seconds()
            return last - seen < 0.03
        wait_for("what is left of them is done", lambda: still() and time.sleep(0.3) is None and still(), 120)
        self.assertLess(last - before, costs / 2)


if __name__ == "__main__":
    unittest.main()
