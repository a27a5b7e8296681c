# SPDX-License-Identifier: Apache-2.0
# Curves over the size of a message as one SVG: latency of short messages at the left, bandwidth of longer ones at the
# right. A picture names its curves in BEGIN, fills points, bytes and time, and draws in END (picture.awk,
# sock/picture.awk).
function curve(key, name, class)
{
    keys[++curves] = key
    names[curves] = name
    classes[curves] = class
}

# Figures of the file's head.
/^# machine: / { machine = substr($0, 12) }
/^# measured: / { measured = substr($1, 13) } # the date

# One more point of a curve, microseconds.
function point(key, size, us)
{
    points[key]++
    bytes[key, points[key]] = size
    time[key, points[key]] = us
}

# ---- a panel: from `left` on, sizes from `low` to `high` bytes ----

function across(size)
{
    return left + WIDE * log(size / low) / log(high / low)
}

function down(value)
{
    return TOP + TALL * (1 - (is_log ? log(value / least) / log(most / least) : (value - least) / (most - least)))
}

function short(size)
{
    return size >= 1048576 ? size / 1048576 " MiB" : size >= 1024 ? size / 1024 " KiB" : size " B"
}

function grid(title, size, tick, step)
{
    printf "<text class=\"title\" x=\"%d\" y=\"%d\">%s</text>\n", left, TOP - 14, title
    for (size = low; size <= high; size *= 8) {
        printf "<path class=\"grid\" d=\"M%.1f,%dV%d\"/>", across(size), TOP, TOP + TALL
        printf "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", across(size), TOP + TALL + 17,
            short(size)
    }
    step = most > 20 ? 10 : 5
    for (tick = least; tick <= most * 1.001; tick = is_log ? tick * 10 : tick + step) {
        printf "<path class=\"grid\" d=\"M%d,%.1fH%d\"/>", left, down(tick), left + WIDE
        printf "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", left - 6, down(tick) + 4, tick
    }
}

function lines(is_bandwidth, i, k, path)
{
    for (i = 1; i <= curves; i++) {
        path = ""
        for (k = 1; k <= points[keys[i]]; k++)
            if (bytes[keys[i], k] >= low && bytes[keys[i], k] <= high)
                path = path sprintf("%s%.1f,%.1f", path == "" ? "M" : "L", across(bytes[keys[i], k]),
                                    down(value(keys[i], k, is_bandwidth)))
        if (path != "")
            printf "<path class=\"curve %s\" d=\"%s\"/>\n", classes[i], path
    }
}

# Microseconds, or GB/s.
function value(key, k, is_bandwidth)
{
    return is_bandwidth ? bytes[key, k] / time[key, k] / 1000 : time[key, k]
}

# Two lines of names.
function legend(a_line, i, x, y)
{
    for (i = 1; i <= curves; i++) {
        if (!points[keys[i]])
            continue
        x = 62 + (i - 1) % a_line * 250
        y = TOP + TALL + (i <= a_line ? 48 : 70)
        printf "<path class=\"curve %s\" d=\"M%d,%dh34\"/>", classes[i], x, y - 4
        printf "<text class=\"name\" x=\"%d\" y=\"%d\">%s</text>\n", x + 42, y, names[i]
    }
}

function greatest_bandwidth(i, k, most_so_far)
{
    for (i = 1; i <= curves; i++)
        for (k = 1; k <= points[keys[i]]; k++)
            if (value(keys[i], k, 1) > most_so_far)
                most_so_far = value(keys[i], k, 1)
    return most_so_far
}

function open_picture(title)
{
    TOP = 44; TALL = 250; WIDE = 330
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 860 400\" role=\"img\" " \
          "font-family=\"system-ui, sans-serif\">"
    print "<title>" title "</title>"
    print "<style>"
    print "text { fill: #5b6570; font-size: 11px; } .title { fill: #1b1f24; font-size: 14px; } " \
          ".name { fill: #1b1f24; font-size: 13px; }"
    print ".grid { stroke: #dfe3e8; fill: none; } .curve { fill: none; stroke-width: 2.2; stroke-linejoin: round; }"
    print ".c0 { stroke: #0072b2; } .c1 { stroke: #d55e00; } .c2 { stroke: #009e73; } .c3 { stroke: #2f96cf; } " \
          ".c4 { stroke: #b4508a; }"
    print ".dashed { stroke-dasharray: 7 4; }"
    print "@media (prefers-color-scheme: dark) {"
    print "text { fill: #9aa4b0; } .title, .name { fill: #e6e9ed; } .grid { stroke: #2c333b; }"
    print ".c0 { stroke: #4ea8e0; } .c1 { stroke: #f28a3c; } .c2 { stroke: #2ccb9c; } .c3 { stroke: #8fd0f5; } " \
          ".c4 { stroke: #e39bc8; }"
    print "}"
    print "</style>"
}

function latency_panel(smallest, largest)
{
    left = 62; low = smallest; high = largest; least = 0.1; most = 100; is_log = 1
    grid("Half a round trip, microseconds (less is better)")
    lines(0)
}

function bandwidth_panel(smallest, largest)
{
    left = 500; low = smallest; high = largest; least = 0; is_log = 0
    most = (int(greatest_bandwidth() / 10) + 1) * 10
    grid("Bandwidth, GB/s (more is better)")
    lines(1)
}

function close_picture(what)
{
    printf "<text x=\"62\" y=\"390\">%s; %s; %s</text>\n", what, machine, measured
    print "</svg>"
}
