"""A client in Python: submits jobs, reads their status, is refused with typed errors, and finds its jobs again after
the JobTracker was killed."""
import unittest

from jobtracker import JobTracker, request, wait_until
from weir_wire.admin.ttypes import SettingsFile
from weir_wire.common.ttypes import Caller, ErrorCode, WeirError


class ClientTest(unittest.TestCase):
    def refusal(self, call, *arguments):
        with self.assertRaises(WeirError) as caught:
            call(*arguments)
        return caught.exception

    def test_submits_and_reads_status(self):
        with JobTracker() as jobtracker:
            client = jobtracker.client()
            reply = client.submit(request(3, 2, "/out/a"))
            self.assertEqual(reply.job_name, "job_0001")
            self.assertEqual(reply.queue, "research")
            status = client.job_status(reply.job, reply.version)
            self.assertEqual((status.state, status.maps.total, status.reduces.total), ("PENDING", 3, 2))
            # Another client, which knows no version, finds it as well; services have plain names too.
            other = jobtracker.plain_client()
            self.assertEqual(other.job_status(reply.job, 0).user, "alice")
            self.assertEqual([job.job for job in other.list_jobs("", "", True, 0, 0)], [1])
            self.assertEqual(other.explain(reply.job).reasons[0].code, "no_trackers")
            done = client.kill_job(Caller(user="alice"), reply.job)
            self.assertEqual(client.job_status(reply.job, done.version).state, "KILLED")
            names = [queue.name for queue in client.queues("", 0)]
            self.assertEqual(names, ["research", "production"])

    def test_refusals_are_typed(self):
        with JobTracker() as jobtracker:
            client, admin = jobtracker.client(), jobtracker.admin()
            error = self.refusal(client.submit, request(1, 0, "/out/a", queue="reserch"))
            self.assertEqual(error.code, ErrorCode.UNKNOWN_QUEUE)
            error = self.refusal(client.submit, request(0, 0, "/out/a"))
            self.assertEqual(error.code, ErrorCode.BAD_REQUEST)
            self.assertIn("splits", error.message)
            self.assertTrue(error.hint)
            self.assertEqual(self.refusal(client.job_status, 99, 0).code, ErrorCode.UNKNOWN_JOB)
            file = SettingsFile(name="bad.yaml", text="policy: fifo\nqueus: []\nheartbeat: {expiry: soon}\n")
            error = self.refusal(admin.apply_settings, Caller(user="root"), file)
            self.assertEqual(error.code, ErrorCode.SETTINGS_REFUSED)
            self.assertGreaterEqual(len(error.diagnostics), 2)
            self.assertTrue(all(line.startswith("bad.yaml:") for line in error.diagnostics), error.diagnostics)

    def test_acknowledged_jobs_survive_a_kill(self):
        with JobTracker() as jobtracker:
            client = jobtracker.client()
            jobs = [client.submit(request(1, 0, f"/out/{i}")).job for i in range(20)]
            jobtracker.admin().set_policy(Caller(user="root"), "fifo")
            jobtracker.kill()
            jobtracker.start()
            client = jobtracker.client()
            self.assertEqual(sorted(job.job for job in client.list_jobs("", "", False, 0, 0)), jobs)
            self.assertEqual(jobtracker.admin().policy().current, "fifo")
            self.assertEqual(client.submit(request(1, 0, "/out/new")).job, jobs[-1] + 1)

    def test_settings_file_is_followed_while_running(self):
        with JobTracker() as jobtracker:
            admin = jobtracker.admin()
            good = jobtracker.conf.read_text()
            jobtracker.conf.write_text("policy: nonsense\n")
            wait_until("the bad file is seen", lambda: admin.policy().notices)
            self.assertEqual(admin.policy().current, "capacity")
            jobtracker.conf.write_text(good.replace("policy: capacity", "policy: fifo"))
            wait_until("the good file is in force", lambda: admin.policy().current == "fifo")
            self.assertFalse(admin.policy().notices)


if __name__ == "__main__":
    unittest.main(warnings="ignore")  # sockets are left to the garbage collector
