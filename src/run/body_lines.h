// Lines of bodies.csv: where each body is after each frame, and what the liquid does to it.
#ifndef RUN_BODY_LINES_H
#define RUN_BODY_LINES_H

#include "cache/append_log.h"
#include "spate/body.h"

// Appends a line for every body of a world; `defs` are those that it was made of. A file that is still empty gets the names of the columns.
spate_result body_lines_write(append_log *log, const spate_world *world, const spate_body_def *defs,
			      spate_error *error);

#endif
