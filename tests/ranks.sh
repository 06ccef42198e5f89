#!/usr/bin/env bash
# Several ranks on one device: the bytes of one rank, faults, signals. Every rank has one thread.
#
#   ranks.sh PROGRAM MPIRUN [long]
set -u
program=$(realpath "$1") launcher=$2 all=${3-}
command -v "$launcher" >/dev/null || { echo "$launcher is not installed" && exit 77; }
"$program" train --problem tsp -n 5 --mpi --batch 0 2>&1 | grep -q 'built without MPI' && exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export LP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl_vader_single_copy_mechanism=none
failures=0

verdict() { # NAME PASSED
    if [ "$2" = 1 ]; then
        echo "/ranks/$1 [ OK ]"
    else
        echo "/ranks/$1 [ FAIL ]"
        failures=$((failures + 1))
    fi
}
ranks() { # NUMBER ARGUMENT...
    timeout 300 "$launcher" -n "$1" "$program" "${@:2}"
}

size=(--decoders 2 --embedding 16 --heads 2 --hidden 16 --layers 1 --batch 8 --epoch-size 24 --val-size 20 --log-every 1 --quiet)
tsp=(train --problem tsp -n 5 "${size[@]}" --baseline shared --eg-period off)
cvrp=(train --problem cvrp -n 4..6 "${size[@]}" --baseline rollout --eg-from 1 --imitate 0.5)

newest() { # FOLDER: the file of the newest checkpoint
    local slot number best=-1 found=
    for slot in "$1"/checkpoint/*; do
        number=$(head -c 20000 "$slot" | grep -ao '"checkpoint":[0-9]*' | head -n 1)
        [ "${number#*:}" -le "$best" ] || { best=${number#*:} found=$slot; }
    done
    echo "$found"
}
log_of() { sed -E 's/"(seconds|improve_share)":[^,}]*,?//g' "$1/log.jsonl"; }
same() { # NAME FOLDER FOLDER: the same training?
    local passed=1
    cmp "$2/model.safetensors" "$3/model.safetensors" || passed=0
    cmp "$(newest "$2")" "$(newest "$3")" || passed=0
    diff <(log_of "$2") <(log_of "$3") || passed=0
    [ $passed = 1 ] || cat err
    verdict "$1" $passed
}
# Ends with that status and message, in time?
ends() { # NAME STATUS PATTERN SECONDS COMMAND...
    local name=$1 status=$2 pattern=$3 limit=$4 start=$SECONDS got passed=1
    shift 4
    "$@" >out 2>err </dev/null
    got=$?
    [ "$got" = "$status" ] || { echo "$name: exit code $got instead of $status" && passed=0; }
    # shellcheck disable=SC2053
    [[ $(<err) == $pattern ]] || { echo "$name: stderr is $(<err)" && passed=0; }
    [ "$(grep -c '^mdam-vk: ' err)" -le 1 ] || { echo "$name: says $(<err)" && passed=0; }
    [ $((SECONDS - start)) -le "$limit" ] || { echo "$name: took $((SECONDS - start)) s" && passed=0; }
    verdict "$name" $passed
}
injected() { # RANK FAULT COMMAND...: with a fault in one rank alone
    # shellcheck disable=SC2016
    ranks_of=$1 fault=$2 program="$program" "$launcher" -n 2 bash -c '
        [ "${OMPI_COMM_WORLD_RANK-${PMI_RANK-}}" != "$ranks_of" ] || export MDAM_VK_INJECT=$fault
        exec "$program" "$@"' - "${@:3}"
}
await() { # COMMAND...: until it succeeds
    for _ in $(seq 600); do
        ! "$@" || return 0
        sleep 0.1
    done
    return 1
}

# --- the same bytes -------------------------------------------------------------------------------------------------
"$program" "${tsp[@]}" --parts 4 --epochs 2 -o tsp >/dev/null
"$program" "${cvrp[@]}" --parts 4 --epochs 2 -o cvrp >/dev/null
ranks 2 "${tsp[@]}" --parts 4 --epochs 2 -o tsp2 >/dev/null 2>err
same tsp-2 tsp tsp2
ranks 4 "${cvrp[@]}" --parts 4 --epochs 2 -o cvrp4 >/dev/null 2>err
same cvrp-4 cvrp cvrp4

# ... across a resume with another number of ranks.
ranks 4 "${cvrp[@]}" --parts 4 --epochs 1 -o resumed >/dev/null 2>err
ranks 2 train --resume resumed --epochs 2 --quiet >/dev/null 2>err
same resumed cvrp resumed

# A rank that is killed ends the job.
"$launcher" -n 2 "$program" "${cvrp[@]}" --parts 4 --epochs 2 --checkpoint-minutes 0.0001 -o killed >/dev/null 2>err &
job=$!
await test -e killed/checkpoint/1
start=$SECONDS
kill -9 "$(pgrep -f "^$program train.*-o killed" | tail -n 1)"
wait $job
[ $? != 0 ] && [ $((SECONDS - start)) -le 10 ]
verdict killed-ends $((!$?))
await flock -n killed/log.jsonl true
"$program" train --resume killed --epochs 2 --quiet >/dev/null 2>err
same killed cvrp killed

# SIGTERM to the launcher ends it with a checkpoint of the last step.
OMPI_MCA_odls_base_sigkill_timeout=20 "$launcher" -n 2 "$program" "${tsp[@]/24/80000}" --parts 4 -o terminated >/dev/null 2>err &
job=$!
await grep -qs '"cost"' terminated/log.jsonl
kill -TERM $job
wait $job
await flock -n terminated/log.jsonl true
step=$(tail -n 1 terminated/log.jsonl | sed -E 's/.*"step":([0-9]+),.*/\1/')
grep -aq "\"step\":$step," "$(newest terminated)"
verdict terminated $((!$?))

# ... and for every combination.
if [ "$all" ]; then
    for problem in "tsp -n 6" "cvrp -n 4..6"; do
        for glimpse in "--eg-period off" "--eg-period 2"; do
            for baseline in rollout shared; do
                for norm in instance batch; do
                    # shellcheck disable=SC2206
                    words=(train --problem $problem $glimpse --baseline $baseline --norm $norm "${size[@]}" --epochs 2)
                    name=${problem%% *}-${glimpse##* }-$baseline-$norm
                    "$program" "${words[@]}" --parts 4 -o "$name" >/dev/null
                    for number in 2 4; do
                        ranks $number "${words[@]}" --parts 4 -o "$name-$number" >/dev/null 2>err
                        same "$name-$number" "$name" "$name-$number"
                    done
                done
            done
        done
    done
    # Parts that are no power of two for each rank.
    for number in 1 2 3 6; do
        ranks $number "${cvrp[@]/8/12}" --parts 6 --epochs 2 -o "six-$number" >/dev/null 2>err
        same "six-$number" six-1 "six-$number"
    done
fi

# --- faults ---------------------------------------------------------------------------------------------------------
ends refused 2 '*mdam-vk: train: --parts: 3 ranks cannot share the 4 parts of a batch evenly; possible ranks: 1, 2, 4*' 60 \
    ranks 3 "${tsp[@]}" --parts 4 -o refused
ends refused-one 2 '*2 ranks cannot share the 1 part of a batch evenly; possible ranks: 1; more ranks need a training with more parts*' \
    60 ranks 2 "${tsp[@]}" -o refused
[ ! -e refused ]
verdict refused-early $((!$?))
if [ "$all" ]; then
    ends refused-resume 2 '*3 ranks cannot share the 4 parts*' 60 ranks 3 train --resume tsp --quiet
    ends taken 2 '*mdam-vk: train: tsp: already has a training, which can be resumed*' 60 \
        ranks 2 "${tsp[@]}" --parts 4 -o tsp
    ends flag 2 '*mdam-vk: train: --batch*' 60 ranks 2 "${tsp[@]}" --batch 0 -o flag
    ends no-device 3 "*mdam-vk: rank 1 on $(hostname): *" 60 injected 1 unusable "${tsp[@]}" --parts 4 -o none
    # Without a launcher a job has one rank.
    "$program" "${tsp[@]}" --parts 4 --epochs 2 --mpi -o alone >/dev/null 2>err
    same alone tsp alone
fi
ends lost 3 "*mdam-vk: rank 1 on $(hostname): train: *" 60 injected 1 submit:40 "${tsp[@]}" --parts 4 -o lost
ends full 3 "*mdam-vk: rank 0 on $(hostname): train: *No space left on device*" 60 \
    injected 0 disk:20 "${tsp[@]}" --parts 4 --checkpoint-minutes 0.0001 -o full
# Gradients that are not reduced let ranks drift apart, and a validation notices.
MDAM_VK_INJECT=unreduced ends drift 1 '*mdam-vk: train: after step 3 the weights of rank 1 are not those of rank 0*' 60 \
    ranks 2 "${tsp[@]}" --parts 4 -o drift
# A gradient that is not finite in one part is skipped by all, and counted once.
"$program" "${tsp[@]}" --parts 4 --epochs 2 --lr 1e28 -o infinite >/dev/null
ranks 2 "${tsp[@]}" --parts 4 --epochs 2 --lr 1e28 -o infinite2 >/dev/null 2>err
grep -q '"skipped":[1-9]' infinite/log.jsonl
verdict skips $((!$?))
same infinite infinite infinite2

# --- solving and evaluating -----------------------------------------------------------------------------------------
"$program" init --problem cvrp -n 6 --decoders 2 --embedding 16 --heads 2 --hidden 16 --layers 1 -o cvrp.safetensors
"$program" generate --problem cvrp -n 4..6 --count 11 -o list.jsonl
untimed() { sed -E 's/"seconds": ?[^,]*,//' "$1"; }
alike() { # NAME COMMAND ARGUMENT...: with one rank and with two
    local name=$1
    "$program" "${@:2}" >one 2>/dev/null
    ranks 2 "${@:2}" >two 2>err
    [ -s one ] && diff <(untimed one) <(untimed two) || { cat err && false; }
    verdict "$name" $((!$?))
}
alike solve solve list.jsonl -m cvrp.safetensors --quiet
alike eval eval --data list.jsonl -m cvrp.safetensors --decode sample --quiet
"$program" solve list.jsonl -m cvrp.safetensors --decode greedy -o all.jsonl --quiet
ends solve-lost 3 "*mdam-vk: rank 1 on $(hostname): *" 60 \
    injected 1 submit:12 solve list.jsonl -m cvrp.safetensors --decode greedy -o some.jsonl --quiet
# The solutions before the fault are there, if any, and whole.
touch some.jsonl
diff <(untimed all.jsonl | head -n "$(wc -l <some.jsonl)") <(untimed some.jsonl)
verdict solve-survives $((!$?))
ranks 2 bench reduce --quick --json --quiet >out 2>err
[ "$(grep -c '"name": "reduce tsp20"' out)" = 1 ]
verdict bench $((!$?))
ends input 2 '*standard input reaches one of 2 ranks only*' 60 ranks 2 solve - -m cvrp.safetensors

exit $((failures > 0))
