#!/usr/bin/env bash
# Every command and option, with what it does.
. "$(dirname "$0")/lib.sh"
write_scene scene.yaml

expect "version" 0 '^weir [0-9]' "$weir" --version
expect "help" 0 'weir COMMAND' "$weir" help
expect "no command" 2 'weir COMMAND' "$weir"
for command in run check info bench; do
    expect "help $command" 0 "Usage: weir $command" "$weir" help $command
    expect "$command --help" 0 'Options:' "$weir" $command --help
done

expect "run" 0 'Test: finished' "$weir" run scene.yaml --threads 1
for file in report.json probes.csv particles.pvd solids.pvd frames/particles_00000.vtp \
    frames/particles_00015.vtp frames/solids_00015.vtp; do
    check "writes $file" test -s "out/scene/$file"
done
[ "$(head -n 1 out/scene/probes.csv)" = "time,level,wind_x,wind_y,wind_z,flow" ] ||
    die "columns of probes.csv"
[ "$(wc -l <out/scene/probes.csv)" -eq 32 ] || die "rows of probes.csv: a header and 31 times"
pass "probes.csv"
check "no temporary files are left" test -z "$(find out -name '*.tmp*' -o -name '.*.part' | head -1)"
for key in weir scene method parameters dim particles steps substeps dt simulated_s wall_s \
    ms_per_step stages step_limit iterations residual density volume_error energy momentum \
    angular_momentum bodies emitters sinks probes memory threads simd hash warnings resumed_from \
    interrupted; do
    grep -q "^  \"$key\":" out/scene/report.json || die "report.json lacks '$key'"
    grep -q "\`$key\`" "$root/docs/report.md" || die "docs/report.md lacks '$key'"
done
pass "keys of report.json"

run() { "$weir" run scene.yaml --threads 1 --quiet "$@"; }
value() { sed -n "s/^ *\"$2\": \([^,]*\),*$/\1/p" "$1" | head -n 1; }

check "--steps, --out, --report" run --steps 3 --out a --report a.json
[ "$(value a.json steps)" = 3 ] && [ ! -e a/report.json ] || die "--steps or --report"
check "--time and --dt" run --time '100 ms' --dt 1/50 --out b
[ "$(value b/report.json steps)" = 5 ] && [ "$(value b/report.json dt)" = 0.02 ] ||
    die "--time or --dt"
check "--steps 0" run --steps 0 --out zero
[ "$(value zero/report.json steps)" = 0 ] || die "--steps 0"
check "--frames" run --steps 3 --frames ply,bgeo --out c
[ -s c/frames/particles_00001.ply ] && [ -s c/frames/particles_00001.bgeo ] &&
    [ ! -e c/particles.pvd ] || die "--frames ply,bgeo"
check "--frames none" run --steps 3 --frames none --out d
[ ! -e d/frames ] || die "--frames none wrote frames"
check "--method keeps parameters of the same method" run --steps 1 --method sph \
    --set method.sound_speed=33 --out e
[ "$(value e/report.json sound_speed)" = 33 ] || die "--set method.sound_speed"
check "--set with a section in the singular" run --steps 1 --set fluid.water.density=900 --out f
[ "$(value f/report.json mass)" != "$(value a.json mass)" ] || die "--set fluid.water.density"
check "--option=value" run --steps=2 --out=g
expect "--quiet prints nothing" 0 '^$' bash -c "'$weir' run scene.yaml --threads 1 --quiet --steps 2 --out h; echo"
[ "$(wc -c <stdout)" -eq 1 ] && [ ! -s stderr ] || die "--quiet printed something"
check "--json" "$weir" run scene.yaml --threads 1 --json --steps 2 --out i
cmp -s stdout i/report.json || die "--json and report.json differ"
expect "--allow-unstable" 0 'warning .*above the stable limit' "$weir" run scene.yaml --threads 1 \
    --steps 2 --set time.substeps=2 --allow-unstable --out j
grep -q 'above the stable limit' j/report.json || die "the report lacks the warning"
expect "unstable steps are refused" 4 'stable limit' "$weir" run scene.yaml --set time.substeps=2 --out k
check "nothing was written for it" test ! -e k

expect "check" 0 'column +150 of water' "$weir" check scene.yaml --threads 1
expect "check says the step limit" 0 'stable step .*sound' "$weir" check scene.yaml --threads 1
expect "check --json" 0 '"particles": 150' "$weir" check scene.yaml --threads 1 --json
expect "check warns" 0 'refuses them' "$weir" check scene.yaml --threads 1 --set time.substeps=2
expect "check --set" 0 'particles +600' "$weir" check scene.yaml --threads 1 --set spacing=2cm

expect "info" 0 'SIMD levels' "$weir" info
expect "info METHOD" 0 'sound_speed +0 m/s' "$weir" info sph
expect "info presets" 0 'mercury' "$weir" info presets
expect "info shapes" 0 'half_space' "$weir" info shapes
expect "info build" 0 'threads' "$weir" info build
expect "info --json" 0 '"presets": \[' "$weir" info --json
"$weir" info --schema | cmp -s - "$root/schema/scene.schema.json" ||
    die "schema/scene.schema.json is out of date: run 'make docs'"
pass "schema"
"$weir" info --scene-reference | cmp -s - "$root/docs/scenes.md" ||
    die "docs/scenes.md is out of date: run 'make docs'"
pass "docs/scenes.md"

expect "bench stages" 0 'ns_per_particle' "$weir" bench stages --quick --max 1000 --threads 1 --out bench.csv
check "bench --out" grep -q '^stages,sph density,1,1000,' bench.csv
expect "bench --json" 0 '"gflops"' "$weir" bench machine --quick --threads 1 --json
