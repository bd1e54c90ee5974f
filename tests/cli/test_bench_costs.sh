#!/usr/bin/env bash
# The benches of loops, sizes, threads and depths, with small sizes, and comparing with stored runs.
. "$(dirname "$0")/lib.sh"

# ---------------------------------------------------------------- loops and limits
check "stages" "$weir" bench stages --quick --max 1000 --threads 1 --json
python3 - stdout <<'PY' || die "the rows of stages"
import json, sys
rows = {row["loop"]: row for row in json.load(open(sys.argv[1]))["stages"]}
loops = ["search sort", "search cut", "search lists", "walls", "sph density", "sph force", "pbf measure",
         "pbf correct", "visco density", "visco displace", "constraint push",
         "constraint pull", "surface mesh"]
for loop in loops:
    row = rows[loop]
    assert row["ms"] > 0 and row["mbytes"] > 0 and row["limit_ms"] > 0, loop
    assert abs(row["limit_ms"] - max(row["flops_ms"], row["roots_ms"], row["bytes_ms"])) < 1e-9, loop
    assert abs(row["times_limit"] * row["limit_ms"] - row["ms"]) < 1e-9 * row["ms"], loop
# 10 iterations in each solve, of velocities and of positions once or, where rows bend, twice, and a
# product more in each for its start
assert 20 <= rows["constraint push"]["runs"] <= 35, rows["constraint push"]["runs"]
# All loops of a method have the same lists: their roots tell how many pairs those hold.
pairs = rows["sph density"]["mroots"] * 1e6
assert 20 * 1000 < pairs < 400 * 1000, pairs
assert abs(rows["sph density"]["mflop"] * 1e6 / pairs - 31) < 1e-6
PY
pass "the rows of stages"

check "neighbours" "$weir" bench neighbours --max 4096 --threads 1 --json
python3 - stdout <<'PY' || die "the rows of neighbours"
import json, sys
rows = json.load(open(sys.argv[1]))["neighbours"]
assert {(row["dim"], row["support"]) for row in rows} >= {(3, 2), (3, 2.5)}
for row in rows:
    parts = row["sort_ns"] + row["cut_ns"] + row["lists_ns"]
    assert 0 < parts <= 1.5 * row["ns_per_particle"], row
    assert row["neighbours"] < row["candidates"] < 8 * row["neighbours"], row
    assert 6 < row["per_cluster"] <= 8, row
PY
pass "the rows of neighbours"

# --------------------------------------------------------- sizes, threads, depth
check "scaling" "$weir" bench scaling --max 4000 --threads 1 --json
python3 - stdout <<'PY' || die "the rows of scaling"
import json, sys
rows = json.load(open(sys.argv[1]))["scaling"]
for method in ("sph", "pbf", "viscoelastic", "constraint"):
    assert [row["particles"] for row in rows if row["method"] == method] == [1000, 3375], method
for row in rows:
    assert 0 < row["ns_per_iteration"] < row["ns_per_particle"] and row["bytes"] > 100, row
PY
pass "the rows of scaling"

check "threads" "$weir" bench threads --max 1000 --max-threads 2 --method sph --json
python3 - stdout <<'PY' || die "the rows of threads"
import json, sys
rows = json.load(open(sys.argv[1]))["threads"]
assert [(row["method"], row["threads"]) for row in rows] == [
    ("sph strong", 1), ("sph strong", 2), ("sph weak", 1), ("sph weak", 2)]
for row in rows:
    assert row["ms_per_step"] > 0
    assert abs(row["share"] * row["threads"] - row["speedup"]) < 1e-9 * row["speedup"]
assert rows[0]["particles"] == rows[1]["particles"] and rows[2]["particles"] < rows[3]["particles"]
PY
pass "the rows of threads"

check "depth" "$weir" bench depth --quick --threads 1 --set iterations=20 --json
python3 - stdout <<'PY' || die "the rows of depth"
import json, sys
rows = json.load(open(sys.argv[1]))["depth"]
for column in ("standing 2D", "standing 3D", "dam 2D", "dam 3D"):
    of = [row for row in rows if row["column"] == column]
    assert [row["depth"] / of[0]["depth"] for row in of] == [1, 2, 4], column
    for row in of:
        assert 4 <= row["iterations"] <= 40
        assert abs(row["growth"] - row["iterations"] / of[0]["iterations"]) < 1e-9
PY
pass "the rows of depth"

# ------------------------------------------------------------- stored results
check "a run to compare with" "$weir" bench scaling --max 1000 --method sph --threads 1 --out old.csv
check "faster than before" "$weir" bench scaling --max 1000 --method sph --threads 1 \
    --compare old.csv --threshold 1000
grep -q 'ns_per_iteration' stdout || die "the comparison names what it compares"
# The same run, said to have taken a thousandth of the time on a machine that is as fast.
awk -F, -v OFS=, 'NR > 1 { $5 /= 1000 } { print }' old.csv >fast.csv
expect "slower than before" 5 '' "$weir" bench scaling --max 1000 --method sph --threads 1 \
    --compare fast.csv --threshold 100
grep -q 'ns_per_particle.*slower' stdout || die "what got slower is named"
grep -q '1 of them grew' stdout || die "only what got slower is named"
pass "what got slower is named"
expect "nothing to compare with" 3 'no rows of bench neighbours' "$weir" bench neighbours --max 1000 \
    --threads 1 --compare old.csv
expect "a file that is not" 3 'missing.json' "$weir" bench scaling --compare missing.json
expect "a method without blocks" 2 'viscoelastic' "$weir" bench scaling --method nothing
expect "too few particles" 2 'from 1000' "$weir" bench scaling --max 5
