#include "torch_writer.h"

#include <stdio.h>
#include <string.h>

#define ADD(text, bytes) text_add_bytes(text, bytes, sizeof bytes - 1)

static void add_number(struct text *text, uint64_t number, int bytes)
{
    for (int i = 0; i < bytes; i++)
        text_add_bytes(text, &(char){ (char)(number >> 8 * i) }, 1);
}

static void add_text(struct text *p, const char *text)
{
    ADD(p, "X");
    add_number(p, strlen(text), 4);
    text_add_bytes(p, text, strlen(text));
}

static void add_integer(struct text *p, uint64_t number)
{
    ADD(p, "J");
    add_number(p, number, 4);
}

static void add_tensor(struct text *p, const struct torch_out *tensor, size_t key, bool legacy, bool old)
{
    char number[24];
    snprintf(number, sizeof number, "%zu", key);
    text_add(p, "ctorch._utils\n_rebuild_tensor%s\n((", old ? "" : "_v2");
    add_text(p, "storage");
    text_add(p, "ctorch\n%s\n", tensor->storage ? tensor->storage : "FloatStorage");
    add_text(p, number);
    add_text(p, "cpu");
    uint32_t count = 1;
    for (int k = 0; k < tensor->rank; k++)
        count *= tensor->dim[k];
    add_integer(p, count);
    if (legacy)
        ADD(p, "N");
    ADD(p, "tQK\0(");
    for (int k = 0; k < tensor->rank; k++)
        add_integer(p, tensor->dim[k]);
    ADD(p, "t(");
    for (int k = 0; k < tensor->rank; k++) {
        count /= tensor->dim[k];
        add_integer(p, count);
    }
    ADD(p, "t");
    if (!old)
        ADD(p, "\x89"
               "ccollections\nOrderedDict\n)R");
    ADD(p, "tR");
}

struct text torch_pickle(const struct torch_out *tensors, size_t count, bool legacy, const struct torch_options *o)
{
    struct text p = { 0 };
    ADD(&p, "\x80\x02}q\0(");
    add_text(&p, "model");
    ADD(&p, "ccollections\nOrderedDict\nq\1)Rq\2(");
    for (size_t i = 0; i < count; i++) {
        add_text(&p, tensors[i].name);
        add_tensor(&p, &tensors[i], i, legacy, o && o->old);
    }
    ADD(&p, "u");
    if (!o || !o->old) { // attributes of the dict
        ADD(&p, "}");
        add_text(&p, "_metadata");
        ADD(&p, "h\1)Rsb");
    }
    if (o && o->extra)
        text_add_bytes(&p, o->extra, o->extra_size);
    ADD(&p, "u.");
    return p;
}

struct text torch_legacy(const struct text *pickle, const struct torch_out *tensors, size_t count)
{
    struct text file = { 0 };
    ADD(&file, "\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M\xe9\x03.\x80\x02}(");
    add_text(&file, "protocol_version");
    ADD(&file, "M\xe9\x03");
    add_text(&file, "little_endian");
    ADD(&file, "\x88u.");
    text_add_bytes(&file, pickle->data, pickle->size);
    ADD(&file, "\x80\x02](");
    for (size_t i = 0; i < count; i++) {
        char key[24];
        snprintf(key, sizeof key, "%zu", i);
        add_text(&file, key);
    }
    ADD(&file, "e.");
    for (size_t i = 0; i < count; i++) {
        uint64_t numbers = 1;
        for (int k = 0; k < tensors[i].rank; k++)
            numbers *= tensors[i].dim[k];
        add_number(&file, numbers, 8);
        text_add_bytes(&file, tensors[i].data, tensors[i].bytes);
    }
    return file;
}

static uint32_t crc_of(const unsigned char *data, size_t size)
{
    uint32_t crc = 0xFFFFFFFF;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (0xEDB88320 & -(crc & 1));
    }
    return ~crc;
}

// Sizes stand behind the data and in the directory, not in front, as PyTorch does it.
void zip_add(struct zip_out *zip, const char *name, const void *data, size_t size)
{
    uint32_t crc = crc_of(data, size);
    struct text *file = &zip->file, *directory = &zip->directory;
    size_t begin = file->size;
    ADD(file, "PK\3\4\0\0\x08\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    add_number(file, strlen(name), 2);
    ADD(file, "\3\0");
    text_add_bytes(file, name, strlen(name));
    ADD(file, "FBZ"); // padding for alignment
    text_add_bytes(file, data, size);
    ADD(file, "PK\7\10");
    ADD(directory, "PK\1\2\0\0\0\0\x08\x08\0\0\0\0\0\0");
    struct text *both[] = { file, directory };
    for (int i = 0; i < 2; i++) {
        add_number(both[i], crc, 4);
        add_number(both[i], size, 4);
        add_number(both[i], size, 4);
    }
    add_number(directory, strlen(name), 2);
    ADD(directory, "\0\0\0\0\0\0\0\0\0\0\0\0");
    add_number(directory, begin, 4);
    text_add_bytes(directory, name, strlen(name));
    zip->count++;
}

struct text zip_end(struct zip_out *zip)
{
    size_t begin = zip->file.size;
    text_add_bytes(&zip->file, zip->directory.data, zip->directory.size);
    ADD(&zip->file, "PK\5\6\0\0\0\0");
    add_number(&zip->file, zip->count, 2);
    add_number(&zip->file, zip->count, 2);
    add_number(&zip->file, zip->directory.size, 4);
    add_number(&zip->file, begin, 4);
    ADD(&zip->file, "\0\0");
    text_finish(&zip->directory);
    return zip->file;
}

struct text torch_zip(const struct text *pickle, const struct torch_out *tensors, size_t count, const char *folder)
{
    struct zip_out zip = { 0 };
    char name[120];
    snprintf(name, sizeof name, "%s/data.pkl", folder);
    zip_add(&zip, name, pickle->data, pickle->size);
    snprintf(name, sizeof name, "%s/byteorder", folder);
    zip_add(&zip, name, "little", 6);
    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s/data/%zu", folder, i);
        zip_add(&zip, name, tensors[i].data, tensors[i].bytes);
    }
    snprintf(name, sizeof name, "%s/version", folder);
    zip_add(&zip, name, "3\n", 2);
    return zip_end(&zip);
}
