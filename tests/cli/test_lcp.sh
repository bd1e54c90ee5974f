#!/usr/bin/env bash
# Complementarity problems given as data: solutions, statuses, exit codes, what is refused.
. "$(dirname "$0")/lib.sh"

cat >two.yaml <<'YAML'
M: [[2, 1], [1, 2]]
q: [-5, -6]
YAML
for solver in lemke block; do
    expect "$solver solves it" 0 'z 1.333333333 2.333333333' "$weir" lcp two.yaml --solver $solver
done
for solver in pgs mprgp; do
    expect "$solver comes near" 0 'solved; .* z 1.3333|z 1.3333' "$weir" lcp two.yaml --solver $solver
done
check "JSON" "$weir" lcp two.yaml --json
python3 - stdout <<'PY' || die "the JSON of a problem"
import json, sys
r = json.load(open(sys.argv[1]))
assert r["status"] == "solved" and r["rows"] == 2 and r["pivots"] == 2 and r["solver"] == "lemke"
assert r["residual"] < 1e-12 and abs(r["z"][0] - 4 / 3) < 1e-12 and max(r["w"]) < 1e-12
PY
pass "the JSON of a problem"

# A particle on a body on the floor, by its masses: every solver, the same impulses.
cat >contacts.yaml <<'YAML'
problems:
- name: stack
  points: [0.5]
  bodies: [{mass: 2, inertia: [1, 1, 1]}]
  contacts:
  - {point: 0, b: 0, normal: [0, 1, 0], arm_b: [0, 1, 0]}
  - {a: 0, normal: [0, 1, 0], arm_a: [0, -1, 0]}
  q: [-1, -3]
YAML
# w1 = (1/0.5 + 1/2) z1 - z2/2 - 1, w2 = -z1/2 + z2/2 - 3: z = (2, 8).
for solver in lemke structured block pgs mprgp; do
    check "$solver takes contacts" "$weir" lcp contacts.yaml --solver $solver --json
    python3 - stdout <<'PY' || die "$solver: the impulses"
import json, sys
r = json.load(open(sys.argv[1]))["problems"][0]
assert r["name"] == "stack" and r["status"] == "solved"
assert abs(r["z"][0] - 2) < 1e-4 and abs(r["z"][1] - 8) < 1e-4, r
PY
done
pass "every solver finds the same impulses"

printf '{"M": [[-1]], "q": [-1]}' >none.json
expect "a ray is a status with a code of its own" 5 'ray' "$weir" lcp none.json
expect "structured wants contacts" 3 'needs contacts of points and bodies' "$weir" lcp two.yaml --solver structured
printf 'M: [[1, 2], [0, 1]]\nq: [-1, -1]\n' >skew.yaml
expect "mprgp wants symmetry" 3 'not symmetric' "$weir" lcp skew.yaml --solver mprgp
expect "unknown solver" 2 "must be lemke, structured, block, pgs or mprgp" "$weir" lcp two.yaml --solver simplex
expect "no file" 3 'nowhere.yaml' "$weir" lcp nowhere.yaml
expect "no argument" 2 'usage is weir lcp' "$weir" lcp
printf 'M: [[1]]\nq: [.nan]\n' >wrong.yaml
expect "NaN" 3 'wrong.yaml:2: q.0: .nan is not allowed' "$weir" lcp wrong.yaml
printf 'M: [[1, 2]]\nq: [1, 2]\n' >wrong.yaml
expect "a matrix of another size" 3 'wrong.yaml:1: M: has 1 rows' "$weir" lcp wrong.yaml
printf 'q: [1]\n' >wrong.yaml
expect "no matrix" 3 'M: is missing' "$weir" lcp wrong.yaml
printf 'bodies: [{mass: -1, inertia: [1, 1, 1]}]\ncontacts: [{a: 0, normal: [1, 0, 0], arm_a: [0, 0, 0]}]\nq: [1]\n' >wrong.yaml
expect "a negative mass" 3 'wrong.yaml:1: bodies.0.mass: -1 is not allowed: must be > 0' "$weir" lcp wrong.yaml
printf 'contacts: [{a: 0, normal: [1, 0, 0], arm_a: [0, 0, 0]}]\nq: [1]\n' >wrong.yaml
expect "a body that is not there" 3 'contacts.0.a: 0 is not allowed' "$weir" lcp wrong.yaml

# The bench: every solver on the same contacts.
check "the bench" "$weir" bench lcp --quick --json
python3 - stdout <<'PY' || die "the rows of the bench"
import json, sys
rows = json.load(open(sys.argv[1]))["lcp"]
assert {r["solver"] for r in rows} == {"structured", "block", "lemke", "pgs", "mprgp"}
for r in rows:
    assert r["contacts"] > 0 and r["seconds"] > 0
    assert r["residual"] < (1e-9 if r["solver"] in ("structured", "block", "lemke") else 1e-4), r
PY
pass "the rows of the bench"
