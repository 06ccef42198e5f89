# Shared by tools/results, tools/ablation, tools/studies and tools/benchmarks, which source it. Results are in $folder, made by $program
# with $models.
# MDAM_VK names another program, MDAM_VK_MODELS another folder of models.
# shellcheck shell=bash
program=${MDAM_VK:-build/mdam-vk} models=${MDAM_VK_MODELS:-models}

# The first instances of a published test set.
test_set() { # PROBLEM N COUNT
    local file=$folder/$1$2-$3.jsonl
    [ -e "$file" ] ||
        "$program" generate --problem "$1" -n "$2" --like kool --count 10000 --seed 1234 --limit "$3" -o "$file"
    echo "$file"
}

# The file of a result. The model's checksum is in its name: a new model is measured again.
cell() { # PROBLEM N COUNT DECODING
    echo "$folder/$1$2-$4-$3-$(cksum <"$models/$1.safetensors" | cut -d ' ' -f 1).json"
}

# Measures results that are missing.
evaluate() { # PROBLEM N COUNT DECODING FLAG...
    local result
    result=$(cell "$@")
    [ ! -e "$result" ] || return 0
    echo "$1 $2 $4" >&2
    "$program" eval -m "$models/$1.safetensors" --data "$(test_set "$1" "$2" "$3")" --limit "$3" "${@:5}" >"$result.part"
    mv "$result.part" "$result"
}

# Flags for the gaps to stored references, if there are enough.
reference_flags() { # PROBLEM N COUNT
    local file=docs/results/reference-$1$2.jsonl
    [ ! -e "$file" ] || [ "$(wc -l <"$file")" -lt "$3" ] || echo "--reference $file"
}

# A number or a list of numbers from what eval prints.
field() { # FILE KEY
    awk -v key="\"$2\":" '
        $1 == key && $2 != "[" { sub(/,$/, "", $2); print $2; exit }
        $1 == key { inside = 1; next }
        inside && /\]/ { exit }
        inside { sub(/,$/, "", $1); printf "%s ", $1 }' "$1"
}

# All results: the parts in docs/results/.
assembled() {
    local part
    cat <<'END'
# Results

`tools/results --assemble` writes this page from the parts in `docs/results`; change those, or the tools that write them. Each part
names the command, version, date and machine of its figures.
END
    for part in quality speed ablation studies peers; do
        [ ! -e "docs/results/$part.md" ] || { echo && cat "docs/results/$part.md"; }
    done
}

# Prints a part, and with SAVING 1 also writes it and assembles.
save_part() { # SAVING PART < TEXT
    if [ "$1" = 0 ]; then
        cat
    else
        mkdir -p docs/results
        tee "docs/results/$2.md"
        assembled >docs/results.md
    fi
}
