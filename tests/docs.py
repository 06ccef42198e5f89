#!/usr/bin/env python3
"""Keeps the documents: links and examples lead somewhere, the files and functions that they name exist, the README is short,
docs/results.md and docs/gpu.md are what tools/results and tools/gpu assemble, and selftest prints what docs/gpu.md assumes."""
import re
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
README_LINES = 150
documents = [root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "models/README.md")]
documents += sorted((root / "docs").glob("*.md"))
documents = [path for path in documents if path.exists()]
wrong = []


def complain(path, number, sentence):
    wrong.append(f"{path.relative_to(root)}:{number}: {sentence}")


def check_link(path, number, target):
    if re.match(r"\w+://", target):
        return
    file, _, anchor = target.partition("#")
    file = path.parent / file if file else path
    if not file.exists():
        complain(path, number, f"no {target}")
    elif anchor:
        headings = re.findall(r"^#+ (.*)$", file.read_text(), re.MULTILINE)
        anchors = [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]
        if anchor not in anchors:
            complain(path, number, f"no heading #{anchor} in {file.name}")


def defines(file, function):
    """Whether a C or GLSL file defines a function: its name after a type at the start of a line, arguments, a brace."""
    text = file.read_text()
    for match in re.finditer(rf"^[A-Za-z_][\w \t*]*\b{function}\(", text, re.MULTILINE):
        depth, end = 1, match.end()
        while depth and end < len(text):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        if text[end:].lstrip().startswith("{"):
            return True
    return False


def check_assumptions(path, text):
    """Every line of a report that docs/gpu.md names is one that selftest prints."""
    sources = "".join(file.read_text() for folder in ("selftest", "gpu") for file in sorted((root / "src" / folder).glob("*.c")))
    if "| assumption |" not in text or "| card |" not in text:
        complain(path, 1, "no table of assumptions, or none of cards")
        return
    rows = re.findall(r"^\|.*\|$", text[text.index("| assumption |"):].split("\n\n")[0], re.MULTILINE)[2:]
    heads = text[text.index("| card |"):].splitlines()[0]
    for line in re.findall(r"`([^`]+)`", heads + "".join(row.split("|")[-2] for row in rows)):
        if not re.search(rf'"(?:%s: )?{re.escape(line)}\b', sources):
            complain(path, 1, f"no line `{line}` of selftest")
    if len(rows) < 5:
        complain(path, 1, "no table of assumptions")


def check_code(path, number, text):
    """`file:function` and `folder/file.ext`, from the root of the project; `stem.comp`, anywhere under shaders."""
    named = re.fullmatch(r"((?:src|shaders|include|tests)/[\w./]+\.\w+):(\w+)", text)
    file = re.fullmatch(r"(?:src|shaders|include|tests|tools|examples|docs)/[\w./-]+", text)
    kernel = re.fullmatch(r"\w+\.comp", text)
    if named:
        source = root / named[1]
        if not source.exists():
            complain(path, number, f"no {named[1]}")
        elif not defines(source, named[2]):
            complain(path, number, f"{named[1]} does not define {named[2]}")
    elif file and not (root / text).exists():
        complain(path, number, f"no {text}")
    elif kernel and not list((root / "shaders").rglob(text)):
        complain(path, number, f"no kernel {text}")


for path in documents:
    inside = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("```"):
            inside = not inside
        if inside:
            continue
        for target in re.findall(r"\]\(([^) ]+)\)", line):
            check_link(path, number, target)
        for text in re.findall(r"`([^`]+)`", line):
            check_code(path, number, text)

for path in sorted((root / "examples").iterdir()):
    if not path.exists():
        complain(path, 1, "leads nowhere")

lines = len((root / "README.md").read_text().splitlines())
if lines > README_LINES:
    complain(root / "README.md", lines, f"has more than {README_LINES} lines")

for page, tool in ("docs/results.md", "tools/results"), ("docs/gpu.md", "tools/gpu"):
    assembled = subprocess.run([root / tool, "--print"], capture_output=True, text=True, check=True).stdout
    if (root / page).read_text() != assembled:
        complain(root / page, 1, f"is not what {tool} --assemble writes")

check_assumptions(root / "docs/gpu.md", (root / "docs/gpu.md").read_text())

print("\n".join(wrong) if wrong else f"{len(documents)} documents are sound")
sys.exit(bool(wrong))
