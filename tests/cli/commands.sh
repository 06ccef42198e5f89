#!/usr/bin/env bash
# The built program as a user meets it: exit codes, what is on stdout and what on stderr.
#
#   commands.sh PROGRAM
set -u
program=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

verdict() { # NAME PASSED
    if [ "$2" = 1 ]; then
        echo "/commands/$1 [ OK ]"
    else
        echo "/commands/$1 [ FAIL ]"
        failures=$((failures + 1))
    fi
}

# Runs the program and compares exit code, stdout and stderr; a pattern is a bash one.
expect() { # NAME STATUS STDOUT-PATTERN STDERR-PATTERN ARGUMENT...
    local name=$1 status=$2 out=$3 err=$4 got passed=1
    shift 4
    "$program" "$@" >out 2>err </dev/null
    got=$?
    [ "$got" = "$status" ] || { echo "$name: exit code $got instead of $status" && passed=0; }
    # shellcheck disable=SC2053
    [[ $(<out) == $out ]] || { echo "$name: stdout is $(head -c 500 out)" && passed=0; }
    # shellcheck disable=SC2053
    [[ $(<err) == $err ]] || { echo "$name: stderr is $(head -c 500 err)" && passed=0; }
    verdict "$name" $passed
}

expect none 2 '' 'mdam-vk: a command is required*'
expect unknown 2 '' 'mdam-vk: unknown command "route"; `mdam-vk help` lists the commands' route
expect mistyped 2 '' 'mdam-vk: unknown command "sovle"; did you mean solve?' sovle
expect version 0 'mdam-vk [0-9]*' '' --version
expect help 0 'usage: mdam-vk COMMAND*init*generate*validate*import*XDG_CACHE_HOME  *folder*default: ~/.cache[)]' '' help
expect help-flag 0 'usage: mdam-vk COMMAND*' '' --help
expect help-command 0 'usage: mdam-vk generate*--count C*' '' help generate
expect help-command-flag 0 'usage: mdam-vk validate*INSTANCE SOLUTION*' '' validate --help
expect help-help 0 'usage: mdam-vk help *' '' help help
expect manual 0 '.TH MDAM*.SS solve*\\-\\-plot OUT.svg*.SH ENVIRONMENT*.SH FILES*.SH EXAMPLES*' '' help --man
expect formats 0 'Instances:*Solutions:*Examples:*' '' help formats
# Its examples are read: paragraphs of JSON with nodes are instances, that with routes is a solution of the first.
awk -v RS= '/^ *[{].*"nodes"/ { print >("shown" ++n ".json") } /^ *[{].*"routes"/ { print >"shown-solution.json" }' out
expect formats-instance 0 '' '' plot shown1.json -o shown.svg --quiet
expect formats-objects 0 '' '' plot shown2.json -o shown.svg --quiet
expect formats-solution 0 '{"feasible":true,"objective":1.73*,"violation":null}' '' \
    validate shown1.json shown-solution.json --quiet
# No line is too long for a terminal, also in the manual, which wraps paragraphs itself; groff must find no mistakes.
"$program" help formats | awk '/^    / { $0 = $0 "       " } length > 80 { print; bad = 1 } END { exit bad }'
verdict formats-width $((!$?))
if command -v groff >/dev/null; then
    mistakes=$("$program" help --man | groff -man -Tutf8 -ww 2>&1 >/dev/null)
    [ -z "$mistakes" ] || echo "the manual: $mistakes"
    [ -z "$mistakes" ]
    verdict manual-roff $((!$?))
fi
expect manual-one 2 '' 'mdam-vk: help: --man *' help solve --man
expect completion 0 '# bash completion*' '' help --completion bash

# Completion: the shell's offers for a line with an unfinished last word.
cp out completion.bash
offers() { # NAME WORDS LINE...
    local name=$1 expected=$2 got
    shift 2
    # shellcheck disable=SC1091,SC2034
    got=$(source ./completion.bash && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) && _mdam_vk && echo "${COMPREPLY[*]}")
    [ "$got" = "$expected" ] || echo "$name: offers $got"
    [ "$got" = "$expected" ]
    verdict "completion-$name" $((!$?))
}
offers command 'validate' mdam-vk va
offers flag '--decode --decoders' mdam-vk solve x.json --deco
offers choice 'greedy' mdam-vk eval --decode gr
offers problem 'pctsp' mdam-vk train --problem pc
offers help 'train' mdam-vk help tr
offers help-formats 'formats' mdam-vk help fo
offers number '' mdam-vk generate --count ''

# Every flag of every command is in the manual.
"$program" help --man | sed 's/\\//g' >manual
missing=$("$program" help | awk '/^$/ { part++ } part == 1 && $1 != "help" && NF { print $1 }' | while read -r command; do
    "$program" help "$command" | awk '/^  -/ { print $1 }' | tr -d , | while read -r flag; do
        grep -q -- "^$flag\b" manual || echo "$command $flag"
    done
done)
[ -z "$missing" ] || echo "not in the manual: $missing"
[ -z "$missing" ]
verdict manual-complete $((!$?))
expect help-more 2 '' 'mdam-vk: help: unexpected "x"' help generate x
expect version-more 2 '' 'mdam-vk: --version: *' --version x
expect help-unknown 2 '' 'mdam-vk: unknown command "x"*' help x
expect flag 2 '' 'mdam-vk: generate: unknown flag --cuont; did you mean --count?' generate --cuont 7
for command in init generate validate plot import; do
    expect "no-device-$command" 2 '' "mdam-vk: $command: unknown flag --device; *" $command --device 0
done
expect quiet 0 '{"problem":"tsp"*' '' generate --problem tsp -n 5 --count 1 --quiet --progress none -o -
expect missing 2 '' 'mdam-vk: generate: -n N|A..B is required' generate --problem tsp --count 2 -o -

# generate
expect problem 2 '' 'mdam-vk: generate: --problem: *' generate --problem vrp -n 5 --count 1 -o -
expect capacity 2 '' 'mdam-vk: generate: --capacity: *' \
    generate --problem cvrp -n 5 --count 1 --capacity 5 -o -
expect no-capacity 2 '' 'mdam-vk: generate: --capacity: *' generate --problem tsp -n 5 --count 1 --capacity 5 -o -
expect no-prize 2 '' 'mdam-vk: generate: --prize: *' \
    generate --problem tsp -n 5 --count 1 --prize unif -o -
expect no-length 2 '' 'mdam-vk: generate: --max-length: tsp has no length limit' \
    generate --problem tsp -n 5 --count 1 --max-length 1..2 -o -
for range in 2..1 0 x 1..y 1.. ..2 1e9; do
    expect "length-$range" 2 '' 'mdam-vk: generate: --max-length: *' \
        generate --problem op -n 5 --count 1 --max-length $range -o -
done
expect length 0 '*"max_length":1.5}*' '' generate --problem op -n 5 --count 1 --max-length 1.5 --prize mixed -o -
expect layout 2 '' 'mdam-vk: generate: --layout: *' \
    generate --problem tsp -n 5 --count 1 --layout x -o -
expect kool-layout 2 '' 'mdam-vk: generate: --like: *' \
    generate --problem tsp -n 5 --like kool --layout cluster --count 1 -o -
for layout in cluster mixed; do
    expect "generate-$layout" 0 '' '' generate --problem cvrp -n 10..30 --count 9 --layout $layout -o $layout.jsonl
done
expect kool-range 2 '' 'mdam-vk: generate: --like: *' generate --problem tsp -n 5..9 --like kool --count 1 -o -
expect kool-seed 2 '' 'mdam-vk: generate: --seed: *' \
    generate --problem tsp -n 5 --like kool --seed 4294967296 --count 1 -o -
expect folder 2 '' 'mdam-vk: none/x.json: *' \
    generate --problem tsp -n 5 --count 1 -o none/x.json
expect kool 0 '{"problem":"tsp","nodes":\[\[0.1915194503788923,0.6221087710398319\],*' '' \
    generate --problem tsp -n 20 --like kool --count 10 --limit 1 -o -
for problem in tsp cvrp sdvrp op pctsp spctsp; do
    expect "generate-$problem" 0 '' '' generate --problem $problem -n 4..30 --count 9 -o $problem.jsonl
    "$program" generate --problem $problem -n 4..30 --count 5 -o - | cmp -s - <(head -n 5 $problem.jsonl)
    verdict "generate-$problem-prefix" $((!$?)) # an instance does not depend on how many are drawn
done
# A link to standard output, as /dev/stdout is one, stays a link.
ln -s /proc/self/fd/1 stdout
echo first >appended
"$program" generate --problem tsp -n 5 --count 1 -o stdout >>appended
[ -L stdout ] && [ "$(wc -l <appended)" = 2 ] && grep -q '^{"problem":"tsp"' appended
verdict generate-stdout $((!$?))
# Interrupted: nothing is left behind, and what was there stays.
mkdir stopped
for signal in INT TERM; do
    echo old >stopped/set.jsonl
    set -m # or Ctrl-C would be ignored in the background
    "$program" generate --problem tsp -n 100 --count 100000000 -o stopped/set.jsonl &
    set +m
    until [ "$(ls stopped | wc -l)" = 2 ] || ! kill -0 $!; do sleep 0.01; done
    kill -$signal $!
    wait $!
    got=$?
    [ $got = 130 ] && [ "$(ls stopped)" = set.jsonl ] && [ "$(<stopped/set.jsonl)" = old ]
    verdict "generate-$signal" $((!$?))
done

# validate
echo '{"problem":"cvrp","depot":[0,0],"nodes":[[3,0],[3,4],[0,4],[1,1]],"demand":[4,5,6,1],"capacity":9}' >order.json
echo '{"routes":[[1,2],[3,4]]}' >good.json
echo '{"routes":[[1,2,3],[4]]}' >bad.json
expect feasible 0 '{"feasible":true,"objective":20.57*,"violation":null}' '' validate order.json good.json
expect infeasible 4 '{"feasible":false,"objective":*,"violation":"route 1, stop 3: *"}' '' \
    validate order.json bad.json
echo '{"routes":[[1,2],[3,4]],"objective":20.576}' >claim.json
expect claim 0 '{"feasible":true,"objective":20.57*,"violation":null}' '' validate order.json claim.json
echo '{"routes":[[1,2],[3,4]],"objective":1}' >claim.json
expect false-claim 0 '{"feasible":true,*,"warning":"the solution'"'"'s file states the objective 1"}' '' \
    validate order.json claim.json
echo '{"problem":"cvrp","depot":[0,0],"nodes":[[3,0],[3,4]],"demand":[4,45],"capacity":30}' >wrong.json
expect improve 0 '{"problem":"cvrp"*"improve":"local","constructed":20.57*' '20.57* -> * better)' improve order.json good.json
expect improve-full 0 '{"problem":"cvrp"*"improve":"full"*' '*' improve order.json good.json --improve-iterations 20
expect improve-from 2 '' 'mdam-vk: eval: --improve-from: applies to full improvement only' eval -m x --data x --improve-from random
expect improve-infeasible 2 '' 'mdam-vk: instance 1: *' improve order.json bad.json
expect wrong-instance 2 '' 'mdam-vk: wrong.json: /demand/1: *' validate wrong.json good.json
echo '{"routes":[[1,2],[3,"x"]]}' >wrong.json
expect wrong-solution 2 '' 'mdam-vk: wrong.json: /routes/1/1: *' validate order.json wrong.json
expect no-file 2 '' 'mdam-vk: none.json: *' validate none.json good.json
expect directory 2 '' 'mdam-vk: .: cannot be read: Is a directory' validate . good.json
expect one-operand 2 '' 'mdam-vk: validate: INSTANCE SOLUTION required, 1 given' validate order.json
expect both-stdin 2 '' 'mdam-vk: validate: *standard input*' validate - -
expect empty-stdin 2 '' 'mdam-vk: standard input: *' validate - good.json
printf '{"problem":"tsp","nodes":[[0,0],[1,"\033[31m"]]}' >escape.json
expect escapes 2 '' 'mdam-vk: escape.json: *' validate escape.json good.json
cat order.json order.json >several.jsonl
cat good.json bad.json >several.solutions.jsonl
expect several 4 '{"feasible":true,*}'$'\n''{"feasible":false,*}' '' validate several.jsonl several.solutions.jsonl
expect count 2 '' 'mdam-vk: good.json: *' validate several.jsonl good.json
echo '{"problem":"tsp","nodes":[[5,5]]}' >one.json
echo '{"routes":[[1]]}' >tour.json
expect warning 0 '{"feasible":true,"objective":0.0,*' 'mdam-vk: warning: one.json: only 1 node' validate one.json tour.json
expect quiet 0 '{"feasible":true,*' '' validate --quiet one.json tour.json
[ "$("$program" validate - good.json <order.json 2>&1)" = "$("$program" validate order.json good.json 2>&1)" ]
verdict stdin $((!$?))
"$program" validate order.json good.json >/dev/full 2>err
[ $? = 2 ] && grep -q 'standard output: cannot be written: ' err
verdict full-disk $((!$?))

printf 'Route #1: 1\nCost 1\n' >claim.sol
expect claim-sol 0 '{"feasible":true,*,"warning":"the solution'"'"'s file states the objective 1"}' '*' validate one.json claim.sol

# plot
expect plot-ending 2 '' 'mdam-vk: plot: a.jsonl: plots are SVG: the name must end with .svg' plot several.jsonl -o a.jsonl
[ ! -e a.jsonl1 ]
verdict plot-nothing $((!$?))
expect safe-target 2 '' 'mdam-vk: devices: --safe and --target: *' devices --safe --target gpu
expect whole-bound 2 '' 'mdam-vk: improve: --improve-iterations: must be a whole number from 1 to 2^63 - 1, not "0"' \
    improve order.json good.json --improve-iterations 0
expect plot 0 '<svg *length 20.57*</svg>' '' plot order.json good.json -o -
expect plot-instance 0 '<svg *4 customers*</svg>' '' plot order.json -o -
expect plot-infeasible 0 '<svg *infeasible: route 1, stop 3*</svg>' '' plot order.json bad.json -o -
expect plot-missing 2 '' 'mdam-vk: plot: -o OUT.svg is required' plot order.json
expect plot-one-stream 2 '' 'mdam-vk: plot: standard output *' plot several.jsonl -o -
expect plot-several 0 '' '' plot several.jsonl several.solutions.jsonl -o several.svg
[ -s several1.svg ] && [ -s several2.svg ] && [ ! -e several.svg ]
verdict plot-numbers $((!$?))
printf 'TYPE: TSP\nDIMENSION: 2\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 1 nan\n' >wrong.tsp
expect plot-wrong 2 '' 'mdam-vk: wrong.tsp: line 6: *' plot wrong.tsp -o wrong.svg
[ ! -e wrong.svg ]
verdict plot-nothing-written $((!$?))
cp order.json order && cp good.json good
expect plot-over-instance 2 '' 'mdam-vk: plot: -o: *' \
    plot order good.json -o ./order
expect plot-over-solution 2 '' 'mdam-vk: plot: -o: *' \
    plot order.json good -o good
cp several.jsonl several2
expect plot-over-number 2 '' 'mdam-vk: plot: -o: *' plot several2 -o several
cmp -s several2 several.jsonl && [ ! -e several1 ] && [[ $(<good) == '{"routes":'* ]]
verdict plot-nothing-lost $((!$?))

# init
expect init 0 '' '' init --problem cvrp -n 50 -o cvrp.safetensors
expect init-again 0 '' '' init --problem cvrp -n 50 -o again.safetensors
expect init-seed 0 '' '' init --problem cvrp -n 50 --seed 5 -o other.safetensors
cmp -s cvrp.safetensors again.safetensors && ! cmp -s cvrp.safetensors other.safetensors
verdict init-bytes $((!$?))
header() { # FILE: the JSON in front of the data
    head -c 8192 "$1" | tail -c +9 | head -c "$(od -An -tu8 -N8 "$1")"
}
[[ $(header cvrp.safetensors) == *'"problem":"cvrp","dialect":"native","norm":"instance","D":"128","H":"8","F":"512","L":"3","M":"5","p":"6","O":"0",'* ]]
verdict init-metadata $((!$?))
expect init-sizes 0 '' '' init --problem tsp --norm batch --eg-period off --decoders 1 --embedding 16 --heads 4 --hidden 8 \
    --layers 1 -o small.safetensors
[[ $(header small.safetensors) == *'"norm":"batch","D":"16","H":"4","F":"8","L":"1","M":"1","p":"0","O":"0",'* ]]
verdict init-small $((!$?))
expect init-occasions 0 '' '' init --problem tsp --norm batch -n 9000 --eg-period 1 --decoders 1 --embedding 8 --heads 1 \
    --hidden 8 --layers 1 -o many.safetensors
expect init-heads 2 '' 'mdam-vk: init: --heads: *' init --problem tsp --heads 3 -o x
expect init-thin 2 '' 'mdam-vk: init: --heads: *' init --problem tsp --embedding 8 --heads 8 -o x
expect init-period 2 '' 'mdam-vk: init: --eg-period: *' \
    init --problem tsp --eg-period never -o x
expect init-norm 2 '' 'mdam-vk: init: --norm: *' \
    init --problem tsp --norm running -o x
expect init-problem 2 '' 'mdam-vk: init: --problem: *' init --problem vrp -o x
expect init-output 2 '' 'mdam-vk: none/x: cannot be written: *' init --problem tsp -o none/x

# import
expect import-none 2 '' 'mdam-vk: none.pt: *' import none.pt -o x
expect import-other 2 '' 'mdam-vk: cvrp.safetensors: *' import cvrp.safetensors -o x
echo '{"n_EG":-1}' >args.json
expect import-args 2 '' 'mdam-vk: args.json: /n_EG: *' import none.pt --args args.json -o x
expect import-over 2 '' 'mdam-vk: import: -o: *' \
    import cvrp.safetensors -o cvrp.safetensors
expect import-over-args 2 '' 'mdam-vk: import: -o: *' \
    import cvrp.safetensors --args args.json -o args.json
expect import-operand 2 '' 'mdam-vk: import: CHECKPOINT.pt required, 0 given' import -o x
[ ! -e x ]
verdict nothing-written $((!$?))

# solve and eval: outputs that cannot be written are refused before the work, and before a device is opened
expect solve-output 2 '' 'mdam-vk: none/x: cannot be written: *' solve one.json -m small.safetensors -o none/x
expect solve-folder 2 '' 'mdam-vk: .: cannot be written: Is a directory' solve one.json -m small.safetensors -o .
expect solve-plot 2 '' 'mdam-vk: none/x1.svg: *' \
    solve one.json one.json -m small.safetensors --plot none/x.svg
expect solve-profile 2 '' 'mdam-vk: none/x: cannot be written: *' solve one.json -m small.safetensors --profile none/x
expect solve-profile-out 2 '' 'mdam-vk: --profile: *' \
    solve one.json -m small.safetensors --profile=-
expect eval-each 2 '' 'mdam-vk: none/x: cannot be written: *' \
    eval -m small.safetensors --data one.json --per-instance none/x

# ... and so are outputs that would overwrite an input
mkdir shipped
cp small.safetensors shipped/tsp.safetensors
cp one.json x2.svg
find . -type f ! -name out ! -name err -exec cksum {} + | sort >before
expect solve-over 2 '' 'mdam-vk: solve: -o: *' \
    solve one.json x2.svg -m small.safetensors -o x2.svg --format json
expect solve-over-model 2 '' 'mdam-vk: solve: -o: *' \
    solve one.json -m small.safetensors -o small.safetensors
export MDAM_VK_MODELS=shipped
expect solve-over-found 2 '' 'mdam-vk: solve: -o: *' \
    solve one.json -o shipped/tsp.safetensors
unset MDAM_VK_MODELS
expect solve-plot-over 2 '' 'mdam-vk: solve: --plot: *' \
    solve one.json x2.svg -m small.safetensors --plot x.svg
expect solve-plot-over-model 2 '' 'mdam-vk: solve: --plot: *' \
    solve one.json -m small.safetensors --plot small.safetensors
expect solve-twice 2 '' 'mdam-vk: solve: --plot: *' \
    solve one.json one.json x2.svg -m small.safetensors -o y3.svg --format json --plot ./y.svg
expect solve-profile-twice 2 '' 'mdam-vk: solve: --profile: *' \
    solve one.json -m small.safetensors -o y --profile=y
expect solve-profile-over 2 '' 'mdam-vk: --profile: *' \
    solve one.json -m small.safetensors --profile x2.svg
expect bench-profile-over 2 '' 'mdam-vk: --profile: *' bench norm2 --profile=one.json
expect eval-over 2 '' 'mdam-vk: eval: --per-instance: *' \
    eval -m small.safetensors --data one.json --per-instance one.json
expect eval-over-model 2 '' 'mdam-vk: eval: --per-instance: *' \
    eval -m small.safetensors --data one.json --per-instance small.safetensors
expect eval-profile-twice 2 '' 'mdam-vk: eval: --profile: *' \
    eval -m small.safetensors --data one.json --per-instance y --profile=y
"$program" solve - -m small.safetensors -o one.json <one.json 2>err
[ $? = 2 ] && [[ $(<err) == 'mdam-vk: solve: -o: one.json has instances and would be overwritten' ]]
verdict solve-over-stdin $((!$?))
"$program" solve one.json -m small.safetensors 2>err >>one.json
[ $? = 2 ] && [[ $(<err) == 'mdam-vk: solve: -o: standard output has instances and would be written to' ]]
verdict solve-over-stdout $((!$?))
find . -type f ! -name out ! -name err ! -name before -exec cksum {} + | sort | cmp -s - <(grep -v '/before$' before)
verdict nothing-lost $((!$?))

"$program" solve one.json -m small.safetensors >&- 2>err
[ $? = 2 ] && grep -q '^mdam-vk: standard output: cannot be written: ' err
verdict solve-closed $((!$?))
"$program" solve - -m small.safetensors <&- >out 2>err
[ $? = 2 ] && grep -q '^mdam-vk: standard input: cannot be read: ' err && [ ! -s out ]
verdict solve-closed-input $((!$?))

# A machine without Vulkan, by empty libraries that are found first. Host commands work, others name what is missing.
mkdir none
echo >none/libvulkan.so.1
cp none/libvulkan.so.1 none/libvulkan.so
export LD_LIBRARY_PATH=$folder/none
missing='mdam-vk: the Vulkan loader, libvulkan.so.1, is not installed; install it (Debian, Ubuntu: libvulkan1;*'
expect loader-devices 3 '' "$missing" devices
expect loader-solve 3 '' "$missing" solve one.json -m small.safetensors
expect loader-bench 3 '' "$missing" bench norm2
expect loader-generate 0 '' '' generate --problem cvrp -n 5 --count 1 -o five.json --quiet
expect loader-plot 0 '' '' plot five.json -o five.svg --quiet
expect loader-validate 0 '{"feasible":true*' '' validate order.json good.json
expect loader-improve 0 '{"problem":"cvrp"*' '' improve order.json good.json --quiet
unset LD_LIBRARY_PATH

[ -z "$(find . -name '*.tmp')" ]
verdict no-leftovers $((!$?))

[ "$failures" = 0 ]
