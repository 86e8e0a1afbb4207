#include "surface/build.h"

#include "base/error.h"
#include "base/parallel.h"
#include "surface/refine.h"

#include <string.h>
#include <time.h>

#define REFINE_MARGIN 8.0 // spacings: refined points depend on particles up to this far away

double surface_clock(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

spate_result surface_check_input(const spate_surface_input *in, spate_error *error)
{
	if (in->count && !in->positions)
		return error_set(error, SPATE_INVALID, "a surface of %u particles needs their positions", in->count);
	if (in->stride && in->stride < 3)
		return error_set(error, SPATE_INVALID, "the stride of positions must be at least 3 floats, not %u",
				 in->stride);
	if (!(in->spacing >= 0.0 && in->spacing < 1e9) || (in->spacing == 0.0 && !in->radii))
		return error_set(error, SPATE_INVALID,
				 "the spacing of a surface's particles is %g m; it must be above 0, or radii be given",
				 in->spacing);
	if (in->channel_count && !in->channels)
		return error_set(error, SPATE_INVALID, "channel_count is %u, but channels is NULL", in->channel_count);
	for (uint32_t c = 0; c < in->channel_count; c++)
	{
		const spate_surface_channel *channel = &in->channels[c];
		if (!channel->name || !*channel->name || strlen(channel->name) > 31)
			return error_set(error, SPATE_INVALID,
					 "channel %u of a surface needs a name of 1 to 31 characters", c);
		if (channel->components < 1 || channel->components > 4 ||
		    (channel->stride && channel->stride < channel->components))
			return error_set(error, SPATE_INVALID,
					 "channel %s has %u components with a stride of %u; 1 to 4 fit into it",
					 channel->name, channel->components, channel->stride);
		if (in->count && !channel->values)
			return error_set(error, SPATE_INVALID, "channel %s has no values", channel->name);
	}
	return SPATE_OK;
}

spate_result surface_check_def(const spate_surface_def *def, spate_error *error)
{
	if ((unsigned)def->method > SPATE_SURFACE_ANISOTROPIC || (unsigned)def->normals > SPATE_SURFACE_NORMALS_MESH)
		return error_set(error, SPATE_INVALID, "surface method %d or kind of normals %d does not exist",
				 (int)def->method, (int)def->normals);
	if (!(def->cell >= 0.1 && def->cell <= 2.0))
		return error_set(error, SPATE_INVALID, "a surface's cell is %g spacings; it must be from 0.1 to 2",
				 def->cell);
	if (def->kernel != 0.0 && !(def->kernel >= 1.0 && def->kernel <= 4.0))
		return error_set(error, SPATE_INVALID, "a surface's kernel is %g spacings; it must be from 1 to 4",
				 def->kernel);
	if (!(fabs(def->offset) <= 1.0))
		return error_set(error, SPATE_INVALID, "a surface's offset is %g spacings; it must be from -1 to 1",
				 def->offset);
	if (def->smoothing < 0 || def->smoothing > 1000)
		return error_set(error, SPATE_INVALID, "smoothing must be 0 to 1000 iterations, not %d",
				 def->smoothing);
	if (def->refine < 0 || def->refine > 3)
		return error_set(error, SPATE_INVALID, "refine must be 0 to 3 passes, not %d", def->refine);
	if (!(def->min_blob >= 0.0) || !(def->min_cavity >= 0.0) || !(def->decimate >= 0.0))
		return error_set(error, SPATE_INVALID, "min_blob, min_cavity and decimate must not be negative");
	for (int a = 0; def->clip && a < 3; a++)
		if (!(def->clip_min[a] < def->clip_max[a]) || !isfinite(def->clip_min[a]) ||
		    !isfinite(def->clip_max[a]))
			return error_set(error, SPATE_INVALID, "the box of a surface is from %g to %g m along axis %d",
					 def->clip_min[a], def->clip_max[a], a);
	return SPATE_OK;
}

int surface_threads(int threads)
{
	threads = threads > 0 ? threads : parallel_default_threads();
	return threads < PARALLEL_MAX_THREADS ? threads : PARALLEL_MAX_THREADS;
}

void surface_end_stage(surface_build *b, double *time)
{
	double now = surface_clock();
	*time += now - b->clock;
	b->clock = now;
}

void surface_build_init(surface_build *b, const spate_surface_input *input, const spate_surface_def *def,
			spate_surface_stats *stats)
{
	*b = (surface_build){.input = *input,
			     .def = def,
			     .stats = stats,
			     .threads = surface_threads(def->threads),
			     .clock = surface_clock()};
}

void surface_build_free(surface_build *b)
{
	surface_points_free(&b->points);
	field_scratches_destroy(b->scratch, b->threads);
	mem_free(b->rows);
	mem_free(b->refined);
	mem_free(b->channels);
	mem_free(b->border);
	mem_free(b->shares);
	mem_free(b->weights);
}

static int takes_part(const surface_build *b, const float *p, float radius, float margin)
{
	if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2]) || !(radius > 0.0f) || !isfinite(radius))
		return 0;
	for (int a = 0; b->def->clip && a < 3; a++)
		if (p[a] < b->def->clip_min[a] - margin || p[a] > b->def->clip_max[a] + margin)
			return 0;
	return 1;
}

// Lists the rows that take part, and determines spacing and kernel.
static spate_result choose_rows(surface_build *b, spate_error *error)
{
	const spate_surface_input *in = &b->input;
	uint32_t stride = in->stride ? in->stride : 3, count = 0;
	double spacing = in->spacing, sum = 0.0, largest = 0.0;
	for (uint32_t i = 0; in->radii && i < in->count; i++)
		if (in->radii[i] > 0.0f && isfinite(in->radii[i]))
		{
			sum += (double)in->radii[i];
			largest = fmax(largest, 2.0 * (double)in->radii[i]);
			count++;
		}
	if (in->radii && spacing == 0.0)
		spacing = count ? 2.0 * sum / count : 1.0;
	largest = fmax(largest, spacing);
	b->source =
	    (points_source){.positions = in->positions,
			    .stride = stride,
			    .radii = in->radii,
			    .spacing = (float)spacing,
			    .kernel = b->def->kernel > 0.0 ? (float)b->def->kernel : field_kernel_of(b->def->method)};
	if (!(b->source.spacing > 0.0f))
		return error_set(error, SPATE_INVALID, "the spacing of %g m is too small for a surface", spacing);

	// wide enough that the excluded particles change no value in the box and no point that refining adds near it
	float margin = (float)((2.0 * b->source.kernel + 1.0) * largest + 7.0 * b->def->cell * spacing);
	margin += b->def->refine ? (float)(REFINE_MARGIN * largest) : 0.0f;
	mem_free(b->rows);
	b->rows = mem_alloc(((size_t)in->count + 1) * sizeof *b->rows);
	if (!b->rows)
		return error_memory(error, in->count * sizeof *b->rows);
	for (uint32_t i = 0; i < in->count; i++)
		if (takes_part(b, in->positions + (size_t)i * stride, in->radii ? in->radii[i] : b->source.spacing,
			       margin))
			b->rows[b->source.count++] = i;
	b->source.rows = b->rows;
	b->stats->particles = b->source.count;
	b->stats->skipped = in->count - b->source.count;
	return SPATE_OK;
}

// Floats per row: spacing, weight and all channels.
static uint32_t row_width(const spate_surface_input *in)
{
	uint32_t width = 2;
	for (uint32_t c = 0; c < in->channel_count; c++)
		width += in->channels[c].components;
	return width;
}

static void copy_row(const surface_build *b, uint32_t row, float *out)
{
	const spate_surface_input *in = &b->input;
	*out++ = in->radii ? 2.0f * in->radii[row] : b->source.spacing;
	*out++ = b->weights[row];
	for (uint32_t c = 0; c < in->channel_count; c++)
	{
		const spate_surface_channel *channel = &in->channels[c];
		uint32_t stride = channel->stride ? channel->stride : channel->components;
		memcpy(out, channel->values + (size_t)row * stride, channel->components * sizeof *out);
		out += channel->components;
	}
}

// Copies the input and the added points behind it into new arrays: positions, then radii, then each channel.
static spate_result join_input(surface_build *b, refinement *more, const float *values, uint32_t width,
			       spate_error *error)
{
	const spate_surface_input *in = &b->input;
	size_t before = in->count, added = more->added.places.count, total = before + added;
	if (total > UINT32_MAX)
		return error_set(error, SPATE_RANGE, "refining a surface makes more than 2^32 particles");
	b->refined = mem_alloc(mem_product(total, (2 + (size_t)width) * sizeof(float)) + 4);
	b->channels = mem_alloc((in->channel_count + 1) * sizeof *b->channels);
	uint8_t *border = mem_realloc(b->border, total);
	b->border = border ? border : b->border;
	float *weights = mem_realloc(b->weights, total * sizeof *weights);
	b->weights = weights ? weights : b->weights;
	if (!b->refined || !b->channels || !border || !weights)
		return error_memory(error, total * (3 + width) * sizeof(float));
	b->shares = more->shares;
	more->shares = NULL;
	memset(border + before, 1, added);
	float *places = b->refined, *column = places + 3 * total;
	for (size_t i = 0; i < before; i++)
		memcpy(places + 3 * i, in->positions + i * b->source.stride, 3 * sizeof(float));
	memcpy(places + 3 * before, more->added.places.data, added * sizeof(vec3));
	for (size_t i = before; i < total; i++)
		weights[i] = more->added.values.data[(i - before) * width + 1];

	spate_surface_input joined = *in;
	joined.count = (uint32_t)total;
	joined.positions = places;
	joined.stride = 3;
	joined.spacing = b->source.spacing;
	joined.channels = b->channels;
	uint32_t first = 1;
	for (uint32_t c = 0; c <= in->channel_count; c++)
	{
		uint32_t components = c ? in->channels[c - 1].components : 1;
		for (size_t i = 0; i < total; i++)
		{
			const float *from =
			    i < before ? values + i * width : more->added.values.data + (i - before) * width;
			for (uint32_t k = 0; k < components; k++)
				column[i * components + k] = c ? from[first + k] : 0.5f * from[0];
		}
		if (c)
			b->channels[c - 1] =
			    (spate_surface_channel){in->channels[c - 1].name, components, components, column};
		else
			joined.radii = in->radii ? column : NULL;
		column += components * total;
		first += components;
	}
	b->stats->refined = (uint32_t)added;
	b->input = joined;
	return SPATE_OK;
}

// Saves the weights and border flags of the current points by input row.
static spate_result keep_weights(surface_build *b, spate_error *error)
{
	b->weights = mem_calloc((size_t)b->input.count + 1, sizeof *b->weights);
	b->border = mem_calloc((size_t)b->input.count + 1, 1);
	if (!b->weights || !b->border)
		return error_memory(error, b->input.count * sizeof *b->weights);
	for (uint32_t i = 0; i < b->points.count; i++)
	{
		b->weights[b->points.source[i]] = b->points.weights[i];
		b->border[b->points.source[i]] = b->points.border[i];
	}
	return SPATE_OK;
}

static spate_result take_weights(surface_build *b, spate_error *error)
{
	surface_points *points = &b->points;
	points->shares = mem_calloc((size_t)points->count + CANDIDATE_TAIL, sizeof *points->shares);
	if (!points->shares)
		return error_memory(error, points->count * sizeof *points->shares);
	for (uint32_t i = 0; i < points->count; i++)
	{
		uint32_t row = points->source[i];
		points->shares[i] = b->shares[row];
		points->weights[i] = b->weights[row] * b->shares[row];
		points->border[i] = b->border[row];
	}
	return SPATE_OK;
}

// Adds particles between those of the surface. The total weight stays the same, so the surface does not move.
static spate_result refine_input(surface_build *b, spate_error *error)
{
	uint32_t width = row_width(&b->input), skipped = b->stats->skipped;
	spate_result result = keep_weights(b, error);
	float *values = mem_alloc(mem_product(b->input.count, width * sizeof *values) + 4);
	if (result == SPATE_OK && !values)
		result = error_memory(error, b->input.count * width * sizeof *values);
	for (uint32_t i = 0; result == SPATE_OK && i < b->input.count; i++)
		copy_row(b, i, values + (size_t)i * width);
	refinement more = {0};
	if (result == SPATE_OK)
		result =
		    refine_surface(&more, &b->source, b->input.count, width, values, b->def->refine, b->threads, error);
	if (result == SPATE_OK && more.added.places.count)
	{
		result = join_input(b, &more, values, width, error);
		surface_points_free(&b->points);
		if (result == SPATE_OK)
			result = choose_rows(b, error);
		if (result == SPATE_OK)
			result = surface_points_init(&b->points, &b->source, b->threads, error);
		if (result == SPATE_OK)
			result = take_weights(b, error);
		b->stats->particles = b->source.count - b->stats->refined;
		b->stats->skipped = skipped;
	}
	refinement_free(&more);
	mem_free(values);
	return result;
}

spate_result surface_build_points(surface_build *b, spate_error *error)
{
	const spate_surface_def *def = b->def;
	spate_result result = choose_rows(b, error);
	field_scale scale;
	if (result == SPATE_OK)
		result = field_calibrate(&scale, def->method, b->source.kernel, error);
	if (result == SPATE_OK)
		result = surface_points_init(&b->points, &b->source, b->threads, error);
	if (result != SPATE_OK)
		return result;
	surface_end_stage(b, &b->stats->sort);
	b->scratch = field_scratches_create(b->threads, error);
	if (!b->scratch)
		return SPATE_MEMORY;
	result = field_weigh(&b->points, &scale, b->scratch, b->threads, error);
	surface_end_stage(b, &b->stats->weights);
	if (result == SPATE_OK && def->refine && b->points.count)
	{
		result = refine_input(b, error);
		surface_end_stage(b, &b->stats->refine);
	}
	if (result == SPATE_OK && def->method == SPATE_SURFACE_ANISOTROPIC && b->points.count)
		result = field_shape(&b->points, b->scratch, b->threads, error);
	if (result != SPATE_OK)
		return result;
	b->field = (surface_field){.method = def->method,
				   .points = &b->points,
				   .kernels = field_kernels_table(b->points.index.simd),
				   .scale = scale,
				   .cell = (float)(def->cell * (double)b->source.spacing),
				   .offset = (float)(def->offset * (double)b->source.spacing),
				   .clip = def->clip};
	memcpy(b->field.clip_min, def->clip_min, sizeof b->field.clip_min);
	memcpy(b->field.clip_max, def->clip_max, sizeof b->field.clip_max);
	for (uint32_t i = 0; i < b->points.count; i++)
		b->stats->surface_particles += b->points.border[i];
	surface_end_stage(b, &b->stats->weights);
	return SPATE_OK;
}
