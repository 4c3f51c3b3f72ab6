#!/usr/bin/env python3
"""Writes the binary seeds of the corpus: frames, replies and reports from the IDL by Debian's python3-thrift, a map
output's index, compressed files. They are in the repository; run this after the IDL has grown, and look at the diff."""
import bz2
import gzip
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
CORPUS = HERE / "corpus"
IDL = HERE.parents[1] / "thrift"
_generated = tempfile.TemporaryDirectory(prefix="weir-idl-")
for _name in ("common", "tracker", "client", "admin", "store", "task"):
    subprocess.run(["thrift", "--gen", "py", "-out", _generated.name, str(IDL / f"{_name}.thrift")], check=True)
sys.path.insert(0, _generated.name)

from thrift.protocol import TBinaryProtocol, TCompactProtocol  # noqa: E402
from thrift.transport import TTransport  # noqa: E402
from weir_wire.admin import AdminService  # noqa: E402
from weir_wire.admin.ttypes import SettingsFile  # noqa: E402
from weir_wire.client import ClientService  # noqa: E402
from weir_wire.client.ttypes import HistoryFilter, SubmitRequest  # noqa: E402
from weir_wire.common.ttypes import AttemptId, Caller, JobFile, JobSpec, Resources, Split, TaskKind  # noqa: E402
from weir_wire.store.ttypes import StoredJob  # noqa: E402
from weir_wire.task.ttypes import InputPiece, TaskSettings, TaskSpec  # noqa: E402
from weir_wire.tracker import TrackerService  # noqa: E402
from weir_wire.tracker.ttypes import (AttemptState, AttemptStatus, Duty, DutyReport, FetchFailure,  # noqa: E402
                                      Heartbeat, HeartbeatReply, JobDescription, Launch, MapOutput, MapOutputs,
                                      Registration, RegistrationReply, TaskPhase)


def put(target, name, content):
    (CORPUS / target).mkdir(parents=True, exist_ok=True)
    (CORPUS / target / name).write_bytes(content)


class Recorder:
    """A transport that keeps what a generated client sends."""

    def __init__(self):
        self.bytes = b""

    def isOpen(self):
        return True

    def write(self, more):
        self.bytes += more

    def flush(self):
        pass


def call(service, method, *arguments, prefix=""):
    recorder = Recorder()
    client = service.Client(TBinaryProtocol.TBinaryProtocol(recorder, strictRead=True, strictWrite=True))
    getattr(client, "send_" + method)(*arguments)
    payload = recorder.bytes
    if prefix:
        length = struct.unpack(">I", payload[4:8])[0]
        payload = (payload[:4] + struct.pack(">I", length + len(prefix)) + prefix.encode() + payload[8:])
    return struct.pack(">I", len(payload)) + payload


def client(method, *arguments):
    return call(ClientService, method, *arguments)


def admin(method, *arguments):
    return call(AdminService, method, *arguments, prefix="admin:")


def tracker(method, *arguments):
    return call(TrackerService, method, *arguments)


def plain(value, protocol=TBinaryProtocol.TBinaryProtocol):
    memory = TTransport.TMemoryBuffer()
    value.write(protocol(memory))
    return memory.getvalue()


def attempt(kind, index, number=0, job=1):
    return AttemptId(job, kind, index, number)


def status(kind, index, state, phase, **more):
    return AttemptStatus(attempt(kind, index), state, 1_000_000, phase, **more)


MAP, REDUCE = TaskKind.MAP, TaskKind.REDUCE
ALICE, ROOT = Caller("alice"), Caller("root", ["wheel"])
SPEC = JobSpec("second", "small", ["/data/a", "/data/b"], [Split(0, 0, 10, ["tt1"]), Split(1, 0, 7, None)], "/data/o2",
               "cat", "cat", "cat", 2, "HIGH", {"pool": "p", "mapreduce.map.speculative": "true"}, 3, 1000, 500000, 1,
               2, 100, 100, 16, {"LANG": "C"}, "/tmp")
COUNTERS = {"weir": {"MAP_INPUT_RECORDS": 7}, "user": {"a\tb": -1}}


def beat(sequence, attempts, **more):
    return tracker("heartbeat", Heartbeat("tt1", 1, sequence, attempts, **more))


def client_frames():
    put("client_frames", "submit", client("submit", SubmitRequest(ALICE, SPEC)) + client("job_status", 2, 0)
        + client("explain", 2) + client("attempts", 2) + client("kill_job", ALICE, 2))
    put("client_frames", "upload", client("begin_upload", ALICE) + client("append_splits", "1", SPEC.splits)
        + client("submit", SubmitRequest(ALICE, SPEC, "1")))
    put("client_frames", "steer", client("set_priority", ALICE, 1, "VERY_LOW") + client("move_job", ROOT, 1, "small")
        + client("kill_job", Caller("bob"), 1) + client("kill_job", ALICE, 1) + client("job_status", 1, 3))
    put("client_frames", "read", client("list_jobs", "", "", False, 0, 0) + client("list_jobs", "small", "alice", True,
        7, 0) + client("list_history", HistoryFilter("default", "alice", 0, 1 << 50, 5)) + client("queues", "", 0)
        + client("queues", "root.small", 2) + client("trackers") + client("explain", 1) + client("attempts", 99))
    settings = b"policy: fair\nqueues:\n  - {name: default, guaranteed: 50%}\n  - {name: new, guaranteed: 50%}\n" \
               b"removed_queues:\n  - {queue: small, move_to: new}\n".decode()
    put("client_frames", "admin", admin("policy") + admin("set_policy", ROOT, "fair") + admin("info")
        + admin("set_queue_state", ROOT, "small", False) + admin("settings_text")
        + admin("settings_of", 1) + admin("settings_history") + admin("settings_in_force")
        + admin("diff_settings", SettingsFile("a.yaml", settings))
        + admin("apply_settings", ROOT, SettingsFile("a.yaml", settings)) + client("queues", "", 0)
        + admin("set_policy", ROOT, "fifo") + admin("policy"))
    put("client_frames", "order_trackers", admin("order_trackers", ROOT, ["tt1"], 1, "new disks")
        + admin("order_trackers", ROOT, ["tt1", "nobody"], 2, "") + admin("order_trackers", ALICE, ["tt1"], 3, "")
        + admin("order_trackers", ROOT, ["tt1"], 7, "") + admin("order_trackers", ROOT, ["tt1", "tt1"], 3, "")
        + client("trackers") + admin("order_trackers", ROOT, [], 0, "") + admin("lose_trackers", ROOT, ["tt1"], "gone")
        + admin("forget_trackers", ROOT, ["tt1"]))
    claimed = client("queues", "x", 0)
    put("client_frames", "string_claims_2g", claimed.replace(b"\0\0\0\1x", b"\x7f\xff\xff\xffx"))
    put("client_frames", "unknown_method", client("queues", "", 0).replace(b"queues", b"qqeues"))
    put("client_frames", "oversize", b"\x02\0\0\0")
    put("client_frames", "http", b"GET / HTTP/1.1\r\n\r\n")


def tracker_frames():
    ended = [status(MAP, i, AttemptState.SUCCEEDED, TaskPhase.MAP, counters=COUNTERS) for i in range(2)]
    last = status(MAP, 2, AttemptState.SUCCEEDED, TaskPhase.COMMIT)
    reduce = [status(REDUCE, 0, state, phase, compute_granted=True) for state, phase in
              ((AttemptState.RUNNING, TaskPhase.SHUFFLE), (AttemptState.COMMIT_PENDING, TaskPhase.COMMIT),
               (AttemptState.SUCCEEDED, TaskPhase.COMMIT))]
    put("tracker_frames", "whole_job", beat(1, []) + beat(2, ended) + beat(3, [last]) + tracker("job", 1)
        + tracker("map_outputs", 1, 0) + beat(4, [reduce[0]], held_jobs=[1]) + beat(5, [reduce[1]]) + beat(6, [reduce[2]])
        + beat(7, []) + beat(8, [], duties=[DutyReport(1, True, "done", True)]))
    failed = status(MAP, 0, AttemptState.FAILED, TaskPhase.MAP, diagnostics="exit 1", status="half",
                    started_at_ms=1, finished_at_ms=2)
    fetch = status(REDUCE, 0, AttemptState.RUNNING, TaskPhase.SHUFFLE, fetch_failures=[FetchFailure(0, 0)])
    put("tracker_frames", "failures", beat(1, []) + beat(2, [failed]) + beat(3, ended + [last]) + beat(4, [fetch])
        + beat(5, [fetch], total=Resources(1, 0, 100, 1)) + beat(6, [], accepts_tasks=False, health="disk low",
        free_disk_mb=1, load_millionths=5))
    put("tracker_frames", "second", tracker("register_tracker", Registration("tt2", 9, "h2", 4001,
        Resources(2, 2, 4096, 4), "rack-1", ["/data"], "1")) + tracker("heartbeat", Heartbeat("tt2", 9, 1, []))
        + tracker("register_tracker", Registration("tt1", 2, "tt1", 4000, Resources(1, 1)))
        + tracker("heartbeat", Heartbeat("tt1", 1, 2, [])) + tracker("heartbeat", Heartbeat("tt1", 2, 1, ended)))
    put("tracker_frames", "leaves", beat(1, []) + beat(2, [], accepts_tasks=False, low_disk=True) + beat(3, [],
        leaving=True) + beat(4, []))
    put("tracker_frames", "slots_4g", tracker("register_tracker", Registration("tt2", 9, "h2", 4001,
        Resources(0xffffffff, 100_001))))
    put("tracker_frames", "strangers", beat(1, [AttemptStatus(attempt(MAP, 7, 9, 5), 0, 0, 0)], held_jobs=[1, 2, 3])
        + tracker("job", 9) + tracker("job", -1) + tracker("map_outputs", 1, 99) + tracker("map_outputs", 1, -1))
    put("tracker_frames", "list_claims", beat(1, ended).replace(struct.pack(">BI", 12, 2), struct.pack(">BI", 12, 1 << 30)))


def answer(which, value):
    content = plain(value) if value is not None else b""
    return struct.pack(">BH", which, len(content)) + content


def tracker_replies():
    launch = [Launch(attempt(MAP, 0), Split(0, 0, 10, None)), Launch(attempt(REDUCE, 0), None, False)]
    reply = HeartbeatReply(100, launch, [], [], [], [], [])
    job = JobDescription(1, "job_0001", "alice", SPEC, 2)
    outputs = MapOutputs([MapOutput(0, 0, False, "h", 4000), MapOutput(1, 0, True, "h", 4000)], 2, 2, 1)
    later = HeartbeatReply(100, [], [attempt(REDUCE, 0)], [attempt(MAP, 0)], [attempt(MAP, 0)], [1],
                           [Duty(1, True, "/data/o2")], [attempt(REDUCE, 0)], 5)
    put("tracker_replies", "life", answer(0, RegistrationReply(50)) + answer(1, reply) + answer(2, job)
        + answer(3, outputs) + answer(1, reply) + answer(1, later) + answer(4, None) + answer(0, RegistrationReply(1)))
    put("tracker_replies", "no_such_file", answer(0, RegistrationReply(50)) + answer(2, job) + answer(1, HeartbeatReply(
        1 << 62, [Launch(attempt(MAP, 0), Split(7, -1, -1, None)), Launch(attempt(REDUCE, 9))], [], [], [], [], []))
        + answer(2, job))
    put("tracker_replies", "list_claims", answer(1, reply).replace(struct.pack(">BI", 12, 2), struct.pack(">BI", 12,
                                                                                                         1 << 24)))


def task_spec():
    settings = TaskSettings(4096, 0, 0, 0, ["JAVA_HOME"], 1)
    good = plain(TaskSpec(attempt(MAP, 0), "a job", "cat", "cat", "", 2, 1, [InputPiece("/data/a", 0, 10),
        InputPiece("/data/b", 0, 7)], "/data/o2", "job_0001 1", {"pool": "p"}, {"LANG": "C"}, "",
        [JobFile("f", b"#!/bin/sh\n", True), JobFile("g", b"")], 100, 16, 256, True, "/w/attempts/a", "/w/outputs/a",
        "/w/logs/a", 8, settings, ["/sys/fs/cgroup/a"], "/w", ["/w/x"], True))
    put("task_spec", "good", good)
    put("task_spec", "reduce", plain(TaskSpec(attempt(REDUCE, 0), "", "cat", "sort", "", 2, 1, [], "/o", "", {}, {},
        "/w", [], 0, 1, 1, False, "", "", "", 0, TaskSettings(0, 0, 0, 0, [], 0), [], "", [], False)))
    put("task_spec", "codec_unknown", good.replace(b"\x08\x00\x06\0\0\0\1", b"\x08\x00\x06\0\0\0\7"))
    put("task_spec", "cut", good[:len(good) // 2])
    put("task_spec", "field_missing", plain(TaskSpec(attempt(MAP, 0), "a job", None, "cat")))
    put("task_spec", "field_unknown", good[:-1] + b"\x02\x00\x1c\x01\x00")
    put("task_spec", "more_behind", good + b"\0")
    put("task_spec", "list_claims", good.replace(struct.pack(">BI", 12, 2), struct.pack(">BI", 12, 1 << 30)))


def others():
    done = status(MAP, 0, AttemptState.SUCCEEDED, TaskPhase.COMMIT, counters=COUNTERS, status="ok", diagnostics="d",
                  fetch_failures=[FetchFailure(1, 0)])
    body = b"\3" + plain(done)
    put("task_report", "body", b"\1" + body)
    frame = struct.pack("<II", len(body), zlib.crc32(body)) + body
    put("task_report", "two_frames", b"\0" + frame + frame)
    put("task_report", "checksum", b"\0" + struct.pack("<II", len(body), 7) + body)
    put("task_report", "too_long", b"\0" + struct.pack("<II", 1 << 31, 7) + body)
    put("store_rows", "spec", b"\1" + plain(StoredJob(SPEC, ALICE), TCompactProtocol.TCompactProtocol))
    put("store_rows", "counters", b"\0user\ta\\tb\t-1\nweir\tN\t7\n")
    data = b"a\t1\nb\n"
    entry = struct.Struct("<6Q")
    entries = entry.pack(0, 4, zlib.crc32(data[:4]), 1, 4, 0) + entry.pack(4, 2, zlib.crc32(data[4:]), 1, 2, 0)
    put("run_file", "two_partitions", b"\2" + entries + data)
    put("run_file", "behind_the_end", b"\1" + entry.pack(4, 1 << 40, 0, 1, 1 << 40, 0) + data)
    put("run_file", "negative", b"\1" + struct.pack("<qqQqqq", -4, -1, 0, -1, -1, -1) + data)
    # Blocks: as it is, by lz4, by zstd (a run of 4,096 times "a\n", and one that is a frame of another size).
    stored = struct.pack("<II", 6, 6) + data
    lz4 = b"\x2fa\n\x02\0" + b"\xff" * 15 + b"\xf4" + b"\x60a\na\na\n"
    frame = b"\x28\xb5\x2f\xfd\0\x58" + (4096 << 3 | 3).to_bytes(3, "little") + b"\n"
    blocks = {"stored": stored, "lz4": struct.pack("<II", 4096, len(lz4) | 1 << 24) + lz4,
              "zstd": struct.pack("<II", 4096, len(frame) | 2 << 24) + frame,
              "longer": struct.pack("<II", 100, len(frame) | 2 << 24) + frame,
              "cut": (stored + stored)[:-3], "codec": struct.pack("<II", 6, 6 | 9 << 24) + data}
    for name, block in blocks.items():
        raw = struct.unpack("<I", block[:4])[0]
        put("run_file", "block_" + name, b"\1" + entry.pack(0, len(block), zlib.crc32(block), 1, raw, 1) + block)
        put("shuffle_reply", "block_" + name, b"OK %d %d 1 %d blocks\n" % (len(block), zlib.crc32(block), raw) + block)
    put("shuffle_reply", "block_claim", b"OK %d %d 1 %d blocks\n" % (len(stored), zlib.crc32(stored), 1 << 60) + stored)
    put("run_file", "merge", b"\0" + b"a\t1\nc\t2\n\xffb\nc\t1\n\xff\n\xffno newline")
    put("split_reader", "plain", b"\0\x40\x80" + b"one\ntwo\n\nthree\nno newline")
    packed = gzip.compress(b"one\ntwo\n", mtime=0)
    put("split_reader", "gzip", b"\1\0\0" + packed + packed)
    put("split_reader", "gzip_cut", b"\1\0\0" + packed[:-6])
    put("split_reader", "gzip_bomb", b"\1\0\0" + gzip.compress(b"\0" * (2 << 20), mtime=0))
    stored = b"\x28\xb5\x2f\xfd\0\x58\x41\0\0one\ntwo\n"  # a zstd frame of one stored block of 8 bytes
    put("split_reader", "zstd", b"\2\0\0" + stored + stored)
    put("split_reader", "zstd_repeats", b"\2\0\0" + stored[:6] + b"\x03\0\x10x")
    packed = bz2.compress(b"one\ntwo\n", 1)
    put("split_reader", "bzip2", b"\3\0\0" + packed + packed)
    put("split_reader", "bzip2_cut", b"\3\0\0" + packed[:-6])
    put("split_reader", "bzip2_bomb", b"\3\0\0" + bz2.compress(b"\0" * (2 << 20), 9))
    trace = b'{"job": "j1", "maps": 2, "map_s": [1, -1], "reduces": 1, "reduce_s": 2.5, "copy_s": 1, "submit_s": 3}\n'
    put("trace", "plain", b"\0" + trace + b'\n{"job": "j2", "queue": "q", "user": "u", "other": null}\n')
    put("trace", "gzip", b"\1" + gzip.compress(trace, mtime=0))
    put("trace", "wrong", b'\0{"job": "a/b", "maps": -1, "map_s": [1e300, "x"], "submit_s": -1}\n[\n"\xff"\n')


if __name__ == "__main__":
    client_frames()
    tracker_frames()
    tracker_replies()
    task_spec()
    others()
