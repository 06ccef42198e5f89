#!/usr/bin/env bash
# Runs the commands in the `sh` blocks of README.md and docs/guide.md, one after the other, in a folder that looks like a
# clone of the project with its build. Long commands are shortened by the rules below.
#
#   readme.sh SOURCE-FOLDER BUILD-FOLDER CHECKPOINT-WRITER
set -u
source=$(realpath "$1") build=$(realpath "$2") writer=$(realpath "$3")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
for name in examples tools models; do [ ! -e "$source/$name" ] || ln -s "$source/$name" "$name"; done
ln -s "$build" build
"$writer" cvrp checkpoint.pt || exit 1
echo '{"problem":"cvrp","graph_size":20,"n_EG":2}' >args.json

# Models that do not ship are untrained ones here.
export MDAM_VK_MODELS=$folder/weights
mkdir weights
for problem in tsp cvrp sdvrp op pctsp spctsp; do
    cp "models/$problem.safetensors" weights/ 2>/dev/null ||
        build/mdam-vk init --problem $problem -n 20 -o weights/$problem.safetensors || exit 1
done

# Open MPI refuses root, and more ranks than cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
mpi=$(command -v mpirun)
build/mdam-vk train --problem tsp -n 5 --mpi --batch 0 2>&1 | grep -q 'built without MPI' && mpi=

# The command as the README has it, or with less work.
shortened() { # COMMAND
    case $1 in
    tools/*) echo "${1%%#*} --help" ;; # tests/tools.sh runs them
    *' selftest'*) echo "${1%%#*} --quick" ;;
    *' eval '*) echo "${1%%#*} --limit 4" ;;
    mpirun*) echo "${1%%#*} --epochs 1 --epoch-size 4 --val-size 4 --batch 4 --parts 2 --embedding 16 --heads 2 --hidden 16" \
        "--layers 1 --decoders 2 --eg-period off --baseline shared --rollouts 2" ;;
    *'train --resume'*) echo "${1%%#*} --epochs 2" ;;
    *' train '*) sed -E 's/#.*//; s/--(time-limit|val-size|batch|rollouts|epochs|epoch-size|eg-from) [0-9]+//g
        s/$/ --epochs 1 --epoch-size 8 --val-size 8 --batch 8 --rollouts 2/' <<<"$1" ;;
    *--time-limit*) sed -E 's/--time-limit [0-9]+/--time-limit 3/' <<<"$1" ;;
    *) echo "$1" ;;
    esac
}

commands=$(awk '/^```sh$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$source/README.md" "$source/docs/guide.md" |
    sed -e ':join' -e '/\\$/ { N; s/\\\n *//; b join }' | grep -v '^$')
failures=0 number=0
while read -r command; do
    number=$((number + 1))
    name=$(sed -E 's/ *#.*//; s/[^A-Za-z0-9]+/-/g' <<<"$command" | cut -c 1-60)
    word=OK
    if [[ $command == renderdoccmd* ]] && ! command -v renderdoccmd >/dev/null || [[ $command == mpirun* && ! $mpi ]]; then
        word=SKIP
    elif ! bash -euo pipefail -c "$(shortened "$command")" >out 2>err </dev/null; then
        word=FAIL failures=$((failures + 1))
        printf '%s\n' "$command" "$(tail -n 5 out err)"
    fi
    echo "/readme/$number-$name [ $word ]"
done <<<"$commands"

# The examples leave the files that they name.
for file in paris.svg berlin52.tour answers.jsonl own/model.safetensors old.safetensors trace.json \
    tsp_capture.rdc; do
    word=OK
    [[ $file == *.rdc ]] && ! command -v renderdoccmd >/dev/null && continue
    [ -s "$file" ] || { word=FAIL && failures=$((failures + 1)); }
    echo "/readme/leaves-$file [ $word ]"
done
[ "$failures" = 0 ] && [ "$number" -gt 20 ]
