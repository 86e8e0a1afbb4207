#include "solver/pbf_levels.h"

#include "base/error.h"
#include "base/parallel.h"
#include "solver/pbf_work.h"

// Slices per task of the copy of places.
enum
{
	DONE_SLICES = 512
};

static void number(uint32_t *list, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++)
		list[k] = k;
}

spate_result pbf_levels_open(pbf_work *w, pbf_levels *l, spate_error *error)
{
	const step_view *s = w->view;
	size_t slices = s->list->slice_count, images = w->images.count, near = w->near.near_count;
	l->slices = arena_alloc(s->scratch, (slices + 1) * sizeof *l->slices);
	l->done = arena_alloc(s->scratch, (slices + 1) * sizeof *l->done);
	l->near = arena_alloc(s->scratch, (near + 1) * sizeof *l->near);
	l->images = arena_alloc(s->scratch, (images + 1) * sizeof *l->images);
	if (!l->slices || !l->done || !l->near || !l->images)
		return error_memory(error, (slices + near + images) * sizeof *l->slices);
	l->slice_count = (uint32_t)slices;
	l->near_count = (uint32_t)near;
	l->image_count = (uint32_t)images;
	l->done_count = 0;
	atomic_init(&l->done_sum, 0);
	number(l->slices, l->slice_count);
	number(l->near, l->near_count);
	number(l->images, l->image_count);
	return SPATE_OK;
}

void pbf_levels_stabilize(pbf_work *w)
{
	pbf_levels *l = w->plan.levels;
	const contacts *c = &w->near;
	if (l->stabilize == 0 || !l->before)
		return;
	uint32_t count = 0, *some = arena_alloc(w->view->scratch, (c->near_count + (size_t)1) * sizeof *some);
	for (uint32_t k = 0; k < c->near_count && some; k++)
	{
		int32_t before = l->before[l->home[c->near[k].row]];
		some[count] = k;
		count += before > 0 && (uint32_t)before < l->below;
	}
	for (uint32_t k = 0; k < l->stabilize && count > 0; k++)
		contacts_shift(&w->near, PBF_GUARD, some, count);
}

// --------------------------------------------------------------------------------------------------------------- lists

static void drop_slices(pbf_levels *l, float iteration)
{
	uint32_t left = 0, done = 0;
	for (uint32_t k = 0; k < l->slice_count; k++)
	{
		uint32_t slice = l->slices[k], stays = l->rows[8 * (size_t)slice] >= iteration;
		l->slices[left] = slice;
		l->done[done] = slice;
		left += stays;
		done += 1 - stays;
	}
	l->slice_count = left;
	l->done_count = done;
}

static void drop_near(pbf_levels *l, const contacts *c, float iteration)
{
	uint32_t left = 0;
	for (uint32_t k = 0; k < l->near_count; k++)
	{
		uint32_t number = l->near[k];
		l->near[left] = number;
		left += l->rows[c->near[number].row] >= iteration;
	}
	l->near_count = left;
}

static void drop_images(pbf_levels *l, const image_set *set, float iteration)
{
	uint32_t left = 0;
	for (uint32_t k = 0; k < l->image_count; k++)
	{
		uint32_t number = l->images[k];
		l->images[left] = number;
		left += l->rows[set->images[number].root] >= iteration;
	}
	l->image_count = left;
}

static void drop_from_list(void *context, size_t begin, size_t end, int thread)
{
	(void)end, (void)thread;
	const pbf_work *w = context;
	pbf_levels *l = w->plan.levels;
	// the longest list first
	if (begin == 0)
		drop_images(l, &w->images, l->iteration - 1.0f);
	else if (begin == 1)
		drop_slices(l, l->iteration);
	else
		drop_near(l, &w->near, l->iteration);
}

// Corrections read places from the multipliers, so those of slices that are done have to be the last ones. Their errors stay in the sum,
// of whole numbers, which is the same in any order.
static void finish_slices(void *context, size_t begin, size_t end, int thread)
{
	(void)thread;
	const pbf_work *w = context;
	pbf_levels *l = w->plan.levels;
	const size_t rows = w->view->list->count;
	int64_t sum = 0;
	for (size_t k = begin; k < end; k++)
		for (size_t row = 8 * (size_t)l->done[k]; row < 8 * (size_t)l->done[k] + 8; row++)
		{
			vec4 place = w->view->places[row];
			w->multipliers[row] = (vec4){place.x, place.y, place.z, w->multipliers[row].w};
			sum += row < rows ? pbf_error_units(w->constraint[row]) : 0;
		}
	atomic_fetch_add_explicit(&l->done_sum, sum, memory_order_relaxed);
}

int pbf_levels_enter(pbf_work *w, uint32_t iteration)
{
	const step_view *s = w->view;
	pbf_levels *l = w->plan.levels;
	if (iteration <= l->least)
		return 1;
	l->iteration = (float)iteration;
	w->pass.slices = l->slices;
	parallel_for(s->threads, 3, 1, drop_from_list, w);
	parallel_for(s->threads, l->done_count, DONE_SLICES, finish_slices, w);
	step_place_dummies(w->multipliers, s->list->count, 0.0f);
	return l->slice_count > 0;
}
