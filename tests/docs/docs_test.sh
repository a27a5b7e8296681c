#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs_test.sh SOURCE: links of the pages lead somewhere, the index has all pages, the picture is that of the last run, the messages
# that are explained are still those of the programs, and those that end a job are explained.
set -u
cd "$1" || exit 1
here=tests/docs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
wrong()
{
    echo "FAILED: $1" >&2
    status=1
}

# ---- links: files, and headings in them ----
for page in *.md docs/*.md packaging/*.md examples/*.md; do
    folder=$(dirname "$page")
    awk -f $here/links.awk "$page" > "$work/links"
    while read -r link; do
        file=${link%%#*} heading=
        case $link in *#*) heading=${link#*#} ;; esac
        target=$folder/$file
        [ -n "$file" ] || target=$page
        [ -e "$target" ] || { wrong "$page: there is no $file"; continue; }
        [ -z "$heading" ] || awk -f $here/headings.awk "$target" | grep -qx -e "$heading" ||
            wrong "$page: $target has no heading #$heading"
    done < "$work/links"
done
for page in docs/*.md; do
    name=$(basename "$page")
    [ "$name" = index.md ] || grep -q "]($name)" docs/index.md || wrong "docs/index.md does not name $name"
done

# ---- the picture ----
awk -f bench/picture.awk bench/results/latest.csv > "$work/picture" || wrong "bench/picture.awk"
cmp "$work/picture" docs/pictures/pingpong.svg || wrong "the picture is not that of bench/results/latest.csv: make picture"

# ---- messages: strings of C and Java that stand side by side are one ----
find src java cmake CMakeLists.txt -name '*.[ch]' -o -name '*.java' -o -name '*.in' -o -name '*.sh' -o -name '*.cmake' -o \
    -name CMakeLists.txt | xargs cat | tr '\n' ' ' | sed -e 's/\\"/\a/g' -e 's/" *+* *"//g' -e 's/\a/"/g' > "$work/sources"
awk -f $here/sentences.awk docs/troubleshooting.md "$work/sources" || wrong "docs/troubleshooting.md"
awk -f $here/explained.awk docs/troubleshooting.md "$work/sources" || wrong "docs/troubleshooting.md lacks sentences"
# The checks themselves can fail.
printf '### `a sentence that no program says`\n' > "$work/page"
! awk -f $here/sentences.awk "$work/page" "$work/sources" > "$work/log" && grep -q "no program says: a sentence" "$work/log" ||
    wrong "sentences.awk finds everything"
! awk -f $here/explained.awk "$work/page" "$work/sources" > "$work/log" && grep -q "^not explained: " "$work/log" ||
    wrong "explained.awk finds everything"
exit $status
