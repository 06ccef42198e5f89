#!/usr/bin/env bash
# Runs every script of tools/ once: those that install, test, or need PyPI or other vendors' compilers only print their help, the
# others do as little as they can.
#
#   tools.sh SOURCE-FOLDER PROGRAM
set -u
source=$(realpath "$1")
MDAM_VK=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export MDAM_VK_MODELS=$source/models
failures=0

expect() { # NAME STATUS PATTERN COMMAND...: the exit code, and a pattern of bash in what it prints
    local name=$1 status=$2 pattern=$3 got word=OK
    shift 3
    "$@" >out 2>err </dev/null
    got=$?
    # shellcheck disable=SC2053
    if [ "$got" != "$status" ] || [[ $(cat out err) != $pattern ]]; then
        word=FAIL failures=$((failures + 1))
        echo "$name: exit code $got instead of $status; $(tail -n 5 out err)"
    fi
    echo "/tools/$name [ $word ]"
}

# A copy, so that answers go beside it and not into the build.
cp "$MDAM_VK" mdam-vk
export MDAM_VK=$folder/mdam-vk
for script in "$source"/tools/*; do
    name=$(basename "$script")
    case $name in
    count.awk) continue ;;  # is a part of check, and has a test of its own
    measure.sh) continue ;; # is a part of results, ablation and studies
    shader) expect shader-nothing 2 '*tools/shader STEM*' "$script" ;; # the build runs it
    check | setup | vendors | peers | wheel) ;;
    on)
        expect on-nothing 2 '*tools/on DEVICE COMMAND*' "$script"
        expect on-no-command 2 '*tools/on DEVICE COMMAND*' "$script" llvmpipe8
        expect on-command 0 'ran' "$script" llvmpipe16 echo ran
        expect on-unknown 2 '*unknown device voodoo*' "$script" voodoo echo ran
        ;;
    try)
        expect try-one 0 '*TSP*The routes are in *.svg*' "$script" tsp
        expect try-unknown 2 '*no examples/nothing.json*' "$script" nothing
        ;;
    compare)
        expect compare-one 0 '*norm2 *0 of 1 slower*' "$script" --pairs 1 --tolerance 10000 "$MDAM_VK" "$MDAM_VK" norm2
        ;;
    benchmarks) expect benchmarks-one 0 '*| norm2 *' "$script" norm2 ;;
    results)
        expect results-one 0 '*| TSP | 20 | [0-9]*' "$script" --limit 1 --sizes 20 --problems tsp --folder "$folder/results"
        ;;
    ablation)
        expect ablation-one 0 '*| 250 | [0-9]*' "$script" --limit 1 --problems tsp --folder "$folder/ablation" \
            --figures "$folder"
        expect ablation-figure 0 '' test -s ablation-tsp.svg
        ;;
    studies)
        expect studies-one 0 '*| TSP, random |*[0-9] ±* |*' "$script" --limit 1 --problems tsp --only starts --folder "$folder/studies"
        ;;
    gpu) # the page is what the parts say; only its compilers and jobs take long
        expect gpu-print 0 '# GPUs*' "$script" --print
        cp out page
        expect gpu-page 0 '' cmp page "$source/docs/gpu.md"
        expect gpu-unknown 2 '*tools/gpu*' "$script" voodoo
        ;;
    shares) # the test `shares` runs it
        expect shares-none 1 '*no pipeline*' "$script" </dev/null
        ;;
    recipes)
        expect recipes-one 0 '*| paper | [0-9]*' "$script" --seconds 0.1 --tune 0.1 --rates "1 2" --seeds 1 --problems tsp -n 5 \
            --val-size 2 --arms paper --results "$folder/recipes.txt"
        ;;
    *)
        echo "tests/tools.sh does not know tools/$name"
        failures=$((failures + 1))
        ;;
    esac
    expect "$name-help" 0 "*tools/$name*" "$script" --help
done
[ "$failures" = 0 ]
