#!/usr/bin/env bash
# What is wrong gets one message with place, value and what is allowed, and an exit code.
. "$(dirname "$0")/lib.sh"
write_scene scene.yaml
refuse() {
    local name=$1 text=$2
    shift 2
    expect "$name" 3 "$text" "$weir" check scene.yaml --threads 1 "$@"
    [ "$(wc -l <stderr)" -eq 1 ] || die "$name: more than one line"
}

# With line and key, from the file itself.
sed 's/preset: water,/densty: 3,/' scene.yaml >wrong.yaml
expect "unknown key" 3 "^weir: wrong.yaml:6: fluids.water.densty: unknown key; did you mean 'density'" \
    "$weir" run wrong.yaml
sed 's/preset: water,/density: -5,/' scene.yaml >wrong.yaml
expect "negative density" 3 '^weir: wrong.yaml:6: fluids.water.density: -5 is not allowed: must be from 0.001 to 1000000 kg/m3' \
    "$weir" run wrong.yaml
sed 's/spacing: 4 cm/spacing: .nan/' scene.yaml >wrong.yaml
expect "NaN" 3 '^weir: wrong.yaml:3: spacing: .nan is not finite' "$weir" run wrong.yaml
sed 's/spacing: 4 cm/spacing: [1]/' scene.yaml >wrong.yaml
expect "wrong type" 3 '^weir: wrong.yaml:3: spacing: a list' "$weir" run wrong.yaml
printf 'dim: [\n' >wrong.yaml
expect "no YAML" 3 '^weir: wrong.yaml:2' "$weir" run wrong.yaml
expect "missing scene" 3 'nowhere.yaml' "$weir" run nowhere.yaml
expect "a folder as scene" 3 'is a folder' "$weir" run .

refuse "missing mesh" "looked for nowhere.obj" --set 'solids.m={shape: {mesh: nowhere.obj}}' --set dim=2
refuse "a solid without room" 'scene.yaml:10: solids.tank.shape: the solid encloses no fluid space' \
    --set 'solids.tank.shape.box.to=[0.03, 0.03]'
refuse "no particles" 'needs a fill or an emitter' --set 'fills={}' --set 'emitters={}'
refuse "a fill inside of a solid" 'fills.column: .*no particles' \
    --set 'fills.column.shape.box={from: [2, 2], to: [3, 3]}'
refuse "overlapping fills" '"column" and "b" overlap' --set 'fills.b={shape: {circle: {radius: 0.2, center: [0.3, 0.3]}}}'
refuse "an unknown fluid" "there is no fluid 'honey'; 'fluids' has: water" --set fills.column.fluid=honey
refuse "too much memory" 'GB of memory, and .* are available; .* would fit' --set spacing=2e-6
refuse "an emitter in a solid" "inside of the solid 'tank'" --set 'emitters.tap.position=[-1, 0]'
refuse "a nozzle that reaches into a solid" "emitters.tap.position: the nozzle reaches into a solid.*inside of the solid 'tank'; move" \
    --set 'emitters.tap.position=[0.01, 0.5]'
refuse "a probe in a solid" "inside of the solid 'tank'" --set 'probes.level.position=[0, -1]'
refuse "a short period" 'at least 0.2 m long' --set 'periodic.x=[0, 0.1]'
refuse "vectors of another dimension" 'has 2 numbers: must have 3' --set dim=3
refuse "a mesh in 2D" 'not allowed in 2D' --set "solids.m={shape: {mesh: scene.yaml}}"
refuse "an axis in 2D" 'everything turns about z' --set 'solids.paddle.rotation={angle: 1, axis: [1, 0]}'
refuse "more particles than allowed" 'max_particles' --set max_particles=5
refuse "an override without a value" 'key=value|key.key=value' --set foo
refuse "an unknown method" 'must be one of: sph' --method nothing
expect "a value with a wrong unit" 3 'its unit must be m' "$weir" check scene.yaml --set spacing='3 kg'

cat >cube.obj <<'OBJ'
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
f 4 3 2 1
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
OBJ
cat >mesh.yaml <<'YAML'
spacing: 10 cm
time: {end: 0.1 s}
fluids: {water: {density: 1000}}
fills: {block: {shape: {box: {from: [2, 0, 0], to: [3, 1, 1]}}}}
solids:
  box: {shape: {mesh: {file: cube.obj}}}
YAML
expect "a mesh with a hole" 3 '^weir: mesh.yaml:6: solids.box.shape.mesh: .*hole' "$weir" check mesh.yaml
expect "repair: true closes it" 0 'is valid' "$weir" check mesh.yaml --threads 1 \
    --set solids.box.shape.mesh.repair=true

expect "unknown command" 2 "did you mean 'run'" "$weir" rnu
expect "unknown option" 2 "did you mean '--steps'" "$weir" run scene.yaml --stepz 3
expect "missing value" 2 '--steps: needs a value' "$weir" run scene.yaml --steps
expect "no number" 2 "'x' is not allowed" "$weir" run scene.yaml --steps x
expect "negative time" 2 'must be a time above 0' "$weir" run scene.yaml --time -1
expect "no scene" 2 'usage is weir run' "$weir" run
expect "two scenes" 2 "unexpected argument 'b'" "$weir" run scene.yaml b
expect "unknown level" 2 "cannot run 'mmx'" "$weir" run scene.yaml --simd mmx
expect "too many threads" 2 'must be from 1' "$weir" run scene.yaml --threads 100000
expect "unknown topic" 2 'no topic' "$weir" info nothing
expect "unknown bench" 2 'unknown bench' "$weir" bench nothing
