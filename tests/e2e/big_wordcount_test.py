"""A word count over 300 MB stays under 150 MB per process, which is what each reduce gets. WEIR_BIG_BYTES says another size;
1 GB stays under 300 MB."""
import os
import pathlib
import threading
import time
import unittest

from cluster import MAPPER, SUM, Cluster

SIZE = int(os.environ.get("WEIR_BIG_BYTES") or 300_000_000)
LIMIT_MB = 300 if SIZE >= 1 << 30 else 150


class BigWordCount(Cluster):
    def watch(self):
        """The largest resident set (VmHWM) of each process below the test, by its first words."""
        while not self.done:
            for pid, command in self.processes_below():
                try:
                    status = pathlib.Path(f"/proc/{pid}/status").read_text()
                except OSError:
                    continue
                for line in status.splitlines():
                    if line.startswith("VmHWM:"):
                        name = " ".join(pathlib.Path(w).name for w in command.split("\0")[:2])
                        self.peak[name] = max(self.peak.get(name, 0), int(line.split()[1]) // 1024)
            time.sleep(0.1)

    def test_memory_stays_bounded(self):
        licences = b"".join(path.read_bytes() for path in sorted(pathlib.Path("/usr/share/common-licenses").iterdir())
                            if path.is_file())
        text = self.dir / "big"
        with open(text, "wb") as out:
            for _ in range(SIZE // len(licences) + 1):
                out.write(licences)
        self.start_cluster(trackers=1, map_slots=2, reduce_slots=2)
        self.peak, self.done = {}, False
        watcher = threading.Thread(target=self.watch)
        watcher.start()
        started = time.monotonic()
        job = self.submitted("out", mapper=MAPPER, reducer=SUM, input=text, reduces=2)
        state = self.wait_for_end(job, 1500)
        elapsed = time.monotonic() - started
        self.done = True
        watcher.join()
        self.assertEqual(state, "SUCCEEDED", self.weir("job", "status", job).stdout)
        print(f"{text.stat().st_size / 1e9:.2f} GB without a combiner in {elapsed:.0f} s; peak MB:", self.peak)
        self.assertEqual({n: mb for n, mb in self.peak.items() if mb > LIMIT_MB}, {})
        small = self.dir / "small"
        small.write_bytes(licences)
        times = text.stat().st_size // len(licences)
        expected = [b"%s\t%d" % (word, int(n) * times)
                    for word, n in (line.split(b"\t") for line in self.coreutils_wordcount(small))]
        self.assertEqual(sorted(self.output("out").splitlines()), sorted(expected))


if __name__ == "__main__":
    unittest.main()
