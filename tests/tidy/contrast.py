#!/usr/bin/env python3
"""Contrast of the pages' colours, light and dark, by WCAG 2.1 (AA): text against what it stands on 4.5:1, marks and fields
3:1. The pairs come from the style sheets: a rule with a colour and a background is a pair, a colour alone may stand on any
plain surface. Prints each pair that is too weak; exits 1 if there is one."""
import pathlib
import re
import sys

PAGES = pathlib.Path(__file__).resolve().parents[2] / "web" / "pages"
TEXT, MARK = 4.5, 3.0
SURFACES = ("bg", "surface", "raised", "band")  # a row under the pointer has the last
# What is no text and must be seen all the same: marks of charts and bars, the ring of the focus, the edge of a field.
MARKS = ("map", "reduce", "spec", "focus", "field", "q-parent")
MARKS_ON = ("bg", "surface", "raised")

RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
DARK = re.compile(r"@media (?:screen and )?\(prefers-color-scheme: dark\) \{(.*?)\n\}", re.S)
TOKEN = re.compile(r"--([\w-]+):\s*(#[0-9a-f]{3,6})\s*;")


def tokens(text):
    """Colours by name; a queue's --q by the class that sets it."""
    found = {}
    for selector, body in RULE.findall(text):
        names = re.findall(r"\.(q\d+)\b", selector)
        for name, value in TOKEN.findall(body):
            found[names[0] if name == "q" and names else name] = value
    return found


def luminance(colour):
    digits = colour.lstrip("#")
    digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
    parts = [int(digits[i:i + 2], 16) / 255 for i in (0, 2, 4)]
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def pairs():
    """(what is seen, what it is on, the least contrast, where) of all style sheets."""
    for sheet in sorted(PAGES.glob("*.css")):
        text = re.sub(r"/\*.*?\*/", "", sheet.read_text(), flags=re.S)
        for selector, body in RULE.findall(text):
            where = f"{sheet.name} {' '.join(selector.split())[:60]}"
            front = re.search(r"(?<![\w-])(?:color|fill): var\(--([\w-]+)\)", body)
            behind = re.search(r"(?<![\w-])background: var\(--([\w-]+)\)", body)
            if front and front[1] != "q":
                for name in (behind[1],) if behind else SURFACES:
                    yield front[1], name, TEXT, where


def marks(colours):
    for name in [*MARKS, *(name for name in colours if re.fullmatch(r"q\d+", name))]:
        for surface in MARKS_ON:
            yield name, surface, MARK, "a mark"


def main():
    base = re.sub(r"/\*.*?\*/", "", (PAGES / "base.css").read_text(), flags=re.S)
    dark_text = DARK.search(base)[1]
    light = tokens(base.replace(dark_text, ""))
    schemes = {"light": light, "dark": {**light, **tokens(dark_text)}}
    weak, checked = {}, 0
    for scheme, colours in schemes.items():
        for front, behind, least, where in [*pairs(), *marks(colours)]:
            checked += 1
            found = contrast(colours[front], colours[behind])
            if found < least:
                weak.setdefault((scheme, front, behind, least, round(found, 2)), where)
    for (scheme, front, behind, least, found), where in weak.items():
        print(f"{scheme}: --{front} on --{behind} is {found}:1, at least {least}:1 ({where})")
    if not weak:
        print(f"{checked} pairs of colours can be told apart")
    return 1 if weak else 0


if __name__ == "__main__":
    sys.exit(main())
