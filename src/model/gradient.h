// The gradient of a rollout that kept its activations, back through decisions, glimpses and encoder to the weights.
#ifndef MODEL_GRADIENT_H
#define MODEL_GRADIENT_H

#include "model/rollout.h"

struct gradient;

// Device memory that it takes besides the rollout's own.
uint64_t gradient_bytes(const struct view *view, const struct rollout_shape *shape);

// D has the shape of the model's weights; what is computed is added to it. The rollout must outlive the gradient.
bool gradient_create(struct gradient **gradient, struct rollout *rollout, const struct params *d);
void gradient_destroy(struct gradient **gradient);

// After a run of the rollout: the gradient of  sum_t coefficient[t] log p(trajectory t) + dkl KL,  where KL is the mean
// over the instances of how much the decoders differ at the first decision. With live statistics (struct view) those
// that solving will use are tracked, too.
// PREFIX (T), which may be NULL and needs given actions, is how many decisions at the beginning of each trajectory the
// first sum leaves out.
bool gradient_run(struct gradient *gradient, const float *coefficient, const uint32_t *prefix, double dkl);
bool gradient_kl(struct gradient *gradient, double *kl); // that mean, after gradient_run

#endif
