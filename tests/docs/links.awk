# SPDX-License-Identifier: Apache-2.0
# The targets of a page's links and pictures, without those of other sites and those in blocks of code.
/^```/ { is_code = !is_code }
is_code { next }
{
    while (match($0, /\]\([^)]*\)/)) {
        target = substr($0, RSTART + 2, RLENGTH - 3)
        $0 = substr($0, RSTART + RLENGTH)
        if (target !~ /^[a-z]+:/)
            print target
    }
}
