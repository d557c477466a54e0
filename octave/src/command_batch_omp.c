/* Batch-OMP (Rubinstein, Zibulevsky, Elad 2008) from the products W'x and W'W alone, in double precision: for
 * omp and omp2 of OMP-Box, whose callers need not have the samples.
 *
 * The atom with the largest |W'r| is added until there are T entries or ||r||^2 <= target. With I the support
 * and L L' = G(I, I):   z = (L L')^-1 a(I),   W'r = a - G(:, I) z,   ||r||^2 = ||x||^2 - a(I)'z. */
#include "gateway.h"

#include <math.h>
#include <string.h>

typedef struct problem {
    const double *G; /* m x m */
    int64_t m, most; /* entries of a code */
    double target;   /* on ||r||^2; negative: none */
} problem;

typedef struct space {
    double *L;      /* most x most, row by row */
    double *scores; /* m: W'r */
    double *value;  /* most */
    mwIndex *support;
    int64_t count;
} space;

static double dot(const double *a, const double *b, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static int64_t largest(const double *scores, int64_t m) {
    int64_t best = 0;
    for (int64_t j = 1; j < m; j++)
        if (fabs(scores[j]) > fabs(scores[best]))
            best = j;
    return best;
}

/* Adds a row to L; false if the atom depends on the support. */
static bool add_atom(const problem *p, space *s, int64_t atom) {
    double *row = s->L + s->count * p->most;
    for (int64_t i = 0; i < s->count; i++) {
        const double *above = s->L + i * p->most;
        row[i] = (p->G[atom * p->m + s->support[i]] - dot(row, above, i)) / above[i];
    }
    double rest = p->G[atom * p->m + atom] - dot(row, row, s->count);
    if (!(rest > 1e-10 * p->G[atom * p->m + atom]))
        return false;
    row[s->count] = sqrt(rest);
    s->support[s->count++] = (mwIndex)atom;
    return true;
}

static void solve(const problem *p, space *s, const double *a) {
    for (int64_t i = 0; i < s->count; i++) {
        const double *row = s->L + i * p->most;
        s->value[i] = (a[s->support[i]] - dot(row, s->value, i)) / row[i];
    }
    for (int64_t i = s->count - 1; i >= 0; i--) {
        for (int64_t j = i + 1; j < s->count; j++)
            s->value[i] -= s->L[j * p->most + i] * s->value[j];
        s->value[i] /= s->L[i * p->most + i];
    }
}

/* One code: a = W'x, energy = ||x||^2. */
static void code(const problem *p, const double *a, double energy, space *s) {
    double rest = energy, first = fabs(a[largest(a, p->m)]);
    s->count = 0;
    memcpy(s->scores, a, (size_t)p->m * sizeof *a);
    while (s->count < p->most && rest > p->target) {
        int64_t atom = largest(s->scores, p->m);
        if (!(fabs(s->scores[atom]) > 1e-12 * first) || !add_atom(p, s, atom))
            return;
        solve(p, s, a);
        memcpy(s->scores, a, (size_t)p->m * sizeof *a);
        rest = energy;
        for (int64_t i = 0; i < s->count; i++) {
            const double *g = p->G + (int64_t)s->support[i] * p->m;
            for (int64_t j = 0; j < p->m; j++)
                s->scores[j] -= s->value[i] * g[j];
            rest -= s->value[i] * a[s->support[i]];
        }
    }
}

static void put_sorted(const space *s, mwIndex *index, double *value) {
    for (int64_t i = 0; i < s->count; i++) {
        int64_t place = i;
        for (; place > 0 && index[place - 1] > s->support[i]; place--) {
            index[place] = index[place - 1];
            value[place] = value[place - 1];
        }
        index[place] = s->support[i];
        value[place] = s->value[i];
    }
}

static problem problem_of(const mxArray *in[]) {
    for (int i = 0; i < 5; i++)
        if (!mxIsDouble(in[i]) || mxIsSparse(in[i]) || mxIsComplex(in[i]))
            gw_fail("argument", "batch_omp: expected full real doubles");
    problem p = {mxGetPr(in[2]), (int64_t)mxGetM(in[0]), (int64_t)mxGetScalar(in[3]), mxGetScalar(in[4])};
    if ((int64_t)mxGetM(in[2]) != p.m || (int64_t)mxGetN(in[2]) != p.m)
        gw_fail("data", "G is %d x %d, but D'*X has %d rows", (int)mxGetM(in[2]), (int)mxGetN(in[2]),
                (int)p.m);
    if (mxGetNumberOfElements(in[1]) != mxGetN(in[0]))
        gw_fail("data", "%d squared norms for %d samples", (int)mxGetNumberOfElements(in[1]),
                (int)mxGetN(in[0]));
    if (p.most < 1 || p.most > p.m)
        gw_fail("argument", "a code of %d entries: expected 1 to the number of atoms, %d", (int)p.most,
                (int)p.m);
    return p;
}

static void set_room(mxArray *Z, int64_t entries) {
    mwSize room = (mwSize)(entries > 0 ? entries : 1);
    mxSetIr(Z, mxRealloc(mxGetIr(Z), (size_t)room * sizeof(mwIndex)));
    mxSetPr(Z, mxRealloc(mxGetPr(Z), (size_t)room * sizeof(double)));
    mxSetNzmax(Z, room);
}

/* Z = batch_omp (DtX, XtX, G, T, target) */
void gw_batch_omp(int outputs, mxArray *out[], const mxArray *in[]) {
    (void)outputs;
    problem p = problem_of(in);
    mwSize N = mxGetN(in[0]);
    space s = {mxMalloc((size_t)(p.most * p.most) * sizeof(double)), mxMalloc((size_t)p.m * sizeof(double)),
               mxMalloc((size_t)p.most * sizeof(double)), mxMalloc((size_t)p.most * sizeof(mwIndex)), 0};
    int64_t room = p.most + 4 * (int64_t)N; /* grows: most codes are shorter than the longest possible */
    out[0] = mxCreateSparse((mwSize)p.m, N, (mwSize)room, mxREAL);
    mwIndex *first = mxGetJc(out[0]);
    gw_begin();
    for (mwSize i = 0; i < N && !gw_interrupted(); i++) {
        code(&p, mxGetPr(in[0]) + (int64_t)i * p.m, mxGetPr(in[1])[i], &s);
        if ((int64_t)first[i] + s.count > room)
            set_room(out[0], room += room / 2 + p.most);
        put_sorted(&s, mxGetIr(out[0]) + first[i], mxGetPr(out[0]) + first[i]);
        first[i + 1] = first[i] + (mwIndex)s.count;
    }
    gw_end(DLTF_OK);
    set_room(out[0], (int64_t)first[N]);
}
