#include "problem/ids.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

static int compare(const struct node_id *a, const struct node_id *b)
{
    if (a->text && b->text)
        return strcmp(a->text, b->text);
    if (a->text || b->text)
        return a->text ? 1 : -1;
    return (a->number > b->number) - (a->number < b->number);
}

static int compare_customers(const void *a, const void *b, void *data)
{
    const struct instance *instance = data;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    int order = compare(&instance->ids[i], &instance->ids[j]);
    return order ? order : (i > j) - (i < j);
}

void id_index_init(struct id_index *index, const struct instance *instance)
{
    *index = (struct id_index){ .instance = instance };
    if (!instance->ids)
        return;
    index->order = xcalloc(instance->n, sizeof *index->order);
    for (uint32_t i = 0; i < instance->n; i++)
        index->order[i] = i;
    qsort_r(index->order, instance->n, sizeof *index->order, compare_customers, (void *)instance);
}

void id_index_finish(struct id_index *index)
{
    free(index->order);
    *index = (struct id_index){ 0 };
}

uint32_t id_index_find(const struct id_index *index, const struct node_id *id)
{
    if (!index->order)
        return !id->text && id->number >= 1 && id->number <= index->instance->n ? (uint32_t)id->number : 0;
    uint32_t low = 0, high = index->instance->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = compare(&index->instance->ids[index->order[middle]], id);
        if (order == 0)
            return index->order[middle] + 1;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

static bool fail_doubled(const struct instance *instance, const char *column, uint32_t i, uint32_t other)
{
    char label[LABEL_SIZE];
    instance_label(instance, other, label);
    if (instance->layout == LAYOUT_COLUMNS)
        return instance_fail(instance, column, i, "%s is also /ids/%u", label, other);
    if (instance->layout == LAYOUT_OBJECTS)
        return instance_fail(instance, column, i, "%s is also /nodes/%u/id", label, other);
    return instance_fail(instance, column, i, "%s is also the id of another node", label);
}

bool ids_check(const struct instance *instance)
{
    if (!instance->ids)
        return true;
    struct id_index index;
    id_index_init(&index, instance);
    bool ok = true;
    for (uint32_t k = 1; ok && k < instance->n; k++) {
        uint32_t i = index.order[k - 1], j = index.order[k];
        if (!compare(&instance->ids[i], &instance->ids[j]))
            ok = fail_doubled(instance, "ids", j, i);
    }
    uint32_t same = ok && instance->has_depot_id ? id_index_find(&index, &instance->depot_id) : 0;
    if (same)
        ok = fail_doubled(instance, "depot_id", INSTANCE_WIDE, same - 1);
    id_index_finish(&index);
    return ok;
}
