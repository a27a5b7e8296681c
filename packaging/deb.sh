#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# deb.sh SOURCE OUT: build the Debian packages of a source tree into a folder. The version is the one in CMakeLists.txt,
# the date that of the newest file, so that the same sources give the same packages.
set -eu
source=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
version=$(sed -n 's/^project(corunna VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
work=$out/source
rm -rf "$work" "$out"/*.deb "$out"/*.buildinfo "$out"/*.changes
mkdir -p "$work/corunna-$version"
if git -C "$source" rev-parse --is-inside-work-tree > /dev/null 2>&1; then
    (cd "$source" && git ls-files -z --cached --others --exclude-standard | xargs -0 sh -c '
        for file; do [ ! -e "$file" ] || echo "$file"; done' sh | tar -cf - -T -) |
        tar -xf - -C "$work/corunna-$version"
    date=$(git -C "$source" log -1 --format=%cD)
else
    (cd "$source" && tar -cf - --exclude './build*' .) | tar -xf - -C "$work/corunna-$version"
    date=$(LC_ALL=C date -R -r "$source/CHANGELOG.md")
fi
cd "$work/corunna-$version"
cp -r packaging/debian debian
cat > debian/changelog << END
corunna ($version) unstable; urgency=medium

  * See /usr/share/doc/corunna/CHANGELOG.md.gz for what has changed.

 -- Corunna maintainers <maintainers@corunna.invalid>  $date
END
dpkg-buildpackage -b -us -uc -j"$(nproc)" > "$out/build.log" 2>&1 || {
    tail -n 40 "$out/build.log" >&2
    echo "deb.sh: the packages could not be built; all of it is in $out/build.log" >&2
    exit 1
}
mv ../*.deb ../*.buildinfo ../*.changes "$out"
cd "$out"
rm -rf "$work"
ls "$out"/*.deb
