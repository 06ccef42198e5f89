#!/usr/bin/env bash
# Installs into a folder of its own, looks at what is there, and builds a small program against it, with the shared and
# with the static library; it solves an instance with untrained weights.
#
#   embed.sh BUILD-FOLDER EMBED.C COMPILER...
set -euo pipefail
build=$1 source=$2
compiler=("${@:3}")
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
meson install -C "$build" --no-rebuild --quiet --destdir "$root"

config=$(find "$root" -name mdam.pc)
library=$(dirname "$(dirname "$config")")
export PKG_CONFIG_PATH=$library/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root LD_LIBRARY_PATH=$library
program=$(find "$root" -name mdam-vk -type f)
"$program" init --problem cvrp --decoders 2 -o "$root/model.safetensors"

# The program finds the models next to it, from any folder, and has its manual and its completion with it.
share=$(dirname "$(dirname "$program")")/share
shipped=$share/mdam-vk/models/cvrp.safetensors
[ -e "$shipped" ] || cp "$root/model.safetensors" "$shipped"
order='{"problem":"cvrp","depot":[0,0],"nodes":[[3,0],[3,4]],"demand":[4,5],"capacity":9}'
(cd / && echo "$order" | "$program" solve - | grep -q '"model":"cvrp.safetensors"')
grep -q '^\.SH ENVIRONMENT' "$share/man/man1/mdam-vk.1"
grep -q '^complete ' "$share/bash-completion/completions/mdam-vk.bash"

# shellcheck disable=SC2046
"${compiler[@]}" -std=c11 -Wall -Wextra -Werror "$source" $(pkg-config --cflags --libs mdam) -o "$root/shared"
"$root/shared" "$root/model.safetensors"
# shellcheck disable=SC2046
"${compiler[@]}" -std=c11 "$source" $(pkg-config --cflags mdam) "$library/libmdam.a" \
    $(pkg-config --static --libs mdam | sed 's/-lmdam\b//') -o "$root/static"
"$root/static" "$root/model.safetensors"

# Only the public interface is visible from outside.
foreign=$(nm -D --defined-only "$library/libmdam.so" | awk '$3 !~ /^mdam_/ { print $3 }')
[ -z "$foreign" ] || { echo "the library also exports $foreign" >&2 && exit 1; }
