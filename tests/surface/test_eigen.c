#include "check.h"

#include "dice.h"
#include "surface/eigen.h"

// The matrix that values and vectors make, against the one they came from; vectors are a right-handed frame.
static void check_parts(const double m[6])
{
	double values[3], v[3][3], size = 0.0;
	eigen_symmetric(m, values, v);
	const int row[6] = {0, 0, 0, 1, 1, 2}, col[6] = {0, 1, 2, 1, 2, 2};
	for (int k = 0; k < 6; k++)
		size = fmax(size, fabs(m[k]));
	for (int k = 0; k < 6; k++)
	{
		double sum = 0.0, dot = 0.0;
		for (int e = 0; e < 3; e++)
		{
			sum += values[e] * v[e][row[k]] * v[e][col[k]];
			dot += v[row[k]][e] * v[col[k]][e];
		}
		check_near(sum, m[k], 1e-13 * size);
		check_near(dot, row[k] == col[k], 1e-13);
	}
	double det = v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) -
		     v[0][1] * (v[1][0] * v[2][2] - v[1][2] * v[2][0]) +
		     v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
	check_near(det, 1.0, 1e-13);
	assert_true(values[0] >= values[1] && values[1] >= values[2]);
}

static void parts_make_the_matrix(void **state)
{
	(void)state;
	const double special[][6] = {{0, 0, 0, 0, 0, 0},       {1, 0, 0, 1, 0, 1},
				     {2, 1, 1, 2, 1, 2},       {1, 2, 3, 4, 6, 9},
				     {-1, 0, 0, -2, 0, 5},     {1e-30, 0, 0, 1e-30, 1e-40, 0},
				     {0, 1, 0, 0, 0, 0},       {1e20, 1e3, 0, 1e20, 1, 1e20},
				     {1, 1e-12, 0, 1, 0, 1e-9}};
	for (size_t k = 0; k < sizeof special / sizeof special[0]; k++)
		check_parts(special[k]);
	dice d = {5};
	for (int round = 0; round < 2000; round++)
	{
		double m[6], scale = pow(10.0, (double)dice_range(&d, -12.0f, 12.0f));
		for (int k = 0; k < 6; k++)
			m[k] = scale * (double)dice_range(&d, -1.0f, 1.0f);
		check_parts(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(parts_make_the_matrix)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
