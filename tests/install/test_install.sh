#!/usr/bin/env bash
# What a stranger gets: Weir is installed, moved, and used by programs that know nothing of its
# sources, in three ways: CMake's find_package, pkg-config, and as a folder of another project.
#   test_install.sh SOURCE BUILD [CMAKE]
. "$(dirname "$0")/../cli/lib.sh"
source=$1 build=$2 cmake=${3:-cmake}

# Install, then move: nothing may remember the old place.
check "installs" "$cmake" --install "$build" --prefix "$work/first"
mv first second
prefix=$work/second
program=$prefix/share/weir/docs/manual/first.c
lib=$(dirname "$(find "$prefix" -name libweir.a)")
for file in bin/weir include/weir/weir.h include/weir/kit.h share/man/man1/weir.1 \
    share/man/man1/weir-run.1 share/bash-completion/completions/weir \
    share/zsh/site-functions/_weir share/fish/vendor_completions.d/weir.fish \
    share/weir/LICENSE share/weir/docs/manual/index.md share/weir/docs/manual/first.c \
    share/weir/adapters/box2d/weir_box2d.cpp share/weir/adapters/chipmunk/weir_chipmunk.c \
    share/weir/scenes/examples/dam-break-2d.yaml share/weir/schema/scene.schema.json; do
    check "has $file" test -s "$prefix/$file"
done
check "no file names the source folder" bash -c \
    "! grep -rIl -e '$source' -e '$work/first' '$prefix/share/man' '$lib/cmake' '$lib/pkgconfig'"
expect "the program runs" 0 '^weir [0-9]' "$prefix/bin/weir" --version
check "the library has a soname" bash -c "readelf -d '$lib/libweir.so' | grep -q 'soname: .libweir.so.[0-9]'"

# Only weir_* may be seen from outside.
for file in libweir.so libweirkit.so; do
    check "symbols of $file" bash -c "! nm -D --defined-only '$lib/$file' | grep -v ' weir_'"
done
for file in libweir.a libweirkit.a; do
    check "symbols of $file" bash -c "! nm -g --defined-only '$lib/$file' | grep ' [A-Z] ' | grep -v ' weir_'"
done

# Manual pages and completions
if command -v groff >/dev/null; then
    for page in "$prefix"/share/man/man1/*.1; do
        check "groff reads $(basename "$page")" bash -c "! groff -man -wall -z '$page' 2>&1 | grep ."
    done
fi
. "$prefix/share/bash-completion/completions/weir"
COMP_WORDS=(weir render --cap) COMP_CWORD=2
_weir
check "bash completes options" test "${COMPREPLY[*]}" = --caption
COMP_WORDS=(weir ver) COMP_CWORD=1
_weir
check "bash completes commands" test "${COMPREPLY[*]}" = verify
if command -v zsh >/dev/null; then
    check "zsh reads its completion" zsh -n "$prefix/share/zsh/site-functions/_weir"
fi

falls() { grep -q '^0.50 s: 0\.[34]' stdout || die "the first program: $(cat stdout)"; }
scene=$prefix/share/weir/scenes/examples/dam-break-2d.yaml

# The headers alone, for clients of every standard
echo '#include <weir/kit.h>' >headers.c
cp headers.c headers.cc
for standard in c99 c11 c17 c2x; do
    check "headers as $standard" cc -std=$standard -pedantic -Wall -Wextra -Werror -fsyntax-only \
        -I"$prefix/include" headers.c
done
if command -v c++ >/dev/null; then
    for standard in c++11 c++14 c++17 c++20; do
        check "headers as $standard" c++ -std=$standard -pedantic -Wall -Wextra -Werror -fsyntax-only \
            -I"$prefix/include" headers.cc
    done
fi

# pkg-config, as C99 and as C++20, shared and static
export PKG_CONFIG_PATH=$lib/pkgconfig
cp "$program" first.cc
check "C99 by pkg-config" bash -c \
    "cc -std=c99 -pedantic -Wall -Wextra -Werror '$program' -o first-c \$(pkg-config --cflags --libs weir)"
expect "it runs" 0 '0.50 s' env LD_LIBRARY_PATH="$lib" ./first-c
falls
if command -v c++ >/dev/null; then
    check "C++20 by pkg-config, static" bash -c "c++ -std=c++20 -pedantic -Wall -Wextra -Werror first.cc \
        -o first-cc \$(pkg-config --cflags weir) '$lib/libweir.a' \
        \$(pkg-config --static --libs weir | sed 's/-lweir//')"
    expect "it runs" 0 '0.50 s' ./first-cc
    falls
fi
check "the kit by pkg-config" bash -c \
    "cc -std=c99 -pedantic -Wall -Wextra -Werror '$source/tests/install/kit.c' -o kit-c \
    \$(pkg-config --cflags --libs weirkit)"
expect "it runs" 0 'the same' env LD_LIBRARY_PATH="$lib" ./kit-c "$scene"
check "it writes a surface" test -s surface.vtp

# find_package
check "find_package" "$cmake" -S "$source/tests/install" -B found -DCMAKE_PREFIX_PATH="$prefix" \
    -DFIRST="$program"
check "builds" "$cmake" --build found
for name in weir weir_static; do
    expect "$name runs" 0 '0.50 s' "found/first-$name"
    falls
done
for name in kit kit_static; do
    expect "$name runs" 0 'the same' "found/kit-$name" "$scene"
done

# A folder of another project, with the core alone and for one thread
check "a folder of a project" "$cmake" -S "$source/tests/install" -B inside -DWEIR_SOURCE="$source" \
    -DFIRST="$program" -DWEIR_THREADS=OFF -DCMAKE_BUILD_TYPE=MinSizeRel
check "builds" "$cmake" --build inside --target first -j 2
check "no thread library" bash -c "! ldd inside/first | grep -q gomp"
expect "it runs" 0 '0.50 s' ./inside/first
falls
