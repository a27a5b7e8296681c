# SPDX-License-Identifier: Apache-2.0
# The names by which links reach the headings of a page: small letters, hyphens for spaces, no other signs.
/^```/ { is_code = !is_code }
/^#+ / && !is_code {
    sub(/^#+ /, "")
    $0 = tolower($0)
    gsub(/[^a-z0-9_ -]/, "")
    gsub(/ /, "-")
    print
}
