#include "problem/embed.h"

#include <math.h>
#include <stdlib.h>

#include "util/alloc.h"

// Vectors that are iterated together, and how often. A plane has two eigenvalues; the others only help to separate
// those of distances that no plane has.
enum { VECTORS = 8, ITERATIONS = 10, SWEEPS = 30 };

struct embedding {
    uint32_t N;
    double *squares;  // (N, N): minus half of the squared distances
    double *v, *next; // (VECTORS, N)
};

static void centre(double *x, uint32_t N)
{
    double mean = 0;
    for (uint32_t i = 0; i < N; i++)
        mean += x[i] / N;
    for (uint32_t i = 0; i < N; i++)
        x[i] -= mean;
}

static double dot(const double *x, const double *y, uint32_t N)
{
    double sum = 0;
    for (uint32_t i = 0; i < N; i++)
        sum += x[i] * y[i];
    return sum;
}

// next = J S J v: the centred squares times each vector.
static void multiply(struct embedding *e)
{
    const uint32_t N = e->N;
    for (uint32_t k = 0; k < VECTORS; k++)
        centre(e->v + (size_t)k * N, N);
    for (uint32_t i = 0; i < N; i++) {
        for (uint32_t k = 0; k < VECTORS; k++)
            e->next[(size_t)k * N + i] = dot(e->squares + (size_t)i * N, e->v + (size_t)k * N, N);
    }
    for (uint32_t k = 0; k < VECTORS; k++)
        centre(e->next + (size_t)k * N, N);
}

// Makes the vectors orthonormal, twice over for what rounding leaves; those that depend on the others become 0.
static void orthonormalise(double *v, uint32_t N)
{
    for (uint32_t k = 0; k < VECTORS; k++) {
        double *x = v + (size_t)k * N, before = sqrt(dot(x, x, N)), length = 0;
        for (int pass = 0; pass < 2; pass++) {
            for (uint32_t j = 0; j < k; j++) {
                double share = dot(x, v + (size_t)j * N, N);
                for (uint32_t i = 0; i < N; i++)
                    x[i] -= share * v[(size_t)j * N + i];
            }
            length = sqrt(dot(x, x, N));
        }
        for (uint32_t i = 0; i < N; i++)
            x[i] = length > 1e-12 * before ? x[i] / length : 0;
    }
}

// Jacobi's rotations: the eigenvectors of A become the columns of Q, its diagonal the eigenvalues.
static void diagonalise(double a[VECTORS][VECTORS], double q[VECTORS][VECTORS])
{
    for (int i = 0; i < VECTORS; i++) {
        for (int j = 0; j < VECTORS; j++)
            q[i][j] = i == j;
    }
    for (int sweep = 0; sweep < SWEEPS * VECTORS * VECTORS; sweep++) {
        int p = sweep / VECTORS % VECTORS, r = sweep % VECTORS;
        if (p >= r || a[p][r] == 0)
            continue;
        double theta = (a[r][r] - a[p][p]) / (2 * a[p][r]);
        double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < VECTORS; k++) {
            double x = a[k][p], y = a[k][r];
            a[k][p] = c * x - s * y, a[k][r] = s * x + c * y;
        }
        for (int k = 0; k < VECTORS; k++) {
            double x = a[p][k], y = a[r][k];
            a[p][k] = c * x - s * y, a[r][k] = s * x + c * y;
            x = q[k][p], y = q[k][r];
            q[k][p] = c * x - s * y, q[k][r] = s * x + c * y;
        }
    }
}

// The index of the largest value but the one at OTHER.
static int largest(double a[VECTORS][VECTORS], int other)
{
    int best = -1;
    for (int k = 0; k < VECTORS; k++) {
        if (k != other && (best < 0 || a[k][k] > a[best][best]))
            best = k;
    }
    return best;
}

// Coordinates along two eigenvectors, each times the root of its eigenvalue.
static void project(struct embedding *e, struct point *points)
{
    double a[VECTORS][VECTORS], q[VECTORS][VECTORS];
    multiply(e);
    for (uint32_t k = 0; k < VECTORS; k++) {
        for (uint32_t j = 0; j < VECTORS; j++)
            a[k][j] = dot(e->v + (size_t)k * e->N, e->next + (size_t)j * e->N, e->N);
    }
    for (uint32_t k = 0; k < VECTORS; k++) {
        for (uint32_t j = 0; j < k; j++)
            a[k][j] = a[j][k] = (a[k][j] + a[j][k]) / 2;
    }
    diagonalise(a, q);
    int first = largest(a, -1), second = largest(a, first);
    double rx = sqrt(fmax(0, a[first][first])), ry = sqrt(fmax(0, a[second][second]));
    for (uint32_t i = 0; i < e->N; i++) {
        points[i] = (struct point){ 0, 0 };
        for (uint32_t k = 0; k < VECTORS; k++) {
            points[i].x += rx * q[k][first] * e->v[(size_t)k * e->N + i];
            points[i].y += ry * q[k][second] * e->v[(size_t)k * e->N + i];
        }
    }
}

void embed_distances(struct point *points, const double *distances, uint32_t N)
{
    const size_t size = (size_t)VECTORS * N;
    struct embedding e = { N, xcalloc((size_t)N * N, sizeof(double)), xcalloc(size, sizeof(double)),
        xcalloc(size, sizeof(double)) };
    for (uint32_t i = 0; i < N; i++) {
        for (uint32_t j = 0; j < N; j++) {
            double d = (distances[(size_t)i * N + j] + distances[(size_t)j * N + i]) / 2;
            e.squares[(size_t)i * N + j] = i == j ? 0 : -d * d / 2;
        }
        for (uint32_t k = 0; k < VECTORS; k++)
            e.v[(size_t)k * N + i] = cos((i + 1.0) * (k + 1.0) * 2.399963);
    }
    orthonormalise(e.v, N);
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        multiply(&e);
        double *swap = e.v;
        e.v = e.next, e.next = swap;
        orthonormalise(e.v, N);
    }
    project(&e, points);
    free(e.squares), free(e.v), free(e.next);
}
