#!/usr/bin/env bash
# Killed at any moment, a run can be resumed from its last checkpoint and ends with the same bits;
# nothing that it had written is half-written.
. "$(dirname "$0")/lib.sh"
write_scene scene.yaml
options=(run scene.yaml --quiet --threads 1 --checkpoint-every 1/60 --set "spacing=2 cm")
run() { "$weir" "${options[@]}" "$@"; }

check "a whole run" run --out whole
RANDOM=7
resumed=0 killed=0
for try in 1 2 3 4 5 6 7 8; do
    rm -rf cut
    "$weir" "${options[@]}" --out cut >/dev/null 2>&1 &
    job=$!
    # Before the first frame, between frames, while a file is written, or after the end.
    sleep "0.$(printf %03d $((RANDOM % 400)))"
    kill -9 $job 2>/dev/null
    wait $job 2>/dev/null
    [ -e cut/report.json ] || killed=$((killed + 1))
    for frame in cut/frames/*.vtp; do
        [ ! -e "$frame" ] || tail -c 20 "$frame" | grep -q '</VTKFile>' || die "half-written: $frame"
    done
    [ -e cut/checkpoint.weir ] || continue
    check "killed run $try resumes" run --resume cut/checkpoint.weir --out cut
    same_hash "the same bits" whole/report.json cut/report.json
    check "the same frames" diff -r whole/frames cut/frames
    resumed=$((resumed + 1))
done
echo "ok: $killed of 8 runs were killed before their end, $resumed had a checkpoint"

# A checkpoint that was being replaced leaves the old one: the new file appears by its name alone.
[ -z "$(find cut -name '*.weir' ! -name checkpoint.weir)" ] || die "more than one checkpoint"
