"""What every attack has: where the cluster is, a Thrift client of its own that comes from another address than the
tenants' one, jobs of a hostile user, and counts of what became of them."""
import collections
import dataclasses
import pathlib
import socket
import time

import retrying  # noqa: F401  makes weir_wire from the IDL
from thrift.protocol import TBinaryProtocol, TMultiplexedProtocol
from thrift.transport import TSocket, TTransport
from weir_wire.client import ClientService
from weir_wire.client.ttypes import SubmitRequest
from weir_wire.common.ttypes import Caller, JobSpec, Split
from weir_wire.tracker import TrackerService

FROM = "127.0.0.2"
HOSTILE, HOSTILE_QUEUE = "mallory", "hostile"
TENANT, TENANT_QUEUE = "alice", "tenant"
OVER = ("SUCCEEDED", "FAILED", "KILLED")


@dataclasses.dataclass
class World:
    """What an attacker may know: the ports, and that all see the same files."""
    dir: pathlib.Path
    client_port: int
    tracker_port: int
    trackers: list  # their names
    text: pathlib.Path

    @property
    def killed(self):
        """The tracker processes that a task has killed, a line each."""
        return self.dir / "killed"


class FromElsewhere(TSocket.TSocket):
    def _do_open(self, family, kind):
        handle = socket.socket(family, kind)
        handle.bind((FROM, 0))
        return handle


def connect_from_elsewhere(port, service_client, service=None, timeout_ms=20_000):
    channel = FromElsewhere("127.0.0.1", port)
    channel.setTimeout(timeout_ms)
    transport = TTransport.TFramedTransport(channel)
    protocol = TBinaryProtocol.TBinaryProtocol(transport)
    transport.open()
    return service_client(TMultiplexedProtocol.TMultiplexedProtocol(protocol, service) if service else protocol)


class Attack:
    """`strike` is one go, of some seconds at most, and is called again as long as the attack lasts; `rest` ends what is
    still under way. What must never be is a violation, one line each."""
    group = name = None

    def __init__(self, world, number=0):
        self.world, self.number = world, number
        self.counts, self.violations = collections.Counter(), set()
        self.goes_on = lambda: True
        self._client = self._tracker = None

    def pause(self, seconds):
        """Cut short when the attack is over."""
        deadline = time.monotonic() + seconds
        while self.goes_on() and time.monotonic() < deadline:
            time.sleep(min(0.2, seconds))

    def strike(self):
        raise NotImplementedError

    def rest(self):
        for service in (self._client, self._tracker):
            if service:
                service._iprot.trans.close()
        self._client = self._tracker = None

    @property
    def client(self):
        if not self._client:
            self._client = connect_from_elsewhere(self.world.client_port, ClientService.Client, "client")
        return self._client

    @property
    def tracker(self):
        if not self._tracker:
            self._tracker = connect_from_elsewhere(self.world.tracker_port, TrackerService.Client)
        return self._tracker

    def tenants_jobs(self, unfinished=True):
        return self.client.list_jobs("", TENANT, unfinished, 5, 0)


class JobAttack(Attack):
    """One hostile job after the other, each of which runs `program` on a few maps."""
    maps, seconds, max_attempts = 4, 20, 2

    def program(self, output):
        raise NotImplementedError

    def spec(self, output):
        length = self.world.text.stat().st_size // self.maps
        return JobSpec(
            name=self.name, queue=HOSTILE_QUEUE, input_files=[str(self.world.text)], output=str(output), reduces=0,
            splits=[Split(file=0, offset=i * length, length=length) for i in range(self.maps)],
            mapper=self.program(output), max_attempts=self.max_attempts, time_limit_ms=self.seconds * 1000)

    def output(self):
        self.counts["jobs"] += 1
        return self.world.dir / "hostile" / f"{self.name.replace(' ', '-')}-{self.counts['jobs']}"

    def strike(self):
        self.follow(self.client.submit(SubmitRequest(caller=Caller(user=HOSTILE), spec=self.spec(self.output()))).job)

    def follow(self, job):
        """Until it is over; killed, if it lasts for longer than it was to."""
        deadline = time.monotonic() + self.seconds + 15
        while (status := self.client.job_status(job, 0)).state not in OVER and time.monotonic() < deadline:
            if not self.goes_on():
                return status
            time.sleep(0.5)
        if status.state not in OVER:
            self.client.kill_job(Caller(user=HOSTILE), job)
        self.counts[status.state.lower() if status.state in OVER else "given up"] += 1
        return status

    def rest(self):
        for job in self.client.list_jobs(HOSTILE_QUEUE, HOSTILE, True, 0, 0):
            if job.name == self.name:
                self.client.kill_job(Caller(user=HOSTILE), job.job)
        super().rest()
