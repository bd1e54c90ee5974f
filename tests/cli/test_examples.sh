#!/usr/bin/env bash
# Every example is valid and runs; those with meshes only where the meshes were fetched.
. "$(dirname "$0")/lib.sh"
for scene in "$root"/scenes/examples/*.yaml; do
    name=$(basename "$scene" .yaml)
    mesh=$(sed -n 's/.*mesh: *{ *file: *\([^ ,}]*\).*/\1/p' "$scene" | head -n 1)
    if [ -n "$mesh" ] && [ ! -e "$root/scenes/examples/$mesh" ]; then
        echo "skipped: $name needs $mesh, see scripts/fetch-meshes"
        continue
    fi
    expect "$name is valid" 0 'is valid' "$weir" check "$scene" --threads 2
    expect "$name runs" 0 'finished' "$weir" run "$scene" --threads 2 --steps 2 --frames none
    check "$name names its schema" grep -q 'schema=../../schema/scene.schema.json' "$scene"
done
