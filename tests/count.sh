#!/usr/bin/env bash
# Checks what tools/check counts in a log with programs of the bundled subset, of munit itself and of neither.
set -euo pipefail
cd "$(dirname "$0")/.."
log=$(mktemp) counted=$(mktemp)
trap 'rm -f "$log" "$counted"' EXIT
cat >"$log" <<'LOG'
=================================== 1/5 ====================================
test:         mdam-vk:host / util
duration:     0.05s
result:       exit status 1
----------------------------------- stderr -----------------------------------
/util/hash/known
/util/hash/known [ OK    ] [ 0.00012 / 0.00011 CPU ]
/util/rng/unit flavour=wide
a.c:7: assertion failed: 1 == 2 (1 == 2)
/util/rng/unit [ FAIL  ] [ 0.00012 / 0.00011 CPU ]
/util/rng/later
/util/rng/later [ SKIP  ] [ 0.00012 / 0.00011 CPU ]
1 of 2 (50%) tests successful, 1 (33%) test skipped.
=================================== 2/5 ====================================
test:         mdam-vk:host / munit
duration:     0.05s
result:       exit status 1
----------------------------------- stdout -----------------------------------
Running test suite with seed 0x4d25ab71...
/util/hash/known                     [ OK    ] [ 0.00012 / 0.00011 CPU ]
/util/hash/other                     [ FAIL  ]
/util/rng/unit                      
  flavour=wide, size=3               [ OK    ] [ 0.00012 / 0.00011 CPU ]
  flavour=heap, size=3               [ ERROR ]
/util/rng/later                      [ SKIP  ]
----------------------------------- stderr -----------------------------------
Error: a.c:7: assertion failed: 1 == 2 (1 == 2)
2 of 4 (50%) tests successful, 1 (20%) test skipped.
=================================== 3/5 ====================================
test:         mdam-vk:host / killed
duration:     2.5s
result:       killed by signal 11 SIGSEGV
----------------------------------- stdout -----------------------------------
/util/hash/known                     [ OK    ] [ 0.00012 / 0.00011 CPU ]
/util/hash/other                     
=================================== 4/5 ====================================
test:         mdam-vk:host / script
duration:     0.1s
result:       exit status 0
=================================== 5/5 ====================================
test:         mdam-vk:host / early
duration:     0.1s
result:       exit status 3
----------------------------------- stdout -----------------------------------
/util/hash/known                     [ OK    ] [ 0.00012 / 0.00011 CPU ]
LOG
awk -v run=tests -f tools/count.awk "$log" >"$counted"
diff "$counted" - <<'EXPECTED'
OK tests: mdam-vk:host / util: /util/hash/known
FAIL tests: mdam-vk:host / util: /util/rng/unit
SKIP tests: mdam-vk:host / util: /util/rng/later
OK tests: mdam-vk:host / munit: /util/hash/known
FAIL tests: mdam-vk:host / munit: /util/hash/other
OK tests: mdam-vk:host / munit: /util/rng/unit flavour=wide, size=3
FAIL tests: mdam-vk:host / munit: /util/rng/unit flavour=heap, size=3
SKIP tests: mdam-vk:host / munit: /util/rng/later
OK tests: mdam-vk:host / killed: /util/hash/known
FAIL tests: mdam-vk:host / killed (killed by signal 11 SIGSEGV after 2.5s, in /util/hash/other)
OK tests: mdam-vk:host / script
OK tests: mdam-vk:host / early: /util/hash/known
FAIL tests: mdam-vk:host / early (ended early)
EXPECTED
