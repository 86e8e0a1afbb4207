// Sinks: remove particles in a shape, or outside it.
#include "source/source.h"

uint32_t sinks_run(const spate_sink_def *sinks, uint32_t count, const double origin[3], spate_store *store)
{
	uint32_t removed = 0;
	for (uint32_t s = 0; s < count; s++)
	{
		solid_shape form = shape_make(&sinks[s].shape, origin);
		for (uint32_t row = 0; row < store->rows; row++)
		{
			vec4 p = store->position[row];
			float distance = shape_distance(&form, vec3_make(p.x, p.y, p.z));
			// NaN is left to the runaway policy
			int taken = sinks[s].outside ? distance > 0.0f : distance <= 0.0f;
			if (store->dead[row] || !taken)
				continue;
			store_kill(store, row);
			removed++;
		}
	}
	return removed;
}
