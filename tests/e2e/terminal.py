"""Commands in a terminal of a given width, and how wide what they print is."""
import fcntl
import os
import pty
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


def width(text):
    """As a terminal shows it; the tables of Python, not those of weir."""
    def of(character):
        if unicodedata.category(character) in ("Mn", "Me", "Cf"):
            return 0
        return 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return sum(map(of, text))
