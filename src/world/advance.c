// Stepping as callers see it: one substep at a time or until a time, with callbacks, changes between substeps and the world's own log.
#include "base/error.h"
#include "world/world.h"

// Part of a time (s) that counts as rounding.
#define ROUNDING 1e-9

void spate_world_set_log(spate_world *w, spate_log_handler *handler, void *context)
{
	w->log = (log_target){handler, context};
}

// A substep with everything around it; `busy` callers have checked already.
static spate_result take_step(spate_world *w, int *frame_done, spate_error *error)
{
	log_target before = log_enter(w->log);
	w->stepping = 1;
	spate_result result = world_step(w, frame_done, error);
	w->stepping = 0;
	if (result == SPATE_OK)
	{
		world_changes_settle(w);
		// what cannot be set now is refused by the next step
		world_follow_tracks(w, NULL);
	}
	log_leave(before);
	return result;
}

static spate_result refuse_if_busy(const spate_world *w, spate_error *error)
{
	if (!w->stepping && !w->advancing)
		return SPATE_OK;
	return error_set(error, SPATE_BUSY, "a handler or callback of a world cannot step it");
}

spate_result spate_world_step(spate_world *w, int *frame_done, spate_error *error)
{
	if (!w)
		return error_set(error, SPATE_INVALID, "spate_world_step needs a world, not NULL");
	spate_result result = refuse_if_busy(w, error);
	return result == SPATE_OK ? take_step(w, frame_done, error) : result;
}

spate_world_callbacks spate_default_world_callbacks(void)
{
	return (spate_world_callbacks){0};
}

// Part of the way from one time to another.
static double portion_of(double from, double now, double to)
{
	return to > from && now < to ? (now - from) / (to - from) : 1.0;
}

// Calls what is due after a substep; returns whether one of them cancelled.
static int call_back(spate_world *w, const spate_world_callbacks *c, int frame_done, double portion)
{
	return (c->step && c->step(c->context, w)) || (frame_done && c->frame && c->frame(c->context, w)) ||
	       (c->progress && c->progress(c->context, w, portion));
}

spate_result spate_world_step_until(spate_world *w, double time, const spate_world_callbacks *callbacks,
				    spate_error *error)
{
	if (!w || !isfinite(time))
		return error_set(error, SPATE_INVALID, "spate_world_step_until needs a world and a finite time");
	spate_result result = refuse_if_busy(w, error);
	const spate_world_callbacks none = {0};
	double from = spate_world_time(w), until = time - ROUNDING * (1.0 + fabs(time));
	while (result == SPATE_OK && spate_world_time(w) < until)
	{
		int frame_done = 0;
		result = take_step(w, &frame_done, error);
		if (result != SPATE_OK)
			return result;
		w->advancing = 1;
		double portion = portion_of(from, spate_world_time(w), until);
		int cancelled = call_back(w, callbacks ? callbacks : &none, frame_done, portion);
		w->advancing = 0;
		if (cancelled)
			result = error_set(error, SPATE_CANCELLED, "a callback stopped the world at %g s",
					   spate_world_time(w));
	}
	return result;
}
