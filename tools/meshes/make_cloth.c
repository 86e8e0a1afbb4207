// Sheets for bodies of cloth.
#include "base/error.h"
#include "tools/meshes/make.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

spate_result make_bag(spate_mesh **mesh, double radius, uint32_t rings, uint32_t segments, spate_error *error)
{
	if (rings < 1 || segments < 3 || !(radius > 0.0))
		return error_set(error, SPATE_INVALID, "a bag needs a radius, a ring and three segments at least");
	spate_result result = spate_mesh_create(mesh, rings * segments + 1, segments * (2 * rings - 1), error);
	if (result != SPATE_OK)
		return result;
	float *p = (*mesh)->positions;
	uint32_t *t = (*mesh)->triangles;
	p[1] = (float)-radius;
	for (uint32_t j = 1; j <= rings; j++)
		for (uint32_t i = 0; i < segments; i++)
		{
			double a = 0.5 * PI * j / rings, b = 2.0 * PI * i / segments;
			float *q = p + 3 * (size_t)(1 + (j - 1) * segments + i);
			q[0] = (float)(radius * sin(a) * cos(b));
			q[1] = (float)(-radius * cos(a));
			q[2] = (float)(radius * sin(a) * sin(b));
		}
	for (uint32_t i = 0; i < segments; i++)
	{
		uint32_t next = (i + 1) % segments;
		const uint32_t tip[3] = {0, 1 + i, 1 + next};
		memcpy(t, tip, sizeof tip);
		t += 3;
		for (uint32_t j = 1; j < rings; j++, t += 6)
		{
			uint32_t a = 1 + (j - 1) * segments + i, b = 1 + (j - 1) * segments + next, c = a + segments,
				 d = b + segments;
			const uint32_t even[6] = {a, c, b, b, c, d}, odd[6] = {a, c, d, a, d, b};
			memcpy(t, (i + j) % 2 ? odd : even, sizeof even);
		}
	}
	return SPATE_OK;
}

spate_result make_flag(spate_mesh **mesh, double width, double height, uint32_t across, uint32_t up, spate_error *error)
{
	if (across < 1 || up < 1 || !(width > 0.0) || !(height > 0.0))
		return error_set(error, SPATE_INVALID, "a flag needs a width, a height and a cell at least");
	spate_result result = spate_mesh_create(mesh, (across + 1) * (up + 1), 2 * across * up, error);
	if (result != SPATE_OK)
		return result;
	float *p = (*mesh)->positions;
	uint32_t *t = (*mesh)->triangles;
	for (uint32_t j = 0; j <= up; j++)
		for (uint32_t i = 0; i <= across; i++, p += 3)
		{
			double x = (double)i / across;
			p[0] = (float)(width * x);
			p[1] = (float)(height * j / up);
			p[2] = (float)(0.02 * width * x * sin(7.0 * x));
		}
	for (uint32_t j = 0; j < up; j++)
		for (uint32_t i = 0; i < across; i++, t += 6)
		{
			uint32_t a = j * (across + 1) + i, b = a + 1, c = a + across + 1, d = c + 1;
			const uint32_t even[6] = {a, b, c, b, d, c}, odd[6] = {a, b, d, a, d, c};
			memcpy(t, (i + j) % 2 ? odd : even, sizeof even);
		}
	return SPATE_OK;
}
