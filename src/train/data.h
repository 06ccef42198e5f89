// Instances of a file to train on, instead of drawn ones. Every tenth is held out for validation. Each pass goes
// through a size range's other instances in a new order.
#ifndef TRAIN_DATA_H
#define TRAIN_DATA_H

#include "problem/scale.h"
#include "train/sizes.h"

struct train_data;

// LIST, of COUNT instances, stays the caller's and must outlive the data. SEED is the training's.
struct train_data *data_create(const struct instance *list, size_t count, uint64_t seed);
void data_destroy(struct train_data **data);

uint64_t data_hash(const struct train_data *data); // of all values
// Returns how many of COUNT instances are held out, at least one: the size of validations.
uint32_t data_held_out(size_t count);

// Divides the instances among size ranges (stb_ds array). Ranges without any are removed; others get the N and J that
// their instances need.
void data_divide(struct train_data *data, struct size_range **ranges);

// Returns the range of a step, with the frequency of its instances.
uint32_t data_range_of_step(const struct train_data *data, uint64_t step);
// Returns how many instances that are held out belong to the ranges before RANGE.
uint32_t data_before(const struct train_data *data, uint32_t range);
// Returns the instance with this number of the range's sequence. It stays the data's.
const struct scaled *data_instance(struct train_data *data, uint32_t range, enum train_draws draws, uint32_t number);
// Returns the instance of the list that was scaled to it.
const struct instance *data_original(const struct train_data *data, const struct scaled *scaled);

#endif
