#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# version_test.sh CMAKE BUILD SOURCE VERSION HAS_JAVA: everything that tells a version tells the one in CMakeLists.txt.
set -u
cmake=$1 build=$2 source=$3 version=$4 has_java=$5

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
status=0
tells() # what it should be, where it is from, what it is
{
    [ "$3" = "$1" ] || {
        echo "FAILED: $2 tells '$3', not '$1'" >&2
        status=1
    }
}
first() # command...: the first line that it prints
{
    "$@" 2>&1 | head -n 1
}
field() # file, sed expression that leaves the version
{
    sed -n "$2" "$1" | head -n 1
}

# ---- programs ----
for word in --version -V version; do
    tells "Corunna $version" "corunna $word" "$(first "$build/bin/corunna" $word)"
done
for name in mpirun mpiexec mpjrun; do
    tells "Corunna $version" "$name --version" "$(first "$build/bin/$name" --version)"
done
tells "Corunna $version" "corunna info" "$(first "$build/bin/corunna" info)"
tells "mpicc: Corunna $version (C)" "mpicc --showme:version" "$(first "$build/bin/mpicc" --showme:version)"
tells "mpicxx: Corunna $version (C++)" "mpicxx --showme:version" "$(first "$build/bin/mpicxx" --showme:version)"
# As those of Open MPI and MPICH do: build scripts ask by it which compiler there is.
tells "$(first cc --version)" "mpicc --version" "$(first "$build/bin/mpicc" --version)"
if [ "$has_java" = 1 ]; then
    tells "mpijavac: Corunna $version" "mpijavac --showme:version" "$(first "$build/bin/mpijavac" --showme:version)"
fi

# ---- what is installed ----
DESTDIR=$work "$cmake" --install "$build" --prefix /usr > log 2>&1 || tells fine "cmake --install" "$(cat log)"
for file in $(find usr -name '*.pc'); do
    tells "$version" "$file" "$(field "$file" 's/^Version: //p')"
done
config=$(find usr -name corunna-config-version.cmake)
tells "$version" "$config" "$(field "$config" 's/^set(PACKAGE_VERSION "\(.*\)")$/\1/p')"
for page in $(find usr -path '*/man1/*.1' -type f); do
    case $(head -n 1 "$page") in
    .so*) ;;
    *) tells "Corunna $version" "$page" "$(field "$page" 's/^\.TH [^ ]* 1 "" "\([^"]*\)" "User Commands"$/\1/p')" ;;
    esac
done

# ---- what names a version in the tree, since it must ----
tells "$version" examples/maven/pom.xml "$(field "$source/examples/maven/pom.xml" \
    '/<artifactId>corunna</{n;s/.*<version>\(.*\)<\/version>.*/\1/p;}')"
grep -q "^## $version, 20[0-9-]*$" "$source/CHANGELOG.md" || tells "## $version, DATE" CHANGELOG.md "no such section"
exit $status
