// Bodies that bend, for tests.
#ifndef TESTS_BODY_BODIES_H
#define TESTS_BODY_BODIES_H

#include "body/deformable.h"
#include "check.h"

// Points on a line from (0, y, 0) along x.
static inline spate_mesh *line_mesh(uint32_t points, double length, double y)
{
	spate_mesh *mesh;
	check_ok(spate_mesh_create(&mesh, points, 0, NULL));
	for (uint32_t k = 0; k < points; k++)
	{
		mesh->positions[3 * k] = (float)(length * k / (points - 1));
		mesh->positions[3 * k + 1] = (float)y;
	}
	return mesh;
}

// A sheet in x and z from the origin, with (across + 1) (along + 1) vertices, row by row along z, and diagonals that alternate.
static inline spate_mesh *sheet_mesh(uint32_t across, uint32_t along, double width, double length)
{
	spate_mesh *mesh;
	check_ok(spate_mesh_create(&mesh, (across + 1) * (along + 1), 2 * across * along, NULL));
	for (uint32_t j = 0, v = 0; j <= along; j++)
		for (uint32_t i = 0; i <= across; i++, v++)
		{
			mesh->positions[3 * v] = (float)(width * i / across);
			mesh->positions[3 * v + 2] = (float)(length * j / along);
		}
	uint32_t *t = mesh->triangles;
	for (uint32_t j = 0; j < along; j++)
		for (uint32_t i = 0; i < across; i++, t += 6)
		{
			uint32_t a = j * (across + 1) + i, b = a + 1, c = a + across + 1, d = c + 1;
			const uint32_t even[6] = {a, c, d, a, d, b}, odd[6] = {a, c, b, b, c, d};
			memcpy(t, (i + j) % 2 ? odd : even, sizeof even);
		}
	return mesh;
}

// A ball around a point: a sphere of rings.
static inline spate_mesh *ball_mesh(double radius, double x, double y, double z, uint32_t rings)
{
	uint32_t around = 2 * rings, inner = rings - 1;
	spate_mesh *mesh;
	check_ok(spate_mesh_create(&mesh, inner * around + 2, 2 * around * inner, NULL));
	float *p = mesh->positions;
	uint32_t *t = mesh->triangles, top = inner * around;
	for (uint32_t j = 0; j < inner; j++)
		for (uint32_t i = 0; i < around; i++, p += 3)
		{
			double a = 3.14159265358979 * (j + 1) / rings, b = 2.0 * 3.14159265358979 * i / around;
			p[0] = (float)(x + radius * sin(a) * cos(b));
			p[1] = (float)(y + radius * cos(a));
			p[2] = (float)(z + radius * sin(a) * sin(b));
		}
	const float ends[6] = {(float)x, (float)(y + radius), (float)z, (float)x, (float)(y - radius), (float)z};
	memcpy(p, ends, sizeof ends);
	for (uint32_t i = 0; i < around; i++)
	{
		uint32_t next = (i + 1) % around, last = (inner - 1) * around;
		const uint32_t caps[6] = {top, next, i, top + 1, last + i, last + next};
		memcpy(t, caps, sizeof caps);
		t += 6;
		for (uint32_t j = 0; j + 1 < inner; j++, t += 6)
		{
			uint32_t a = j * around + i, b = j * around + next;
			const uint32_t both[6] = {a, b, b + around, a, b + around, a + around};
			memcpy(t, both, sizeof both);
		}
	}
	return mesh;
}

static inline deformable *body_of(const deformable_def *def)
{
	deformable *b;
	spate_error error;
	spate_result result = deformable_create(&b, def, &error);
	if (result != SPATE_OK)
		fail_msg("%s", error.text);
	return b;
}

static inline void run(deformable *b, const deformable_surroundings *around, double dt, uint32_t steps)
{
	spate_error error;
	for (uint32_t k = 0; k < steps; k++)
		if (deformable_advance(b, around, dt, &error) != SPATE_OK)
			fail_msg("step %u: %s", k, error.text);
}

#endif
