/* The history of a learner against plain loops over its own W, Z and Q, and convergence of the ADMM. */
#include "dltf.h"
#include "learning/learner_facts.h"
#include "learning/paper/model.h"
#include "reference/reference.h"
#include "test_small_learner.h"
#include <stdio.h>

/* ---- history ---- */

static void check_record(const dltf_iteration *r, int64_t m, int64_t n) {
    assert_true(r->relative_error >= 0 && r->relative_error < 1.5);
    assert_true(r->coherence >= 0 && r->coherence <= 1 + 1e-9);
    double least = m > n ? (double)(m * m) / (double)n : (double)m;
    assert_true(r->frame_potential >= least * (1 - 1e-9) && r->frame_potential <= (double)(m * m));
    assert_true(r->atoms_replaced >= 0 && r->atoms_replaced <= m);
    bool minibatch = strcmp(r->stage, "minibatch") == 0, admm = strcmp(r->stage, "admm") == 0;
    double sum = r->incoherence_term + r->data_term + (admm ? r->noise_term : 0);
    if (minibatch)
        assert_true(isnan(r->objective) && isnan(r->theta) && isnan(r->incoherence_term) &&
                    isnan(r->data_term));
    if (!minibatch) { /* ||G - I||^2 = ||G||^2 - 2m + m */
        assert_near(r->incoherence_term, r->frame_potential - (double)m, 1e-6 * (double)m);
        assert_near(r->objective, sum, 1e-12 * (1 + sum));
        assert_true(r->incoherence_term >= 0 && r->data_term >= 0);
    }
    if (admm)
        assert_true(r->noise_term > 0 && r->primal_residual > 0 && r->dual_residual > 0);
    else
        assert_true(isnan(r->noise_term) && isnan(r->primal_residual) && isnan(r->dual_residual));
}

static void history(void **state) {
    (void)state;
    dltf_synthetic *problem = small_problem();
    dltf_train_options options = small_options();
    dltf_learner *learner = new_learner(dltf_synthetic_samples(problem, false), &options);
    int64_t count = 1;
    dl_learner_history(learner, &count);
    assert_int_equal(count, 0);
    assert_int_equal(run(learner), DLTF_ITERATION_LIMIT);
    const dltf_iteration *r = dl_learner_history(learner, &count);
    const int64_t lengths[] = {options.steps, options.iterations, options.admm};
    const char *const names[] = {"minibatch", "tied", "admm"};
    assert_int_equal(count, options.steps + options.iterations + options.admm);
    int64_t next = 0;
    double seconds = 0;
    for (int stage = 0; stage < 3; stage++)
        for (int64_t i = 0; i < lengths[stage]; i++, next++) {
            assert_string_equal(r[next].stage, names[stage]);
            assert_int_equal(r[next].index, i);
            check_record(&r[next], 24, 16);
            assert_true(r[next].seconds >= seconds);
            seconds = r[next].seconds;
        }
    int64_t first = options.steps, last = options.steps + options.iterations - 1;
    assert_near(r[first].theta, options.theta_start, 0);
    for (int64_t i = first + 1; i <= last; i++)
        assert_true(r[i].theta <= r[i - 1].theta);
    assert_near(r[last].theta, options.theta, 0);
    for (int64_t i = last + 1; i < count; i++)
        assert_near(r[i].theta, options.theta, 0);
    assert_true(r[last].coherence < r[first].coherence);  /* towards a tight frame */
    assert_int_equal(run(learner), DLTF_ITERATION_LIMIT); /* nothing left to do */
    int64_t after = 0;
    dl_learner_history(learner, &after);
    assert_int_equal(after, count);
    dltf_learner_free(learner);
    dltf_synthetic_free(problem);
}

/* The last record against the final dictionary. */
static void history_describes_the_model(void **state) {
    (void)state;
    dltf_synthetic *problem = small_problem();
    dltf_train_options options = small_options();
    dltf_learner *learner = new_learner(dltf_synthetic_samples(problem, false), &options);
    run(learner);
    int64_t count = 0;
    const dltf_iteration *last = dl_learner_history(learner, &count) + 0;
    last += count - 1;
    dltf_model *model = model_of(learner);
    double coherence = 0, potential = 0;
    assert_int_equal(dltf_coherence(dictionary_of(model), &coherence), DLTF_OK);
    assert_int_equal(dltf_frame_potential(dictionary_of(model), &potential), DLTF_OK);
    assert_near(last->coherence, coherence, 1e-5);
    assert_near(last->frame_potential, potential, 1e-5 * potential);
    dltf_model_free(model);
    dltf_learner_free(learner);
    dltf_synthetic_free(problem);
}

/* sum ||x - Wz||^2 at codes of all samples and some W; `gaps` (or NULL) becomes W^T (x - Wz). */
static double residuals(const dltf_learner *l, dl_slots Z, const double *W, double *gaps) {
    double *row = new_f64(l->n), *r = new_f64(l->n), sum = 0;
    float *x = new_f32(l->n);
    for (int64_t i = 0; i < l->N; i++) {
        dl_samples_row(&l->samples, i, row, x);
        widen(x, l->n, r);
        for (int64_t e = i * l->k; e < i * l->k + Z.count[i]; e++)
            for (int64_t d = 0; d < l->n; d++)
                r[d] -= (double)Z.value[e] * W[Z.index[e] * l->n + d];
        sum += dot_f64(r, r, l->n);
        for (int64_t j = 0; gaps && j < l->m; j++)
            gaps[i * l->m + j] = dot_f64(r, W + j * l->n, l->n);
    }
    free(row);
    free(r);
    free(x);
    return sum;
}

static void check_data_term(const dltf_learner *l, const dltf_iteration *r, double residual) {
    double weight = 1e4 / (double)l->N, total = (double)(l->N * l->k);
    assert_near(r->data_term, r->theta / 2 * weight * residual, 1e-5 * r->theta * weight * total);
    assert_near(r->relative_error, residual / total, 1e-5);
}

static void check_noise_and_residuals(const dltf_learner *l, const float *Q, const dltf_iteration *r,
                                      const double *gaps, const float *old) {
    double noise = 0, primal = 0, dual = 0, *q = new_f64(l->m);
    int32_t *places = calloc((size_t)l->m, sizeof *places);
    for (int64_t i = 0; i < l->N; i++) {
        widen(Q + i * l->m, l->m, q);
        int64_t count = ref_topk(q, l->m, 2 * l->k, false, places);
        for (int64_t e = 0; e < count; e++)
            noise += q[places[e]] * q[places[e]];
        for (int64_t j = 0; j < l->m; j++) {
            double gap = q[j] - gaps[i * l->m + j], moved = old ? q[j] - (double)old[i * l->m + j] : 0;
            primal += gap * gap;
            dual += moved * moved;
        }
    }
    noise *= l->options.lambda / 2 * 1e4 / (double)l->N;
    assert_near(r->noise_term, noise, 1e-6 * noise);
    assert_near(r->primal_residual, sqrt(primal), 1e-3 * sqrt(primal));
    if (old) /* in the first iteration the old Q is unknown */
        assert_near(r->dual_residual, l->options.beta * sqrt(dual), 1e-6 * sqrt(dual));
    free(places);
    free(q);
}

/* The values of a record, recomputed from the learner's own W, Z and Q; samples fill one block or two. */
static void history_by_loops(void **state) {
    (void)state;
    for (int blocks = 1; blocks <= 2; blocks++) {
        dltf_synthetic *problem = new_synthetic(8, 12, 2, blocks == 1 ? 300 : DL_BLOCK + 150, 0.1);
        dltf_train_options options = small_options();
        options.m = 12;
        options.steps = options.iterations = 4;
        options.admm = 3;
        options.beta = 0.8;
        dltf_learner *l = new_learner(dltf_synthetic_samples(problem, false), &options);
        float *old = new_f32(l->N * l->m);
        double *gaps = new_f64(l->N * l->m), *old_W = new_f64(l->m * l->n);
        for (int64_t done = 1; done <= 11; done++) {
            test_brake b = {.left = 1};
            dltf_outcome outcome;
            memcpy(old_W, l->W, (size_t)(l->m * l->n) * sizeof *old_W);
            assert_int_equal(dltf_learner_run(l, brake, &b, &outcome), DLTF_OK);
            int64_t count = 0;
            const dltf_iteration *r = dl_learner_history(l, &count);
            r += count - 1;
            assert_int_equal(count, done);
            const dl_paper_model *p = l->state; /* of the stages tied and admm */
            if (strcmp(r->stage, "tied") == 0 && blocks == 1)
                check_data_term(l, r, residuals(l, p->block.Z, l->W, NULL));
            if (strcmp(r->stage, "admm") == 0) {
                check_data_term(l, r, residuals(l, p->Z, l->W, NULL));
                residuals(l, p->Z, old_W, gaps);
                check_noise_and_residuals(l, p->Q, r, gaps, r->index > 0 ? old : NULL);
                memcpy(old, p->Q, (size_t)(l->N * l->m) * sizeof *old);
            }
        }
        free(old);
        free(old_W);
        free(gaps);
        dltf_learner_free(l);
        dltf_synthetic_free(problem);
    }
}

/* At the final theta the objective settles and does not increase. */
static void objective_settles(void **state) {
    (void)state;
    dltf_synthetic *problem = small_problem();
    dltf_train_options options = small_options();
    options.iterations = 40;
    options.admm = 0;
    dltf_learner *learner = new_learner(dltf_synthetic_samples(problem, false), &options);
    run(learner);
    int64_t count = 0;
    const dltf_iteration *r = dl_learner_history(learner, &count);
    for (int64_t i = count - 15; i < count; i++)
        if (!(r[i].objective <= 1.01 * r[i - 1].objective))
            fail_msg("objective %g after %g", r[i].objective, r[i - 1].objective);
    dltf_learner_free(learner);
    dltf_synthetic_free(problem);
}

/* ---- the ADMM ---- */

/* Initial state: the constraint Q = W^T (X - WZ) holds, and A = X X^T. */
static void admm_start(void **state) {
    (void)state;
    dltf_synthetic *problem = new_synthetic(40, 12, 2, DL_BLOCK + 150, 0.1);
    dltf_train_options options = small_options();
    options.m = 12;
    dltf_learner *l = new_learner(dltf_synthetic_samples(problem, false), &options);
    dl_paper_model *p = NULL;
    assert_int_equal(dl_paper_model_new(l, true, &p), DLTF_OK);
    double *gaps = new_f64(l->N * l->m), *A = new_f64(l->n * l->n), *row = new_f64(l->n);
    float *x = new_f32(l->n);
    dl_admm_start(l, p);
    residuals(l, p->Z, l->W, gaps);
    for (int64_t i = 0; i < l->N * l->m; i++)
        assert_near((double)p->Q[i], gaps[i], 1e-5);
    for (int64_t i = 0; i < l->N; i++) {
        dl_samples_row(&l->samples, i, row, x);
        for (int64_t p = 0; p < l->n; p++)
            for (int64_t q = 0; q < l->n; q++)
                A[p * l->n + q] += (double)x[p] * (double)x[q];
    }
    assert_all_near(p->A, A, l->n * l->n, 1e-5 * (double)l->N);
    free(gaps);
    free(A);
    free(row);
    free(x);
    dl_paper_model_free(p);
    dltf_learner_free(l);
    dltf_synthetic_free(problem);
}

static void admm_converges(void **state) {
    (void)state;
    dltf_synthetic *problem = new_synthetic(16, 24, 2, sized(400, 200), 0.1);
    dltf_train_options options = small_options();
    options.admm = 200;
    dltf_learner *learner = new_learner(dltf_synthetic_samples(problem, false), &options);
    run(learner);
    int64_t count = 0;
    const dltf_iteration *r = dl_learner_history(learner, &count) + 0;
    r += count - 200;
    double least = INFINITY, most = 0;
    for (int64_t i = 0; i < 200; i++) {
        least = fmin(least, r[i].primal_residual);
        most = fmax(most, r[i].objective);
    }
    print_message("primal residual %.3g -> %.3g, dual %.3g -> %.3g, objective %.4g -> %.4g\n",
                  r[0].primal_residual, r[199].primal_residual, r[0].dual_residual, r[199].dual_residual,
                  r[0].objective, r[199].objective);
    assert_true(r[199].primal_residual < 0.1 * r[0].primal_residual);
    assert_true(r[199].dual_residual < 0.1 * r[0].dual_residual);
    assert_true(most < 1.5 * r[0].objective);
    assert_true(r[199].noise_term < r[0].noise_term * 1.5);
    dltf_learner_free(learner);
    dltf_synthetic_free(problem);
}

TESTS_MAIN(cmocka_unit_test(history), cmocka_unit_test(history_describes_the_model),
           cmocka_unit_test(history_by_loops), cmocka_unit_test(objective_settles),
           cmocka_unit_test(admm_start), cmocka_unit_test(admm_converges))
