#!/usr/bin/env bash
# Bodies and joints on the command line: report, frames, resume, threads, and what is refused.
. "$(dirname "$0")/lib.sh"
cat >scene.yaml <<'YAML'
dim: 2
spacing: 5 cm
method: constraint
time: {end: 0.5 s, step: 1/60 s}
fluids: {water: {density: 1000}}
fills:
  pool: {shape: {box: {from: [0, 0], to: [1.5, 0.5]}}}
solids:
  tank: {shape: {box: {from: [0, 0], to: [1.5, 1.2]}, inside: true}}
bodies:
  raft: {shape: {box: {size: [0.4, 0.15]}}, density: 500, position: [0.7, 0.6]}
  crate: {shape: {box: {size: [0.1, 0.1]}}, density: 300, position: [0.65, 0.73]}
  wheel: {shape: {box: {size: [0.3, 0.05]}}, mass: 5, position: [1.1, 0.62], collides: []}
  stone: {shape: {circle: {radius: 6 cm}}, density: 2500, position: [0.3, 0.3], spin: 2}
joints:
  axle: {kind: hinge, a: wheel, b: raft, anchor: [1.1, 0.62], motor: {speed: -5, max_effort: 20}}
  rope: {kind: distance, a: stone, anchor_b: [0.3, 1.1]}
  thread: {kind: spring, a: crate, b: raft, stiffness: 50, damping: 1, break_force: 0.001}
output: {every: 1/20 s}
YAML
run() { "$weir" run scene.yaml --quiet "$@"; }

check "a whole run" run --threads 1 --out whole
for key in '"name": "axle"' '"kind": "hinge"' '"broken": true' '"drift":' '"effort":' '"centre":' \
    '"joint":' '"submerged_fraction": 0' '"rows":' '"mass": 30' '"iterations":'; do
    grep -qF "$key" whole/report.json || die "the report lacks $key"
done
pass "the report has bodies and joints"
grep -q '"submerged_fraction": 1$' whole/report.json || die "the hanging stone is not under water"
pass "the hanging stone is under water"
for name in raft crate wheel stone; do
    check "frames have $name" grep -qa "$name" whole/frames/solids_00003.vtp
done

check "3 threads" run --threads 3 --frames none --out three
same_hash "the same with 3 threads" whole/report.json three/report.json
check "a run that stops" run --threads 1 --steps 13 --checkpoint-every 0.1 --out cut
check "its rest" run --threads 2 --resume cut/checkpoint.weir --out cut
same_hash "the same after a resume" whole/report.json cut/report.json
check "the frames are the same" diff -r whole/frames cut/frames

refuse() {
    local name=$1 text=$2
    shift 2
    expect "$name" 3 "$text" "$weir" check scene.yaml --threads 1 "$@"
    [ "$(wc -l <stderr)" -eq 1 ] || die "$name: more than one line"
}
refuse "an unknown body" "joints.axle.b: there is no body 'rat'; there are: raft, crate, wheel, stone, tank" \
    --set joints.axle.b=rat
refuse "a joint to itself" "joints.axle.b: the joint would hold 'wheel' to itself" --set joint.axle.b=wheel
refuse "no mass" "bodies.raft: needs a 'density' or a 'mass' above 0" --set body.raft.density=0
refuse "a negative mass" 'bodies.wheel.mass: -1 is not allowed' --set bodies.wheel.mass=-1
refuse "a spring without stiffness" 'joints.j.stiffness: is missing' \
    --set 'joints.j={kind: spring, a: raft, b: stone}'
refuse "a kind that does not exist" "did you mean 'hinge'" --set joints.axle.kind=hinges
refuse "a motor of nothing" 'speed, position' --set 'joints.axle.motor={max_effort: 3}'
refuse "a body without end" 'must have an end on every side' --set bodies.raft.shape.inside=true
refuse "an unknown group" "there is no group 'boats'" --set 'bodies.raft.collides=[boats]'
expect "an overlap is a warning" 0 "warning .*the body 'stone' starts .* deep in 'raft'" \
    "$weir" check scene.yaml --threads 1 --set 'bodies.stone.position=[0.7, 0.6]'
expect "a body in a solid is a warning" 0 "warning .*the body 'stone' starts .* deep in 'tank'" \
    "$weir" check scene.yaml --threads 1 --set 'bodies.stone.position=[0, 0.6]'

# The scenes of the papers are valid, at a spacing that is quick to check.
for scene in "$root"/scenes/bodin/*.yaml "$root"/scenes/sjostrom/*.yaml; do
    case $scene in
    *figure-7*) spacing='2 cm' ;;
    *sjostrom*) spacing='20 cm' ;;
    *) spacing='6 cm' ;;
    esac
    expect "$(basename "$scene" .yaml) is valid" 0 'is valid' "$weir" check "$scene" --threads 1 \
        --set "spacing=$spacing"
done
