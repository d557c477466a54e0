/* The course of gradient training: batches, steps, rounds and the learning rate. */
#ifndef DL_LEARNING_GRADIENT_PLAN_H
#define DL_LEARNING_GRADIENT_PLAN_H

#include "learning/gradient/gradient.h"
#include "learning/learner.h"

/* Samples per step. */
int64_t dl_plan_batch(const dltf_learner *l);
int64_t dl_plan_steps(const dltf_learner *l);

/* A round is an iteration of the stage: a number of steps that takes about a second. */
int64_t dl_plan_rounds(const dltf_learner *l);
/* Steps are spread evenly over the rounds. */
int64_t dl_plan_first_step(const dltf_learner *l, int64_t round);

/* Sample i of the batch of a step. An epoch is a random order of the samples (order.h), cut into batches. */
int64_t dl_plan_sample(const dltf_learner *l, int64_t step, int64_t i);
/* The batch of a step is needed next. */
void dl_plan_expect(const dltf_learner *l, int64_t step);

/* Atoms that take part: all if each has many samples, otherwise more and more. */
int64_t dl_plan_atoms(const dltf_learner *l, double done);

/* How often the held-out error is measured, and on how many samples: together a few percent of a training. */
int64_t dl_plan_evaluations(const dltf_learner *l);
int64_t dl_plan_evaluation_samples(const dltf_learner *l);

/* The rate before it falls. */
double dl_plan_full_rate(int64_t n, int64_t k);
/* `done`: from 0 at the start of training to 1 at its end. */
double dl_plan_rate(const dltf_learner *l, int64_t step, double done);
/* A step at this rate: how much it ties E to W, and how it treats unused atoms. */
dl_gradient_rule dl_plan_rule(int64_t m, int64_t k, bool positive, float rate);

#endif
