"""Commands in a terminal of a given width, and how wide what they print is."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import unicodedata


def on_terminal(columns, command, environment):
    """What the command prints to a terminal so wide; without COLUMNS, as most shells start commands."""
    here, there = pty.openpty()
    fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {name: value for name, value in environment.items() if name != "COLUMNS"}
    process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=there,
                               stderr=subprocess.STDOUT, env=environment)
    os.close(there)
    printed = b""
    while True:
        try:
            part = os.read(here, 65536)
        except OSError:  # it has ended
            break
        if not part:
            break
        printed += part
    os.close(here)
    process.wait()
    return printed.decode().replace("\r\n", "\n")


class Dialog:
    """A command on a terminal, which is asked and answers."""

    def __init__(self, command, environment, directory):
        self.here, there = pty.openpty()
        fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        self.process = subprocess.Popen([str(word) for word in command], stdin=there, stdout=there, stderr=there,
                                        env=environment, cwd=directory, start_new_session=True)
        os.close(there)
        self.printed = ""

    def until(self, pattern):
        """Reads on until it has printed this; what was read before counts once."""
        while not (found := re.search(pattern, self.printed)):
            self.printed += os.read(self.here, 65536).decode()
        self.printed = self.printed[found.end():]
        return found

    def type(self, text):
        os.write(self.here, text)

    def end(self):
        """Its exit status."""
        try:
            while part := os.read(self.here, 65536):
                self.printed += part.decode()
        except OSError:  # it has ended
            pass
        os.close(self.here)
        return self.process.wait()


def width(text):
    """As a terminal shows it; the tables of Python, not those of weir."""
    def of(character):
        if unicodedata.category(character) in ("Mn", "Me", "Cf"):
            return 0
        return 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return sum(map(of, text))
