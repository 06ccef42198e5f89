#!/usr/bin/env python3
"""Keeps the architecture: which folder may include which, sees Vulkan, prints or knows a problem's name, and that
every shader is listed and shares its argument struct with the C file that dispatches it."""
import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
# Each folder of src and those that it may include besides itself and what they may include.
below = {
    "util": [],
    "problem": ["util"],
    "archive": ["util"],
    "format": ["problem", "archive"],
    "plot": ["problem"],
    "improve": ["problem"],
    "gpu": ["util"],
    "nn": ["gpu"],
    "env": ["nn", "problem"],
    "model": ["env"],
    "checkpoint": ["model", "archive"],
    "learn": ["model"],
    "train": ["learn", "checkpoint", "plot", "improve"],
    "search": ["learn", "improve"],
    "api": ["train", "search", "format"],
    "selftest": ["api"],
    "cli": ["util"],  # and selftest/selftest.h
}


def all_below(folder):
    return {folder}.union(*(all_below(other) for other in below[folder]))


visible = {folder: all_below(folder) for folder in below}
wrong = []


def complain(path, line, sentence):
    wrong.append(f"{path.relative_to(root)}:{line}: {sentence}")


def lines_of(path):
    """Numbered lines without comments."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        yield number, re.sub(r"//.*", "", line)


def check_source(path):
    layer = path.relative_to(root / "src").parts[0]
    for number, line in lines_of(path):
        include = re.match(r'\s*#\s*include\s*["<](\w+)/', line)
        if layer == "cli" and '"selftest/selftest.h"' in line:
            continue
        if include and include[1] in below and include[1] not in visible[layer]:
            complain(path, number, f"{layer} includes {include[1]}, which is not below it")
        if layer != "gpu" and re.search(r"vulkan/|vk_mem_alloc|\bVk[A-Z]|\bvk[A-Z]\w*\(", line):
            complain(path, number, "Vulkan outside src/gpu")
        prints = re.search(r"(?<![\w])(v?printf|puts|putchar|perror)\s*\(|\bstdout\b|\bstderr\b", line)
        if prints and layer not in ("cli", "selftest") and path != root / "src/util/error.c":  # bug() must speak for itself
            complain(path, number, "prints below src/cli")
        if layer in ("improve", "model", "learn", "train", "search"):
            name = re.search(r'(?i)(?<![a-z])(tsp|cvrp|sdvrp|pctsp|spctsp)(?![a-z])|problem_op|"op"', line)
            if name:
                complain(path, number, f"names the problem {name[0]}")
            column = re.search(r"(?<!drawn\.)(?<!trained\.)(?<=->|.\.)\b(demand|capacity|prize|real_prize|penalty|min_prize|max_length)\b", line)
            if column and layer != "improve":  # which knows what a demand is, but not whose
                complain(path, number, f"names the column {column[0]}")


def arguments_of(shader):
    """The stem of the argument struct that a shader takes, its includes followed."""
    text = shader.read_text()
    found = re.findall(r"^ARGUMENTS(?:_FAR)?\((\w+)\)", text, re.M)
    for include in re.findall(r'^\s*#include "([^"]+)"', text, re.M):
        if (root / "shaders" / include).suffix == ".glsl":
            found += arguments_of(root / "shaders" / include)
    return found


def check_contract(shader, stem, contract):
    """The argument struct: pointers first, and ARGS says where they end."""
    pattern = rf"^struct {stem}_args \{{(.*?)^}};\nARGS(_POINTERS|_FAR)?\({stem}(?:, (\w+))?\);"
    found = re.search(pattern, contract, re.M | re.S)
    if not found:
        complain(shader, 1, f"shaders/args has no struct {stem}_args with its ARGS({stem}, ...)")
        return
    fields = re.findall(r"^\s*(\w+)\s+(\w+)", re.sub(r"//.*", "", found[1]), re.M)
    sizes = [name for kind, name in fields if kind != "ptr"]
    if [kind == "ptr" for kind, _ in fields] != sorted((kind == "ptr" for kind, _ in fields), reverse=True):
        complain(shader, 1, f"{stem}_args does not begin with all its pointers")
    if found[3] != (sizes[0] if sizes else None):
        complain(shader, 1, f"the pointers of {stem}_args do not end before {found[3]}")


def check_shaders():
    listed = re.findall(r"'([\w/]+\.comp)'", (root / "shaders/meson.build").read_text())
    contract = "".join(part.read_text() for part in sorted((root / "shaders/args").glob("*.h")))
    used = {}  # stem: argument structs of the kernels made from it
    for source in (root / "src").rglob("*.c"):
        for stem, args in re.findall(r"\bKERNEL(?:_ALONE|_THREADS)?(?:_WITH)?\((\w+)(?:,\s*(\w+))?(?:,\s*\w+)?\)", source.read_text()):
            used.setdefault(stem, []).append(args or stem)
    for shader in sorted((root / "shaders").rglob("*.comp")):
        if str(shader.relative_to(root / "shaders")) not in listed:
            complain(shader, 1, "is not listed in shaders/meson.build")
        args = arguments_of(shader)
        variants = {shader.stem: args}
        if sorted(args) == ["beam_merge", "beam_step", "decide", "rules", "turn"]:  # a problem's rules are compiled as five kernels
            variants = {shader.stem: ["rules"], shader.stem + "_merge": ["beam_merge"], shader.stem + "_beam": ["beam_step"],
                        shader.stem + "_turn": ["turn"], shader.stem + "_decide": ["decide"]}
        for stem, args in variants.items():
            if len(args) != 1:
                complain(shader, 1, f"takes {len(args)} argument structs, not one")
                continue
            check_contract(shader, args[0], contract)
            if stem not in used:
                complain(shader, 1, f"no KERNEL is made from {stem}")
            elif any(other != args[0] for other in used[stem]):
                complain(shader, 1, f"takes {args[0]}_args, but its KERNEL is declared with {used[stem]}")


def check_report():
    """Every operation of the network goes through the vendors' compilers."""
    report = (root / "tests/pipeline_report.c").read_text()
    header = root / "src/nn/nn.h"
    for number, line in lines_of(header):
        operation = re.match(r"void (nn_\w+)\(", line)
        if operation and not re.search(rf"\b{operation[1]}\(", report):
            complain(header, number, f"{operation[1]} is not recorded in tests/pipeline_report.c")


sources = sorted(path for path in (root / "src").rglob("*.*") if path.suffix in (".c", ".h", ".cpp"))
for source in sources:
    check_source(source)
check_shaders()
check_report()
print("\n".join(wrong) if wrong else f"{len(sources)} files keep the layers")
sys.exit(bool(wrong))
