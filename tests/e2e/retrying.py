"""Thrift clients that live through kills of the JobTracker: a call that breaks is asked again, with growing pauses, until
there is an answer. `insist` is for calls that may be carried out twice without harm; a submission carries an id for that."""
import logging
import pathlib
import random
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "python"))

from jobtracker import connect  # noqa: E402
from thrift.Thrift import TException  # noqa: E402
from weir_wire.admin import AdminService  # noqa: E402
from weir_wire.client import ClientService  # noqa: E402
from weir_wire.common.ttypes import ErrorCode, WeirError  # noqa: E402

logging.getLogger("thrift").setLevel(logging.CRITICAL)  # each failed connection is not worth a line
PASSING = (ErrorCode.BUSY, ErrorCode.SHUTTING_DOWN)


class Retrying:
    """One thread's connections to a JobTracker that comes and goes on a fixed port."""

    def __init__(self, port, patience_s=120):
        self.port, self.patience_s = port, patience_s
        self.tries = self.calls = 0
        self._clients = {}

    def _call(self, service, name, arguments):
        if service not in self._clients:
            kind = {"client": ClientService.Client, "admin": AdminService.Client}[service]
            self._clients[service] = connect(self.port, kind, service, timeout_ms=20_000)
        return getattr(self._clients[service], name)(*arguments)

    def insist(self, service, name, *arguments):
        """The answer, or the refusal (WeirError) that is no passing one."""
        deadline = time.monotonic() + self.patience_s
        pause = 0.05
        self.calls += 1
        while True:
            self.tries += 1
            try:
                return self._call(service, name, arguments)
            except WeirError as refusal:
                if refusal.code not in PASSING or time.monotonic() > deadline:
                    raise
            except (TException, OSError, EOFError):
                self.close(service)
                if time.monotonic() > deadline:
                    raise
            time.sleep(pause * random.uniform(0.5, 1))
            pause = min(1, pause * 2)

    def close(self, service):
        client = self._clients.pop(service, None)
        if client:
            client._iprot.trans.close()

    def close_all(self):
        for service in list(self._clients):
            self.close(service)

    def client(self, name, *arguments):
        return self.insist("client", name, *arguments)

    def admin(self, name, *arguments):
        return self.insist("admin", name, *arguments)
