#include "source/crowd.h"

#include <math.h>
#include <string.h>

int crowd_start(crowd *c, vec3 low, vec3 high, float cell, size_t room)
{
	const float size[3] = {high.x - low.x, high.y - low.y, high.z - low.z};
	size_t cells = 1;
	c->low = (vec3){low.x - cell, low.y - cell, low.z - cell};
	c->cell = cell;
	c->room = room;
	for (int k = 0; k < 3; k++)
	{
		c->cells[k] = (int64_t)(size[k] / cell) + 4;
		cells = mem_product(cells, (size_t)c->cells[k]);
	}
	return array_reserve(&c->first, cells) && array_reserve(&c->next, room + 1);
}

void crowd_free(crowd *c)
{
	array_free(&c->first);
	array_free(&c->next);
	*c = (crowd){0};
}

static int64_t cell_along(float x, float low, float cell, int64_t cells)
{
	float at = floorf((x - low) / cell);
	return at >= 0.0f && at < (float)cells ? (int64_t)at : -1;
}

int64_t crowd_cell(const crowd *c, vec3 p)
{
	int64_t x = cell_along(p.x, c->low.x, c->cell, c->cells[0]),
		y = cell_along(p.y, c->low.y, c->cell, c->cells[1]),
		z = cell_along(p.z, c->low.z, c->cell, c->cells[2]);
	return x < 0 || y < 0 || z < 0 ? -1 : (z * c->cells[1] + y) * c->cells[0] + x;
}

void crowd_fill(crowd *c, const float *points, size_t stride, size_t count, const uint8_t *left_out)
{
	size_t cells = (size_t)(c->cells[0] * c->cells[1] * c->cells[2]);
	memset(c->first.data, 0xff, cells * sizeof *c->first.data);
	// backwards, so that each cell lists its points in order
	for (size_t i = count < c->room ? count : c->room; i-- > 0;)
	{
		const float *p = points + i * stride;
		int64_t cell = left_out && left_out[i] ? -1 : crowd_cell(c, vec3_make(p[0], p[1], p[2]));
		if (cell < 0)
			continue;
		c->next.data[i] = c->first.data[cell];
		c->first.data[cell] = (int32_t)i;
	}
}
