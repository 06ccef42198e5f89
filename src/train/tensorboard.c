#include "train/tensorboard.h"

#include <stdint.h>
#include <string.h>

#include <jansson.h>

// --- protocol buffers -----------------------------------------------------------------------------------------------

enum wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

static void add_varint(struct text *message, uint64_t number)
{
    for (; number >= 128; number >>= 7)
        text_add_bytes(message, &(char){ (char)(number | 128) }, 1);
    text_add_bytes(message, &(char){ (char)number }, 1);
}

static void add_key(struct text *message, unsigned field, enum wire wire)
{
    add_varint(message, field << 3 | wire);
}

static void add_bytes(struct text *message, unsigned field, const void *bytes, size_t size)
{
    add_key(message, field, WIRE_BYTES);
    add_varint(message, size);
    text_add_bytes(message, bytes, size);
}

// Fields of Event, Summary and Summary.Value.
enum { EVENT_TIME = 1, EVENT_STEP = 2, EVENT_VERSION = 3, EVENT_SUMMARY = 5 };
enum { SUMMARY_VALUE = 1, VALUE_TAG = 1, VALUE_NUMBER = 2 };

static void add_value(struct text *summary, const char *tag, float number)
{
    struct text value = { 0 };
    add_bytes(&value, VALUE_TAG, tag, strlen(tag));
    add_key(&value, VALUE_NUMBER, WIRE_32);
    text_add_bytes(&value, &number, sizeof number);
    add_bytes(summary, SUMMARY_VALUE, value.data, value.size);
    text_finish(&value);
}

static void add_time(struct text *event, double seconds)
{
    add_key(event, EVENT_TIME, WIRE_64);
    text_add_bytes(event, &seconds, sizeof seconds);
}

// --- records --------------------------------------------------------------------------------------------------------

// CRC-32C, rotated and shifted, so that data containing checksums gets a different one.
static uint32_t masked_crc(const void *data, size_t size)
{
    uint32_t crc = UINT32_MAX;
    for (const unsigned char *at = data, *end = at + size; at < end; at++) {
        crc ^= *at;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78u : 0);
    }
    crc = ~crc;
    return (crc >> 15 | crc << 17) + 0xA282EAD8u;
}

static void add_record(struct text *file, const struct text *event)
{
    uint64_t size = event->size;
    uint32_t crc = masked_crc(&size, sizeof size);
    text_add_bytes(file, &size, sizeof size);
    text_add_bytes(file, &crc, sizeof crc);
    crc = masked_crc(event->data, event->size);
    text_add_bytes(file, event->data, event->size);
    text_add_bytes(file, &crc, sizeof crc);
}

void tensorboard_begin(struct text *file)
{
    static const char version[] = "brain.Event:2";
    struct text event = { 0 };
    add_bytes(&event, EVENT_VERSION, version, sizeof version - 1);
    add_record(file, &event);
    text_finish(&event);
}

void tensorboard_add(struct text *file, const json_t *line)
{
    struct text event = { 0 }, summary = { 0 };
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)line, key, value)
    {
        if (json_is_number(value) && strcmp(key, "step") && strcmp(key, "seconds"))
            add_value(&summary, key, (float)json_number_value(value));
    }
    add_time(&event, json_number_value(json_object_get(line, "seconds")));
    add_key(&event, EVENT_STEP, WIRE_VARINT);
    add_varint(&event, (uint64_t)json_integer_value(json_object_get(line, "step")));
    add_bytes(&event, EVENT_SUMMARY, summary.data, summary.size);
    add_record(file, &event);
    text_finish(&summary);
    text_finish(&event);
}
