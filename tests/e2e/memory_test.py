"""What the web port needed for large bodies and answers, and free memory is then, goes back to the system."""
import socket
import unittest

import requests

from cluster import Cluster, wait_for

BODY = '{"no_field": "' + "x" * (8 << 20) + '"}'


class Memory(Cluster):
    def resident_mb(self):  # without the program's own pages, which come as they are used
        with open(f"/proc/{self.processes['jobtracker'].pid}/status", encoding="utf-8") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("RssAnon")) // 1024

    def start_with(self, settings):
        conf = self.dir / "weir.yaml"
        conf.write_text("listen: {thrift: '127.0.0.1:0', http: '127.0.0.1:0'}\n" + settings)
        self.start_cluster(0, conf=conf)

    def test_large_bodies_leave_nothing(self):
        self.start_with("")
        before = self.resident_mb()
        headers = {"Content-Type": "application/json", "X-Weir-User": "ann"}
        for _ in range(30):
            answer = requests.post(self.page + "/api/v1/jobs", data=BODY, headers=headers, timeout=60)
            self.assertEqual(answer.status_code, 400)
        wait_for("the memory is given back", lambda: self.resident_mb() < before + 40)

    def test_large_answers_leave_nothing(self):
        self.start_with("# a comment\n" * 86_000)  # a megabyte, and more in JSON
        before = self.resident_mb()
        host, port = self.page.removeprefix("http://").split(":")
        for _ in range(3):
            clients = [socket.create_connection((host, int(port)), timeout=60) for _ in range(24)]
            for client in clients:
                client.sendall(f"GET /api/v1/settings HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
            for client in clients:  # until then the JobTracker holds what the client's window does not
                with client, client.makefile("rb") as answer:
                    self.assertIn(answer.readline().split()[1], (b"200", b"429"))
                    answer.read()
        wait_for("the memory is given back", lambda: self.resident_mb() < before + 4)


if __name__ == "__main__":
    unittest.main()
