#!/usr/bin/env python3
"""tools/compare against two programs that print known times: what it judges, prints and returns."""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

compare = Path(__file__).resolve().parent.parent / "tools" / "compare"
failures = 0

# A build: run number i prints the i-th of its times for each benchmark, and starts again after the last. Brief runs
# take half the time.
FAKE = """#!{python}
import json, pathlib, sys
run = pathlib.Path(__file__).with_name("run")
count = int(run.read_text())
run.write_text(str(count + 1))
brief = "--brief" in sys.argv
names = [word for word in sys.argv[2:] if not word.startswith("--")]
print(json.dumps({{"results": [
    {{"name": name, "seconds": times[count % len(times)] / (2 if brief else 1)}}
    for name, times in {times}.items() if not names or any(name.startswith(prefix) for prefix in names)]}}))
"""


def build(folder, name, times):
    path = folder / name
    path.mkdir()
    (path / "run").write_text("0")
    (path / "mdam-vk").write_text(FAKE.format(python=sys.executable, times=times))
    (path / "mdam-vk").chmod(0o755)
    return path


def expect(name, code, parts, *arguments):
    global failures
    run = subprocess.run([compare, *map(str, arguments)], capture_output=True, text=True, check=False)
    text = run.stdout + run.stderr
    good = run.returncode == code and all(part in text for part in parts)
    if not good:
        failures += 1
        print(f"exit code {run.returncode}, expected {code} and {parts}:\n{text}")
    print(f"/compare/{name} [ {'OK' if good else 'FAIL'} ]")


with tempfile.TemporaryDirectory() as text:
    folder = Path(text)
    steady = [1.0, 1.001, 0.999]
    old = build(folder, "old", {"a": steady, "b": steady, "gone": steady})
    slow = build(folder, "slow", {"a": [1.02], "b": [1.05], "added": steady})
    noisy = build(folder, "noisy", {"a": [1.0, 1.2, 0.8]})
    later = build(folder, "later", {"a": [1.1]})
    broken = folder / "broken"
    broken.write_text("#!/bin/sh\necho lost the device >&2\nexit 3\n")
    broken.chmod(0o755)

    expect("same", 0, ["0 of 3 slower"], old, old)
    # 2 % is within the tolerance, 5 % is not.
    expect("slower", 1, ["1.020", "1.050", "1 of 2 slower", ": b", "only the old build has it", "only the new build has it"],
           old, slow)
    expect("one-name", 0, ["0 of 1 slower"], old, slow, "a")
    # 10 % slower, but the old build's own times spread further.
    expect("spread", 0, ["1.100", "0 of 1 slower"], noisy, later)
    expect("faster", 0, ["0.909"], later, build(folder, "quick", {"a": [1.0]}))
    expect("tolerance", 0, ["0 of 2 slower by more than 6 %"], "--tolerance", "6", old, slow)
    expect("few-pairs", 0, ["2 pairs are too few"], "--pairs", "2", old, old)
    expect("brief", 1, ["500.000", "1.050"], "--brief", old, slow, "b")
    expect("nothing-shared", 2, ["no benchmark in common"], old, build(folder, "other", {"c": steady}))
    expect("failing-build", 2, ["ended with 3", "lost the device"], old, broken)
    expect("no-program", 2, ["is not a program"], old, folder / "nothing")
    expect("no-arguments", 2, ["usage: tools/compare"])
    expect("help", 0, ["tools/compare [--brief] [--pairs N] [--tolerance P] OLD NEW"], "--help")
sys.exit(failures > 0)
