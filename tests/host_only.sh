#!/usr/bin/env bash
# Builds archive, problem, format, plot and improve alone, where including any header of Vulkan is an error, then reads and
# draws an example with them: tests/host_only.sh ROOT COMPILER...
set -euo pipefail
root=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/vulkan"
for header in vulkan/vulkan.h vulkan/vulkan_core.h vk_mem_alloc.h volk.h; do
    echo "#error \"$header is included by host code\"" >"$work/$header"
done
cat >"$work/main.c" <<'C'
#include <stdio.h>

#include <stb/stb_ds.h>

#include "format/files.h"
#include "plot/plot.h"

int main(int argc, char **argv)
{
    struct instance *instances = NULL;
    struct text svg = { 0 };
    if (argc != 2 || !instances_read(argv[1], 1, &instances))
        return 1;
    plot_write(&svg, &instances[0], NULL, NULL);
    printf("%s", svg.data);
    text_finish(&svg);
    instance_finish(&instances[0]);
    arrfree(instances);
    return 0;
}
C
"$@" -std=c11 -D_GNU_SOURCE -DMDAM_VERSION='"0"' -I"$work" -I"$root" -I"$root/include" -I"$root/src" -o "$work/main" "$work/main.c" \
    "$root"/src/{util,archive,problem,format,plot,improve}/*.c $(pkg-config --cflags --libs jansson zlib) -lm -lpthread
"$work/main" "$root/examples/cvrp.json" | grep -q '</svg>'
