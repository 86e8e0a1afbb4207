// What is enclosed, at thousands of random places, for meshes that are not as clean as they should be.
#include "meshes.h"

// 1 or 0; -1 where there is no telling.
typedef int is_inside(const void *context, vec3 p);

typedef struct ball
{
	vec3 centre;
	float radius;
} ball;

// In any of two balls; the second may be empty.
static int in_balls(const void *context, vec3 p)
{
	const ball *b = context;
	return vec3_length(vec3_sub(p, b[0].centre)) < b[0].radius ||
	       vec3_length(vec3_sub(p, b[1].centre)) < b[1].radius;
}

static int in_nothing(const void *context, vec3 p)
{
	(void)context, (void)p;
	return 0;
}

// Signs where the surface is farther than `clear` cells by the field's own account, which the tests of distances have checked, and how many
// are right nearer to it.
static void check_signs(const soup *s, float cell, float band, is_inside *inside, const void *context, double clear,
			const char *what)
{
	distance_field *f = make_field(s, cell, band, 1, 2);
	const field_info *info = distance_field_info(f);
	dice d = {21};
	int near = 0, near_right = 0, within = 0;
	for (int i = 0; i < 30000; i++)
	{
		vec3 p = random_in_box(&d, info->low, info->high);
		float value = distance_field_sample(f, p, NULL);
		int truth = inside(context, p), right = (value < 0) == truth;
		if (truth < 0)
			continue;
		within += truth;
		if (fabs((double)value) < clear * (double)cell)
		{
			near++;
			near_right += right;
		}
		else if (!right)
			fail_msg("%s: at (%g, %g, %g) the field is %g m, but the place is %s", what, (double)p.x,
				 (double)p.y, (double)p.z, (double)value, truth ? "inside" : "outside");
	}
	assert_int_equal(info->encloses, within > 0);
	if (near && near_right < 0.9 * near)
		fail_msg("%s: of %d signs at the surface %d are right", what, near, near_right);
	distance_field_destroy(f);
}

static void clean_solids(void **state)
{
	(void)state;
	soup s = {0};
	const ball balls[2] = {{{0.1f, 0.2f, 0.3f}, 1}, {{0, 0, 0}, -1}};
	add_sphere(&s, balls[0].centre, 1.0f, 60);
	check_signs(&s, 0.04f, 3, in_balls, balls, 0.1, "sphere");
	// a narrow band leaves most of the inside to tiles
	check_signs(&s, 0.03f, 2, in_balls, balls, 0.1, "sphere with a narrow band");
	dice d = {2};
	flip_some(&s, &d);
	check_signs(&s, 0.04f, 3, in_balls, balls, 0.1, "sphere with flipped faces");
	soup_free(&s);
}

static int in_box(const void *context, vec3 p)
{
	const vec3 *half = context;
	return fabsf(p.x) < half->x && fabsf(p.y) < half->y && fabsf(p.z) < half->z;
}

static void box_on_the_lattice(void **state)
{
	(void)state;
	// every face lies in voxels: nothing may slip past along them
	soup s = {0};
	const vec3 half = {0.5f, 0.25f, 0.75f};
	add_box(&s, vec3_make(0, 0, 0), half, 0, 0);
	check_signs(&s, 0.0625f, 3, in_box, &half, 0.05, "box on the lattice");
	check_signs(&s, 0.05f, 3, in_box, &half, 0.05, "box partly on the lattice");
	check_signs(&s, 0.043f, 3, in_box, &half, 0.5, "box off the lattice");
	soup_free(&s);
}

static int in_torus(const void *context, vec3 p)
{
	const double *radii = context;
	return hypot(hypot((double)p.x, (double)p.z) - radii[0], (double)p.y) < radii[1];
}

static void torus(void **state)
{
	(void)state;
	soup s = {0};
	const double radii[2] = {1, 0.3};
	add_torus(&s, 1, 0.3f, 120, 60);
	check_signs(&s, 0.04f, 3, in_torus, radii, 0.1, "torus");
	soup_free(&s);
}

static void overlapping_parts_are_one(void **state)
{
	(void)state;
	soup s = {0};
	const ball balls[2] = {{{-0.4f, 0, 0}, 1}, {{0.6f, 0.1f, 0.2f}, 0.8f}};
	add_sphere(&s, balls[0].centre, balls[0].radius, 50);
	add_sphere(&s, balls[1].centre, balls[1].radius, 40);
	dice d = {4};
	flip_some(&s, &d);
	float cell = 0.05f;
	check_signs(&s, cell, 4, in_balls, balls, 0.3, "two spheres");

	// inside of the union the walls of the parts are gone: nowhere is less deep than in the deeper part, but for the cell's width of wall
	// next to the crease that still counts as surface
	distance_field *f = make_field(&s, cell, 4, 1, 2);
	for (int i = 0; i < 20000; i++)
	{
		vec3 p = random_in_box(&d, vec3_make(-1.4f, -1, -1), vec3_make(1.4f, 1, 1));
		float a = balls[0].radius - vec3_length(vec3_sub(p, balls[0].centre));
		float b = balls[1].radius - vec3_length(vec3_sub(p, balls[1].centre)), depth = a > b ? a : b;
		if (depth < cell)
			continue;
		float band = 4 * cell, value = -distance_field_sample(f, p, NULL);
		if (value < fminf(depth, band) - 1.25f * cell)
			fail_msg("at (%g, %g, %g) the depth is %g, expected %g or more", (double)p.x, (double)p.y,
				 (double)p.z, (double)value, (double)fminf(depth, band));
	}
	distance_field_destroy(f);
	soup_free(&s);
}

// A sphere around the origin without the triangles that reach into a slit along the x axis' great circle, `width` wide, at x > 0.
static void cut_slit(soup *s, float width)
{
	size_t kept = 0;
	for (size_t t = 0; t < s->triangles.count; t += 3)
	{
		int cut = 1;
		for (int k = 0; k < 3; k++)
		{
			const float *p = s->positions.data + 3 * (size_t)s->triangles.data[t + (size_t)k];
			cut &= p[0] > 0.7f && fabsf(p[2]) <= 0.5f * width + 1e-5f && fabsf(p[1]) < 0.5f;
		}
		if (cut)
			continue;
		memmove(s->triangles.data + kept, s->triangles.data + t, 3 * sizeof *s->triangles.data);
		kept += 3;
	}
	assert_true(kept < s->triangles.count);
	s->triangles.count = kept;
}

typedef struct slit
{
	float width, cell;
} slit;

// A ball of radius 1. In the slit the surface is somewhere within a cell of the ball's.
static int in_slit_ball(const void *context, vec3 p)
{
	const slit *c = context;
	float depth = 1.0f - vec3_length(p);
	int in_slit = p.x > 0.6f && fabsf(p.y) < 0.5f + 2 * c->cell && fabsf(p.z) < 0.5f * c->width + c->cell;
	return in_slit && fabsf(depth) < c->cell ? -1 : depth > 0;
}

static void cracks_are_sealed(void **state)
{
	(void)state;
	// rows of a fine sphere near the x axis are pi / n wide; the slit takes an even number of them
	for (int rows = 2; rows <= 6; rows += 2)
	{
		soup s = {0};
		add_sphere(&s, vec3_make(0, 0, 0), 1, 120);
		float width = (float)(rows * M_PI / 120);
		cut_slit(&s, width);
		for (int cells = 1; cells <= 4; cells++)
		{
			// from half a cell up to two
			slit c = {width, width / (0.5f * (float)cells)};
			char what[64];
			snprintf(what, sizeof what, "crack of %g cells", 0.5 * cells);
			check_signs(&s, c.cell, 4, in_slit_ball, &c, 0.5, what);
		}
		soup_free(&s);
	}
}

static void scattered_holes(void **state)
{
	(void)state;
	const ball balls[2] = {{{0.02f, 0.01f, 0}, 1}, {{0, 0, 0}, -1}};
	soup s = {0};
	add_sphere(&s, balls[0].centre, 1, 80);
	dice d = {8};
	size_t kept = 0;
	for (size_t t = 0; t < s.triangles.count; t += 3)
		if (dice_below(&d, 20) != 0)
		{
			memmove(s.triangles.data + kept, s.triangles.data + t, 3 * sizeof *s.triangles.data);
			kept += 3;
		}
	s.triangles.count = kept;
	flip_some(&s, &d);
	check_signs(&s, 0.05f, 4, in_balls, balls, 0.6, "sphere with holes");
	soup_free(&s);
}

static void only_one_of_the_parts_is_cracked(void **state)
{
	(void)state;
	const ball balls[2] = {{{0, 0, 0}, 1}, {{2.6f, 0.3f, 0.1f}, 0.7f}};
	soup s = {0};
	add_sphere(&s, balls[0].centre, 1, 120);
	cut_slit(&s, (float)(2 * M_PI / 120));
	add_sphere(&s, balls[1].centre, 0.7f, 40);
	check_signs(&s, 0.04f, 4, in_balls, balls, 0.5, "a cracked and a whole sphere");
	soup_free(&s);
}

static void patches_close_together(void **state)
{
	(void)state;
	// six sheets that leave a crack along all edges of a cube
	soup s = {0};
	const vec3 half = {0.5f, 0.5f, 0.5f};
	static const int axis[6][2] = {{0, 1}, {0, -1}, {1, 1}, {1, -1}, {2, 1}, {2, -1}};
	for (int f = 0; f < 6; f++)
	{
		uint32_t v[4];
		for (int k = 0; k < 4; k++)
		{
			float c[3];
			c[axis[f][0]] = 0.5f * (float)axis[f][1];
			c[(axis[f][0] + 1) % 3] = (k == 1 || k == 2) ? 0.48f : -0.48f;
			c[(axis[f][0] + 2) % 3] = k >= 2 ? 0.48f : -0.48f;
			v[k] = add_vertex(&s, vec3_make(c[0], c[1], c[2]));
		}
		uint32_t middle =
		    add_vertex(&s, vec3_scale(vec3_make(axis[f][0] == 0, axis[f][0] == 1, axis[f][0] == 2),
					      0.5f * (float)axis[f][1]));
		for (int k = 0; k < 4; k++)
			add_triangle(&s, v[k], v[(k + 1) % 4], middle);
	}
	check_signs(&s, 0.041f, 4, in_box, &half, 1.0, "cube of patches");
	soup_free(&s);
}

static void sheets_flip_nothing(void **state)
{
	(void)state;
	const ball balls[2] = {{{0.01f, 0.03f, 0.02f}, 0.8f}, {{0, 0, 0}, -1}};
	float cell = 0.05f;
	soup s = {0};
	// through the solid and far out of it; loose
	add_sphere(&s, balls[0].centre, 0.8f, 50);
	add_sheet(&s, 0.1f, 1.5f, 9, 0.2, 0.3);
	check_signs(&s, cell, 4, in_balls, balls, 0.5, "sheet through a sphere");

	// the part of the sheet inside is no wall: deep inside the field is deep
	distance_field *f = make_field(&s, cell, 4, 1, 2);
	check_near((double)distance_field_sample(f, turned(vec3_make(0, 0.1f, 0), 0.2, 0.3), NULL), -4 * (double)cell,
		   1e-6);
	// and outside it is the sheet that is near
	vec3 beside = turned(vec3_make(1.2f, 0.1f + 0.6f * cell, 0), 0.2, 0.3);
	check_near((double)distance_field_sample(f, beside, NULL), 0.6 * (double)cell, 0.1 * (double)cell);
	distance_field_destroy(f);
	soup_free(&s);

	// grown onto the solid: a fin on an edge of a box
	const vec3 half = {0.5f, 0.4f, 0.3f};
	add_box(&s, vec3_make(0, 0, 0), half, 0, 0);
	uint32_t a = add_vertex(&s, vec3_make(1.1f, 0.9f, 0.3f)), b = add_vertex(&s, vec3_make(1.1f, 0.9f, -0.3f));
	add_quad(&s, 7, a, b, 6); // along the edge x = half, y = half
	check_signs(&s, 0.043f, 4, in_box, &half, 0.5, "box with a fin");
	soup_free(&s);
}

static void inner_partition(void **state)
{
	(void)state;
	// sides of three triangles: a wall across a box between four of its corners
	const vec3 half = {0.5f, 0.4f, 0.3f};
	soup s = {0};
	add_box(&s, vec3_make(0, 0, 0), half, 0, 0);
	add_quad(&s, 0, 1, 7, 6);
	check_signs(&s, 0.043f, 4, in_box, &half, 0.5, "box with a partition");
	soup_free(&s);
}

static void what_encloses_nothing(void **state)
{
	(void)state;
	soup s = {0};
	add_sheet(&s, 0.01f, 1, 10, 0.2, 0.1);
	check_signs(&s, 0.05f, 4, in_nothing, NULL, 0.1, "sheet");
	soup_free(&s);
	add_moebius(&s, 0.8f, 0.4f, 90);
	check_signs(&s, 0.05f, 4, in_nothing, NULL, 0.1, "Moebius strip");
	soup_free(&s);

	// both sides of a sheet, as modellers make them
	add_sheet(&s, 0, 1, 10, 0, 0);
	size_t count = s.triangles.count;
	for (size_t t = 0; t < count; t += 3)
		add_triangle(&s, s.triangles.data[t], s.triangles.data[t + 2], s.triangles.data[t + 1]);
	check_signs(&s, 0.05f, 4, in_nothing, NULL, 0.1, "sheet of two sides");
	soup_free(&s);

	// a sharp fold, whose wedge is narrower than any radius
	uint32_t v[6];
	for (int k = 0; k < 6; k++)
		v[k] = add_vertex(&s, vec3_make(k < 2 ? 0 : 1, k < 2 ? 0 : k < 4 ? 0.1f : -0.1f, k & 1 ? 1 : -1));
	add_quad(&s, v[0], v[1], v[3], v[2]);
	add_quad(&s, v[0], v[1], v[5], v[4]);
	check_signs(&s, 0.041f, 4, in_nothing, NULL, 0.1, "fold");
	soup_free(&s);
}

static int in_open_box(const void *context, vec3 p)
{
	const double *box = context; // half width, wall
	double x = fabs((double)p.x), y = fabs((double)p.y), z = fabs((double)p.z);
	int outer = x < box[0] && y < box[0] && z < box[0];
	int hollow = x < box[0] - box[1] && z < box[0] - box[1] && (double)p.y > box[1] - box[0];
	return outer && !hollow;
}

// A tank with thick walls, open above: what stands in it is outside.
static void tank(void **state)
{
	(void)state;
	const double box[2] = {0.5, 0.12};
	soup s = {0};
	float o = 0.5f, i = 0.38f;
	uint32_t v[16];
	for (int k = 0; k < 16; k++)
	{
		float r = k < 8 ? o : i, x = (k & 3) == 1 || (k & 3) == 2 ? r : -r, z = (k & 3) >= 2 ? r : -r;
		float y = k & 4 ? o : k < 8 ? -o : 0.12f - o;
		v[k] = add_vertex(&s, vec3_make(x, y, z));
	}
	add_quad(&s, v[0], v[1], v[2], v[3]);
	add_quad(&s, v[8], v[9], v[10], v[11]);
	for (int k = 0; k < 4; k++)
	{
		int n = (k + 1) & 3;
		add_quad(&s, v[k], v[n], v[4 + n], v[4 + k]);
		add_quad(&s, v[8 + k], v[8 + n], v[12 + n], v[12 + k]);
		add_quad(&s, v[4 + k], v[4 + n], v[12 + n], v[12 + k]);
	}
	check_signs(&s, 0.031f, 3, in_open_box, box, 0.5, "tank");
	soup_free(&s);
}

int main(void)
{
	skip_without_fields();
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(clean_solids),
	    cmocka_unit_test(box_on_the_lattice),
	    cmocka_unit_test(torus),
	    cmocka_unit_test(overlapping_parts_are_one),
	    cmocka_unit_test(cracks_are_sealed),
	    cmocka_unit_test(scattered_holes),
	    cmocka_unit_test(only_one_of_the_parts_is_cracked),
	    cmocka_unit_test(patches_close_together),
	    cmocka_unit_test(sheets_flip_nothing),
	    cmocka_unit_test(inner_partition),
	    cmocka_unit_test(what_encloses_nothing),
	    cmocka_unit_test(tank),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
