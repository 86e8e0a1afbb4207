#include "solver/step_view.h"

#include "base/error.h"

spate_result step_view_take_arrays(step_view *view, spate_error *error)
{
	size_t bytes = ((size_t)view->list->count + STEP_SLACK) * sizeof(vec4);
	view->places = view->store->position;
	view->velocities = view->store->velocity;
	view->moved = arena_alloc(view->scratch, bytes);
	view->spare[0] = arena_alloc(view->scratch, bytes);
	view->spare[1] = arena_alloc(view->scratch, bytes);
	return view->moved && view->spare[0] && view->spare[1] ? SPATE_OK : error_memory(error, 3 * bytes);
}
