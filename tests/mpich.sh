#!/usr/bin/env bash
# Builds with MPICH, beside an Open MPI that may be the default, and runs tests/ranks.sh: mpich.sh SOURCE-FOLDER
set -euo pipefail
source=$(realpath "$1")
command -v mpirun.mpich >/dev/null && pkg-config --exists mpich || { echo "MPICH is not installed" && exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$(pkg-config --variable=pcfiledir mpich)/mpich.pc" "$folder/mpi-c.pc"
PKG_CONFIG_PATH=$folder${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH} meson setup "$folder/build" "$source" -Dmpi=enabled -Dwerror=true
ninja -C "$folder/build" mdam-vk
ldd "$folder/build/mdam-vk" | grep -q libmpich
"$source/tests/ranks.sh" "$folder/build/mdam-vk" mpirun.mpich
