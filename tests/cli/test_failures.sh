#!/usr/bin/env bash
# Failures while running: nothing that was written is lost, and the message says what happened.
. "$(dirname "$0")/lib.sh"
write_scene scene.yaml
run() { "$weir" run scene.yaml --threads 1 "$@"; }

# Files as folders: refused for everyone, root too.
touch file
expect "an output folder that is a file" 1 'file' run --out file
expect "an output folder that cannot be made" 1 'file/below' run --out file/below
expect "a report that cannot be written" 1 'file' run --out fine --report file/report.json
check "a report in a new folder" run --quiet --steps 1 --out fine --report deep/er/report.json
check "it is there" test -s deep/er/report.json

if [ "$(id -u)" -ne 0 ]; then
    mkdir locked && chmod 555 locked
    expect "a folder without the right to write" 1 'locked' run --out locked/run
fi

# No byte more than the first frames: a limit on the size of files stands for a full disk.
expect "a probe file beyond the limit" 1 'the run failed after step' \
    bash -c "ulimit -f 4; exec '$weir' run scene.yaml --threads 1 --set fluids.water.preset=water --set spacing=1cm --steps 4 --out full"
check "no half-written frame" test -z "$(find full -name '*tmp*')"

if [ "$(id -u)" -eq 0 ] && mkdir disk && mount -t tmpfs -o size=200k tmpfs disk 2>/dev/null; then
    "$weir" run scene.yaml --threads 1 --set spacing=2cm --out disk/run >stdout 2>stderr
    code=$?
    frames=$(ls disk/run/frames | grep -c '^particles.*vtp$')
    left=$(find disk -name '*tmp*' | wc -l)
    umount disk
    [ $code -eq 1 ] || die "a full disk: exit code $code"
    grep -q 'space' stderr || die "a full disk: the message does not say so"
    [ "$frames" -gt 0 ] || die "a full disk: earlier frames are lost"
    [ "$left" -eq 0 ] || die "a full disk: a temporary file is left"
    pass "a full disk ends the run, earlier frames stay"
fi

check "a checkpoint" run --quiet --steps 10 --checkpoint-every 0.05 --out good
head -c 3000 good/checkpoint.weir >short.weir
expect "a checkpoint cut short" 3 '--resume: .*short.weir' run --resume short.weir --out x
cp good/checkpoint.weir damaged.weir
printf 'x' | dd of=damaged.weir bs=1 seek=2000 conv=notrunc 2>/dev/null
expect "a damaged checkpoint" 3 '--resume: .*damaged.weir' run --resume damaged.weir --out x
expect "another file" 3 'not a Weir checkpoint' run --resume scene.yaml --out x
expect "a missing checkpoint" 3 'no such file' run --resume nowhere.weir --out x
expect "a checkpoint of another scene" 3 "written by another scene.*'scene'" run \
    --set fluids.water.density=900 --resume good/checkpoint.weir --out x
check "nothing was written for them" test ! -e x

# A state that is not finite: a huge step in one substep.
expect "a state that is not finite" 4 'step [0-9]+' run --set time.substeps=1 --allow-unstable \
    --dt 2000 --time 200000 --set gravity='[0, -1e30]' --checkpoint-every 2000 --out blown
grep -q 'checkpoint' stderr || die "no word about the checkpoint"
grep -q '"status": "failed"' blown/report.json || die "the report does not say that the run failed"
pass "it keeps the report and says where the last checkpoint is"
