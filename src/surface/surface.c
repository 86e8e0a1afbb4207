// The pipeline from particles to a mesh:
//
//	choose      which particles take part: finite ones, near the box
//	calibrate   where the method puts the surface of a lattice
//	sort        particles by cell
//	weigh       1 / w of each, and who is near the surface; shapes of anisotropic kernels
//	blocks      the sparse grid around them
//	field       values at its points
//	contour     signs and values to triangles
//	clean       parts that are too small
//	smooth, decimate
//	attributes  normals and channels at the vertices
#include "spate/surface.h"

#include "base/error.h"
#include "base/parallel.h"
#include "surface/finish.h"

#include <string.h>
#include <time.h>

spate_surface_def spate_default_surface_def(void)
{
	return (spate_surface_def){
	    .method = SPATE_SURFACE_DENSITY, .cell = 0.75, .smoothing = 5, .normals = SPATE_SURFACE_NORMALS_FIELD};
}

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static spate_result check_input(const spate_surface_input *in, spate_error *error)
{
	if (in->count && !in->positions)
		return error_set(error, SPATE_INVALID, "a surface of %u particles needs their positions", in->count);
	if (in->stride && in->stride < 3)
		return error_set(error, SPATE_INVALID, "positions are 3 floats or more apart, not %u", in->stride);
	if (!(in->spacing >= 0.0 && in->spacing < 1e9) || (in->spacing == 0.0 && !in->radii))
		return error_set(error, SPATE_INVALID,
				 "the spacing of a surface's particles is %g m; it must be above 0, or radii be given",
				 in->spacing);
	if (in->channel_count && !in->channels)
		return error_set(error, SPATE_INVALID, "%u channels are announced and none is given",
				 in->channel_count);
	for (uint32_t c = 0; c < in->channel_count; c++)
	{
		const spate_surface_channel *channel = &in->channels[c];
		if (!channel->name || !*channel->name || strlen(channel->name) > 31)
			return error_set(error, SPATE_INVALID, "channel %u of a surface has no name of 1 to 31 letters",
					 c);
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

static spate_result check_def(const spate_surface_def *def, spate_error *error)
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
		return error_set(error, SPATE_INVALID, "a surface is smoothed in 0 to 1000 rounds, not %d",
				 def->smoothing);
	if (!(def->min_blob >= 0.0) || !(def->min_cavity >= 0.0) || !(def->decimate >= 0.0))
		return error_set(error, SPATE_INVALID,
				 "the smallest blob and cavity and the tolerance of merging are not below 0");
	for (int a = 0; def->clip && a < 3; a++)
		if (!(def->clip_min[a] < def->clip_max[a]) || !isfinite(def->clip_min[a]) ||
		    !isfinite(def->clip_max[a]))
			return error_set(error, SPATE_INVALID, "the box of a surface is from %g to %g m along axis %d",
					 def->clip_min[a], def->clip_max[a], a);
	return SPATE_OK;
}

// Everything that one surface needs while it is made.
typedef struct build
{
	const spate_surface_input *input;
	const spate_surface_def *def;
	spate_surface_stats *stats;
	int threads;
	double clock; // when the last stage ended
	uint32_t *rows;
	points_source source;
	surface_points points;
	surface_field field;
	surface_blocks blocks;
	surface_mesh mesh;
	field_scratch *scratch;
} build;

static void end_stage(build *b, double *time)
{
	double now = seconds();
	*time += now - b->clock;
	b->clock = now;
}

static int takes_part(const build *b, const float *p, float radius, float margin)
{
	if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2]) || !(radius > 0.0f) || !isfinite(radius))
		return 0;
	for (int a = 0; b->def->clip && a < 3; a++)
		if (p[a] < b->def->clip_min[a] - margin || p[a] > b->def->clip_max[a] + margin)
			return 0;
	return 1;
}

// Lists the rows that take part, and settles spacing and kernel.
static spate_result choose_rows(build *b, spate_error *error)
{
	const spate_surface_input *in = b->input;
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

	// far enough that what is left out changes no value in the box
	float margin = (float)((2.0 * b->source.kernel + 1.0) * largest + 7.0 * b->def->cell * spacing);
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

static spate_result prepare_points(build *b, spate_error *error)
{
	spate_result result = choose_rows(b, error);
	field_scale scale;
	if (result == SPATE_OK)
		result = field_calibrate(&scale, b->def->method, b->source.kernel, error);
	if (result == SPATE_OK)
		result = surface_points_init(&b->points, &b->source, b->threads, error);
	if (result != SPATE_OK)
		return result;
	end_stage(b, &b->stats->sort);
	b->scratch = field_scratches_create(b->threads, error);
	if (!b->scratch)
		return SPATE_MEMORY;
	b->field = (surface_field){.method = b->def->method,
				   .points = &b->points,
				   .kernels = field_kernels_table(b->points.index.simd),
				   .scale = scale,
				   .cell = (float)(b->def->cell * (double)b->source.spacing),
				   .offset = (float)(b->def->offset * (double)b->source.spacing),
				   .clip = b->def->clip};
	memcpy(b->field.clip_min, b->def->clip_min, sizeof b->field.clip_min);
	memcpy(b->field.clip_max, b->def->clip_max, sizeof b->field.clip_max);
	result = field_weigh(&b->points, &scale, b->scratch, b->threads, error);
	if (result == SPATE_OK && b->def->method == SPATE_SURFACE_ANISOTROPIC && b->points.count)
		result = field_shape(&b->points, b->scratch, b->threads, error);
	for (uint32_t i = 0; i < b->points.count; i++)
		b->stats->surface_particles += b->points.border[i];
	end_stage(b, &b->stats->weights);
	return result;
}

static spate_result find_surface(build *b, spate_error *error)
{
	spate_surface_stats *stats = b->stats;
	spate_result result = surface_blocks_init(&b->blocks, &b->field, b->threads, error);
	end_stage(b, &stats->blocks_time);
	if (result == SPATE_OK)
		result = surface_blocks_compute(&b->blocks, &b->field, b->scratch, b->threads, error);
	stats->blocks = b->blocks.count;
	stats->evaluated = b->blocks.computed;
	end_stage(b, &stats->field);
	if (result == SPATE_OK)
		result = surface_contour(&b->mesh, &b->blocks, b->threads, error);
	surface_blocks_free(&b->blocks);
	end_stage(b, &stats->contour);
	return result;
}

static spate_result improve_mesh(build *b, spate_error *error)
{
	spate_surface_stats *stats = b->stats;
	double particle = pow((double)b->source.spacing, 3.0);
	spate_result result = surface_remove_parts(&b->mesh, b->def->min_blob * particle, b->def->min_cavity * particle,
						   &stats->blobs, &stats->cavities, error);
	end_stage(b, &stats->clean);
	if (result == SPATE_OK)
		result = surface_smooth(&b->mesh, b->def->smoothing, b->threads, error);
	end_stage(b, &stats->smooth);
	if (result == SPATE_OK)
		result = surface_decimate(&b->mesh, b->def->decimate, error);
	end_stage(b, &stats->decimate);
	return result;
}

static spate_result hand_over(build *b, spate_mesh **mesh, spate_error *error)
{
	spate_result result = spate_mesh_create(mesh, b->mesh.vertex_count, b->mesh.triangle_count, error);
	if (result != SPATE_OK)
		return result;
	if (b->mesh.triangle_count)
	{
		memcpy((*mesh)->positions, b->mesh.positions, b->mesh.vertex_count * sizeof(vec3));
		memcpy((*mesh)->triangles, b->mesh.triangles, b->mesh.triangle_count * 3 * sizeof(uint32_t));
	}
	b->stats->vertices = b->mesh.vertex_count;
	b->stats->triangles = b->mesh.triangle_count;
	b->stats->volume = surface_volume(&b->mesh);
	b->stats->area = surface_area(&b->mesh);
	surface_mesh_free(&b->mesh);
	result = surface_carry(*mesh, &b->field, b->input, b->def->normals, b->scratch, b->threads, error);
	end_stage(b, &b->stats->attributes);
	if (result != SPATE_OK)
	{
		spate_mesh_destroy(*mesh);
		*mesh = NULL;
	}
	return result;
}

spate_result spate_surface_create_mesh(spate_mesh **mesh, const spate_surface_input *input,
				       const spate_surface_def *def, spate_surface_stats *stats, spate_error *error)
{
	*mesh = NULL;
	spate_surface_stats own;
	stats = stats ? stats : &own;
	*stats = (spate_surface_stats){0};
	spate_result result = check_input(input, error);
	if (result == SPATE_OK)
		result = check_def(def, error);
	if (result != SPATE_OK)
		return result;
	int threads = def->threads > 0 ? def->threads : parallel_default_threads();
	threads = threads < PARALLEL_MAX_THREADS ? threads : PARALLEL_MAX_THREADS;
	double begin = seconds();
	build b = {.input = input, .def = def, .stats = stats, .threads = threads, .clock = begin};
	result = prepare_points(&b, error);
	if (result == SPATE_OK)
		result = find_surface(&b, error);
	if (result == SPATE_OK)
		result = improve_mesh(&b, error);
	if (result == SPATE_OK)
		result = hand_over(&b, mesh, error);
	surface_mesh_free(&b.mesh);
	surface_blocks_free(&b.blocks);
	surface_points_free(&b.points);
	field_scratches_destroy(b.scratch, threads);
	mem_free(b.rows);
	stats->total = seconds() - begin;
	return result;
}
