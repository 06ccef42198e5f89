// The gradient of a rollout with saved activations, through decisions, glimpses and encoder to the weights.
#ifndef MODEL_GRADIENT_H
#define MODEL_GRADIENT_H

#include "model/rollout.h"

struct gradient;

// Returns its device memory, without that of the rollout.
uint64_t gradient_bytes(const struct view *view, const struct rollout_shape *shape);

// D has the shape of the model's weights; the gradient is added to it. The rollout must outlive the gradient.
bool gradient_create(struct gradient **gradient, struct rollout *rollout, const struct params *d);
void gradient_destroy(struct gradient **gradient);

// After a run of the rollout: the gradient of  sum_t coefficient[t] log p(trajectory t) + dkl KL,  where KL is the mean
// over the instances of the divergence between decoders at the first decision. With batch statistics (struct view) it
// also tracks the statistics for solving. PREFIX (T), which may be NULL and requires given actions, is the number of
// decisions at the start of each trajectory that the first sum skips.
bool gradient_run(struct gradient *gradient, const float *coefficient, const uint32_t *prefix, double dkl);
// Returns the commands of a run after the rollout's last.
uint32_t gradient_commands(const struct gradient *gradient);
bool gradient_kl(struct gradient *gradient, double *kl); // that mean, after gradient_run

#endif
