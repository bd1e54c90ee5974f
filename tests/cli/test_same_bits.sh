#!/usr/bin/env bash
# The state at the end does not depend on threads, instruction level, or where a run was cut.
. "$(dirname "$0")/lib.sh"
write_scene scene.yaml
run() { "$weir" run scene.yaml --quiet "$@"; }

check "a whole run" run --threads 1 --out whole
for threads in 2 3 7; do
    check "$threads threads" run --threads $threads --frames none --out t$threads
    same_hash "the same with $threads threads" whole/report.json t$threads/report.json
done
for level in $("$weir" info build | sed -n 's/.*SIMD levels *\(.*\) (.*/\1/p'); do
    check "simd $level" run --threads 1 --simd "$level" --frames none --out "$level"
    same_hash "the same with $level" whole/report.json "$level/report.json"
done

check "a run that stops" run --threads 1 --steps 13 --checkpoint-every 0.1 --out cut
check "its rest" run --threads 2 --resume cut/checkpoint.weir --out cut
same_hash "the same after a resume" whole/report.json cut/report.json
for file in probes.csv particles.pvd solids.pvd; do
    check "$file continues" cmp whole/$file cut/$file
done
check "as many frames" test "$(ls whole/frames | wc -l)" -eq "$(ls cut/frames | wc -l)"
check "the frames are the same" diff -r whole/frames cut/frames
check "the report names the checkpoint" grep -q '"resumed_from": "cut/checkpoint.weir"' cut/report.json

# Every method resumes, also what it starts its solves from.
for method in $("$weir" info methods | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    common="--threads 1 --frames none --method $method"
    check "$method, whole" run $common --steps 12 --out "$method-whole"
    check "$method, first part" run $common --steps 5 --checkpoint-every 1 --out "$method-cut"
    check "$method, second part" run $common --steps 12 --resume "$method-cut/checkpoint.weir" \
        --out "$method-cut"
    same_hash "$method is the same after a resume" "$method-whole/report.json" \
        "$method-cut/report.json"
    check "$method, 3 threads" run --threads 3 --frames none --method $method --steps 12 \
        --out "$method-three"
    same_hash "$method is the same with 3 threads" "$method-whole/report.json" \
        "$method-three/report.json"
done

# Interrupted by a signal, as early as a checkpoint can be; a finer scene, so that it lasts.
"$weir" run scene.yaml --set spacing=1cm --time 2 --threads 1 --frames none --out long >stdout 2>stderr &
pid=$!
sleep 0.7
kill -INT $pid
wait $pid
[ $? -eq 130 ] || die "exit code after SIGINT"
grep -q 'weir run scene.yaml --set spacing=1cm --time 2 .*--resume long/checkpoint.weir' stderr ||
    die "no command that resumes"
pass "SIGINT writes a checkpoint and prints the command"
check "the report says so" grep -q '"interrupted": true' long/report.json
steps=$(sed -n 's/^  "steps": \([0-9]*\),/\1/p' long/report.json)
check "the rest, two steps more" "$weir" run scene.yaml --set spacing=1cm --time 2 --threads 1 --frames none \
    --out long --quiet --steps $((steps + 2)) --resume long/checkpoint.weir
check "the same in one go" "$weir" run scene.yaml --set spacing=1cm --time 2 --threads 2 --frames none \
    --out unbroken --quiet --steps $((steps + 2))
same_hash "the same after SIGINT" long/report.json unbroken/report.json
