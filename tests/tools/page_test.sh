#!/bin/sh
# Pages in a browser: no error on the console, every curve drawn, nothing asked of the network. page_test.sh CORUNNA PROBE
. "$(dirname "$0")/../launcher/launcher_lib.sh"
page_probe=$2

"$page_probe" "$scratch/probe.html" || fail "page_probe failed"

# What every page is, whoever looks at it: how many curves it has, and that it needs nothing from elsewhere.
curves_of() {
    grep -o 'data-curve=' "$1" | wc -l
}
# 9 scales, 4 extremes with 9 curves each, and one point.
[ "$(curves_of probe.html)" -eq 118 ] || fail "probe.html has $(curves_of probe.html) curves instead of 118"
for page in probe; do
    if grep -qE '(src|href)="[^d]|@import|url\(|https?://' "$page.html"; then
        fail "$page.html asks for something outside of it: $(grep -oE '(src|href)="[^d].*|@import|url\(|https?://.*' "$page.html" | head -n 1)"
    fi
done
[ "$(grep -c '<script>' probe.html)" -eq 1 ] || fail "text of probe.html is not escaped"
if grep -q "alert(\"" probe.html; then fail "text of probe.html is not escaped"; fi
[ "$(ls)" = "$(printf 'probe.html')" ] || fail "other files were left: $(ls)"

browser=
for name in chromium chromium-browser google-chrome; do
    [ -n "$browser" ] || browser=$(command -v "$name") || true
done
if [ -z "$browser" ]; then
    [ "$failures" -eq 0 ] || finish
    echo "SKIPPED: no Chromium is installed; what is in the files was checked, not what a browser draws"
    exit 77
fi

# look PAGE: the page as it is after its script has run, and the lines of the console.
look() {
    # Without a sandbox, which root cannot have; the profile goes with the scratch folder.
    timeout -k 5 60 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
        --user-data-dir="$scratch/profile" --enable-logging=stderr --v=0 --window-size=1000,1000 \
        --dump-dom "file://$scratch/$1" >dom 2>log || fail "$1: the browser failed: $(tail -n 3 log)"
    grep 'CONSOLE' log >console || true
}

# That the browser tells of errors at all.
echo '<!doctype html><svg></svg><script>"use strict"; nothing.here();</script>' >broken.html
look broken.html
grep -q 'nothing is not defined' console || {
    [ "$failures" -eq 0 ] || finish
    echo "SKIPPED: this browser does not tell of errors in pages: $(tail -n 3 log)"
    exit 77
}
for page in probe; do
    look "$page.html"
    [ ! -s console ] || fail "$page.html: $(head -n 3 console)"
    drawn=$(grep -o 'data-drawn="[0-9]*"' dom | tr -dc '0-9\n' | awk '{ sum += $1 } END { print sum + 0 }')
    [ "$drawn" -eq "$(curves_of "$page.html")" ] ||
        fail "$page.html: $drawn of $(curves_of "$page.html") curves were drawn"
    if grep -qE 'NaN|Infinity|undefined' dom; then fail "$page.html: a number is none: $(grep -oE '.{30}(NaN|undefined)' dom | head -n 2)"; fi
done
finish
