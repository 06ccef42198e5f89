#include "util/statistics.h"

#include <float.h>
#include <math.h>

double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

// Returns the standard error of the mean from the sum of squared deviations.
static double error_of(double squares, size_t count)
{
    return sqrt(squares / (double)(count - 1) / (double)count);
}

double standard_error(const double *values, size_t count)
{
    double mean = mean_of(values, count), squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    return count > 1 ? error_of(squares, count) : 0;
}

// Evaluates the continued fraction of the incomplete beta function from the front (modified Lentz); converges quickly
// for x < (a + 1) / (a + b + 2).
static double beta_fraction(double x, double a, double b)
{
    double c = 1, d = 1 - (a + b) * x / (a + 1), tiny = 1e-300;
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double value = d;
    for (int m = 1; m < 1000; m++) {
        double factors[] = { m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)) };
        double change = 1;
        for (int k = 0; k < 2; k++) {
            d = 1 + factors[k] * d;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = 1 + factors[k] / c;
            c = fabs(c) < tiny ? tiny : c;
            change = c * d;
            value *= change;
        }
        if (fabs(change - 1) < 4 * DBL_EPSILON)
            break;
    }
    return value;
}

// The regularised incomplete beta function.
static double incomplete_beta(double x, double a, double b)
{
    if (x <= 0 || x >= 1)
        return x >= 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(x, a, b) / a;
    return 1 - front * beta_fraction(1 - x, b, a) / b;
}

double student_below(double t, double df)
{
    double tail = 0.5 * incomplete_beta(df / (df + t * t), df / 2, 0.5);
    return t < 0 ? tail : 1 - tail;
}

double paired_test(const double *a, const double *b, size_t count)
{
    if (count < 2)
        return 1;
    double mean = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        mean += (a[i] - b[i]) / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (a[i] - b[i] - mean) * (a[i] - b[i] - mean);
    if (squares == 0)
        return mean < 0 ? 0 : 1;
    return student_below(mean / error_of(squares, count), (double)(count - 1));
}
