"""What the events of a crowded story (crowded_stories.py) must show: who waits starts in time, one gang at a time holds room, what
is kept stays free, nobody starts on a reserved tracker who may not, and kills end where demand stands still.

**The bound of a large task** (containers.md 6.7). H is a heartbeat. First in line, its queue short, it is at the head of the next
tracker that reports and that it fits when empty: within H it starts or reserves. From then on nothing begins there (tasks with a
time limit that ends before it would get its room aside), so it is empty at the latest when what ran there has ended; the heartbeat
that says so starts it: rest + H. A move to another tracker is a reservation like the first, so each sets the time anew: what is
checked is the last one of the chain. Where all that may be reserved is, it waits for the first that is not. A
run counts by its time limit, if it has one: what is started aside may last so long.

Among small ones of its own queue the queue may have all that it is allocated when the task comes: within R, the longest run, it has
not, since others come first until they have theirs; so it reserves within R + H, and starts within 2 (R + H), or as above. So where
small ones of a sibling take what a queue above is short of.

Beside a guarantee that is not lent it may wait for an amount first: nothing smaller takes of that, so what runs has ended, and is free beside
what is kept, within R, and the next heartbeat of a tracker that it fits reserves that or starts it: R + H more, and as much for each
member of a gang; twice that for a large task, which may find its place taken by who uses what is kept for him.

**The bound of a gang** (8.2, 8.3): as assembler it does that for one member after the other, so with n members it starts within
n (2 H + R), R the longest run of any task, after its turn begins: when it is first in line and the gangs that started before it
have ended; or have started, where there is room for all of them within its queue's share, and under fifo. Then each member is
launched with the next heartbeat of its tracker, H.

**The bound of kills** (5.7, 9.1): a pool that has its share keeps it, since victims leave that much, and one that has killed for all
that it is owed is short no more while demand stands still; so each round of all timeouts (the longest of them, the interval of checks,
and 2 H for victims to go and tasks to come) serves at least one pool for good or is the last: P + 1 rounds for P pools."""

DIMENSIONS = ("memory_mb", "vcores")
H = 3_000  # a heartbeat, ms
BEFORE = 10 ** 12


def ms(text):
    return int(text[:-1]) * {"s": 1_000, "m": 60_000, "h": 3_600_000}[text[-1]]


class Broken(Exception):
    pass


class Replay:
    """The cluster as the events tell it."""

    def __init__(self, scenario, keep):
        self.total = {d: sum(tracker[d] for tracker in scenario["cluster"]["trackers"]) for d in DIMENSIONS}
        self.jobs = {step["submit"]["id"]: step["submit"] for step in scenario["steps"] if "submit" in step}
        self.groups = {(job["id"], one["name"]): one for job in self.jobs.values() for one in job["groups"]}
        self.keep = keep  # by queue: what of its guarantee it never lends
        part = int(scenario["settings"]["containers"].get("reservations", "5%")[:-1])
        self.most = max(1, len(scenario["cluster"]["trackers"]) * part // 100)
        self.has = {tracker["name"]: tracker for tracker in scenario["cluster"]["trackers"]}
        self.runs = {}  # (job, task): (tracker, container, when it ends at the latest)
        self.rooms = {}  # the same, held for members of gangs
        self.reserved = {}  # tracker: job
        self.started = {}  # gang: when it did
        self.moves = None  # (when, job): it gives up its tracker for a better one
        self.claims = {}  # claim: [queue, dimension, amount, deadline]
        self.killed_for = {}  # (tracker, queue): when one was killed there for it, whose room it has not used

    def group(self, job, task):
        return self.groups[job, task.split(".")[0]]

    def feed(self, event):
        kind, job, task = event["event"], event.get("job"), event.get("task")
        if kind == "launch":
            self.rooms.pop((job, task), None)
            self.killed_for.pop((event["tracker"], event["queue"]), None)
            group = self.group(job, task)
            ends = event["t"] + ms(group.get("time_limit", group["run_time"]))
            self.runs[job, task] = (event["tracker"], event["container"], ends)
        elif kind in ("finish", "fail", "kill"):  # who dies still has his room: that is not looked at
            self.runs.pop((job, task), None)
            self.rooms.pop((job, task), None)
            if event.get("for"):
                self.killed_for[event["tracker"], event["for"]] = event["t"]
        elif kind == "gang_hold":
            if (job, task) in self.rooms or (job, task) in self.runs:
                raise Broken(f"it has room: {event}")
            self.rooms[job, task] = (event["tracker"], event["container"], BEFORE)
        elif kind == "gang_release":
            self.rooms = {of: room for of, room in self.rooms.items() if of[0] != job}
        elif kind == "gang_start":
            self.started[job] = event["t"]
        elif kind == "reserve":
            self.reserved[event["tracker"]] = job
        elif kind == "unreserve":
            self.reserved.pop(event["tracker"], None)
            self.moves = (event["t"], job) if event["reason"] == "better" else None
        elif kind == "claim":
            self.claims[event["claim"]] = [event["queue"], event["class"], event["amount"], event["deadline"]]
        elif kind in ("claim_met", "claim_dropped") and event["claim"] in self.claims:
            self.claims[event["claim"]][2] -= event["amount"]

    def rest(self, now, tracker):
        """The longest remaining run there."""
        return max([ends - now for where, _, ends in self.runs.values() if where == tracker], default=0)

    def running(self, queue, d):
        """RUN: rooms of a gang that has started count."""
        of_all = [*self.runs.items(), *((of, room) for of, room in self.rooms.items() if of[0] in self.started)]
        return sum(room[1][d] for (job, _), room in of_all if self.jobs[job]["queue"] == queue)

    def held(self, d):
        return sum(container[d] for _, container, _ in [*self.runs.values(), *self.rooms.values()])

    def lacks(self, tracker, need):
        """The largest part of it that the tracker has no room for."""
        used = [container for where, container, _ in [*self.runs.values(), *self.rooms.values()] if where == tracker]
        return max((need[d] - self.has[tracker][d] + sum(one[d] for one in used)) / need[d] for d in DIMENSIONS if need[d])

    def is_overdue(self, queue, now):
        return any(claim[0] == queue and claim[2] > 0 and claim[3] <= now for claim in self.claims.values())

    def check_kept(self, event):
        """7.2, after a launch or a room: as much is free as others keep and do not use."""
        own = self.jobs[event["job"]]["queue"]
        for d in DIMENSIONS:
            kept = sum(max(0, amount[d] - self.running(queue, d)) for queue, amount in self.keep.items() if queue != own)
            if event["container"][d] > 0 and self.total[d] - self.held(d) < kept:
                raise Broken(f"{self.total[d] - self.held(d)} {d} are free, {kept} are kept for others: {event}")

    def check_reserved(self, event):
        """6.2: before the launch is counted."""
        job = self.reserved.get(event["tracker"])
        if job in (None, event["job"]) or (event["job"], event["task"]) in self.rooms:
            return
        if "time_limit" in self.group(event["job"], event["task"]) or self.is_overdue(event["queue"], event["t"]):
            return
        # Its room is held for it: who dies has gone within two heartbeats, and in the next two somebody of the queue has it.
        if event["t"] - self.killed_for.get((event["tracker"], event["queue"]), -BEFORE) <= 4 * H:
            return
        raise Broken(f"{event['tracker']} is reserved for {job}: {event}")

    def check_holders(self, event):
        holders = {job for job, _ in self.rooms if job not in self.started}
        if len(holders) > 1:
            raise Broken(f"{sorted(holders)} hold room at {event['t']}")


def front_of(replay, policy, job, events):
    """When it is first in line: under fifo those before it have started all that they have."""
    submitted = {event["job"]: event["t"] for event in events if event["event"] == "submit"}
    if policy != "fifo" or job.get("priority") == "HIGH":
        return submitted[job["id"]]
    before = [other for other in submitted if submitted[other] < submitted[job["id"]]]
    last = [event["t"] for event in events if event["event"] == "launch" and event["job"] in before]
    want = sum(one["count"] for other in before for one in replay.jobs[other]["groups"])
    return max([submitted[job["id"]], *last]) if len(last) >= want else BEFORE


class Large:
    """A large task waits: by when it has to start, from event to event."""

    def __init__(self, replay, job, front, own=0, kept=0):
        self.replay, self.id, self.front, self.due, self.own = replay, job["id"], front, front + H + own + kept, own > 0
        self.need, self.queue = job["groups"][0]["resources"], job["queue"]
        self.fits = [name for name, has in replay.has.items() if all(self.need[d] <= has[d] for d in DIMENSIONS)]
        self.wait, self.lacking = None, 2.0

    def has_reservation(self):
        return self.id in self.replay.reserved.values()

    def is_shut_out(self):
        """All that may be reserved is, or all that it fits."""
        taken = self.replay.reserved
        return not self.has_reservation() and (len(taken) >= self.replay.most or all(tracker in taken for tracker in self.fits))

    def before(self, event):
        self.was_shut_out = self.is_shut_out()
        if self.wait is None and event["t"] > self.due and not self.was_shut_out:
            raise Broken(f"{self.id} is to start by {self.due}, and does not: {event}")

    def after(self, event):
        if self.wait is not None:
            return
        if event["event"] == "launch" and event["job"] == self.id:
            self.wait = max(0, event["t"] - self.front)
            if self.was_shut_out:
                self.due = max(self.due, event["t"])
        elif event["event"] == "reserve" and event["job"] == self.id:
            lacking = self.replay.lacks(event["tracker"], self.need)
            if lacking < self.lacking:
                self.due = max(self.due, event["t"] + self.replay.rest(event["t"], event["tracker"]) + H)
                self.lacking = lacking
        elif event["event"] == "unreserve" and event["job"] == self.id and event["reason"] == "gives_way":
            self.lacking = 2.0  # to one before it in line
        elif event["event"] == "reserve" and event["t"] > self.front and not self.has_reservation():
            waits_for_amount = bool(self.replay.keep)  # perhaps; till then it is not first
            moves = self.replay.moves == (event["t"], event["job"])
            if event["tracker"] in self.fits and not self.own and not waits_for_amount and not moves:
                raise Broken(f"{self.id} is first in line: {event}")
        if self.was_shut_out and not self.is_shut_out():
            self.due = max(self.due, event["t"] + H)


def check_waits(scenario, story, events):
    """[(wait, bound)] of who waits in the story, in ms; raises what is broken."""
    replay = Replay(scenario, story["keep"])
    policy = scenario["settings"]["policy"]
    waiting = [replay.jobs[name] for name in story["waits"]]
    fronts = {job["id"]: front_of(replay, policy, job, events) for job in waiting}
    longest = max(ms(one.get("time_limit", one["run_time"])) for one in replay.groups.values())
    own = 2 * (longest + H) - H if "guaranteed" in story else 0
    kept = 2 * (longest + H) if story["keep"] else 0
    large = [Large(replay, job, fronts[job["id"]], own, kept) for job in waiting if not job["groups"][0].get("gang")]
    held = []
    for place, event in enumerate(events):
        for one in large:
            one.before(event)
        if event["event"] == "launch":
            replay.check_reserved(event)
            begun = replay.started.get(event["job"])
            if (event["job"], event["task"]) in replay.rooms and (begun is None or event["t"] > begun + H):
                raise Broken(f"its gang started at {begun}: {event}")
        new = event["event"] == "launch" and (event["job"], event["task"]) not in replay.rooms
        replay.feed(event)
        if new:
            replay.check_kept(event)
        if event["event"] == "gang_hold":
            held.append(event)
        if place + 1 == len(events) or events[place + 1]["t"] > event["t"]:
            replay.check_holders(event)
            for room in held:  # those who die for the gang are told afterwards
                replay.check_kept(room)
            held = []
        for one in large:
            one.after(event)
    late = [one.id for one in large if one.wait is None]
    if late:
        raise Broken(f"{late} never start")
    return [(one.wait, one.due - one.front) for one in large] + check_turns(replay, story, fronts, events)


def check_turns(replay, story, fronts, events):
    gangs = [job for job in (replay.jobs[name] for name in story["waits"]) if job["groups"][0].get("gang")]
    starts = {}  # in their order
    for event in events:
        if event["event"] == "gang_start":
            starts.setdefault(event["job"], event["t"])
    order = list(starts)
    late = [job["id"] for job in gangs if job["id"] not in starts]
    if late:
        raise Broken(f"gangs {late} never start")
    longest = max(ms(one.get("time_limit", one["run_time"])) for one in replay.groups.values())
    waits = []
    for job in gangs:
        earlier = [starts[other["id"]] + (0 if story["together"] else ms(other["groups"][0]["run_time"]) + H)
                   for other in gangs if order.index(other["id"]) < order.index(job["id"])]
        turn = min(max([fronts[job["id"]], *earlier]), starts[job["id"]])
        bound = sum(one["gang"] for one in job["groups"]) * (2 * H + longest + (longest + H if story["keep"] else 0))
        waits.append((starts[job["id"]] - turn, bound))
        if waits[-1][0] > bound:
            raise Broken(f"gang {job['id']} starts {waits[-1][0]} ms after its turn began, {bound} is the most")
    return waits


def check_own(scenario, story, events):
    """Nothing behind a large task that is not within the guarantee is owed anything, so nothing claims (3.2) once all before it runs."""
    replay = Replay(scenario, {})
    job = replay.jobs[story["waits"][0]]
    submits = {event["job"]: event for event in events if event["event"] == "submit"}
    submitted, leaf = submits[job["id"]]["t"], submits[job["id"]]["queue"]
    jobs = [name for name, event in submits.items() if event["queue"] == leaf]
    before = {name: replay.jobs[name]["groups"][0]["count"] for name in jobs[:jobs.index(job["id"])]}
    for event in events:
        if event["event"] == "launch" and event["job"] in before:
            before[event["job"]] -= 1
        if event["event"] == "launch" and event["job"] == job["id"]:
            return
        if event["event"] == "claim" and event["t"] > submitted and event["queue"] == leaf and not any(before.values()):
            need, of = job["groups"][0]["resources"], story["guaranteed"]
            if any(replay.running(job["queue"], d) + need[d] > of[d] for d in DIMENSIONS):
                raise Broken(f"{job['id']} waits, and what is behind it claims: {event}")
        replay.feed(event)


def check_still(scenario, story, events):
    """(the last kill after demand stands still, the bound), in ms."""
    stands = max((event["t"] for event in events if event["event"] == "submit"), default=0)  # all may be refused
    kills = [event["t"] for event in events if event["event"] == "kill" and event["reason"] in ("min_share", "fair_share")]
    last = max([0, *(at - stands for at in kills)])
    if last > story["bound"]:
        raise Broken(f"a kill {last} ms after demand stands still, {story['bound']} is the most")
    return [(last, story["bound"])]
