#include "render/line.h"

#include <math.h>

static int clamp(float place, int limit)
{
	return (int)fminf(fmaxf(place, 0.0f), (float)limit);
}

void line_cover(float x0, float y0, float x1, float y1, float thickness, int width, int height, line_pixel *pixel,
		void *context)
{
	if (!(isfinite(x0) && isfinite(y0) && isfinite(x1) && isfinite(y1)))
		return;
	float dx = x1 - x0, dy = y1 - y0, length2 = dx * dx + dy * dy, reach = 0.5f * thickness + 0.5f;

	// walk along the longer axis, so that the inner loop only spans the line's width
	int steep = fabsf(dy) > fabsf(dx);
	float u0 = steep ? y0 : x0, v0 = steep ? x0 : y0, du = steep ? dy : dx, dv = steep ? dx : dy;
	float slope = du != 0.0f ? dv / du : 0.0f, across = reach * sqrtf(1.0f + slope * slope);
	float low_v = fminf(v0, v0 + dv), high_v = fmaxf(v0, v0 + dv);
	int u_limit = steep ? height : width, v_limit = steep ? width : height;
	int first = clamp(floorf(fminf(u0, u0 + du) - reach), u_limit);
	int last = clamp(ceilf(fmaxf(u0, u0 + du) + reach), u_limit);
	for (int u = first; u < last; u++)
	{
		float middle = fminf(fmaxf(v0 + slope * ((float)u + 0.5f - u0), low_v), high_v);
		int from = clamp(floorf(middle - across), v_limit), to = clamp(ceilf(middle + across), v_limit);
		for (int v = from; v < to; v++)
		{
			float px = (float)(steep ? v : u) + 0.5f - x0, py = (float)(steep ? u : v) + 0.5f - y0;
			float along = length2 > 0.0f ? fminf(fmaxf((px * dx + py * dy) / length2, 0.0f), 1.0f) : 0.0f;
			float ox = px - along * dx, oy = py - along * dy;
			float coverage = fminf(reach - sqrtf(ox * ox + oy * oy), fminf(thickness, 1.0f));
			if (coverage > 0.0f)
				pixel(context, steep ? v : u, steep ? u : v, coverage, along);
		}
	}
}
