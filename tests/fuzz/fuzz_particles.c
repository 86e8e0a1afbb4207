// Any bytes as a file of particles, its format told by its first bytes; what is read can be measured.
#define _GNU_SOURCE
#include "fuzz.h"

#include "export/particles_read.h"

#include <math.h>

enum
{
	MOST_MEASURED = 4096 // the spacing is guessed in the square of the count
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	memory_file file = memory_file_make(data, size);
	particle_set set;
	spate_error error = {0};
	uint64_t hash;
	must(particles_hash(file.path, &hash, &error) == SPATE_OK);
	if (particles_read(&set, file.path, NULL, 0, &error) == SPATE_OK)
	{
		const spate_mesh *points = set.points;
		double sum = 0.0;
		for (uint32_t c = 0; c < points->channel_count; c++)
			for (size_t i = 0; i < (size_t)points->vertex_count * points->channels[c].components; i++)
				sum += (double)points->channels[c].values[i];
		for (size_t i = 0; i < 3 * (size_t)points->vertex_count; i++)
			sum += (double)points->positions[i];
		(void)sum;
		if (points->vertex_count < MOST_MEASURED)
			must(isfinite(particles_guess_spacing(points->positions, points->vertex_count)));
	}
	else
		must(error.text[0] != 0 && set.points == NULL);
	particles_free(&set);
	memory_file_close(&file);
	return 0;
}
