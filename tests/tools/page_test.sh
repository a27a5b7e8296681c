#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Pages in a browser: no error on the console, every curve drawn, nothing asked of the network. page_test.sh CORUNNA
# PROBE
. "$(dirname "$0")/../launcher/launcher_lib.sh"
page_probe=$2

"$page_probe" "$scratch/probe.html" || fail "page_probe failed"
cat > points.csv << 'END'
test,system,language,device,ranks,type,mode,bytes,unit,minimum
END
for bytes in 0 1 8 64 512 4096 32768 262144 2097152; do
    for ranks in 2 4 8; do
        us=$(awk "BEGIN { print 1 + $ranks / 4 + $bytes * 1e-4 * $ranks }")
        echo "bcast,corunna,c,hybdev,$ranks,byte,apart,$bytes,us,$us" >> points.csv
    done
    echo "pingpong,corunna,java,smdev,2,byte,,$bytes,us,$us" >> points.csv
done
echo "pingpong,corunna,java,smdev,2,byte,+check,3000,us,3.5" >> points.csv
run "$corunna" model fit points.csv -o points.model
expect_status 0
run "$corunna" model show points.model points.csv --html models.html
expect_status 0
expect_out '2 curves drawn into models.html'
run "$corunna" bench pingpong bcast barrier --sizes 8,1k,64k --modes apart --all-algorithms --quiet \
    --sim nodes=4,ppn=2 --html bench.html
expect_status 0

# What must hold of every page, in any browser: how many curves it has, and that it needs nothing from elsewhere.
curves_of() {
    grep -o 'data-curve=' "$1" | wc -l
}
# 9 scales, 4 extremes with 9 curves each, and one point.
[ "$(curves_of probe.html)" -eq 118 ] || fail "probe.html has $(curves_of probe.html) curves instead of 118"
# A pingpong, and a bcast by the rules and by each of its algorithms: times and bandwidths.
algorithms=$(grep -c '^bcast, 8 ranks, [a-z]*, apart, simdev:' out)
[ "$algorithms" -ge 5 ] || fail "bcast has $algorithms algorithms: $(cat out)"
[ "$(curves_of bench.html)" -eq $((4 + 2 * algorithms)) ] ||
    fail "bench.html has $(curves_of bench.html) curves, of $algorithms algorithms"
# A pingpong: points, points held out and 4 forms, twice, and 4 errors. A bcast: points and a fit of 3 numbers of ranks,
# twice, and 3 errors.
[ "$(curves_of models.html)" -eq 31 ] || fail "models.html has $(curves_of models.html) curves instead of 31"
for page in probe models bench; do
    if grep -qE '(src|href)="[^d]|@import|url\(|https?://' "$page.html"; then
        outside=$(grep -oE '(src|href)="[^d].*|@import|url\(|https?://.*' "$page.html" | head -n 1)
        fail "$page.html asks for something outside of it: $outside"
    fi
done
[ "$(grep -c '<script>' probe.html)" -eq 1 ] || fail "text of probe.html is not escaped"
if grep -q "alert(\"" probe.html; then fail "text of probe.html is not escaped"; fi
[ "$(ls)" = "$(printf 'bench.html\nerr\nmodels.html\nout\npoints.csv\npoints.model\nprobe.html')" ] ||
    fail "other files were left: $(ls)"

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
    timeout -k 5 600 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
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
for page in probe models bench; do
    look "$page.html"
    [ ! -s console ] || fail "$page.html: $(head -n 3 console)"
    drawn=$(grep -o 'data-drawn="[0-9]*"' dom | tr -dc '0-9\n' | awk '{ sum += $1 } END { print sum + 0 }')
    [ "$drawn" -eq "$(curves_of "$page.html")" ] ||
        fail "$page.html: $drawn of $(curves_of "$page.html") curves were drawn"
    if grep -qE 'NaN|Infinity|undefined' dom; then
        fail "$page.html: a number is none: $(grep -oE '.{30}(NaN|undefined)' dom | head -n 2)"
    fi
done

# A pointer on the first dot shows its values; the legend switches its curve off.
cat >acts.js << 'END'
const first = document.querySelector("circle"), box = first.getBoundingClientRect();
const there = {clientX: box.x + box.width / 2, clientY: box.y + box.height / 2, bubbles: true};
const svg = first.ownerSVGElement, tipped = document.getElementById("tip");
svg.dispatchEvent(new PointerEvent("pointermove", there));
const said = tipped.hidden ? "nothing" : tipped.textContent.replace(/\n/g, "; ");
svg.dispatchEvent(new PointerEvent("pointerleave", there));
document.querySelector(".legend button").click();
document.body.dataset.said = said + (tipped.hidden ? "" : " and stays");
document.body.dataset.off = [...document.querySelectorAll("[data-curve][hidden]")].map(g => g.dataset.curve).join();
END
{
    sed '/<\/body>/,$d' models.html
    echo '<script>'
    cat acts.js
    echo '</script></body></html>'
} >acts.html
look acts.html
[ ! -s console ] || fail "acts.html: $(head -n 3 console)"
grep -q 'data-said="2 ranks, measured; bytes: 0; us: 1.5; [a-z]* is off by [-+][0-9.]* %"' dom ||
    fail "a pointer on the first dot shows $(grep -o 'data-said="[^"]*"' dom)"
grep -q 'data-off="2 ranks, measured"' dom || fail "the legend switched off $(grep -o 'data-off="[^"]*"' dom)"
finish
