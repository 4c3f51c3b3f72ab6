"""What a job runs is there to be seen while it runs, after its end and after kill -9, secrets masked; and it is submitted again."""
import json
import signal
import unittest
import urllib.request

from cluster import Cluster, wait_for


class SubmitAgain(Cluster):
    def submission(self, job):
        return self.json("job", "status", job)["submission"]

    def test_what_a_job_runs_and_the_same_again(self):
        conf = self.settings(extra="finished_jobs_kept: 1s")
        conf.write_text(conf.read_text().replace("thrift: 127.0.0.1:0", "thrift: 127.0.0.1:0, http: 127.0.0.1:0"))
        self.start_cluster(trackers=1, conf=conf)
        (self.dir / "in").mkdir()
        self.some_text("in/a.txt", lines=50)
        script = self.dir / "count.sh"
        script.write_text("#!/bin/sh\nwc -l\n")
        script.chmod(0o755)
        job = self.submitted("out1", "--files", script, "--env", "DB_PASSWORD=hush", "--env", "LANG=C", "--conf", "k=v",
                             "--split-size", "4M", "--map-memory", "256M", mapper="./count.sh", reduces=0, user="ann",
                             input=self.dir / "in" / "*.txt")
        self.assertEqual(self.wait_for_end(job), "SUCCEEDED")
        seen = self.submission(job)
        self.assertEqual([seen["mapper"], seen["input_files"], seen["split_bytes"], seen["map_memory_mb"], seen["user"],
                          seen["address"]], ["./count.sh", [str(self.dir / "in" / "*.txt")], 4 << 20, 256, "ann", "127.0.0.1"])
        self.assertEqual(seen["environment"], {"DB_PASSWORD": "***", "LANG": "C"})
        self.assertEqual(seen["masked"], ["environment.DB_PASSWORD"])
        self.assertEqual(seen["files"], [{"name": "count.sh", "bytes": len(script.read_text()), "executable": True}])
        text = self.ok("job", "status", job)
        self.assertIn("DB_PASSWORD=***", text)
        self.assertNotIn("hush", text)
        wait_for("only its record is left", lambda: self.json("job", "status", job)["from_history"])
        self.assertEqual(self.submission(job), seen)
        self.processes["jobtracker"].send_signal(signal.SIGKILL)
        self.processes["jobtracker"].wait()
        self.keep_ports(conf)
        self.start_jobtracker(conf)
        self.assertEqual(self.submission(job), seen)
        number = self.json("job", "status", job)["number"]
        with urllib.request.urlopen(f"{self.page}/api/v1/jobs/{number}/submission") as answer:
            self.assertEqual(json.load(answer), seen)
        # Its user has it whole; for others there is a word on what is to be said again.
        script.unlink()
        self.refused(2, "--env DB_PASSWORD=..., --files", "job", "submit-again", job, "--output", self.dir / "out2", user="eve")
        self.refused(2, "exists already", "job", "submit-again", job, user="ann")
        again = self.ok("job", "submit-again", job, "--output", self.dir / "out2", "--env", "LANG=D", "--wait", user="ann")
        self.assertIn("SUCCEEDED", again)
        self.assertEqual(self.output("out2"), self.output("out1"))
        newest = self.json("job", "list", "--all")[0]
        self.assertEqual([newest["user"], newest["name"], newest["queue"]], ["ann", "out2", "research"])
        self.assertEqual(self.submission(newest["job"])["environment"], {"DB_PASSWORD": "***", "LANG": "D"})


if __name__ == "__main__":
    unittest.main()
