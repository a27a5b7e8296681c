# Draws the collectives: one SVG for each primitive, named coll-<primitive>.svg, into -v folder=DIR.
# Reads results/latest.tsv, or another table that table.awk has written. Both axes are logarithmic; a panel for each
# number of ranks and one for Java. A barrier has no size, so its axis is the number of ranks.
BEGIN {
    FS = "\t"
    title["corunna"] = "Corunna"
    title["openmpi"] = "Open MPI"
    title["mpich"] = "MPICH"
    title["corunna-processes"] = "Corunna, processes"
    title["corunna-threads"] = "Corunna, threads"
    title["mpj"] = "MPJ, multicore"
    title["niodev"] = "MPJ, niodev"
    # One class, so one colour, for a library; dashed where the ranks are threads.
    look["corunna"] = look["corunna-processes"] = "corunna"
    look["corunna-threads"] = "corunna threads"
    look["openmpi"] = "openmpi"
    look["mpich"] = "mpich"
    look["mpj"] = "mpj threads"
    look["niodev"] = "mpj"
    c_systems = "mpich openmpi corunna"
    java_systems = "niodev mpj corunna-threads corunna-processes"
    panel_width = 400
    panel_height = 300
    gap_x = 84
    legend_row = 18
    gap_y = 124
    left = 74
    top = 108
}

/^# machine: / { machine = substr($0, 12) }
/^# measured: / { measured = substr($0, 13) }

$2 ~ /^(java-)?coll[0-9]+-/ && $5 + 0 > 0 {
    time[$2, $1, $3] = $5
    primitive = $2
    sub(/.*-/, "", primitive)
    if (!(primitive in known)) {
        known[primitive] = 1
        primitives[++count] = primitive
    }
    if (!((primitive, $3) in has_size)) {
        has_size[primitive, $3] = 1
        sizes[primitive] = sizes[primitive] " " $3
    }
}

function log10(v) {
    return log(v) / log(10)
}

function floor(v,   whole) {
    whole = int(v)
    return whole > v ? whole - 1 : whole
}

function in_bytes(n) {
    return n >= 1048576 ? n / 1048576 " MiB" : n >= 1024 ? n / 1024 " KiB" : n " B"
}

function in_time(us) {
    return us >= 1e6 ? us / 1e6 " s" : us >= 1000 ? us / 1000 " ms" : us " µs"
}

function put(text) {
    print text > file
}

function text_at(x, y, class, words, anchor) {
    put(sprintf("<text x=\"%.1f\" y=\"%.1f\" class=\"%s\" text-anchor=\"%s\">%s</text>", x, y, class, anchor, words))
}

function line_from(x1, y1, x2, y2, class) {
    put(sprintf("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>", x1, y1, x2, y2, class))
}

# Every library has a shape of its own, so that the picture does not depend on colours.
function marker(whose, x, y, tip,   shape) {
    if (look[whose] ~ /^corunna/)
        shape = sprintf("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\"", x, y)
    else if (whose == "openmpi")
        shape = sprintf("<rect x=\"%.1f\" y=\"%.1f\" width=\"8\" height=\"8\"", x - 4, y - 4)
    else if (whose == "mpich")
        shape = sprintf("<path d=\"M%.1f %.1fl5 9h-10z\"", x, y - 6)
    else
        shape = sprintf("<path d=\"M%.1f %.1fl5.5 5.5l-5.5 5.5l-5.5 -5.5z\"", x, y - 5.5)
    put(shape " class=\"mark " look[whose] "\"><title>" tip "</title></" substr(shape, 2, index(shape, " ") - 2) ">")
}

# ---- one panel: its points, its scales, its lines -------------------------------------------------------------------

function clear_points() {
    points = series = 0
    split("", point_count)
    x_low = y_low = 1e30
    x_high = y_high = 0
}

# A point of the panel that is going to be drawn; nothing when it was not measured.
function add_point(whose, x, name, size,   n) {
    if (!((name, whose, size) in time))
        return
    if (!(whose in point_count))
        series_of[++series] = whose
    n = ++point_count[whose]
    points++
    point_x[whose, n] = x
    point_y[whose, n] = time[name, whose, size]
    x_low = x < x_low ? x : x_low
    x_high = x > x_high ? x : x_high
    y_low = point_y[whose, n] < y_low ? point_y[whose, n] : y_low
    y_high = point_y[whose, n] > y_high ? point_y[whose, n] : y_high
}

function place_x(x) {
    if (x_high == x_low)
        return panel_x + panel_width / 2
    return panel_x + 22 + (panel_width - 44) * log(x / x_low) / log(x_high / x_low)
}

function place_y(y) {
    return panel_y + panel_height - panel_height * (log10(y) - y_from) / (y_to - y_from)
}

# The scale ends at 1, 2 or 5 times a power of ten around the points, with a little air.
function round_down(v,   power) {
    power = 10 ^ floor(log10(v))
    return v >= 5 * power ? 5 * power : v >= 2 * power ? 2 * power : power
}

function draw_y_axis(   decade, step, steps, k, v) {
    y_from = log10(round_down(y_low / 1.1))
    y_to = log10(y_high * 1.35)
    steps = split("1 2 5", step, " ")
    for (decade = floor(y_from); decade <= y_to; decade++)
        for (k = 1; k <= steps; k++) {
            v = step[k] * 10 ^ decade
            if (log10(v) < y_from - 0.001 || log10(v) > y_to)
                continue
            line_from(panel_x, place_y(v), panel_x + panel_width, place_y(v), k == 1 ? "grid strong" : "grid")
            if (k == 1 || y_to - y_from < 2.2)
                text_at(panel_x - 8, place_y(v) + 4, "tick", in_time(v), "end")
        }
    put(sprintf("<text class=\"axis\" text-anchor=\"middle\" transform=\"translate(%.1f %.1f) rotate(-90)\">%s</text>",
        panel_x - 58, panel_y + panel_height / 2, "time of one call"))
}

function draw_x_axis(ticks, is_bytes, words,   list, n, i) {
    n = split(ticks, list, " ")
    for (i = 1; i <= n; i++) {
        if (list[i] + 0 < x_low || list[i] + 0 > x_high)
            continue
        line_from(place_x(list[i]), panel_y, place_x(list[i]), panel_y + panel_height, "grid")
        text_at(place_x(list[i]), panel_y + panel_height + 18, "tick", is_bytes ? in_bytes(list[i]) : list[i],
            "middle")
    }
    text_at(panel_x + panel_width / 2, panel_y + panel_height + 38, "axis", words, "middle")
}

function draw_series(whose,   i, path, x, y) {
    for (i = 1; i <= point_count[whose]; i++)
        path = path (i == 1 ? "M" : "L") sprintf("%.1f %.1f", place_x(point_x[whose, i]), place_y(point_y[whose, i]))
    put("<path d=\"" path "\" class=\"line " look[whose] "\"/>")
    for (i = 1; i <= point_count[whose]; i++)
        marker(whose, place_x(point_x[whose, i]), place_y(point_y[whose, i]),
            title[whose] ": " in_time(sprintf("%.4g", point_y[whose, i]) + 0))
}

function legend_width(whose) {
    return 47 + 6.2 * length(title[whose])
}

# How many rows the legend needs, two entries in each when one row is too narrow.
function legend_rows(   i, width) {
    for (i = 1; i <= series; i++)
        width += legend_width(series_of[i])
    return width > panel_width + 20 ? int((series + 1) / 2) : 1
}

# The last series is drawn last, over the others, and named first.
function draw_legend(   i, x, y, whose, rows, drawn) {
    rows = legend_rows()
    x = panel_x + 2
    y = panel_y - 16 - (rows - 1) * legend_row
    for (i = series; i >= 1; i--) {
        whose = series_of[i]
        put(sprintf("<path d=\"M%.1f %.1fh26\" class=\"line %s\"/>", x, y, look[whose]))
        marker(whose, x + 13, y, title[whose])
        text_at(x + 32, y + 4, "legend", title[whose], "start")
        x += rows > 1 ? panel_width / 2 : legend_width(whose)
        if (rows > 1 && ++drawn % 2 == 0) {
            x = panel_x + 2
            y += legend_row
        }
    }
}

function draw_panel(column, row, heading, ticks, is_bytes, x_words,   i) {
    panel_x = left + column * (panel_width + gap_x)
    panel_y = top + row * (panel_height + gap_y)
    put(sprintf("<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" class=\"panel\"/>", panel_x, panel_y,
        panel_width, panel_height))
    text_at(panel_x, panel_y - 34 - (legend_rows() - 1) * legend_row, "heading", heading, "start")
    draw_y_axis()
    draw_x_axis(ticks, is_bytes, x_words)
    for (i = 1; i <= series; i++)
        draw_series(series_of[i])
    draw_legend()
}

# ---- one picture ----------------------------------------------------------------------------------------------------

# Light unless the reader asks for dark; both have a background of their own.
function open_picture(what, columns, rows,   width, height) {
    file = folder "/coll-" what ".svg"
    width = left + columns * panel_width + (columns - 1) * gap_x + 26
    height = top + rows * panel_height + (rows - 1) * gap_y + 84
    put(sprintf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" " \
        "role=\"img\" font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif\">", width, height, width,
        height))
    put("<title>Time of one " what ": Corunna and its peers</title>")
    put("<style>")
    put(".page { fill: #ffffff } .panel { fill: #f7f8fa; stroke: #c3c8d0 }")
    put(".grid { stroke: #e3e6eb } .strong { stroke: #c3c8d0 }")
    put("text { fill: #1f2630 } .name { font-size: 20px; font-weight: 600 }")
    put(".heading { font-size: 14px; font-weight: 600 }")
    put(".axis, .legend { font-size: 12px } .tick, .foot { font-size: 11px; fill: #5a6472 }")
    put(".line { fill: none; stroke-width: 2 } .mark { stroke: none } .line.corunna { stroke-width: 3 }")
    put(".line.threads { stroke-dasharray: 6 4; stroke-width: 2 }")
    put(style("#0b62c4", "#d9660a", "#2f8f4e", "#9a3fb5"))
    put("@media (prefers-color-scheme: dark) {")
    put(".page { fill: #12161c } .panel { fill: #191f27; stroke: #414b59 }")
    put(".grid { stroke: #29313c } .strong { stroke: #414b59 }")
    put("text { fill: #e4e8ee } .tick, .foot { fill: #9aa5b4 }")
    put(style("#5aa9ff", "#ffa04d", "#63cf86", "#d58aec"))
    put("}")
    put("</style>")
    put(sprintf("<rect width=\"%d\" height=\"%d\" class=\"page\"/>", width, height))
    text_at(16, 34, "name", what ": time of one call", "start")
    text_at(width - 26, 34, "foot", "less is better; both axes are logarithmic", "end")
    text_at(16, height - 26, "foot", escape(machine), "start")
    text_at(16, height - 10, "foot", escape(measured), "start")
}

function style(corunna, openmpi, mpich, mpj) {
    return both("corunna", corunna) both("openmpi", openmpi) both("mpich", mpich) both("mpj", mpj)
}

function both(class, colour) {
    return ".line." class " { stroke: " colour " } .mark." class " { fill: " colour " } "
}

function escape(words) {
    gsub(/&/, "\\&amp;", words)
    gsub(/</, "\\&lt;", words)
    return words
}

function add_sizes(what, name, systems_list,   list, n, ticks, m, i, k) {
    clear_points()
    n = split(systems_list, list, " ")
    m = split(sizes[what], ticks, " ")
    for (i = 1; i <= n; i++)
        for (k = 1; k <= m; k++)
            add_point(list[i], ticks[k] + 0, name "-" what, ticks[k])
    return points
}

function panel_of_sizes(what, name, systems_list, heading) {
    if (add_sizes(what, name, systems_list) == 0)
        return
    draw_panel(panels % 2, int(panels / 2), heading, sizes[what], 1, "bytes that a rank sends to another")
    panels++
}

# How many of the panels have something to show, for the size of the page.
function count_panels(what) {
    return (add_sizes(what, "coll2", c_systems) > 0) + (add_sizes(what, "coll8", c_systems) > 0) + \
        (add_sizes(what, "coll16", c_systems) > 0) + (add_sizes(what, "java-coll2", java_systems) > 0)
}

function draw_sizes(what,   n) {
    n = count_panels(what)
    open_picture(what, n > 1 ? 2 : 1, int((n + 1) / 2))
    panels = 0
    panel_of_sizes(what, "coll2", c_systems, "C, 2 ranks, a core each")
    panel_of_sizes(what, "coll8", c_systems, "C, 8 ranks on 2 cores")
    panel_of_sizes(what, "coll16", c_systems, "C, 16 ranks on 2 cores")
    panel_of_sizes(what, "java-coll2", java_systems, "Java double[], 2 ranks")
    put("</svg>")
    close(file)
}

function draw_ranks(what,   list, n, i, ranks, m, k, has_c) {
    clear_points()
    n = split(c_systems, list, " ")
    m = split("2 8 16", ranks, " ")
    for (i = 1; i <= n; i++)
        for (k = 1; k <= m; k++)
            add_point(list[i], ranks[k] + 0, "coll" ranks[k] "-" what, 0)
    has_c = points > 0
    open_picture(what, 1 + (has_c && ("java-coll2-" what, "mpj", 0) in time), 1)
    if (has_c)
        draw_panel(0, 0, "C, ranks on 2 cores", "2 8 16", 0, "ranks")
    clear_points()
    n = split(java_systems, list, " ")
    for (i = 1; i <= n; i++)
        for (k = 1; k <= m; k++)
            add_point(list[i], ranks[k] + 0, "java-coll" ranks[k] "-" what, 0)
    if (points > 0)
        draw_panel(has_c, 0, "Java, ranks on 2 cores", "2 8 16", 0, "ranks")
    put("</svg>")
    close(file)
}

END {
    for (i = 1; i <= count; i++)
        if (sizes[primitives[i]] == " 0")
            draw_ranks(primitives[i])
        else
            draw_sizes(primitives[i])
}
