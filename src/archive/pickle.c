#include "archive/pickle.h"

#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "archive/pickle_build.h"
#include "archive/pickle_stack.h"

void pickle_init(struct pickle *pickle, const char *data, size_t size)
{
    *pickle = (struct pickle){ .data = data, .size = size };
    sh_new_arena(pickle->storages);
}

void pickle_finish(struct pickle *p)
{
    for (ptrdiff_t i = 0; i < arrlen(p->containers); i++)
        arrfree(p->containers[i]->items);
    for (ptrdiff_t i = 0; i < arrlen(p->chunks); i++)
        free(p->chunks[i]);
    arrfree(p->containers);
    arrfree(p->chunks);
    arrfree(p->stack);
    arrfree(p->memo);
    arrfree(p->marks);
    shfree(p->storages);
    *p = (struct pickle){ 0 };
}

// --- one function for each family of opcodes; ARGUMENT distinguishes them -----------------------------------------

static bool op_skip(struct pickle *p, unsigned bytes) // PROTO, FRAME
{
    return pickle_bytes(p, bytes);
}

static bool push_integer(struct pickle *p, enum pickle_kind kind, int64_t integer)
{
    struct pickle_value *value = pickle_value(p, kind);
    if (value)
        value->integer = integer;
    return pickle_push(p, value);
}

static bool op_none(struct pickle *p, unsigned argument)
{
    (void)argument;
    static struct pickle_value none; // never modified
    return pickle_push(p, &none);
}

static bool op_bool(struct pickle *p, unsigned truth)
{
    return push_integer(p, PICKLE_BOOL, truth);
}

static bool op_unsigned(struct pickle *p, unsigned bytes)
{
    uint64_t number;
    return pickle_number(p, bytes, &number) && push_integer(p, PICKLE_INTEGER, (int64_t)number);
}

static bool op_int32(struct pickle *p, unsigned argument)
{
    (void)argument;
    uint64_t number;
    return pickle_number(p, 4, &number) && push_integer(p, PICKLE_INTEGER, (int32_t)(uint32_t)number);
}

// Two's complement of any length; values of more than eight bytes are not needed.
static bool op_long(struct pickle *p, unsigned length_bytes)
{
    uint64_t length;
    const unsigned char *from;
    if (!pickle_number(p, length_bytes, &length) || !(from = pickle_bytes(p, (size_t)length)))
        return false;
    if (length > 8) {
        struct pickle_value *value = pickle_value(p, PICKLE_FOREIGN);
        if (value)
            value->text = "a long integer";
        return pickle_push(p, value);
    }
    uint64_t number = length && from[length - 1] & 0x80 ? UINT64_MAX : 0;
    for (size_t i = (size_t)length; i-- > 0;)
        number = number << 8 | from[i];
    return push_integer(p, PICKLE_INTEGER, (int64_t)number);
}

static bool op_real(struct pickle *p, unsigned argument)
{
    (void)argument;
    const unsigned char *from = pickle_bytes(p, 8);
    uint64_t bits = 0;
    for (int i = 0; from && i < 8; i++)
        bits = bits << 8 | from[i];
    struct pickle_value *value = from ? pickle_value(p, PICKLE_REAL) : NULL;
    if (value)
        memcpy(&value->real, &bits, sizeof bits);
    return pickle_push(p, value);
}

static bool op_text(struct pickle *p, unsigned length_bytes)
{
    uint64_t length;
    if (!pickle_number(p, length_bytes, &length))
        return false;
    const unsigned char *text = pickle_bytes(p, length > SIZE_MAX ? SIZE_MAX : (size_t)length);
    if (text && length > UINT32_MAX)
        return pickle_fail(p, "text of %llu bytes is too long", (unsigned long long)length);
    struct pickle_value *value = text ? pickle_value(p, PICKLE_TEXT) : NULL;
    if (value) {
        value->text = (const char *)text;
        value->count = (uint32_t)length;
    }
    return pickle_push(p, value);
}

static bool op_empty(struct pickle *p, unsigned kind)
{
    return pickle_push(p, pickle_value(p, (enum pickle_kind)kind));
}

static bool op_mark(struct pickle *p, unsigned argument)
{
    (void)argument;
    return pickle_mark(p);
}

static bool make_tuple(struct pickle *p, size_t count)
{
    if (count > pickle_above(p))
        return pickle_fail(p, "missing value");
    struct pickle_value *tuple = pickle_value(p, PICKLE_TUPLE);
    struct pickle_value **items = tuple ? pickle_allocate(p, count * sizeof *items) : NULL;
    if (!items)
        return false;
    if (count)
        memcpy(items, p->stack + arrlenu(p->stack) - count, count * sizeof *items);
    arrsetlen(p->stack, arrlenu(p->stack) - count);
    tuple->items = items;
    tuple->count = (uint32_t)count;
    return pickle_push(p, tuple);
}

static bool op_tuple(struct pickle *p, unsigned count)
{
    return make_tuple(p, count);
}

static bool op_tuple_marked(struct pickle *p, unsigned argument)
{
    (void)argument;
    size_t count;
    return pickle_unmark(p, &count) && make_tuple(p, count);
}

// Adds the top COUNT values to the container below them; a foreign container ignores them.
static bool fill(struct pickle *p, enum pickle_kind kind, size_t count)
{
    if (pickle_above(p) <= count)
        return pickle_fail(p, "missing value");
    struct pickle_value **items = p->stack + arrlenu(p->stack) - count, *container = items[-1];
    if (container->kind != kind && container->kind != PICKLE_FOREIGN)
        return pickle_fail(p, "items are added to %s", pickle_describe(container));
    if (kind == PICKLE_DICT && count % 2)
        return pickle_fail(p, "key without a value");
    for (size_t i = 0; container->kind == kind && i < count; i++) {
        if (!pickle_add(p, container, items[i]))
            return false;
    }
    arrsetlen(p->stack, arrlenu(p->stack) - count);
    return true;
}

static bool op_append(struct pickle *p, unsigned argument)
{
    (void)argument;
    return fill(p, PICKLE_LIST, 1);
}

static bool op_setitem(struct pickle *p, unsigned argument)
{
    (void)argument;
    return fill(p, PICKLE_DICT, 2);
}

static bool op_fill_marked(struct pickle *p, unsigned kind)
{
    size_t count;
    return pickle_unmark(p, &count) && fill(p, (enum pickle_kind)kind, count);
}

static bool op_put(struct pickle *p, unsigned bytes)
{
    uint64_t number;
    return pickle_number(p, bytes, &number) && pickle_remember(p, number);
}

static bool op_memoize(struct pickle *p, unsigned argument)
{
    (void)argument;
    return pickle_remember(p, arrlenu(p->memo));
}

static bool op_get(struct pickle *p, unsigned bytes)
{
    uint64_t number;
    return pickle_number(p, bytes, &number) && pickle_push(p, pickle_recall(p, number));
}

static bool op_global(struct pickle *p, unsigned argument)
{
    (void)argument;
    const char *part[2];
    size_t size[2];
    for (int i = 0; i < 2; i++) {
        part[i] = p->data + p->at;
        const char *end = memchr(part[i], '\n', p->size - p->at);
        if (!end)
            return pickle_fail(p, "name without an end");
        size[i] = (size_t)(end - part[i]);
        p->at += size[i] + 1;
    }
    return pickle_push(p, pickle_global(p, part[0], size[0], part[1], size[1]));
}

static bool op_stack_global(struct pickle *p, unsigned argument)
{
    (void)argument;
    const struct pickle_value *name = pickle_pop(p), *module = name ? pickle_pop(p) : NULL;
    if (!module)
        return false;
    if (name->kind != PICKLE_TEXT || module->kind != PICKLE_TEXT)
        return pickle_fail(p, "name is %s", pickle_describe(name->kind == PICKLE_TEXT ? module : name));
    return pickle_push(p, pickle_global(p, module->text, module->count, name->text, name->count));
}

static bool op_call(struct pickle *p, unsigned dropped) // REDUCE, NEWOBJ; NEWOBJ_EX has named arguments, too
{
    if (dropped && !pickle_pop(p))
        return false;
    const struct pickle_value *arguments = pickle_pop(p), *function = arguments ? pickle_pop(p) : NULL;
    return function && pickle_push(p, pickle_call(p, function, arguments));
}

static bool op_build(struct pickle *p, unsigned argument) // sets attributes, which are not needed
{
    (void)argument;
    if (pickle_above(p) < 2)
        return pickle_fail(p, "missing value");
    return pickle_pop(p);
}

static bool op_persistent(struct pickle *p, unsigned argument)
{
    (void)argument;
    const struct pickle_value *id = pickle_pop(p);
    return id && pickle_push(p, pickle_persistent(p, id));
}

static const struct {
    bool (*run)(struct pickle *, unsigned argument);
    unsigned argument;
} opcodes[256] = {
    [0x80] = { op_skip, 1 },                 // PROTO
    [0x95] = { op_skip, 8 },                 // FRAME
    ['N'] = { op_none, 0 },                  // NONE
    [0x88] = { op_bool, 1 },                 // NEWTRUE
    [0x89] = { op_bool, 0 },                 // NEWFALSE
    ['K'] = { op_unsigned, 1 },              // BININT1
    ['M'] = { op_unsigned, 2 },              // BININT2
    ['J'] = { op_int32, 0 },                 // BININT
    [0x8a] = { op_long, 1 },                 // LONG1
    [0x8b] = { op_long, 4 },                 // LONG4
    ['G'] = { op_real, 0 },                  // BINFLOAT
    ['X'] = { op_text, 4 },                  // BINUNICODE
    [0x8c] = { op_text, 1 },                 // SHORT_BINUNICODE
    [0x8d] = { op_text, 8 },                 // BINUNICODE8
    ['T'] = { op_text, 4 },                  // BINSTRING
    ['U'] = { op_text, 1 },                  // SHORT_BINSTRING
    ['B'] = { op_text, 4 },                  // BINBYTES
    ['C'] = { op_text, 1 },                  // SHORT_BINBYTES
    ['}'] = { op_empty, PICKLE_DICT },       // EMPTY_DICT
    [']'] = { op_empty, PICKLE_LIST },       // EMPTY_LIST
    [')'] = { op_empty, PICKLE_TUPLE },      // EMPTY_TUPLE
    ['('] = { op_mark, 0 },                  // MARK
    ['t'] = { op_tuple_marked, 0 },          // TUPLE
    [0x85] = { op_tuple, 1 },                // TUPLE1
    [0x86] = { op_tuple, 2 },                // TUPLE2
    [0x87] = { op_tuple, 3 },                // TUPLE3
    ['a'] = { op_append, 0 },                // APPEND
    ['e'] = { op_fill_marked, PICKLE_LIST }, // APPENDS
    ['s'] = { op_setitem, 0 },               // SETITEM
    ['u'] = { op_fill_marked, PICKLE_DICT }, // SETITEMS
    ['q'] = { op_put, 1 },                   // BINPUT
    ['r'] = { op_put, 4 },                   // LONG_BINPUT
    [0x94] = { op_memoize, 0 },              // MEMOIZE
    ['h'] = { op_get, 1 },                   // BINGET
    ['j'] = { op_get, 4 },                   // LONG_BINGET
    ['c'] = { op_global, 0 },                // GLOBAL
    [0x93] = { op_stack_global, 0 },         // STACK_GLOBAL
    ['R'] = { op_call, 0 },                  // REDUCE
    [0x81] = { op_call, 0 },                 // NEWOBJ
    [0x92] = { op_call, 1 },                 // NEWOBJ_EX
    ['b'] = { op_build, 0 },                 // BUILD
    ['Q'] = { op_persistent, 0 },            // BINPERSID
};

bool pickle_read(struct pickle *p, const struct pickle_value **value)
{
    arrsetlen(p->stack, 0);
    arrsetlen(p->memo, 0);
    arrsetlen(p->marks, 0);
    for (;;) {
        const unsigned char *code = pickle_bytes(p, 1);
        if (!code)
            return false;
        if (*code == '.')
            break;
        if (!opcodes[*code].run)
            return pickle_fail(p, "opcode 0x%02x is not supported", *code);
        if (!opcodes[*code].run(p, opcodes[*code].argument))
            return false;
    }
    if (arrlen(p->marks) || arrlen(p->stack) != 1)
        return pickle_fail(p, "%zu values at the end instead of one", arrlenu(p->stack));
    *value = arrpop(p->stack);
    return true;
}
