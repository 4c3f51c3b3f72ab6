"""What the web port needed for large bodies, and free memory is then, goes back to the system."""
import unittest

import requests

from cluster import Cluster, wait_for

BODY = '{"no_field": "' + "x" * (8 << 20) + '"}'


class Memory(Cluster):
    def resident_mb(self):
        with open(f"/proc/{self.processes['jobtracker'].pid}/status", encoding="utf-8") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) // 1024

    def test_large_bodies_leave_nothing(self):
        conf = self.dir / "weir.yaml"
        conf.write_text("listen: {thrift: '127.0.0.1:0', http: '127.0.0.1:0'}\n")
        self.start_cluster(0, conf=conf)
        before = self.resident_mb()
        headers = {"Content-Type": "application/json", "X-Weir-User": "ann"}
        for _ in range(30):
            answer = requests.post(self.page + "/api/v1/jobs", data=BODY, headers=headers, timeout=60)
            self.assertEqual(answer.status_code, 400)
        wait_for("the memory is given back", lambda: self.resident_mb() < before + 40)


if __name__ == "__main__":
    unittest.main()
