#!/usr/bin/env python3
"""Keeps the contract between C and GLSL: specialisation constants have names, beside the argument structs in
shaders/args. No shader and no dispatch uses a bare number for one, no two names of one shader are the same constant, and
every constant that a shader reads is set by the C file that dispatches it. Both sides agree on which argument structs are
too long for push constants."""
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


def variant_of(text, define):
    """The text of a problem's rules under a RULES_... macro, or none; other conditions stay."""
    lines, stack = [], []  # of conditions: (is on RULES_..., holds now, held before)
    for line in text.splitlines():
        condition = re.match(r"\s*#(ifdef|ifndef|if|elif|else|endif)\b(?: *(?:defined)? *(RULES_(?:MERGE|BEAM|TURN|DECIDE)))?", line)
        if condition and condition[1].startswith("if"):
            holds = (condition[2] == define) == (condition[1] != "ifndef")
            stack.append((condition[2] is not None, holds, holds))
        elif condition and condition[1] in ("elif", "else") and stack[-1][0]:
            holds = not stack[-1][2] and (condition[1] == "else" or condition[2] == define)
            stack[-1] = (True, holds, holds or stack[-1][2])
        elif condition and condition[1] == "endif":
            stack.pop()
        elif all(holds or not ours for ours, holds, _ in stack):
            lines.append(line)
    return "\n".join(lines)


def text_of(path, seen, define=None):
    """A shader and what it includes."""
    if path in seen or not path.exists():
        return ""
    seen.add(path)
    text = variant_of(without_comments(path), define)
    return text + "".join(text_of(shaders / name, seen, define) for name in re.findall(r'^\s*#include "([^"]+\.glsl)"', text, re.M))


def read_names():
    """The constants' numbers by their names."""
    values = {}
    for header in sorted((shaders / "args").glob("*.h")):
        values.update(re.findall(r"^#define (\w+) +(\d+)$", re.sub(r" *//.*", "", header.read_text()), re.M))
    return {name: int(value) for name, value in values.items()}


def check_shader(path, names, define=None):
    """The names of the constants that a kernel reads."""
    text = text_of(path, set(), define)
    ids = re.findall(r"(?:constant_id|local_size_x_id)\s*=\s*(\w+)", text)
    for name in ids:
        if name not in names:
            complain(path, f"constant_id = {name} is no name of shaders/args")
        elif names[name] >= names["CONSTANTS"]:
            complain(path, f"{name} is {names[name]}, beyond CONSTANTS")
    for far, stem in re.findall(r"^ARGUMENTS(_FAR)?\((\w+)\)", text, re.M):
        headers = "".join(header.read_text() for header in (shaders / "args").glob("*.h"))
        if bool(far) != bool(re.search(rf"^ARGS_FAR\({stem},", headers, re.M)):
            complain(path, f"ARGUMENTS{far}({stem}) is not what shaders/args says")
    numbers = [names[name] for name in ids if name in names]
    if len(set(numbers)) != len(numbers):
        complain(path, f"two of its constants have one number: {' '.join(ids)}")
    return [name for name in ids if not name.startswith("CONSTANT_")]


def check_dispatch(path):
    """The constants that a C file sets, each by its name."""
    text = without_comments(path)
    names = set(re.findall(r"\bconstants\[(\w+)\]\s*=[^=]|\bSET\((\w+),", text))
    names = {name for pair in names for name in pair if name} - {"name"}  # the macro's own
    for block in re.findall(r"\.constants\s*=\s*\{(.*?)\}", text, re.S):
        inside = re.findall(r"\[(\w+)\]\s*=", block)
        names.update(inside)
        if len(inside) != len(re.split(r",(?![^()]*\))", block.strip().rstrip(","))):
            complain(path, f"a constant without a name in {{{block}}}")
    for name in names:
        if name[0].isdigit():
            complain(path, f"constants[{name}] is a bare number")
    return names


def check_forms(path, set_by_file, kernels):
    """A row of the table of forms sets constants; the operation's C file, which the kernel's name begins with, the rest.
    Yields kernels, files and what their rows set."""
    for row in re.findall(r"^    \{ (FORM_.*?)\},?(?: *//[^\n]*)?\n(?=    \{|\n|\};)", path.read_text(), re.M | re.S):
        kernel = re.search(r"&(\w+)", row)
        if not kernel:
            continue
        file = max((file for file in set_by_file if kernel[1].startswith(file.stem)), key=lambda file: len(file.stem))
        inside = set(re.findall(r"SET\((\w+),", row))
        for name in kernels[kernel[1]]:
            if name not in inside | set_by_file[file]:
                complain(path, f"a row has {kernel[1]} without its constant {name}")
        yield kernel[1], file, inside


names = read_names()
kernels = {path.stem: check_shader(path, names) for path in sorted(shaders.rglob("*.comp"))}
for path in sorted(shaders.rglob("*.comp")):
    if "rules_main.glsl" in path.read_text():  # rules are several kernels
        for define in ("RULES_MERGE", "RULES_BEAM", "RULES_TURN", "RULES_DECIDE"):
            kernels[path.stem + define.removeprefix("RULES").lower()] = check_shader(path, names, define)
sources = {path: check_dispatch(path) for path in sorted((root / "src").rglob("*.c"))}
forms = root / "src/nn/forms.c"
rows = list(check_forms(forms, {path: s for path, s in sources.items() if path.parent == forms.parent}, kernels))
dispatched = {kernel for kernel, _, _ in rows}
for path, own in sources.items():
    for stem in re.findall(r'^#include "(\w+)\.spv\.h"', path.read_text(), re.M):
        if path == forms:
            if stem not in dispatched:
                complain(path, f"no row has {stem}")
            continue
        dispatched.add(stem)
        # these dispatch the kernels of a problem's table
        rest = set().union(*(sources[root / "src" / file] for file in ("env/rules.c", "env/turn.c", "model/decide.c", "search/beam_step.c")))
        rest = rest.union(*(inside for _, file, inside in rows if file == path))  # one form for several kernels
        for name in kernels[stem]:
            if name not in own | rest:
                complain(path, f"dispatches {stem} without its constant {name}")
print("\n".join(wrong) if wrong else f"{len(names)} names, {len(rows)} forms, {len(dispatched)} kernels")
sys.exit(bool(wrong))
