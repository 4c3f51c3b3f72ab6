"""Whoever can reach a port: connections that say nothing, half of something, too much, or one byte a second."""
import selectors
import socket
import struct
import time

from attacks.base import FROM, TENANT, Attack
from thrift.protocol import TBinaryProtocol, TMultiplexedProtocol
from thrift.transport import TTransport
from weir_wire.client import ClientService


class Connections(Attack):
    """Keeps so many connections to each port, and opens another for each that was closed. `begin` is what each says."""
    many, shuffle_many, receive_buffer = 0, 0, None

    def __init__(self, world, number=0):
        super().__init__(world, number)
        self.open = {}  # port -> sockets
        self.selector = selectors.DefaultSelector()

    def begin(self, port):
        return b""

    def wanted(self):
        ports = {self.world.client_port: self.many, self.world.tracker_port: self.many}
        if self.shuffle_many:
            ports |= {tracker.shuffle_port: self.shuffle_many for tracker in self.client.trackers()
                      if tracker.name in self.world.trackers}
        return ports

    def strike(self):
        for port, many in self.wanted().items():
            for _ in range(min(200, many - len(self.open.setdefault(port, set())))):
                if not self.connect(port):
                    break
        self.look()
        self.pause(0.2)

    def connect(self, port):
        connection = socket.socket()
        if self.receive_buffer:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.receive_buffer)
        try:
            connection.bind((FROM, 0))
            connection.settimeout(1)
            connection.connect(("127.0.0.1", port))
            connection.sendall(self.begin(port))
        except OSError:
            connection.close()
            self.counts["not connected"] += 1
            return False
        connection.setblocking(False)
        self.open[port].add(connection)
        self.selector.register(connection, selectors.EVENT_READ, port)
        self.counts["connections"] += 1
        return True

    def look(self):
        for key, _ in self.selector.select(0):
            try:
                if self.read(key.fileobj):
                    continue
            except OSError:
                pass
            self.drop(key.fileobj, key.data)
            self.counts["closed by the other side"] += 1

    def read(self, connection):
        return connection.recv(4096)

    def drop(self, connection, port):
        self.selector.unregister(connection)
        self.open[port].discard(connection)
        connection.close()

    def rest(self):
        for port, connections in self.open.items():
            for connection in list(connections):
                self.drop(connection, port)
        super().rest()


class Idle(Connections):
    group, name = "connections", "idle connections"
    many, shuffle_many = 2500, 600


class HalfFrames(Connections):
    group, name = "connections", "half frames"
    many = 300

    def begin(self, port):
        return struct.pack(">III", 200_000, 0x80010001, 150_000) + b"x" * 20_000  # a call with a long name


class UnreadAnswers(Connections):
    """Many calls on each connection, whose answers nobody reads."""
    group, name = "connections", "calls whose answers nobody reads"
    many, receive_buffer = 40, 4096

    def __init__(self, world, number=0):
        super().__init__(world, number)
        buffer = TTransport.TMemoryBuffer()
        protocol = TBinaryProtocol.TBinaryProtocol(TTransport.TFramedTransport(buffer))
        client = ClientService.Client(TMultiplexedProtocol.TMultiplexedProtocol(protocol, "client"))
        client.send_list_jobs("", "", False, 1000, 0)
        client.send_explain(1)
        client.send_queues("", 0)
        self.calls = buffer.getvalue() * 20

    def wanted(self):
        return {self.world.client_port: self.many}

    def begin(self, port):
        return self.calls

    def look(self):
        """Nothing is read; each lasts for some seconds."""
        for port, connections in self.open.items():
            for connection in list(connections)[:2]:
                self.drop(connection, port)


class Dripping(Connections):
    """Asks the shuffle servers byte by byte, and takes logs and map outputs as slowly."""
    group, name = "connections", "dripping shuffle peers"
    many, shuffle_many, receive_buffer = 0, 100, 2048

    def __init__(self, world, number=0):
        super().__init__(world, number)
        self.request, self.known_at = b"WEIR1 LOG attempt_0001_m_000000_0 stderr 1000000 0\n", 0

    def strike(self):
        if time.monotonic() > self.known_at + 5:
            self.known_at = time.monotonic()
            jobs = self.client.list_jobs("", TENANT, False, 1, 0)
            for attempt in (self.client.attempts(jobs[0].job) if jobs else [])[:1]:
                name = f"attempt_{attempt.id.job:04}_m_{attempt.id.index:06}_{attempt.id.attempt}"
                self.request = f"WEIR1 LOG {name} stderr 8000000 0\n".encode()
        super().strike()
        for connections in self.open.values():
            for connection in connections:
                try:
                    connection.send(b"W")
                except OSError:
                    pass

    def begin(self, port):
        return self.request if self.counts["connections"] % 2 else b""

    def read(self, connection):
        return connection.recv(1)
