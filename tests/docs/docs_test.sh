#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs_test.sh SOURCE: links of the pages lead somewhere, the index has all pages, pictures and tables are those of the
# last runs, the messages that are explained are still those of the programs, and those that end a job are explained.
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
awk -f bench/picture_curves.awk -f bench/picture.awk bench/results/latest.csv > "$work/picture" ||
    wrong "bench/picture.awk"
cmp "$work/picture" docs/pictures/pingpong.svg ||
    wrong "the picture is not that of bench/results/latest.csv: make picture"
if [ -e bench/results/netpipe.csv ]; then
    awk -f bench/picture_curves.awk -f bench/sock/picture.awk bench/results/netpipe.csv > "$work/picture" ||
        wrong "bench/sock/picture.awk"
    cmp "$work/picture" docs/pictures/sockets.svg ||
        wrong "the picture is not that of bench/results/netpipe.csv: make picture"
fi
mkdir -p "$work/docs/pictures" && cp docs/applications.md "$work/docs" && bench/applications_page.sh "$work/docs" ||
    wrong "bench/applications_page.sh"
cmp "$work/docs/applications.md" docs/applications.md ||
    wrong "the tables are not those of bench/results/applications.csv: make picture"
if [ -e bench/results/applications.csv ]; then
    cmp "$work/docs/pictures/applications.svg" docs/pictures/applications.svg ||
        wrong "the picture is not that of bench/results/applications.csv: make picture"
fi
# Both follow the figures: one code on two libraries.
printf '%s\n' app,class,ranks,system,round,seconds,mops,verified cg,A,2,corunna-c,1,1,400,yes \
    cg,A,2,corunna-c,2,1,500,yes cg,A,2,mpich,1,1,250,yes cg,A,2,openmpi,1,1,900,no > "$work/figures"
awk -f bench/applications.awk -f bench/applications_tables.awk "$work/figures" docs/applications.md > "$work/page" &&
    grep -qx '| CG | 500 | 250 |' "$work/page" && grep -qx '| mean, by Corunna in C | 1.00 | 0.50 |' "$work/page" ||
    wrong "the tables"
awk -f bench/applications.awk -f bench/applications_picture.awk "$work/figures" > "$work/picture" &&
    [ "$(grep -c '^<rect class="c[13]" x="[0-9.]*" y="[0-9.]*" width="105.0" height=' "$work/picture")" = 2 ] ||
    wrong "the bars"

# ---- messages: strings of C and Java that stand side by side are one; in "strings" \a is a quotation mark inside one
# ----
find src java cmake CMakeLists.txt -name '*.[ch]' -o -name '*.java' -o -name '*.in' -o -name '*.sh' -o -name '*.cmake' \
    -o -name CMakeLists.txt | xargs cat | tr '\n' ' ' | sed -e 's/\\"/\a/g' -e 's/" *+* *"//g' > "$work/strings"
tr '\a' '"' < "$work/strings" > "$work/sources"
awk -f $here/sentences.awk docs/troubleshooting.md "$work/sources" || wrong "docs/troubleshooting.md"
awk -f $here/explained.awk docs/troubleshooting.md "$work/strings" || wrong "docs/troubleshooting.md lacks sentences"
# The checks themselves can fail.
printf '### `a sentence that no program says`\n' > "$work/page"
! awk -f $here/sentences.awk "$work/page" "$work/sources" > "$work/log" &&
    grep -q "no program says: a sentence" "$work/log" ||
    wrong "sentences.awk finds everything"
! awk -f $here/explained.awk "$work/page" "$work/strings" > "$work/log" && grep -q "^not explained: " "$work/log" ||
    wrong "explained.awk finds everything"
exit $status
