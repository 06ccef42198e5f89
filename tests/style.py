#!/usr/bin/env python3
"""Keeps the formatting: every C and C++ file is as clang-format leaves it. Releases differ in details, so that only the
one that tools/setup installs is asked. GLSL (*.comp, *.glsl) it does not know; the headers that C and GLSL share are C.
Exits with 77 where that release is not installed."""
import re
import shutil
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
RELEASE = "14"


def find_formatter():
    for name in (f"clang-format-{RELEASE}", "clang-format"):
        path = shutil.which(name)
        version = subprocess.run([path, "--version"], stdout=subprocess.PIPE, text=True).stdout if path else ""
        if re.search(rf"version {RELEASE}\.", version):
            return path
    print(f"clang-format {RELEASE} is not installed")
    sys.exit(77)


formatter = find_formatter()
files = sorted(path for folder in ("src", "include", "tests", "shaders") for path in (root / folder).rglob("*.*")
               if path.suffix in (".c", ".cpp", ".h"))
done = subprocess.run([formatter, "--dry-run", "-Werror", *files])
if not done.returncode:
    print(f"{len(files)} files are formatted")
sys.exit(done.returncode)
