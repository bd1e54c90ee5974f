#!/usr/bin/env bash
# The benches of scenes that other engines have been measured on: what their rows hold.
. "$(dirname "$0")/lib.sh"

for bench in peer-dam peer-dam-2d; do
    check "$bench" "$weir" bench $bench --quick --seconds 0.05 --threads 1 --json
    python3 - stdout $bench <<'PY' || die "the rows of $bench"
import json, sys
rows = json.load(open(sys.argv[1]))[sys.argv[2]]
for row in rows:
    for key in ("particles", "threads", "simulated_s", "wall_s", "wall_per_simulated_s", "ms_per_step"):
        assert row[key] > 0, key
    for key in ("mean", "interior_mean", "interior_max", "wall_max"):
        assert 0 <= row["compression"][key] < 0.1, key
    assert row["stages"]["solve"] > 0
PY
    pass "the rows of $bench"
done
for bench in peer-pyramid peer-pile; do
    check "$bench" "$weir" bench $bench --quick --threads 1 --json
    python3 - stdout $bench <<'PY' || die "the rows of $bench"
import json, sys
for row in json.load(open(sys.argv[1]))[sys.argv[2]]:
    assert row["ms_per_step"] > 0 and row["threads"] == 1
    assert 0 <= row["deepest_overlap"] < 0.1
PY
    pass "the rows of $bench"
done
expect "a parameter that is not" 2 'nothing' "$weir" bench peer-dam --quick --set nothing=1

# The help names every bench that there is.
"$weir" bench nothing 2>stderr && die "a bench that is not"
sed -n "s/.*must be one of //p" stderr | tr -d ' ' | tr ',' '\n' >names
"$weir" bench --help >stdout
while read -r name; do grep -qw -e "$name" stdout || die "the help lacks $name"; done <names
[ "$(wc -l <names)" -ge 14 ] || die "all benches are named"
pass "the help names all benches"
