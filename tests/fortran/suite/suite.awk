# SPDX-License-Identifier: Apache-2.0
# A program of the Fortran suite, of its template and the rows of suite.def: with -v module=f08 or mpi that in Fortran,
# with -v module=c the wrong calls in C.
#
#   awk -v module=f08 -v template=suite.f90.in -f suite.awk suite.def

function fail(message) {
    print FILENAME ":" FNR ": " message > "/dev/stderr"
    failed = 1
    exit 1
}

BEGIN { FS = "[ ]*[|][ ]*" }
/^#/ || /^[ ]*$/ { next }
{
    # "a | b |" has an empty third field; blanks around the row do not count.
    sub(/[ ]+$/, "")
    kind = $1
    if (!(kind in COUNT) && kind !~ /^(send|recv|section|type|class|op|coll|derived|wrong)$/)
        fail("there is no kind of row '" kind "'")
    k = ++COUNT[kind]
    for (f = 2; f <= NF; f++)
        F[kind, k, f - 1] = $f
}

# ---- the modules ----------------------------------------------------------------------------------------------------

# HANDLE(X), STATUS(x), SOURCE_OF(x), TAG_OF(x) and NUMBER_OF(x) in the words of the module.
function replace_word(text, word, before, after,    at, rest) {
    while ((at = index(text, word "(")) > 0) {
        rest = substr(text, at + length(word) + 1)
        sub(/\)/, after == "" ? "\002" : after, rest)
        gsub(/\002/, "", rest)
        text = substr(text, 1, at - 1) before rest
    }
    return text
}

function worded(text) {
    if (module == "f08") {
        text = replace_word(text, "HANDLE", "type(MPI_", "\003")
        text = replace_word(text, "STATUS", "type(MPI_Status\003 :: ", "")
        text = replace_word(text, "SOURCE_OF", "", "%MPI_SOURCE")
        text = replace_word(text, "TAG_OF", "", "%MPI_TAG")
        text = replace_word(text, "NUMBER_OF", "", "%MPI_VAL")
    } else {
        while (match(text, /HANDLE\([A-Za-z]+\)/))
            text = substr(text, 1, RSTART - 1) "integer" substr(text, RSTART + RLENGTH)
        text = replace_word(text, "STATUS", "integer :: ", "(MPI_STATUS_SIZE\003")
        text = replace_word(text, "SOURCE_OF", "", "(MPI_SOURCE\003")
        text = replace_word(text, "TAG_OF", "", "(MPI_TAG\003")
        text = replace_word(text, "NUMBER_OF", "", "")
    }
    gsub(/\003/, ")", text)
    return text
}

# A line of at most 132 columns goes into the program; longer ones are broken between words.
function put(text,    cut) {
    text = worded(text)
    while (length(text) > 120) {
        for (cut = 110; cut > 40 && substr(text, cut, 1) != ","; cut--)
            ;
        print substr(text, 1, cut) " &"
        text = "        " substr(text, cut + 1)
    }
    print text
}

function replaced(text, word, by,    at, done) {
    while ((at = index(text, word)) > 0) {
        done = done substr(text, 1, at - 1) by
        text = substr(text, at + length(word))
    }
    return done text
}

function open_case(name, title) {
    put("")
    put("  subroutine " name)
    CALLS = CALLS "  call " name "\n"
    TITLE = title
}

function begin_case() { put("    call begin('" TITLE "')") }
function close_case() { put("  end subroutine") }

# ---- point-to-point -------------------------------------------------------------------------------------------------

function is_early(recv) { return recv ~ /^(Irecv|Recv_init)$/ }
function is_blocking(procedure) { return procedure !~ /^I|_init$/ }

function put_send(send, buf, tag) {
    buf = buf ", to, " tag ", world"
    if (send ~ /_init$/) {
        put("      call MPI_" send "(" buf ", sending, ierror)")
        put("      call MPI_Start(sending, ierror)")
    } else
        put("      call MPI_" send "(" buf (is_blocking(send) ? "" : ", sending") ", ierror)")
}

function put_end_send(send) {
    if (is_blocking(send))
        return
    put("      call MPI_Wait(sending, MPI_STATUS_IGNORE, ierror)")
    if (send ~ /_init$/)
        put("      call MPI_Request_free(sending, ierror)")
}

function put_receive(recv, buf, tag) {
    if (recv == "Irecv")
        put("      call MPI_Irecv(" buf ", from, " tag ", world, receiving, ierror)")
    else if (recv == "Recv_init") {
        put("      call MPI_Recv_init(" buf ", from, " tag ", world, receiving, ierror)")
        put("      call MPI_Start(receiving, ierror)")
    } else if (recv == "Recv")
        put("      call MPI_Recv(" buf ", from, " tag ", world, status, ierror)")
    else {
        if (recv ~ /^I/) {
            put("      flag = .false.")
            put("      do while (.not. flag)")
            put("        call MPI_" recv "(MPI_ANY_SOURCE, MPI_ANY_TAG, world, flag, " \
                (recv == "Improbe" ? "message, " : "") "status, ierror)")
            put("      end do")
        } else
            put("      call MPI_" recv "(MPI_ANY_SOURCE, MPI_ANY_TAG, world, " \
                (recv == "Mprobe" ? "message, " : "") "status, ierror)")
        put("      call expect_status(status, from, " tag ", " COUNT_OF ", " DATATYPE ")")
        if (recv == "Mprobe")
            put("      call MPI_Mrecv(" buf ", message, status, ierror)")
        else if (recv == "Improbe") {
            put("      call MPI_Imrecv(" buf ", message, receiving, ierror)")
            put("      call MPI_Wait(receiving, status, ierror)")
        } else
            put("      call MPI_Recv(" buf ", SOURCE_OF(status), TAG_OF(status), world, status, ierror)")
    }
}

function put_variables(section,    shape, elements) {
    shape = F["section", section, 3]
    put("    " F["section", section, 2] ", asynchronous :: a" shape ", b" shape)
    put("    " F["section", section, 2] " :: t" shape ", e" shape)
    elements = F["section", section, 6]
    put("    " F["section", section, 5] ", asynchronous :: flat(" elements "), got(" elements ")")
    put("    " F["section", section, 5] " :: wanted(" elements "), kept(" elements ")")
    put("    integer :: from, to, words, flat_words")
    put("    logical :: flag")
    put("    STATUS(status)")
    put("    HANDLE(Request) :: sending, receiving")
    put("    HANDLE(Message) :: message")
    COUNT_OF = F["section", section, 7]
    DATATYPE = F["section", section, 8]
    SECTION = F["section", section, 4]
    SHAPE = "shape(a)"
    ELEMENTS = elements
    USED = ("section", section, 9) in F ? F["section", section, 9] : elements
}

# What `from` sends, and what is expected at its receiver.
function put_values(    part) {
    put("      words = size(transfer(a, [0]))")
    put("      flat_words = size(transfer(flat, [0]))")
    put("      t = reshape(transfer(words_of(from, words), t), " SHAPE ")")
    put("      a = t")
    put("      wanted = reshape(t" SECTION ", [" ELEMENTS "])")
    put("      flat = wanted")
    put("      b = reshape(transfer(blank(words), b), " SHAPE ")")
    put("      e = b")
    put("      got = transfer(blank(flat_words), got)")
    put("      kept = reshape(e" SECTION ", [" ELEMENTS "])")
    put("      kept(1:" USED ") = wanted(1:" USED ")")
    put("      e" SECTION " = reshape(kept, shape(e" SECTION "))")
    put("      wanted(" USED "+1:) = got(" USED "+1:)")
}

function put_comparison(is_flat) {
    if (is_flat)
        put("      call expect_words('the buffer', transfer(got, [0]), transfer(wanted, [0]))")
    else
        put("      call expect_words('the array', transfer(b, [0]), transfer(e, [0]))")
}

# side 0: both buffers are sections, 1: that which is sent, 2: that which is received.
function put_exchange(section, send, recv, flags, side,    sent, received, is_section, tag) {
    is_section = F["section", section, 1] != "whole"
    # In module mpi a section is a copy, which ends with the call.
    if (module == "mpi" && is_section && !is_blocking(send) && side != 2)
        side = side == 0 ? 2 : 3
    if (module == "mpi" && is_section && (is_early(recv) || recv == "Improbe") && side != 1)
        side = side == 0 ? 1 : 3
    if (side == 3)
        return
    tag = ++EXCHANGES
    open_case("exchange_" tag, F["section", section, 1] " " send " " recv \
              (side == 1 ? " from a section" : side == 2 ? " to a section" : ""))
    put_variables(section)
    sent = (side == 2 ? "flat" : "a" SECTION) ", " COUNT_OF ", " DATATYPE
    received = (side == 1 ? "got" : "b" SECTION) ", " COUNT_OF ", " DATATYPE
    begin_case()
    if (flags == "waits" && !is_early(recv))
        put("    if (n == 1) return")
    put("    do from = 0, n - 1")
    put("      to = mod(from + 1, n)")
    put_values()
    if (is_early(recv)) {
        put("      if (me == to) then")
        put_receive(recv, received, tag)
        put("      end if")
        if (flags == "ready")
            put("      call MPI_Barrier(world, ierror)")
    }
    put("      if (me == from) then")
    put_send(send, sent, tag)
    put("      end if")
    put("      if (me == to) then")
    if (is_early(recv)) {
        put("      call MPI_Wait(receiving, status, ierror)")
        if (recv == "Recv_init")
            put("      call MPI_Request_free(receiving, ierror)")
    } else
        put_receive(recv, received, tag)
    put("      call expect_status(status, from, " tag ", " COUNT_OF ", " DATATYPE ")")
    put_comparison(side == 1)
    put("      end if")
    put("      if (me == from) then")
    put_end_send(send)
    put("      end if")
    put("    end do")
    close_case()
}

# Sendrecv and what is like it: all ranks at once.
function put_ring(section, procedure,    is_replace, is_started, arguments, tag) {
    is_started = procedure ~ /^I/
    is_replace = procedure ~ /replace/
    if (module == "mpi" && is_started && F["section", section, 1] != "whole")
        return
    tag = ++EXCHANGES
    open_case("exchange_" tag, F["section", section, 1] " " procedure)
    put_variables(section)
    begin_case()
    put("    from = left; to = right")
    put_values()
    put("    a = reshape(transfer(words_of(me, words), a), " SHAPE ")")
    if (is_replace) {
        put("    wanted = reshape(t" SECTION ", [" ELEMENTS "])")
        put("    b = a; e = a")
        put("    kept = reshape(e" SECTION ", [" ELEMENTS "])")
        put("    kept(1:" USED ") = wanted(1:" USED ")")
        put("    e" SECTION " = reshape(kept, shape(e" SECTION "))")
        arguments = "b" SECTION ", " COUNT_OF ", " DATATYPE ", to, " tag ", from, " tag ", world"
    } else
        arguments = "a" SECTION ", " COUNT_OF ", " DATATYPE ", to, " tag ", b" SECTION ", " COUNT_OF ", " DATATYPE \
                    ", from, " tag ", world"
    put("    call MPI_" procedure "(" arguments ", " (is_started ? "receiving" : "status") ", ierror)")
    if (is_started)
        put("    call MPI_Wait(receiving, status, ierror)")
    put("    call expect_status(status, from, " tag ", " COUNT_OF ", " DATATYPE ")")
    put_comparison(0)
    close_case()
}

function put_exchanges(    section, s, r, p, turn, list) {
    split("Sendrecv Sendrecv_replace Isendrecv Isendrecv_replace", list, " ")
    for (section = 1; section <= COUNT["section"]; section++) {
        # All pairs with whole arrays; with a section each send once, with the receives in turn.
        for (s = 1; s <= COUNT["send"]; s++)
            for (r = 1; r <= COUNT["recv"]; r++) {
                if (F["send", s, 2] == "ready" && !is_early(F["recv", r, 1]))
                    continue
                if (section == 1)
                    put_exchange(section, F["send", s, 1], F["recv", r, 1], F["send", s, 2], 0)
                else if ((s + section + r) % COUNT["recv"] == 0)
                    put_exchange(section, F["send", s, 1], F["recv", r, 1], F["send", s, 2], turn++ % 3)
            }
        for (p = 1; p <= 4; p++)
            put_ring(section, list[p])
    }
}

# ---- predefined datatypes -------------------------------------------------------------------------------------------

function class_row(class,    k) {
    for (k = 1; k <= COUNT["class"]; k++)
        if (F["class", k, 1] == class)
            return k
    fail("there is no class " class)
}

# Element i of rank k, and where it is in the array.
function put_element(array, k, class, declared,    value) {
    value = replaced(F["class", class_row(class), 2], "(k", "(" k)
    if (class == "complex")
        sub(/\)$/, ", kind=kind(" array "))", value)
    else if (class ~ /^(integer|bits)$/)
        value = "int(" value ", kind(" array "))"
    else if (class == "real")
        value = "real(" value ", kind(" array "))"
    if (class == "pair") {
        put("      " array "(1, i) = " value)
        put("      " array "(2, i) = " k)
    } else
        put("      " array "(i) = " value)
}

function put_equal(class, what,    r, e) {
    r = class == "pair" ? "r(:, i)" : "r(i)"
    e = class == "pair" ? "e(:, i)" : "e(i)"
    put("    do i = 1, 4")
    put("      if (" (class == "pair" ? "any(" r " /= " e ")" : r " " F["class", class_row(class), 3] " " e) \
        ") call fail('" what ": an element that is wrong', i, 0)")
    put("    end do")
}

function put_type(t,    type, class, shape, o, op, better) {
    type = F["type", t, 1]
    class = F["type", t, 3]
    shape = class == "pair" ? "(2, 4)" : "(4)"
    open_case("type_" t, type)
    put("    " F["type", t, 2] " :: s" shape ", r" shape ", e" shape (class == "pair" ? "" : ", x, y"))
    put("    integer :: i, k, bytes")
    put("    STATUS(status)")
    begin_case()
    put("    is_product = .false.")
    put("    call MPI_Type_size(" type ", bytes, ierror)")
    put("    call expect('the size', bytes, storage_size(s) * size(s) / 8 / 4)")
    put("    do i = 1, 4")
    put_element("s", "me", class)
    put_element("e", "left", class)
    put("    end do")
    put("    r = s")
    put("    call MPI_Sendrecv(s, 4, " type ", right, 9, r, 4, " type ", left, 9, world, status, ierror)")
    put("    call expect_status(status, left, 9, 4, " type ")")
    put_equal(class, type)
    for (o = 1; o <= COUNT["op"]; o++) {
        if (index(" " F["op", o, 2] " ", " " class " ") == 0)
            continue
        op = F["op", o, 1]
        put("")
        put("    call begin('" type " " op "')")
        put("    is_product = " (op == "MPI_PROD" ? ".true." : ".false."))
        put("    do i = 1, 4")
        put_element("s", "me", class)
        put_element("e", "0", class)
        put("    end do")
        put("    do k = 1, n - 1")
        put("    do i = 1, 4")
        if (class == "pair") {
            put_element("r", "k", class)
            put("      if (r(1, i) " F["op", o, 3] " e(1, i)) e(:, i) = r(:, i)")
        } else {
            put_element("r", "k", class)
            put("      x = e(i); y = r(i)")
            put("      e(i) = " F["op", o, 3])
        }
        put("    end do")
        put("    end do")
        put("    call MPI_Allreduce(s, r, 4, " type ", " op ", world, ierror)")
        put_equal(class, op)
        put("    is_product = .false.")
    }
    close_case()
}

# ---- collective operations ------------------------------------------------------------------------------------------

# form: "" blocking, "I" non-blocking, "_init" persistent.
function put_coll(c, form, is_section,    name, before, arguments, s, r, last) {
    name = F["coll", c, 1]
    arguments = F["coll", c, 3]
    # MPI_IN_PLACE stands where the first buffer is.
    s = is_section ? "s(1, :)" : "s"
    r = is_section ? "r(1, :)" : "r"
    before = replaced(replaced(F["coll", c, 2], "RECV", r), "SEND", s)
    open_case("coll_" ++COLLS, (form == "I" ? "I" tolower(name) : name) (form == "_init" ? "_init" : "") \
              (is_section ? " sections" : "") " row " c)
    put("    integer, asynchronous :: s" (is_section ? "(2, LENGTH)" : "(LENGTH)") ", r" \
        (is_section ? "(2, LENGTH)" : "(LENGTH)"))
    put("    integer :: i, wanted, round")
    put("    HANDLE(Request) :: request")
    begin_case()
    if (arguments ~ /place\(/) {
        # At the root in place, at the others from the buffer to send.
        put("    if (me == 0) then")
        put_coll_run(name, form, before, replaced(arguments, "place(RECV)", "MPI_IN_PLACE"), s, r, is_section, c)
        put("    else")
        put_coll_run(name, form, before, replaced(arguments, "place(RECV)", "SEND"), s, r, is_section, c)
        put("    end if")
    } else
        put_coll_run(name, form, before, arguments, s, r, is_section, c)
    close_case()
}

function put_coll_run(name, form, before, arguments, s, r, is_section, c) {
    arguments = replaced(replaced(arguments, "RECV", r), "SEND", s)
    if (form == "_init")
        put("    call MPI_" name "_init(" arguments ", MPI_INFO_NULL, request, ierror)")
    put("    do round = 1, 2")
    if (is_section)
        put("      s = -2; r = -2")
    put("      " s " = [(v(me, i), i = 1, LENGTH)]")
    put("      " r " = as_it_was")
    if (before != "")
        put("      " before)
    if (form == "")
        put("      call MPI_" name "(" arguments ", ierror)")
    else if (form == "I")
        put("      call MPI_I" tolower(name) "(" arguments ", request, ierror)")
    else
        put("      call MPI_Start(request, ierror)")
    if (form != "")
        put("      call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)")
    # Bcast and in place: what was put there stays behind the elements.
    put("      do i = 1, LENGTH")
    put("        wanted = as_it_was")
    put("        if (i <= " F["coll", c, 4] ") wanted = " F["coll", c, 5])
    put("        if (i > " F["coll", c, 4] (before == "" ? "" : " .and. " (before ~ /^if/ ? "me == 0" : ".true.")) \
        ") wanted = " (before == "" ? "as_it_was" : "v(me, i)"))
    put("        call expect('element ' // achar(48 + mod(i / 10, 10)) // achar(48 + mod(i, 10)), " \
        (is_section ? "r(1, i)" : "r(i)") ", wanted)")
    if (is_section)
        put("        call expect('the neighbour of an element', r(2, i), -2)")
    put("      end do")
    put("    end do")
    if (form == "_init")
        put("    call MPI_Request_free(request, ierror)")
}

function put_colls(    c, form, list) {
    split(" |I|_init", list, "|")
    for (c = 1; c <= COUNT["coll"]; c++)
        for (form = 1; form <= 3; form++) {
            put_coll(c, form == 1 ? "" : list[form], 0)
            if (may_have_sections(c, form))
                put_coll(c, form == 1 ? "" : list[form], 1)
        }
}

# In module mpi a section is a copy. Persistent operations that no datatype can describe a section for refuse it.
function may_have_sections(c, form) {
    if (F["coll", c, 3] !~ /SEND|RECV/)
        return 0
    if (module == "mpi")
        return form == 1
    return form != 3 || F["coll", c, 3] !~ /MPI_SUM|types/
}

# ---- derived datatypes, wrong calls ---------------------------------------------------------------------------------

function put_derived(d,    what) {
    what = F["derived", d, 1]
    open_case("derived_" d, what)
    put("    HANDLE(Datatype) :: datatype")
    begin_case()
    put("    call " F["derived", d, 2] ", datatype, ierror)")
    put("    call try_datatype(datatype, MPI_COMBINER_" what ", " F["derived", d, 3] ", [" F["derived", d, 4] "])")
    close_case()
}

function put_wrong_calls(    w, call) {
    open_case("wrong_calls", "")
    put("    integer :: x(4), y(4), made_rank, code")
    put("    HANDLE(Request) :: request")
    put("    HANDLE(Datatype) :: uncommitted, made, no_type, freed_type, never_type")
    put("    HANDLE(Comm) :: made_comm, no_comm, freed_comm, spare_comm, never_comm")
    put("    HANDLE(Datatype) :: spare_type")
    put("    x = 0")
    put("    call MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN, ierror)")
    put("    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierror)")
    put("    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)")
    put("    call MPI_Type_contiguous(2, MPI_INTEGER, uncommitted, ierror)")
    put("    call MPI_Type_dup(MPI_INTEGER, spare_type, ierror)")
    put("    freed_type = spare_type")
    put("    call MPI_Type_free(spare_type, ierror)")
    put("    call MPI_Comm_dup(MPI_COMM_SELF, spare_comm, ierror)")
    put("    freed_comm = spare_comm")
    put("    call MPI_Comm_free(spare_comm, ierror)")
    put("    no_type = MPI_DATATYPE_NULL")
    put("    no_comm = MPI_COMM_NULL")
    put("    never_type = transfer(-1, never_type)")
    put("    never_comm = transfer(123456789, never_comm)")
    for (w = 1; w <= COUNT["wrong"]; w++) {
        call = F["wrong", w, 1]
        sub(/\)$/, ", code)", call)
        put("    call begin('wrong: " F["wrong", w, 1] "')")
        put("    request = MPI_REQUEST_NULL")
        put("    code = MPI_SUCCESS")
        put("    call " call)
        put("    call compare_with_c(" w ", code, NUMBER_OF(uncommitted), NUMBER_OF(freed_type), " \
            "NUMBER_OF(freed_comm))")
    }
    put("    call MPI_Type_free(uncommitted, ierror)")
    put("    call MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL, ierror)")
    close_case()
}

function put_wrong_in_c(    w) {
    for (w = 1; w <= COUNT["wrong"]; w++)
        print "    case " w ":\n        outcome = " F["wrong", w, 2] ";\n        break;"
}

# ---- all ------------------------------------------------------------------------------------------------------------

function put_cases(    k) {
    put_exchanges()
    for (k = 1; k <= COUNT["type"]; k++)
        put_type(k)
    put_colls()
    for (k = 1; k <= COUNT["derived"]; k++)
        put_derived(k)
    put_wrong_calls()
}

END {
    if (failed)
        exit 1
    while ((getline line < template) > 0) {
        if (line == "@CASES@" && module == "c")
            put_wrong_in_c()
        else if (line == "@CASES@")
            put_cases()
        else if (line == "@CALLS@")
            printf "%s", CALLS
        else if (module == "c")
            print line
        else {
            sub(/@USE@/, module == "f08" ? "use mpi_f08" : "use mpi", line)
            sub(/@ADDRESS@/, module == "f08" ? "type(C_PTR)" : "integer(MPI_ADDRESS_KIND)", line)
            sub(/@WAY@/, module == "f08" ? "'mpi_f08'" : "'module mpi'", line)
            print worded(line)
        }
    }
}
