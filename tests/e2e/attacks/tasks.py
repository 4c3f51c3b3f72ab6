"""Hostile programs, which the trackers run: what they leave where the tracker looks, and what they take."""
import os

from attacks.base import HOSTILE, JobAttack
from weir_wire.client.ttypes import SubmitRequest
from weir_wire.common.ttypes import Caller, WeirError

NAMES = "stdout stderr syslog pid status report spec file.out _SUCCESS _owner _temporary"


class PipesAndLinks(JobAttack):
    """Every name that a tracker looks at becomes a pipe nobody writes to, or a link to something that is not its own."""
    group, name = "files", "pipes and links"

    def program(self, output):
        return f"""cat
            for place in . .. "$TMPDIR" {output} {output}/_temporary; do for name in {NAMES}; do
              rm -rf "$place/$name"
              case $(( $(date +%N | cut -c 6) % 2 )) in
                0) mkfifo "$place/$name" ;;
                *) ln -s {self.world.dir}/tenant "$place/$name" ;;
              esac
            done; done 2> /dev/null"""


class AnothersOutput(JobAttack):
    """A tenant's output by another spelling and through a link, taken by jobs that are then killed. One that is being
    written, or is complete: what nobody has made yet any process of the user id may make first."""
    group, name = "files", "another's output"
    maps, seconds = 2, 8

    def program(self, output):
        return "echo hostile; sleep 2"

    def output(self):
        self.counts["jobs"] += 1
        jobs = self.tenants_jobs(unfinished=self.counts["jobs"] % 2 == 0) or self.tenants_jobs(unfinished=False)
        target = next((job.output for job in jobs if os.path.isdir(job.output)), str(self.world.dir / "tenant"))
        above, last = os.path.split(target)
        link = self.world.dir / "hostile" / f"link-{self.counts['jobs']}"
        link.symlink_to(above if self.counts["jobs"] % 3 else target)
        spellings = (str(link), f"{link}/{last}", f"{above}//./{last}/../{last}/")
        return spellings[self.counts["jobs"] % 3]

    def strike(self):
        try:
            job = self.client.submit(SubmitRequest(caller=Caller(user=HOSTILE), spec=self.spec(self.output()))).job
        except WeirError:
            self.counts["refused"] += 1
            return self.pause(0.5)
        self.pause(self.counts["jobs"] % 4)
        try:
            self.client.kill_job(Caller(user=HOSTILE), job)
        except WeirError:  # it was over
            pass
        if self.follow(job).state == "SUCCEEDED":
            self.violations.add(f"job {job} has written to another's output")


class TrackerKiller(JobAttack):
    """Kills its tracker, and says in a file which process that was: its end is expected."""
    group, name = "trackers killed", "kill -9 of its tracker"
    maps, max_attempts, seconds = 1, 4, 60

    def program(self, output):
        return f"""p=$PPID
            while [ "$p" -gt 1 ]; do
              tr '\\0' ' ' < /proc/$p/cmdline | grep -q ' tracker ' && t=$p
              p=$(awk '/^PPid/ {{print $2}}' /proc/$p/status)
            done
            [ "$t" ] && echo $t >> {self.world.killed} && kill -9 $t; sleep 5"""

    def strike(self):
        super().strike()
        self.pause(10)


class ForkBomb(JobAttack):
    """At most 2,047 processes, also where no limit stands in the way."""
    group, name = "resources", "fork bomb"
    maps, seconds = 2, 10

    def program(self, output):
        return "b() { if [ $1 -gt 0 ]; then b $(($1 - 1)) & b $(($1 - 1)) & fi; sleep 10; }; b 10 2> /dev/null; wait"


class MemoryHog(JobAttack):
    group, name = "resources", "memory hog"
    maps = 2

    def program(self, output):
        return "head -c 1000000000 /dev/zero | tail -n 1 > /dev/null"  # one line, which tail keeps in memory


class Talkative(JobAttack):
    group, name = "resources", "64 MB on stderr a map"

    def program(self, output):
        return "yes 'the same again and again, and so on for ever' | head -c 64000000 >&2; echo done"


class DiskHog(JobAttack):
    group, name = "resources", "disk hog"
    maps = 2

    def program(self, output):
        return "head -c 300000000 /dev/zero > $TMPDIR/big; sleep 4711"


class DeepTree(JobAttack):
    group, name = "resources", "deep tree"
    maps = 2

    def program(self, output):
        return """python3 -c 'import os
for i in range(5000):
    os.mkdir("a-directory-in-a-directory")
    os.chdir("a-directory-in-a-directory")'; echo done"""


class Counters(JobAttack):
    group, name = "text", "counters"
    most = (1 << 63) - 1

    def program(self, output):
        return f"for i in 1 2 3; do echo reporter:counter:g,n,{self.most} >&2; done; echo done"

    def follow(self, job):
        status = super().follow(job)
        for group, named in (status.counters or {}).items():
            self.violations |= {f"counter {group} {name} is {n}" for name, n in named.items() if n < 0}
        if status.state == "SUCCEEDED" and status.counters["g"]["n"] != self.most:
            self.violations.add(f"counter g n is {status.counters['g']['n']}")
        return status


class HostileText(JobAttack):
    """Escapes, letters that turn the line around, forged log lines: in names, status, stderr and messages."""
    group, name = "text", "hostile text"
    text = "\x1b]0;owned\x07\x1b[2J\u202egnp.exe\u200b\ufeff\x9b31m"

    def program(self, output):
        bad = self.text + "\\n[critical] store: all is lost\\r"
        return f"printf 'reporter:status:{bad}\\n{bad}\\n\\377\\376\\n' >&2; exit 3"

    def spec(self, output):
        spec = super().spec(output)
        spec.conf = {"some.key": self.text}
        return spec

    def strike(self):
        self.counts["jobs"] += 1
        spec = self.spec(self.world.dir / "hostile" / f"text-{self.counts['jobs']}")
        for field in (spec, None):  # in a name that is refused, then in what the programs say
            name, spec.name = spec.name, spec.name + self.text if field else spec.name
            try:
                job = self.client.submit(SubmitRequest(caller=Caller(user=HOSTILE), spec=spec)).job
                self.follow(job)
            except WeirError:
                self.counts["refused"] += 1
            spec.name, spec.output = name, spec.output + "b"
        try:
            self.client.kill_job(Caller(user=self.text), 1)
        except WeirError:
            self.counts["refused"] += 1
