#include "archive/zip_write.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "util/alloc.h"
#include "util/error.h"

enum { STORED = 0, DEFLATED = 8, VERSION = 20 };

#define DATE 0x0021u // the first of January 1980: the same files give the same bytes

static void add_number(struct text *text, uint64_t number, int bytes)
{
    char little[8];
    for (int i = 0; i < bytes; i++)
        little[i] = (char)(number >> 8 * i);
    text_add_bytes(text, little, (size_t)bytes);
}

// Without zlib's header; NULL where that would not be smaller.
static char *deflated(const void *data, size_t size, size_t *packed)
{
    z_stream stream = { 0 };
    if (size < 2 || size > UINT32_MAX ||
        deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return NULL;
    char *out = xcalloc(size, 1);
    stream.next_in = (Bytef *)data;
    stream.avail_in = (uInt)size;
    stream.next_out = (Bytef *)out;
    stream.avail_out = (uInt)(size - 1);
    bool smaller = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    *packed = stream.total_out;
    deflateEnd(&stream);
    if (smaller)
        return out;
    free(out);
    return NULL;
}

// Fields that the local header and the directory share.
static void add_common(struct text *text, const char *name, int method, uint32_t crc, size_t packed, size_t size)
{
    add_number(text, VERSION, 2);
    add_number(text, 0, 2);
    add_number(text, (uint64_t)method, 2);
    add_number(text, 0, 2);
    add_number(text, DATE, 2);
    add_number(text, crc, 4);
    add_number(text, packed, 4);
    add_number(text, size, 4);
    add_number(text, strlen(name), 2);
    add_number(text, 0, 2);
}

void zip_write_add(struct zip_writer *zip, const char *name, const void *data, size_t size, bool compress)
{
    size_t packed = size, begin = zip->file.size;
    char *small = compress ? deflated(data, size, &packed) : NULL;
    uint32_t crc = (uint32_t)crc32_z(0, data, size);
    int method = small ? DEFLATED : STORED;
    packed = small ? packed : size;
    text_add_bytes(&zip->file, "PK\3\4", 4);
    add_common(&zip->file, name, method, crc, packed, size);
    text_add_bytes(&zip->file, name, strlen(name));
    text_add_bytes(&zip->file, small ? small : data, packed);
    text_add_bytes(&zip->directory, "PK\1\2", 4);
    add_number(&zip->directory, VERSION, 2);
    add_common(&zip->directory, name, method, crc, packed, size);
    text_add_bytes(&zip->directory, (char[10]){ 0 }, 10); // comment, part, attributes
    add_number(&zip->directory, begin, 4);
    text_add_bytes(&zip->directory, name, strlen(name));
    zip->count++;
    free(small);
}

bool zip_write_end(struct zip_writer *zip)
{
    size_t begin = zip->file.size;
    if (begin >= UINT32_MAX || zip->count >= UINT16_MAX)
        return fail(FAULT_INPUT, "more than 4 GiB or 65534 files do not fit into a zip archive");
    text_add_bytes(&zip->file, zip->directory.data, zip->directory.size);
    text_add_bytes(&zip->file, "PK\5\6\0\0\0\0", 8);
    add_number(&zip->file, zip->count, 2);
    add_number(&zip->file, zip->count, 2);
    add_number(&zip->file, zip->directory.size, 4);
    add_number(&zip->file, begin, 4);
    add_number(&zip->file, 0, 2);
    return true;
}

void zip_write_finish(struct zip_writer *zip)
{
    text_finish(&zip->file);
    text_finish(&zip->directory);
}
