// Boxes in still water find their draft.
#include "floating.h"

// A box at the draft that theory gives it; it heaves for a while, with a period of about a second.
static int check_box(double density)
{
	const double spacing = 0.02;
	char name[128], note[128];
	floating f = float_box(spacing, density, 10, 10);
	double level = 0, y = 0, fastest = 0, tilt = 1;
	run_until(f.world, 2.9);
	const int frames = 26;
	for (int k = 0; k < frames; k++)
	{
		run_frame(f.world);
		spate_body_state s = body_state(f.world, 0);
		level += level_beside(&f, spacing) / frames;
		y += s.position[1] / frames;
		fastest =
		    sqrt(s.velocity[0] * s.velocity[0] + s.velocity[1] * s.velocity[1] + s.velocity[2] * s.velocity[2]);
		tilt = fmin(tilt, body_axis(&s, 1));
	}
	double draft = level - (y - 0.5 * f.height), wanted = 10 * spacing;
	snprintf(note, sizeof note, "%.0f spacings wide, spacing %g m, mean of a period of heave up to 4 s",
		 f.width / spacing, spacing);
	snprintf(name, sizeof name, "draft of a box of density %g, by displaced mass", density);
	int good = evidence(name, draft, wanted, 0.02 * wanted, "m", note);
	snprintf(name, sizeof name, "speed after 4 s of a box of density %g", density);
	good &= evidence_at_most(name, fastest, 0.01, "m/s", note);
	snprintf(name, sizeof name, "tilt of a box of density %g", density);
	good &= evidence_at_most(name, acos(fmin(tilt, 1)) * 180 / pi, 1, "degrees", note);
	spate_world_destroy(f.world);
	return good;
}

static void boxes_find_their_draft(void **state)
{
	(void)state;
	int good = check_box(0.8);
	good &= check_box(0.5);
	assert_true(good);
}

static void light_box_finds_its_draft(void **state)
{
	(void)state;
	assert_true(check_box(0.2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(boxes_find_their_draft),
	    cmocka_unit_test(light_box_finds_its_draft),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
