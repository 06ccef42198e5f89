#!/usr/bin/env python3
"""Keeps the contract between C and GLSL: specialisation constants have names, beside the argument structs in
shaders/args. No shader and no dispatch uses a bare number for one, no two names of one shader are the same constant, and
every constant that a shader reads is set by the C file that dispatches it."""
import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
shaders = root / "shaders"
wrong = []


def complain(path, sentence):
    wrong.append(f"{path.relative_to(root)}: {sentence}")


def without_comments(path):
    return re.sub(r"//.*", "", path.read_text())


def text_of(path, seen):
    """A shader and what it includes."""
    if path in seen or not path.exists():
        return ""
    seen.add(path)
    text = without_comments(path)
    return text + "".join(text_of(shaders / name, seen) for name in re.findall(r'^\s*#include "([^"]+\.glsl)"', text, re.M))


def read_names():
    """The constants' numbers by their names."""
    values = {}
    for header in sorted((shaders / "args").glob("*.h")):
        values.update(re.findall(r"^#define (\w+) +(\d+)$", re.sub(r" *//.*", "", header.read_text()), re.M))
    return {name: int(value) for name, value in values.items()}


def check_shader(path, names):
    """The names of the constants that a kernel reads."""
    text = text_of(path, set())
    ids = re.findall(r"(?:constant_id|local_size_x_id)\s*=\s*(\w+)", text)
    for name in ids:
        if name not in names:
            complain(path, f"constant_id = {name} is no name of shaders/args")
        elif names[name] >= names["CONSTANTS"]:
            complain(path, f"{name} is {names[name]}, beyond CONSTANTS")
    numbers = [names[name] for name in ids if name in names]
    if len(set(numbers)) != len(numbers):
        complain(path, f"two of its constants have one number: {' '.join(ids)}")
    return [name for name in ids if not name.startswith("CONSTANT_")]


def check_dispatch(path):
    """The constants that a C file sets, each by its name."""
    text = without_comments(path)
    names = set(re.findall(r"\bconstants\[(\w+)\]\s*=[^=]", text))
    for block in re.findall(r"\.constants\s*=\s*\{(.*?)\}", text, re.S):
        inside = re.findall(r"\[(\w+)\]\s*=", block)
        names.update(inside)
        if len(inside) != len(re.split(r",(?![^()]*\))", block.strip().rstrip(","))):
            complain(path, f"a constant without a name in {{{block}}}")
    for name in names:
        if name[0].isdigit():
            complain(path, f"constants[{name}] is a bare number")
    return names


names = read_names()
kernels = {path.stem: check_shader(path, names) for path in sorted(shaders.rglob("*.comp"))}
own = {path: check_dispatch(path) for path in sorted((root / "src").rglob("*.c"))}
shared = set().union(*(set_ for path, set_ in own.items() if path.stem in ("forms", "rules")))
count = 0
for path, set_ in own.items():
    for stem in re.findall(r'^#include "(\w+)\.spv\.h"', path.read_text(), re.M):
        count += 1
        for name in kernels[stem]:
            if name not in set_ | shared:
                complain(path, f"dispatches {stem} without its constant {name}")
print("\n".join(wrong) if wrong else f"{len(names)} names, {count} kernels with their dispatches")
sys.exit(bool(wrong))
