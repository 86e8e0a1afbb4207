// Meshes as colliders: what moves, grows and deforms carries liquid along, between frames it is where it should be, and its corners are
// walls like those of shapes.
#define _GNU_SOURCE
#include "base/memory.h"
#include "collider/collider.h"
#include "meshes.h"
#include "scratch.h"
#include "tools/meshes/make.h"

#include <float.h>

static const double pi = 3.14159265358979323846;

#define SPACING 0.05f
#define CELL (0.5f * SPACING)
#define RADIUS (2.0f * SPACING)

static const collider_world around = {.fps = 10, .spacing = SPACING, .radius = RADIUS, .threads = 1};

static collider_set make_set(const spate_collider_def *defs, uint32_t count)
{
	collider_set set;
	spate_error error = {0};
	if (collider_set_create(&set, defs, count, &around, &error) != SPATE_OK)
		fail_msg("no colliders: %s", error.text);
	return set;
}

static void move(collider_set *set, double begin, double end)
{
	spate_error error = {0};
	if (collider_set_move(set, begin, end, &error) != SPATE_OK)
		fail_msg("no move to %g s: %s", end, error.text);
}

static spate_collider_def mesh_collider(const spate_mesh *mesh, spate_collider_mode mode)
{
	spate_collider_def def = spate_default_collider_def();
	def.mesh.mesh = mesh;
	def.mode = mode;
	return def;
}

// The wall nearest to a place; 0 when there is none.
static int nearest_wall(const collider_set *set, vec3 p, felt_wall *face, vec3 *foot)
{
	felt_wall walls[COLLIDER_MOST_WALLS];
	int count = collider_set_feel(set, COLLIDER_ALL, p, p, RADIUS, walls, NULL, NULL);
	float least = FLT_MAX;
	for (int k = 0; k < count; k++)
	{
		float distance = vec3_dot(walls[k].normal, p) - walls[k].offset;
		if (distance >= least)
			continue;
		least = distance;
		*face = walls[k];
		*foot = vec3_add_scaled(p, face->normal, -distance);
	}
	return count > 0;
}

// ---------------------------------------------------------------------------------------------------------- rigid motion

static void turning_meshes_carry_what_touches(void **state)
{
	(void)state;
	spate_mesh *box = NULL;
	check_ok(make_box(&box, (const double[3]){0.6, 0.4, 0.5}, NULL));
	const spate_keyframe keys[2] = {{0, {0, 0, 0}, {0, 0, 0}, 1}, {1, {0, 0, 0}, {0, 0, 180}, 1}};
	spate_collider_def def = mesh_collider(box, SPATE_COLLIDER_OUTSIDE);
	def.friction = 1000;
	def.mesh.position[0] = 0.2;
	def.motion = (spate_motion){.keyframes = keys, .keyframe_count = 2, .pivot = {0.1, -0.1, 0.3}};
	collider_set set = make_set(&def, 1);
	const double dt = 0.002, omega = pi;
	move(&set, 0.3, 0.3 + dt);
	dice d = {3};
	int felt = 0;
	double worst = 0, worst_grip = 0;
	for (int n = 0; n < 20000; n++)
	{
		vec3 p = random_in_box(&d, vec3_make(-0.5f, -0.5f, -0.4f), vec3_make(0.7f, 0.7f, 0.4f)), foot;
		felt_wall face;
		if (collider_set_distance(&set, p) < 0 || !nearest_wall(&set, p, &face, &foot))
			continue;
		felt++;
		double x = (double)foot.x - 0.1, y = (double)foot.y + 0.1, speed = omega * hypot(x, y);
		double vx = -omega * y - (double)face.travel.x / dt, vy = omega * x - (double)face.travel.y / dt,
		       vz = (double)face.travel.z / dt;
		worst = fmax(worst, sqrt(vx * vx + vy * vy + vz * vz) / fmax(speed, 0.1 * omega));
		// a particle that has stayed where it was while the wall came, held by friction: it goes where the wall's material goes
		vec3 q = vec3_add_scaled(foot, face.normal, 0.4f * SPACING), moved = {0, 0, 0};
		felt_walls_push(&face, NULL, 1, &q, &moved, 0.5f * SPACING);
		vec3 slip = vec3_sub(moved, face.travel);
		slip = vec3_add_scaled(slip, face.normal, -vec3_dot(slip, face.normal));
		worst_grip = fmax(worst_grip, (double)vec3_length(slip) / dt / fmax(speed, 0.1 * omega));
	}
	printf("turning: %d places, worst error %.3g of the speed, of what friction holds %.3g\n", felt, worst,
	       worst_grip);
	assert_true(felt > 2000);
	check_near(worst, 0, 0.01);
	check_near(worst_grip, 0, 0.01);
	collider_set_destroy(&set);
	spate_mesh_destroy(box);
}

// A step in which a rotation comes to its end: the beginning counts as turned although the end is not.
static void turning_ends_where_it_should(void **state)
{
	(void)state;
	spate_mesh *box = NULL;
	check_ok(make_box(&box, (const double[3]){1, 0.2, 0.4}, NULL));
	const spate_keyframe keys[2] = {{0, {0, 0, 0}, {0, 0, 30}, 1}, {1, {0, 0, 0}, {0, 0, 0}, 1}};
	spate_collider_def def = mesh_collider(box, SPATE_COLLIDER_OUTSIDE);
	def.motion = (spate_motion){.keyframes = keys, .keyframe_count = 2};
	collider_set set = make_set(&def, 1);
	// the tip above the x axis sweeps down over a particle that stays: at the end it lies below the box
	move(&set, 0, 1);
	vec3 from = {0.45f, 0.05f, 0}, p = from;
	assert_int_equal(collider_set_hold(&set, from, &p, 0.5f * SPACING, NULL), 1);
	check_near((double)p.y, -0.1 - 0.5 * (double)SPACING, 1e-4);
	collider_set_destroy(&set);
	spate_mesh_destroy(box);
}

static void growing_meshes_push_at_their_rate(void **state)
{
	(void)state;
	spate_mesh *ball = NULL;
	check_ok(make_sphere(&ball, 0.3, 96, 48, NULL));
	const spate_keyframe keys[2] = {{0, {0, 0, 0}, {0, 0, 0}, 1}, {1, {0, 0, 0}, {0, 0, 0}, 2}};
	spate_collider_def def = mesh_collider(ball, SPATE_COLLIDER_OUTSIDE);
	def.motion = (spate_motion){.keyframes = keys, .keyframe_count = 2};
	collider_set set = make_set(&def, 1);
	const double dt = 0.004, at = 0.5, radius = 0.3 * (1 + at);
	move(&set, at - dt, at);
	dice d = {4};
	double worst_speed = 0, worst_push = 0, worst_distance = 0;
	for (int n = 0; n < 2000; n++)
	{
		vec3 u = random_in_box(&d, vec3_make(-1, -1, -1), vec3_make(1, 1, 1)), foot;
		float length = vec3_length(u);
		if (length < 0.1f)
			continue;
		u = vec3_scale(u, 1.0f / length);
		vec3 p = vec3_scale(u, (float)radius + dice_range(&d, 0.2f, 1.5f) * SPACING);
		felt_wall face;
		assert_true(nearest_wall(&set, p, &face, &foot));
		worst_speed = fmax(worst_speed, fabs((double)vec3_dot(face.travel, u) / dt / 0.3 - 1));
		worst_distance = fmax(worst_distance,
				      fabs((double)collider_set_distance(&set, p) - (double)vec3_length(p) + radius));
		// what touched the ball at the beginning is pushed as far as the ball has grown
		vec3 q = vec3_scale(u, (float)(radius - 0.3 * dt) + 0.5f * SPACING), moved = {0, 0, 0};
		felt_wall walls[COLLIDER_MOST_WALLS];
		int count = collider_set_feel(&set, COLLIDER_ALL, q, q, RADIUS, walls, NULL, NULL);
		felt_walls_push(walls, NULL, count, &q, &moved, 0.5f * SPACING);
		worst_push = fmax(worst_push, fabs((double)vec3_dot(moved, u) - 0.3 * dt));
	}
	printf("growing: worst speed %.3g, distance %.3g cells, push %.3g cells\n", worst_speed,
	       worst_distance / (double)CELL, worst_push / (double)CELL);
	check_near(worst_speed, 0, 0.01);
	check_near(worst_distance, 0, 0.1 * (double)CELL);
	check_near(worst_push, 0, 0.1 * (double)CELL);
	collider_set_destroy(&set);
	spate_mesh_destroy(ball);
}

// ------------------------------------------------------------------------------------------------------------- sequences

enum
{
	FRAMES = 5
};

// Where a vertex of the first frame is in a later one; also in between, for a motion that is even from frame to frame.
typedef vec3 deformation(vec3 p, double frame);

static vec3 stretch(vec3 p, double frame)
{
	return vec3_make(p.x * (float)(1 + 0.1 * frame), p.y, p.z);
}

static vec3 wave(vec3 p, double frame)
{
	return vec3_make(p.x, p.y + (float)(0.08 * sin(5 * (double)p.x - 0.5 * frame)), p.z);
}

static void write_sequence(const scratch *s, const char *name, const spate_mesh *mesh, deformation *deform)
{
	spate_mesh *moved = NULL;
	check_ok(spate_mesh_create(&moved, mesh->vertex_count, mesh->triangle_count, NULL));
	memcpy(moved->triangles, mesh->triangles, 3 * sizeof(uint32_t) * mesh->triangle_count);
	for (int f = 0; f < FRAMES; f++)
	{
		for (uint32_t v = 0; v < mesh->vertex_count; v++)
		{
			const float *p = mesh->positions + 3 * (size_t)v;
			vec3 q = deform(vec3_make(p[0], p[1], p[2]), f);
			memcpy(moved->positions + 3 * (size_t)v, &q, 3 * sizeof(float));
		}
		char file[64];
		snprintf(file, sizeof file, "%s.%04d.obj", name, f + 1);
		check_ok(spate_mesh_write(moved, scratch_file(s, file), NULL));
	}
	spate_mesh_destroy(moved);
}

static spate_collider_def sequence_collider(const scratch *s, const char *name, spate_collider_mode mode)
{
	static char path[1200];
	snprintf(path, sizeof path, "%s/%s.%%04d.obj", s->path, name);
	spate_collider_def def = spate_default_collider_def();
	def.mesh.path = path;
	def.mesh.first = 1;
	def.mesh.last = FRAMES;
	def.mode = mode;
	return def;
}

// The mesh between two frames, every vertex on a straight line.
static void interpolate(spate_mesh *out, const spate_mesh *mesh, deformation *deform, double frame)
{
	double whole = fmin(floor(frame), FRAMES - 2), share = frame - whole;
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
	{
		const float *p = mesh->positions + 3 * (size_t)v;
		vec3 a = deform(vec3_make(p[0], p[1], p[2]), whole), b = deform(vec3_make(p[0], p[1], p[2]), whole + 1);
		vec3 q = vec3_add_scaled(a, vec3_sub(b, a), (float)share);
		memcpy(out->positions + 3 * (size_t)v, &q, 3 * sizeof(float));
	}
}

// How fast the material of the stretching ball or of the waving sheet moves at a place of it (m/s), on the way to the next frame.
static vec3 speed_at(deformation *deform, vec3 place, double frame)
{
	double whole = fmin(ceil(frame) - 1, FRAMES - 2);
	vec3 start = deform == stretch ? vec3_make(place.x / (float)(1 + 0.1 * frame), place.y, place.z) : place;
	return vec3_scale(vec3_sub(deform(start, whole + 1), deform(start, whole)), (float)around.fps);
}

typedef struct worst_errors
{
	double distance; // cells, further than a cell from the surface
	double close;    // cells, closer
	double speed;    // of the fastest
	int places;
} worst_errors;

static worst_errors compare_frame(const collider_set *set, const spate_mesh *mesh, const spate_mesh *exact,
				  deformation *deform, double frame, double dt, dice *d)
{
	worst_errors worst = {0};
	double fastest = 0, wrong = 0;
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
	{
		const float *p = exact->positions + 3 * (size_t)v;
		fastest = fmax(fastest, (double)vec3_length(speed_at(deform, vec3_make(p[0], p[1], p[2]), frame)));
	}
	for (int n = 0; n < 400; n++)
	{
		// beside a vertex, on any side, but not beyond the rim of a sheet
		const float *v = exact->positions + 3 * (size_t)dice_below(d, mesh->vertex_count);
		if (deform == wave && fmaxf(fabsf(v[0]), fabsf(v[2])) > 0.4f)
			continue;
		vec3 p = vec3_add(vec3_make(v[0], v[1], v[2]),
				  vec3_scale(random_in_box(d, vec3_make(-1, -1, -1), vec3_make(1, 1, 1)), SPACING)),
		     foot;
		felt_wall face;
		double distance = slow_distance(exact, p);
		if (deform == stretch && collider_set_distance(set, p) < 0)
			distance = -distance;
		double *wrong_distance = fabs(distance) > (double)CELL ? &worst.distance : &worst.close;
		*wrong_distance =
		    fmax(*wrong_distance, fabs((double)collider_set_distance(set, p) - distance) / (double)CELL);
		if (fabs(distance) < 0.2 * (double)SPACING || distance < 0 || !nearest_wall(set, p, &face, &foot))
			continue;
		worst.places++;
		vec3 speed = speed_at(deform, foot, frame);
		wrong = fmax(wrong, (double)vec3_length(vec3_sub(vec3_scale(face.travel, (float)(1 / dt)), speed)));
	}
	worst.speed = wrong / fastest;
	return worst;
}

static void check_sequence(const scratch *s, const char *name, const spate_mesh *mesh, deformation *deform,
			   spate_collider_mode mode, double most_close)
{
	write_sequence(s, name, mesh, deform);
	spate_collider_def def = sequence_collider(s, name, mode);
	collider_set set = make_set(&def, 1);
	spate_mesh *exact = NULL;
	check_ok(spate_mesh_create(&exact, mesh->vertex_count, mesh->triangle_count, NULL));
	memcpy(exact->triangles, mesh->triangles, 3 * sizeof(uint32_t) * mesh->triangle_count);
	const double frames[] = {0.2, 0.5, 1.0, 1.5, 2.0, 2.75, 3.5, 4.0}, dt = 0.005;
	dice d = {5};
	for (size_t k = 0; k < sizeof frames / sizeof *frames; k++)
	{
		double time = frames[k] / around.fps;
		move(&set, time - dt, time);
		interpolate(exact, mesh, deform, frames[k]);
		worst_errors worst = compare_frame(&set, mesh, exact, deform, frames[k], dt, &d);
		printf(
		    "%s, frame %.2f: distance wrong by %.3f cells, close by %.3f, speed by %.4f of the fastest, %d places\n",
		    name, frames[k], worst.distance, worst.close, worst.speed, worst.places);
		assert_true(worst.places > 50);
		check_near(worst.distance, 0, 0.2);
		check_near(worst.close, 0, most_close);
		check_near(worst.speed, 0, 0.01);
	}
	// before the first frame and after the last it stands still
	const double ends[2] = {-0.3, 1.0};
	for (int k = 0; k < 2; k++)
	{
		move(&set, ends[k] - dt, ends[k]);
		interpolate(exact, mesh, deform, k == 0 ? 0 : FRAMES - 1);
		felt_wall face;
		vec3 foot, p = deform(vec3_make(0, deform == stretch ? 0.35f : 0.05f, 0), k == 0 ? 0 : FRAMES - 1);
		assert_true(nearest_wall(&set, p, &face, &foot));
		check_near((double)vec3_length(face.travel), 0, 0);
		check_near((double)fabsf(collider_set_distance(&set, p)), slow_distance(exact, p), 0.2 * (double)CELL);
	}
	spate_mesh_destroy(exact);
	collider_set_destroy(&set);
}

static void sequences_move_from_frame_to_frame(void **state)
{
	const scratch *s = *state;
	soup ball = {0}, sheet = {0};
	add_sphere(&ball, vec3_make(0, 0, 0), 0.3f, 24);
	add_sheet(&sheet, 0, 0.5f, 40, 0, 0);
	spate_mesh ball_mesh = mesh_of(&ball), sheet_mesh = mesh_of(&sheet);
	check_sequence(s, "ball", &ball_mesh, stretch, SPATE_COLLIDER_OUTSIDE, 0.2);
	check_sequence(s, "sheet", &sheet_mesh, wave, SPATE_COLLIDER_SHELL, 0.5);
	soup_free(&ball);
	soup_free(&sheet);
}

// All that is felt at random places, as bytes.
static void collect(const collider_set *set, felt_wall *out, int places)
{
	dice d = {6};
	memset(out, 0, (size_t)places * COLLIDER_MOST_WALLS * sizeof *out);
	for (int n = 0; n < places; n++)
	{
		vec3 p = random_in_box(&d, vec3_make(-0.6f, -0.6f, -0.6f), vec3_make(0.6f, 0.6f, 0.6f));
		collider_set_feel(set, COLLIDER_ALL, p, p, RADIUS, out + (size_t)n * COLLIDER_MOST_WALLS, NULL, NULL);
	}
}

static void a_later_start_feels_the_same_bits(void **state)
{
	const scratch *s = *state;
	soup ball = {0};
	add_sphere(&ball, vec3_make(0, 0, 0), 0.3f, 16);
	spate_mesh mesh = mesh_of(&ball);
	write_sequence(s, "again", &mesh, stretch);
	spate_collider_def def = sequence_collider(s, "again", SPATE_COLLIDER_OUTSIDE);
	const spate_keyframe keys[2] = {{0, {0, 0, 0}, {0, 0, 0}, 1}, {1, {0, 0, 0}, {0, 0, 90}, 1}};
	def.motion = (spate_motion){.keyframes = keys, .keyframe_count = 2};
	collider_set whole = make_set(&def, 1), late = make_set(&def, 1);
	const double dt = 0.02;
	for (double time = 0; time < 0.299; time += dt)
		move(&whole, time, time + dt);
	move(&whole, 0.26, 0.28);
	move(&late, 0.26, 0.28);
	enum
	{
		PLACES = 3000
	};
	felt_wall *a = test_malloc(PLACES * COLLIDER_MOST_WALLS * sizeof *a),
		  *b = test_malloc(PLACES * COLLIDER_MOST_WALLS * sizeof *b);
	collect(&whole, a, PLACES);
	collect(&late, b, PLACES);
	assert_memory_equal(a, b, PLACES * COLLIDER_MOST_WALLS * sizeof *a);
	check_near(collider_set_speed(&whole, 0.28, 0.3), collider_set_speed(&late, 0.28, 0.3), 0);
	test_free(a);
	test_free(b);
	collider_set_destroy(&whole);
	collider_set_destroy(&late);
	soup_free(&ball);
}

static void broken_sequences_are_told(void **state)
{
	const scratch *s = *state;
	soup ball = {0}, other = {0};
	add_sphere(&ball, vec3_make(0, 0, 0), 0.3f, 8);
	add_sphere(&other, vec3_make(0, 0, 0), 0.3f, 9);
	spate_mesh mesh = mesh_of(&ball), odd = mesh_of(&other);
	write_sequence(s, "broken", &mesh, stretch);
	assert_int_equal(remove(scratch_file(s, "broken.0003.obj")), 0);
	spate_collider_def def = sequence_collider(s, "broken", SPATE_COLLIDER_OUTSIDE);
	spate_error error = {0};
	collider_set set = make_set(&def, 1);
	spate_result result = collider_set_move(&set, 0.14, 0.15, &error);
	if (result >= 0 || !strstr(error.text, "broken.0003.obj"))
		fail_msg("a missing frame gave %s: '%s'", spate_result_name(result), error.text);
	collider_set_destroy(&set);
	check_ok(spate_mesh_write(&odd, scratch_file(s, "broken.0003.obj"), NULL));
	set = make_set(&def, 1);
	result = collider_set_move(&set, 0.14, 0.15, &error);
	if (result != SPATE_FORMAT || !strstr(error.text, "frames 2 and 3") ||
	    !strstr(error.text, "different triangles"))
		fail_msg("other triangles gave %s: '%s'", spate_result_name(result), error.text);
	collider_set_destroy(&set);
	// no first frame, no collider
	def.mesh.first = 0;
	result = collider_set_create(&set, &def, 1, &around, &error);
	if (result >= 0 || !strstr(error.text, "broken.0000.obj"))
		fail_msg("a missing first frame gave %s: '%s'", spate_result_name(result), error.text);
	soup_free(&ball);
	soup_free(&other);
}

// --------------------------------------------------------------------------------------------------------- corners and sets

typedef struct region
{
	const char *name;
	int near; // faces that a place is close to
	double most;
} region;

// The wall term of a box made of triangles against that of the shape, where particles are: half a spacing from walls or further.
static void corners_are_those_of_the_shape(void **state)
{
	(void)state;
	spate_mesh *box = NULL;
	check_ok(make_box(&box, (const double[3]){1, 1, 1}, NULL));
	spate_collider_def by_mesh = mesh_collider(box, SPATE_COLLIDER_INSIDE), by_shape = spate_default_collider_def();
	by_shape.mode = SPATE_COLLIDER_INSIDE;
	by_shape.shape = (spate_shape){SPATE_SHAPE_BOX, {-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}, 0};
	collider_set mesh = make_set(&by_mesh, 1), shape = make_set(&by_shape, 1);
	const region regions[3] = {{"faces", 1, 0.03}, {"edges", 2, 0.03}, {"corners", 3, 0.03}};
	dice d = {7};
	for (int r = 0; r < 3; r++)
	{
		double worst = 0, sum = 0;
		vec3 where = {0, 0, 0};
		for (int n = 0; n < 3000; n++)
		{
			float p[3];
			for (int k = 0; k < 3; k++)
			{
				int axis = (k + n) % 3;
				float side = dice_bits(&d) & 1 ? 1.0f : -1.0f;
				p[axis] = k < regions[r].near ? side * (0.5f - dice_range(&d, 0.48f * SPACING, RADIUS))
							      : dice_range(&d, -0.3f, 0.3f);
			}
			vec3 at = {p[0], p[1], p[2]};
			vec4 a = collider_set_wall(&mesh, at, RADIUS), b = collider_set_wall(&shape, at, RADIUS);
			double wrong = (double)fabsf(a.w - b.w);
			sum += wrong;
			if (wrong > worst)
				where = at;
			worst = fmax(worst, wrong);
		}
		printf("wall term near %s: worst difference %.4f at (%.3f %.3f %.3f), mean %.5f\n", regions[r].name,
		       worst, (double)where.x, (double)where.y, (double)where.z, sum / 3000);
		check_near(worst, 0, regions[r].most);
	}
	collider_set_destroy(&mesh);
	collider_set_destroy(&shape);
	spate_mesh_destroy(box);
}

// Two boxes that overlap are one room: what each has inside of the other is no wall, neither at a place nor on a way, and nothing thin.
static void parts_of_a_container_make_one_room(void **state)
{
	(void)state;
	soup whole = {0}, parts = {0};
	add_box(&whole, vec3_make(0, 0, 0), vec3_make(0.5f, 0.3f, 0.3f), 0, 0);
	add_box(&parts, vec3_make(-0.2f, 0, 0), vec3_make(0.3f, 0.3f, 0.3f), 0, 0);
	add_box(&parts, vec3_make(0.2f, 0, 0), vec3_make(0.3f, 0.3f, 0.3f), 0, 0);
	spate_mesh one = mesh_of(&whole), two = mesh_of(&parts);
	spate_collider_def defs[2] = {mesh_collider(&one, SPATE_COLLIDER_INSIDE),
				      mesh_collider(&two, SPATE_COLLIDER_INSIDE)};
	collider_set sets[2] = {make_set(&defs[0], 1), make_set(&defs[1], 1)};
	assert_int_equal(sets[1].thin, sets[0].thin);
	dice d = {9};
	int felt = 0, others = 0;
	for (int n = 0; n < 20000; n++)
	{
		// around the seams, with particles that touch the walls or move along them
		vec3 from = random_in_box(&d, vec3_make(-0.2f, -0.275f, -0.275f), vec3_make(0.2f, 0.275f, 0.275f)),
		     to = vec3_make(from.x + dice_range(&d, -SPACING, SPACING), from.y, from.z);
		felt_wall walls[2][COLLIDER_MOST_WALLS];
		int counts[2];
		for (int k = 0; k < 2; k++)
			counts[k] = collider_set_feel(&sets[k], COLLIDER_ALL, from, to, RADIUS, walls[k], NULL, NULL);
		int same = counts[1] == counts[0];
		for (int w = 0; w < counts[0] && same; w++)
			same = vec3_dot(walls[1][w].normal, walls[0][w].normal) > 0.99f &&
			       fabsf(walls[1][w].offset - walls[0][w].offset) < 0.1f * CELL;
		others += !same;
		felt += counts[0] > 0;
	}
	assert_in_range(felt, 2000, 18000);
	// where walls meet beside a seam, those of the field are rounder than those of the triangles
	printf("%d of 20000 places beside seams have other walls\n", others);
	assert_in_range(others, 0, 400);
	collider_set_destroy(&sets[0]);
	collider_set_destroy(&sets[1]);
	soup_free(&whole);
	soup_free(&parts);
}

// Several colliders at one place count as 1 - product(1 - B), whatever they are made of.
static void overlapping_colliders_combine(void **state)
{
	(void)state;
	spate_mesh *box = NULL, *ball = NULL;
	check_ok(make_box(&box, (const double[3]){0.6, 0.4, 0.5}, NULL));
	check_ok(make_sphere(&ball, 0.3, 64, 32, NULL));
	spate_collider_def defs[3] = {mesh_collider(box, SPATE_COLLIDER_OUTSIDE),
				      mesh_collider(ball, SPATE_COLLIDER_OUTSIDE), spate_default_collider_def()};
	defs[1].mesh.position[0] = 0.35;
	defs[2].shape = (spate_shape){SPATE_SHAPE_PLANE, {0, -0.1, 0}, {0, 1, 0}, 0};
	collider_set all = make_set(defs, 3), single[3];
	for (int c = 0; c < 3; c++)
		single[c] = make_set(&defs[c], 1);
	dice d = {8};
	int several = 0;
	for (int n = 0; n < 20000; n++)
	{
		vec3 p = random_in_box(&d, vec3_make(-0.5f, -0.1f, -0.5f), vec3_make(0.8f, 0.5f, 0.5f));
		double open = 1;
		float nearest = FLT_MAX;
		int near = 0;
		for (int c = 0; c < 3; c++)
		{
			double b = (double)collider_set_wall(&single[c], p, RADIUS).w;
			near += b > 0;
			open *= 1 - b;
			nearest = fminf(nearest, collider_set_distance(&single[c], p));
		}
		several += near > 1;
		check_near((double)collider_set_wall(&all, p, RADIUS).w, 1 - open, 1e-5);
		check_near((double)collider_set_distance(&all, p), (double)nearest, 0);
	}
	assert_true(several > 100);
	for (int c = 0; c < 3; c++)
		collider_set_destroy(&single[c]);
	collider_set_destroy(&all);
	spate_mesh_destroy(box);
	spate_mesh_destroy(ball);
}

int main(void)
{
	skip_without_fields();
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(turning_meshes_carry_what_touches), cmocka_unit_test(turning_ends_where_it_should),
	    cmocka_unit_test(growing_meshes_push_at_their_rate), cmocka_unit_test(sequences_move_from_frame_to_frame),
	    cmocka_unit_test(a_later_start_feels_the_same_bits), cmocka_unit_test(broken_sequences_are_told),
	    cmocka_unit_test(corners_are_those_of_the_shape),    cmocka_unit_test(parts_of_a_container_make_one_room),
	    cmocka_unit_test(overlapping_colliders_combine),
	};
	return cmocka_run_group_tests(tests, scratch_set_up, scratch_tear_down);
}
