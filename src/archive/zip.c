#include "archive/zip.h"

#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>
#include <zlib.h>

#include "util/alloc.h"
#include "util/error.h"

#define LOCAL_BYTES   30
#define CENTRAL_BYTES 46
#define END_BYTES     22
#define COMMENT_MAX   65535
#define DEFLATED      8 // the method

static uint32_t number(const char *at, int bytes)
{
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint32_t)(unsigned char)at[i] << 8 * i;
    return value;
}

bool zip_begins(const char *data, size_t size)
{
    return size >= 4 && !memcmp(data, "PK\3\4", 4);
}

// Finds the end record of an archive from its end; NULL: none.
static const char *find_end(const char *data, size_t size)
{
    for (size_t back = END_BYTES; back <= size && back <= END_BYTES + COMMENT_MAX; back++) {
        const char *at = data + size - back;
        if (!memcmp(at, "PK\5\6", 4) && number(at + 20, 2) == back - END_BYTES)
            return at;
    }
    return NULL;
}

// Reads the directory's entry at AT, before END; *NEXT is the following one.
static bool read_entry(
    const char *data, const char *at, const char *end, size_t limit, struct zip_entry *entry, const char **next)
{
    if (end - at < CENTRAL_BYTES || memcmp(at, "PK\1\2", 4))
        return fail(FAULT_INPUT, "the directory is damaged");
    size_t more = (size_t)number(at + 28, 2) + number(at + 30, 2) + number(at + 32, 2);
    if ((size_t)(end - at) - CENTRAL_BYTES < more)
        return fail(FAULT_INPUT, "the directory is damaged");
    *entry = (struct zip_entry){ .name = { at + CENTRAL_BYTES, number(at + 28, 2) },
        .content = { NULL, number(at + 20, 4) },
        .size = number(at + 24, 4),
        .deflated = number(at + 10, 2) == DEFLATED,
        .crc = number(at + 16, 4),
        .begin = number(at + 42, 4) };
    *next = at + CENTRAL_BYTES + more;
    if (number(at + 8, 2) & 1)
        return fail(FAULT_INPUT, "%.*s: is encrypted", SPAN_SHOWN(entry->name));
    if (!entry->deflated && (number(at + 10, 2) != 0 || entry->size != entry->content.size))
        return fail(FAULT_INPUT, "%.*s: neither stored nor deflated", SPAN_SHOWN(entry->name));
    if (entry->begin > limit || limit - entry->begin < LOCAL_BYTES || memcmp(data + entry->begin, "PK\3\4", 4))
        return fail(FAULT_INPUT, "%.*s: is not at the offset in the directory", SPAN_SHOWN(entry->name));
    const char *local = data + entry->begin;
    size_t head = LOCAL_BYTES + (size_t)number(local + 26, 2) + number(local + 28, 2);
    if (head > limit - entry->begin || entry->content.size > limit - entry->begin - head)
        return fail(FAULT_INPUT, "%.*s: exceeds the archive", SPAN_SHOWN(entry->name));
    entry->content.at = local + head;
    return true;
}

static int by_offset(const void *a, const void *b)
{
    const struct zip_entry *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static bool read_directory(const char *data, const char *end, struct zip_entry **entries)
{
    uint32_t count = number(end + 10, 2), bytes = number(end + 12, 4), begin = number(end + 16, 4);
    size_t room = (size_t)(end - data);
    if (number(end + 4, 2) || number(end + 6, 2) || number(end + 8, 2) != count)
        return fail(FAULT_INPUT, "archives in several parts are not supported");
    if (begin == UINT32_MAX || count == UINT16_MAX)
        return fail(FAULT_INPUT, "archives of more than 4 GiB or 65534 files are not supported");
    if (begin > room || bytes > room - begin)
        return fail(FAULT_INPUT, "the directory exceeds the archive");
    const char *at = data + begin, *stop = at + bytes;
    for (uint32_t i = 0; i < count; i++) {
        struct zip_entry entry;
        if (!read_entry(data, at, stop, begin, &entry, &at))
            return false;
        arrput(*entries, entry);
    }
    if (*entries)
        qsort(*entries, arrlenu(*entries), sizeof **entries, by_offset);
    for (uint32_t i = 1; i < count; i++) {
        struct zip_entry *entry = *entries + i;
        if (entry[-1].content.at + entry[-1].content.size > data + entry->begin)
            return fail(FAULT_INPUT, "%.*s: overlaps another file", SPAN_SHOWN(entry->name));
    }
    return true;
}

bool zip_parse(const char *data, size_t size, struct zip_entry **entries)
{
    *entries = NULL;
    const char *end = find_end(data, size);
    if (!end)
        return fail(FAULT_INPUT, "zip: the archive has no end record; it may be truncated");
    if (read_directory(data, end, entries))
        return true;
    arrfree(*entries);
    return fail_within("zip");
}

static bool check_sum(const struct zip_entry *entry, const char *data, size_t size)
{
    uint32_t crc = (uint32_t)crc32_z(0, (const Bytef *)data, size);
    return crc == entry->crc || fail(FAULT_INPUT, "zip: %.*s: damaged, its checksum is %08x and should be %08x",
                                    SPAN_SHOWN(entry->name), crc, entry->crc);
}

bool zip_check(const struct zip_entry *entry)
{
    if (entry->deflated)
        return fail(FAULT_INPUT, "zip: %.*s: compressed; only stored files are read", SPAN_SHOWN(entry->name));
    return check_sum(entry, entry->content.at, entry->content.size);
}

static bool inflate_into(const struct zip_entry *entry, char *data)
{
    z_stream stream = { .next_in = (Bytef *)entry->content.at,
        .avail_in = (uInt)entry->content.size,
        .next_out = (Bytef *)data,
        .avail_out = (uInt)entry->size };
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
        return false;
    bool ok = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.total_out == entry->size;
    inflateEnd(&stream);
    return ok;
}

bool zip_unpack(const struct zip_entry *entry, size_t limit, char **data)
{
    enum { RATIO_MAX = 1032 }; // of what deflate makes
    *data = NULL;
    if (entry->size > limit)
        return fail(FAULT_INPUT, "zip: %.*s: more than %zu MiB", SPAN_SHOWN(entry->name), limit >> 20);
    if (entry->deflated && entry->size / RATIO_MAX > entry->content.size)
        return fail(FAULT_INPUT, "zip: %.*s: damaged, it cannot be as large as it says", SPAN_SHOWN(entry->name));
    char *unpacked = xcalloc(entry->size + 1, 1);
    bool ok = true;
    if (!entry->deflated)
        memcpy(unpacked, entry->content.at, entry->size);
    else if (!inflate_into(entry, unpacked))
        ok = fail(FAULT_INPUT, "zip: %.*s: damaged, it cannot be unpacked", SPAN_SHOWN(entry->name));
    if (ok && check_sum(entry, unpacked, entry->size)) {
        *data = unpacked;
        return true;
    }
    free(unpacked);
    return false;
}
