"""The attacks of attack.py, each of which a test can use by itself: make one with a World, call `strike`, then `rest`."""
from attacks import forgers, peers, tasks

ALL = (
    tasks.PipesAndLinks, tasks.AnothersOutput,
    tasks.ForkBomb, tasks.MemoryHog, tasks.Talkative, tasks.DiskHog, tasks.DeepTree,
    tasks.Counters, tasks.HostileText,
    tasks.TrackerKiller,
    peers.Idle, peers.HalfFrames, peers.UnreadAnswers, peers.Dripping,
    forgers.Registrations, forgers.TakenNames, forgers.Reports, forgers.Commands, forgers.Uploads,
    forgers.StoreLock,
)
GROUPS = tuple(dict.fromkeys(attack.group for attack in ALL))
