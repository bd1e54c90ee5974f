# Shared by the tests of the command line. Sourced with the program as the first argument.
# Each check prints a line; the first that fails ends the test.
set -u
# Threads that wait must not take the cores from the tests beside this one.
export LC_ALL=C OMP_WAIT_POLICY=passive
weir=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

pass() { echo "ok: $1"; }

die() {
    echo "FAILED: $1"
    for log in stdout stderr; do
        [ -s "$work/$log" ] && sed "s/^/  $log: /" "$work/$log" | head -n 20
    done
    exit 1
}

# expect NAME CODE TEXT COMMAND...: the exit code, and TEXT (a regular expression) somewhere in what
# the command prints.
expect() {
    local name=$1 code=$2 text=$3 got
    shift 3
    "$@" >stdout 2>stderr
    got=$?
    [ "$got" -eq "$code" ] || die "$name: exit code $got, expected $code"
    grep -qE -e "$text" stdout stderr || die "$name: the output lacks '$text'"
    pass "$name"
}

# check NAME COMMAND...: the command succeeds.
check() {
    local name=$1
    shift
    "$@" >stdout 2>stderr || die "$name"
    pass "$name"
}

# hash_of REPORT
hash_of() { sed -n 's/.*"hash": "\([0-9a-f]*\)".*/\1/p' "$1"; }

same_hash() {
    local first second
    first=$(hash_of "$2") second=$(hash_of "$3")
    [ -n "$first" ] && [ "$first" = "$second" ] || die "$1: '$first' and '$second' differ"
    pass "$1"
}

# A small scene that uses most sections.
write_scene() {
    cat >"$1" <<'YAML'
title: Test
dim: 2
spacing: 4 cm
time: {end: 0.5 s, step: 1/60 s}
fluids:
  water: {preset: water, surface_tension: 0}
fills:
  column: {shape: {box: {from: [0, 0], to: [0.4, 0.6]}}, jitter: 0.1}
solids:
  tank: {shape: {box: {from: [0, 0], to: [1.2, 1.2]}, inside: true}}
  paddle:
    shape: {box: {size: [0.08, 0.4]}}
    position: [0.9, 0.1]
    motion: {oscillation: [0.1, 0], frequency: 2 Hz}
emitters:
  tap: {nozzle: {slot: 12 cm}, position: [0.2, 0.95], direction: [1, -1], speed: 1.5, schedule: [[0.1, 0.4]]}
sinks:
  drain: {shape: {circle: {radius: 0.1, center: [1.2, 0]}}}
probes:
  level: {kind: height, position: [0.6, 0]}
  wind: {kind: velocity, position: [0.6, 0.1]}
  flow: {kind: flow, position: [0.5, 0.5]}
output: {every: 1/30 s}
YAML
}
