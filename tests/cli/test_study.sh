#!/usr/bin/env bash
# Studies and comparisons: cases, resuming, failures that are shown, files, and the report in a browser.
. "$(dirname "$0")/lib.sh"
unset DISPLAY WAYLAND_DISPLAY
# Mesa keeps some memory to the end, which a build with the address sanitizer would report.
export ASAN_OPTIONS=detect_leaks=0
export WEIR_STUDIES=$root/studies

cat >pool.yaml <<'YAML'
title: Pool
dim: 2
spacing: 5 cm
time: {end: 0.2 s, step: 1/60 s}
fluids: {water: {preset: water, surface_tension: 0}}
fills: {pool: {shape: {box: {from: [0, 0], to: [0.6, 0.4]}}}}
solids: {tank: {shape: {box: {from: [0, 0], to: [0.6, 0.8]}, inside: true}}}
bodies: {box: {shape: {box: {size: [0.2, 0.1]}}, position: [0.3, 0.5], density: 500}}
probes: {level: {kind: height, position: [0.3, 0]}}
YAML
cat >study.yaml <<'YAML'
title: A pool
question: Does it stay?
setup: Two methods at two spacings.
scene: pool.yaml
methods: [sph, pbf]
axes:
  - {name: spacing, key: spacing, unit: m, values: [5 cm, {name: 4 cm, quick: false}]}
unable:
  - {where: [pbf, 4 cm], reason: kept out for the test}
curves:
  level: {kind: probe, column: level, x_label: time (s), y_label: level (m)}
  density: {kind: profile, quantity: density, along: depth, bins: 4, x_label: depth (m), y_label: density}
measures:
  level: {curve: level, take: last, unit: m, order: spacing, expect: [{value: 0.4, tolerance: 0.2, source: the fill}]}
  volume: {report: volume_error, expect: [{value: 0, tolerance: 0.1, source: the fill}]}
findings:
  - {claim: the pool is deeper than nothing, measure: level, of: [sph], at_least: 0.1, source: the fill}
plots:
  - {title: Level, curve: level}
  - {title: Density, curve: density}
pictures:
  - {title: In the end, color: density}
follows: It stays.
YAML

# What there is
expect "studies are listed" 0 'validation-dam-break ' "$weir" study list
check "every case of every study is valid" "$weir" study all --check
check "and of the quick ones" "$weir" study all --check --quick
expect "a misspelt study" 2 "did you mean 'validation-couette'" "$weir" study validation-couete
expect "no study" 2 'study list' "$weir" study
sed 's/of: \[sph\]/of: [spf]/' study.yaml >bad.yaml
sed 's/unit: m, values/unit: m, vlaues/' study.yaml >typo.yaml
expect "a misspelt key" 3 "typo.yaml:7: axes.spacing.vlaues: .*did you mean 'values'" "$weir" study ./typo.yaml
sed 's/bins: 4/bins: 0/' study.yaml >range.yaml
expect "a value out of range" 3 "range.yaml:12: curves.density.bins: 0.* 1 to 1000" "$weir" study ./range.yaml
sed 's/scene: pool.yaml/scene: no-pool.yaml/' study.yaml >lost.yaml
expect "a scene that is not there" 3 "lost.yaml:4: scene: 'no-pool.yaml' cannot be read" "$weir" study ./lost.yaml
expect "a mistake in a study" 3 "bad.yaml:17: findings.0.of: 'spf' is not allowed" "$weir" study ./bad.yaml
check "the schema is printed as it is kept" \
    bash -c "'$weir' study --schema | cmp - '$root/schema/study.schema.json'"
check "and so is the page" bash -c "'$weir' study --reference | cmp - '$root/docs/studies.md'"

# A study
expect "a study runs" 0 '5 of 5|6 of 6' "$weir" study study.yaml --out first --jobs 2
for file in results.csv results.json plot-1.svg picture-1.png report.html; do
    check "$file is there" test -s first/$file
done
grep -q '^"sph, 5 cm","sph","5 cm",done,' first/results.csv || die "results.csv has a case"
grep -q 'kept out for the test' first/report.html || die "the report says what cannot be done"
! grep -qE '(src|href)="?(https?:)?//' first/report.html || die "the report needs the network"
pass "the report says what cannot be done and needs no network"
expect "cases that are done are kept" 0 '3 of 3 cases were there' "$weir" study study.yaml --out first
expect "other settings are run again" 0 '1/1 .*sph, 5 cm|2/2' \
    "$weir" study study.yaml --out first --quick --fresh
sed 's/sph, pbf\]/sph, pbf]\nset: [fluids.water.density=-1]/' study.yaml >broken.yaml
expect "cases that fail are shown" 5 'failed: sph, 5 cm: .*density' "$weir" study ./broken.yaml --out broken
grep -q 'must be' broken/report.html || die "the report shows why cases failed"
pass "with the reason in the report"

# Interrupted, and resumed
sed 's/end: 0.2 s/end: 30 s/' pool.yaml >long-pool.yaml
sed 's/scene: pool/scene: long-pool/' study.yaml >long.yaml
"$weir" study ./long.yaml --out long --jobs 1 --quick >stdout 2>stderr &
study=$!
for _ in $(seq 100); do
    [ -s long/sph_5-cm/statistics.csv ] && break
    sleep 0.1
done
kill -INT $study
wait $study
[ $? -eq 130 ] || die "an interrupted study ends with 130"
pass "an interrupted study ends with 130"
check "its run has a checkpoint" test -s long/sph_5-cm/checkpoint.weir
check "and says so" grep -q '"status": "interrupted"' long/sph_5-cm/report.json
"$weir" study ./long.yaml --out long --jobs 1 --quick >stdout 2>stderr &
study=$!
for _ in $(seq 100); do
    tr '\0' ' ' </proc/$(pgrep -P $study | head -n 1)/cmdline 2>/dev/null | grep -q -- '--resume' && break
    sleep 0.05
done
tr '\0' ' ' </proc/$(pgrep -P $study | head -n 1)/cmdline 2>/dev/null | grep -q -- '--resume' ||
    die "it goes on from the checkpoint"
pass "it goes on from the checkpoint"
kill -INT $study
wait $study

# One of those that are shipped
expect "a shipped study, quick" 0 'expectations met' \
    "$weir" study validation-rotating-patch --quick --out shipped --summary page.md
check "a page of all" grep -q '^## Rotating square patch' page.md
check "with an overview" grep -q '^| Rotating square patch (`validation-rotating-patch`) | 12 |' page.md

# Bodin's figure 4: a hundred sweeps of Gauss-Seidel leave less than 1 %, and so do accelerated gradients.
check "convergence of solvers" "$weir" bench convergence --quick --out convergence.csv
awk -F, '$2 == 100 && $3 < 0.01 && $4 < 0.01 { found = 1 } END { exit !found }' convergence.csv ||
    die "the solvers converge: $(cat convergence.csv)"
pass "Gauss-Seidel and accelerated gradients converge"

# Comparisons
expect "methods compared" 0 'box: share under water' \
    "$weir" compare pool.yaml --methods sph,constraint --time 0.1 --out both
for word in 'time per step' 'mean substep' 'iterations per substep' 'density error' 'volume error' 'kinetic energy' 'total energy' 'momentum' 'memory'; do
    grep -q "$word" stdout || die "the table lacks '$word'"
done
check "with a report" test -s both/report.html
expect "an unknown method" 2 "no method 'spf'" "$weir" compare pool.yaml --methods spf
if command -v ffmpeg >/dev/null && [ -s first/picture-1.png ]; then
    expect "and a film" 0 'film: both/film.mp4' \
        "$weir" compare pool.yaml --methods sph,constraint --time 0.1 --out both --film
fi

# The report in a browser: a script that the test adds counts what is shown, and how wide it is.
if ! command -v chromium >/dev/null; then
    echo "skipped: the report in a browser: install the Debian package chromium"
    exit 0
fi
probe='<script>addEventListener("load",()=>{const q=s=>[...document.querySelectorAll(s)];
document.title="probe tables="+q("table").filter(t=>t.rows.length>1).length
+" plots="+q("figure svg").filter(s=>s.getBoundingClientRect().height>100).length
+" pictures="+q("figure img").filter(i=>i.naturalWidth>100).length
+" fits="+(document.documentElement.scrollWidth<=innerWidth)})</script>'
for size in 1280,900 390,844; do
    sed "s|</body>|$(echo "$probe" | tr -d '\n' | sed 's/[&|]/\\&/g')</body>|" first/report.html >page.html
    timeout 60 chromium --headless --no-sandbox --disable-gpu --window-size=$size --dump-dom \
        "file://$work/page.html" >dom.html 2>stderr || die "chromium opens the report"
    grep -q '<title>probe tables=[4-9] plots=2 pictures=1 fits=true' dom.html ||
        die "the report at $size: $(grep -o '<title>[^<]*' dom.html)"
    pass "tables, plots and pictures at $size in a browser"
done
