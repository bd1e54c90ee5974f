#!/usr/bin/env bash
# Pictures, films, meshes and plots: made without a display, from scenes and from results, and clear
# words where a program is missing.
. "$(dirname "$0")/lib.sh"
unset DISPLAY WAYLAND_DISPLAY
# Mesa keeps some memory to the end, which a build with the address sanitizer would report.
export ASAN_OPTIONS=detect_leaks=0

# A PATH with everything but the programs that are named.
path_without() {
    local folder=$work/bin-$1 file name
    mkdir -p "$folder"
    for file in /usr/bin/* /bin/*; do
        name=$(basename "$file")
        case " $* " in *" $name "*) ;; *) ln -sf "$file" "$folder/$name" ;; esac
    done
    echo "$folder"
}

is_png() { [ "$(head -c 8 "$1" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ]; }
# size_of FILE: width and height of a PNG, from its header
size_of() { od -An -tu1 -j16 -N8 "$1" | awk '{print $3 * 256 + $4, $7 * 256 + $8}'; }

write_scene scene.yaml
cat >drop.yaml <<'YAML'
title: A drop falls into a cup
dim: 3
spacing: 5 cm
time: {end: 0.1 s, step: 1/60 s}
fluids: {water: {preset: water, surface_tension: 0}}
fills:
  pool: {shape: {box: {from: [0, 0, 0], to: [0.4, 0.2, 0.4]}}}
  drop: {shape: {sphere: {radius: 0.1, center: [0.2, 0.4, 0.2]}}}
solids:
  cup: {shape: {box: {from: [0, 0, 0], to: [0.4, 0.6, 0.4]}, inside: true}}
YAML

cat >crates.yaml <<'YAML'
title: Crates on a floor
dim: 2
spacing: 5 cm
time: {end: 0.2 s, step: 1/60 s}
fluids: {water: {preset: water}}
solids:
  floor: {shape: {box: {from: [0, -0.2], to: [2, 0]}}}
bodies:
  low: {shape: {box: {size: [0.4, 0.4]}}, density: 500, position: [0.6, 0.2]}
  high: {shape: {box: {size: [0.4, 0.4]}}, density: 500, position: [0.6, 0.6]}
camera: {target: [0.6, 0.4], height: 1}
YAML

"$weir" run scene.yaml --out flat --threads 2 --quiet || die "the 2D scene runs"
"$weir" run drop.yaml --out space --threads 2 --quiet || die "the 3D scene runs"
check "the scene is kept with the results" test -s space/scene.yaml
check "the kept scene is valid" "$weir" check space/scene.yaml
"$weir" run space/scene.yaml --out again --threads 2 --quiet || die "the kept scene runs"
same_hash "the kept scene is the same scene" space/report.json again/report.json

# Pictures
if ! "$weir" render drop.yaml --time 1/60 --size 64x64 --out probe.png >stdout 2>stderr &&
    grep -q 'OpenGL' stderr; then
    echo "skipped: there is no OpenGL here"
    exit 0
fi
expect "a picture of a 3D scene" 0 'picture of 0.1 s: a.png' \
    "$weir" render drop.yaml --out a.png --size 320x180
check "it is a PNG" is_png a.png
check "of the size that was asked for" test "$(size_of a.png)" = "320 180"
expect "a picture of a 2D scene" 0 'picture' \
    "$weir" render scene.yaml --time 0.1 --out b.png --size 320x180
expect "a picture of results goes to them" 0 'picture of 0.1 s: space/picture.png' \
    "$weir" render space --size 320x180
"$weir" render space/report.json --size 320x180 --out c.png --quiet || die "results by their report"
check "scene and results give the same picture" cmp a.png c.png
for look in water splats mesh particles; do
    check "3D as $look" "$weir" render space --look $look --size 160x90 --out look.png
done
for field in density pressure velocity fluid; do
    check "coloured by $field" "$weir" render flat --color $field --size 160x90 --out colour.png
done
check "a chosen range" "$weir" render flat --color density --range 990,1010 --size 160x90 --out r.png
check "arrows, title and caption" "$weir" render flat --vectors --caption --size 160x90 --out v.png
expect "a frame by its number" 0 'picture of 0.0333' \
    "$weir" render space --frame 1 --size 160x90 --out f.png
expect "the frame at a time" 0 'picture of 0.0333' \
    "$weir" render space --time 0.05 --size 160x90 --out f.png
expect "several methods side by side" 0 'picture' \
    "$weir" render drop.yaml --compare sph,pbf --time 1/60 --size 320x180 --out compare.png
expect "several results side by side" 0 'picture' \
    "$weir" render space flat --size 320x180 --out both.png
expect "a run that is cut short" 0 'picture' \
    "$weir" render scene.yaml --within 1e-6 --size 160x90 --out w.png
expect "a POV-Ray scene" 0 'POV-Ray scene of 0.1 s: d.pov' "$weir" render space --povray d.pov
if command -v povray >/dev/null; then
    check "povray renders it" povray +W80 +H45 +Id.pov +Od.png -D
fi

# Contacts, and the camera of a flat scene
"$weir" run crates.yaml --out crates --threads 2 --quiet || die "the scene of crates runs"
check "contacts are written" grep -qa impulse crates/frames/contacts_00003.vtp
for source in crates.yaml crates; do
    "$weir" render $source --out dark.png --size 160x90 --quiet || die "crates without contacts"
    "$weir" render $source --contacts --out red.png --size 160x90 --quiet || die "contacts"
    check "contacts of $source change the picture" test -n "$(cmp dark.png red.png 2>&1)"
    cp red.png "red-$source.png"
done
check "scene and results have the same contacts" cmp red-crates.png red-crates.yaml.png
expect "results without bodies have no contacts" 2 'has no contacts.pvd' \
    "$weir" render space --contacts --out x.png
"$weir" render crates --set camera.height=3 --out wide.png --size 160x90 --quiet || die "a camera"
check "the camera of a flat scene counts" test -n "$(cmp dark.png wide.png 2>&1)"
expect "a flat scene has no angle of view" 3 'fov: is for 3D scenes' \
    "$weir" render crates.yaml --set camera.fov=1 --out x.png
expect "a camera in space has no height" 3 'height: is for 2D scenes' \
    "$weir" render drop.yaml --set 'camera={position: [1, 1, 1], target: [0, 0, 0], height: 1}'
expect "a camera in space has a place" 3 'position: is missing' \
    "$weir" render drop.yaml --set 'camera={target: [0, 0, 0]}'

# Films
if command -v ffmpeg >/dev/null; then
    expect "a film of results" 0 'film of 0.1 s' \
        "$weir" render space --out film.mp4 --size 160x90 --fps 60 --orbit --caption
    check "of as many pictures as its time has" test 7 = \
        "$(ffprobe -v error -show_entries stream=nb_frames -of csv=p=0 film.mp4)"
    expect "an animated GIF, in slow motion" 0 'film' \
        "$weir" render space --out film.gif --size 80x45 --fps 10 --speed 0.5
fi
# stop_soon FILE COMMAND...: Ctrl-C as soon as the command has begun FILE; its exit code
stop_soon() {
    local begun=$1 job
    shift
    "$@" >stdout 2>stderr &
    job=$!
    for _ in $(seq 600); do
        compgen -G "$begun" >/dev/null && break
        sleep 0.05
    done
    kill -INT $job
    wait $job
}
if command -v ffmpeg >/dev/null; then
    mkdir films
    stop_soon 'films/.weir-*' "$weir" render space --out films/f.mp4 --speed 0.0001 --size 160x90
    [ $? -eq 130 ] && grep -q interrupted stderr || die "Ctrl-C ends a film and says so"
    pass "Ctrl-C ends a film"
    check "and leaves nothing unfinished" test -z "$(find films -name '.weir-*')"
fi
expect "without ffmpeg" 1 'ffmpeg' env PATH="$(path_without ffmpeg)" \
    "$weir" render space --out kept.mp4 --size 80x45 --fps 10
grep -q 'package ffmpeg' stderr || die "without ffmpeg: the message lacks the package"
check "its pictures are kept" is_png kept_pictures/000001.png

# Meshes
for format in ply obj vtp glb; do
    expect "a mesh as $format" 0 "triangles.*mesh.$format" "$weir" mesh space --out mesh.$format
    check "it has content" test -s mesh.$format
done
expect "meshes of all frames" 0 'surface_00003.ply' "$weir" mesh space --isotropic --resolution 0.5
expect "an animation" 0 'animation of 4 frames.*film.glb' "$weir" mesh space --animate --out film.glb
check "it has one" grep -qa '"animations"' film.glb
expect "an animation of bodies goes to the results" 0 'space/animation.glb' \
    "$weir" mesh space --animate --solids
expect "an animation in another format" 2 'ends in .glb' "$weir" mesh space --animate --out a.ply
expect "an animation of one frame" 2 'leave out --frame' "$weir" mesh space --animate --frame 1
expect "an animation in 2D" 2 'is for 3D' "$weir" mesh flat --animate
expect "outlines in 2D" 0 'm2 ' "$weir" mesh flat --out outline.vtp
expect "2D has no PLY" 2 'can only be written as vtp' "$weir" mesh flat --out outline.ply
expect "a resolution that is too fine" 2 'must be 0.1 to 1' "$weir" mesh space --resolution 0.01
expect "an unknown format" 2 'must be ply, obj, vtp or glb' "$weir" mesh space --format stl
check "meshes during a run" "$weir" run drop.yaml --steps 2 --frames none --mesh ply --out m --quiet
check "they are there" test -s m/frames/surface_00001.ply
expect "an unknown mesh of a run" 2 'must be ply' "$weir" run drop.yaml --mesh stl --out m

# Plots
check "statistics of a run" grep -q '^time,particles,kinetic_energy' flat/statistics.csv
if command -v gnuplot >/dev/null; then
    expect "all plots of a run" 0 'probe-level.png' "$weir" plot flat
    check "energies" is_png flat/energy.png
    expect "two runs in one plot" 0 'plot: two.svg' "$weir" plot flat space --out two.svg
    check "it is an SVG" grep -q '<svg' two.svg
    expect "columns of a CSV file" 0 'plot' "$weir" plot flat/probes.csv --show level --out level.png
    expect "an unknown column" 2 "there is no 'lever'" "$weir" plot flat --show lever --out x.png
fi
expect "without gnuplot" 1 'package gnuplot-nox' env PATH="$(path_without gnuplot)" \
    "$weir" plot flat --out x.png
echo 'time,a' >bad.csv && echo '0,x' >>bad.csv
expect "a CSV file with a word" 3 "line 2: 'x' is not a number" "$weir" plot bad.csv --out x.png

# Without OpenGL
mkdir no-drivers
expect "without OpenGL" 1 'package libgl1-mesa-dri' \
    env __EGL_VENDOR_LIBRARY_DIRS="$work/no-drivers" "$weir" render space --out x.png
check "meshes need no OpenGL" env __EGL_VENDOR_LIBRARY_DIRS="$work/no-drivers" \
    "$weir" mesh space --out plain.ply

# Mistakes and damage
expect "an unknown look" 2 'must be water' "$weir" render space --look wet --out x.png
expect "an unknown field" 2 "'heat' is not allowed.*density" "$weir" render space --color heat \
    --out x.png
expect "an unknown ending" 2 'must end in .png' "$weir" render space --out x.jpg
expect "a size of nothing" 2 'must be like 1280x720' "$weir" render space --size 0x10 --out x.png
expect "a frame that is not there" 2 'has the frames 0 to 3' "$weir" render space --frame 99
expect "an unknown method to compare" 2 "no method 'sphh'" "$weir" render drop.yaml --compare sphh
expect "a method for results" 2 'are for scenes' "$weir" render space --method pbf
mkdir empty
expect "a folder without results" 3 'has no scene.yaml' "$weir" render empty
cp -r space cut && truncate -s 900 cut/frames/particles_00003.vtp
expect "a frame that is cut off" 3 'particles_00003.vtp: .*damaged' "$weir" render cut
printf 'x%.0s' $(seq 2000) >cut/frames/particles_00003.vtp
expect "a frame that is something else" 3 'not a frame of Weir' "$weir" render cut
rm cut/frames/particles_00003.vtp
expect "a frame that is gone" 3 'particles_00003.vtp' "$weir" render cut
"$weir" run drop.yaml --out ply --frames ply --threads 2 --quiet || die "PLY frames"
"$weir" render ply --size 320x180 --out p.png --quiet || die "a picture of PLY frames"
check "PLY and VTP frames give the same picture" cmp a.png p.png
rm -rf ply/frames
expect "results without frames" 3 'has no frames in VTP or PLY' "$weir" render ply
