// A running world: change keys between substeps, record and repeat the changes, step until a time, follow and cancel it, hear its log.
//
// Keys have the paths and values of a scene file: "gravity", "solver.iterations", "fluids.water.viscosity". An element of a list or map
// goes by its name, or by its number from 0: "colliders.tank.friction", "colliders.0.friction". docs/scene.md lists all keys and marks
// those that are live. A key that is not live is fixed when the world is made.
//
// Like all functions of a world these are for one thread at a time (spate/threads.h). A function that fails leaves the world unchanged and
// says why in one sentence.
#ifndef SPATE_LIVE_H
#define SPATE_LIVE_H

#include "spate/log.h"
#include "spate/result.h"
#include "spate/world.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------------------------------------------------ keys

typedef enum spate_key_kind
{
	SPATE_KEY_NUMBER,
	SPATE_KEY_COUNT,  // a whole number
	SPATE_KEY_VECTOR, // three numbers
	SPATE_KEY_COLOR,  // sRGB, three numbers from 0 to 1, written "#rrggbb"
	SPATE_KEY_WORD,   // one of `words`
	SPATE_KEY_TEXT
} spate_key_kind;

enum
{
	SPATE_PATH_CHARS = 128,  // of a key's path, with the terminating zero
	SPATE_VALUE_CHARS = 256, // of a key's value, likewise
	SPATE_KEY_WORDS = 8      // most words of a key
};

// A key of a world, for panels and bindings. Texts are constant.
typedef struct spate_key
{
	char path[SPATE_PATH_CHARS];
	spate_key_kind kind;
	int live;              // 1 if it can be changed while the world exists
	int limited;           // 1 if `min` and `max` hold, for a vector each component
	int above_min;         // 1 if the minimum itself is not allowed
	double min, max;       // in the key's unit
	const char *unit;      // NULL for none
	const char *doc;       // one sentence
	const char *auto_word; // word that may stand in place of a number, such as "auto"; NULL for none
	const char *words[SPATE_KEY_WORDS];
	uint32_t word_count;
} spate_key;

// The n-th key of a world, in the order of the scene reference. Returns 0 beyond the last.
SPATE_API int spate_world_key(const spate_world *world, uint32_t n, spate_key *key);
// The key of a path; SPATE_MISSING, with a suggestion, if there is none.
SPATE_API spate_result spate_world_find_key(const spate_world *world, const char *path, spate_key *key,
					    spate_error *error);

// The current value as in a scene file: "0.01", "auto", "[0, -9.81, 0]", "high". Numbers read back to the same bits.
SPATE_API spate_result spate_world_get(const spate_world *world, const char *path, char value[SPATE_VALUE_CHARS],
				       spate_error *error);
// The same as numbers: one, or three of a vector or colour. A word such as "auto" gives the number that stands for it in the definition.
// SPATE_INVALID for a key of another kind.
SPATE_API spate_result spate_world_get_number(const spate_world *world, const char *path, double *value,
					      spate_error *error);
SPATE_API spate_result spate_world_get_vector(const spate_world *world, const char *path, double value[3],
					      spate_error *error);

// Changes a live key to a value written as in a scene file. Between substeps the change takes effect at once; inside one, in a handler
// or callback, when the substep is done. It is recorded in the journal. SPATE_MISSING for an unknown key, SPATE_INVALID for one that is
// not live or a value that is wrong or out of range.
//
// A fluid's viscosity, damping and surface tension apply to its particles, except those whose source gave them another value. An
// emitter that gets another speed, stop or limit goes on from where its jet is.
SPATE_API spate_result spate_world_set(spate_world *world, const char *path, const char *value, spate_error *error);
SPATE_API spate_result spate_world_set_number(spate_world *world, const char *path, double value, spate_error *error);
SPATE_API spate_result spate_world_set_vector(spate_world *world, const char *path, const double value[3],
					      spate_error *error);

// --------------------------------------------------------------------------------------------------------------- journal

// A recorded change. Of several changes of a key after the same substep only the last is kept.
typedef struct spate_change
{
	uint64_t step;     // it took effect after this substep; 0 before the first
	const char *path;  // valid, like `value`, until the next change or step
	const char *value; // as in a scene file
} spate_change;

// The changes so far, in the order in which they took effect.
SPATE_API uint32_t spate_world_change_count(const spate_world *world);
SPATE_API spate_change spate_world_change(const spate_world *world, uint32_t n);

// The journal as text, one line "step path=value" for each change, such as "120 fluids.water.viscosity=0.01". A heap string for
// spate_scene_text_free; NULL when out of memory.
SPATE_API char *spate_world_journal(const spate_world *world);
// Repeats a journal: each of its changes takes effect after the substep that it names, which gives the recorded run bit for bit if the
// world is otherwise the same. Changes before the world's current substep are refused, and so is the whole journal if one of its lines
// is wrong. Call it before the first substep, or on a world restored from a snapshot with the rest of the journal.
SPATE_API spate_result spate_world_replay(spate_world *world, const char *journal, spate_error *error);

// -------------------------------------------------------------------------------------------------------------- stepping

// Called by spate_world_step_until between substeps, on the calling thread, in the order of the members; each may be NULL. They may
// read, change live keys, write files and take snapshots; they must not step or destroy the world (a step is refused with SPATE_BUSY).
// A result other than 0 cancels.
typedef struct spate_world_callbacks
{
	int (*step)(void *context, spate_world *world);  // after every substep
	int (*frame)(void *context, spate_world *world); // after a substep that completed a frame
	int (*progress)(void *context, spate_world *world,
			double portion); // after every substep; 0 to 1 of the way to the time asked for
	void *context;                   // first argument of each
} spate_world_callbacks;

// No callbacks.
SPATE_API spate_world_callbacks spate_default_world_callbacks(void);

// Takes whole substeps until the world's time is `time` (s) or later. Substeps are never shortened to hit a time, so the results do not
// depend on how a run is cut into calls; frames end at exact multiples of 1 / fps, which makes those good times to ask for. Does nothing
// if the time has passed. `callbacks` may be NULL. SPATE_CANCELLED after a callback cancelled: the world is at the end of a substep, as
// after any other, and can go on.
SPATE_API spate_result spate_world_step_until(spate_world *world, double time, const spate_world_callbacks *callbacks,
					      spate_error *error);

// ------------------------------------------------------------------------------------------------------------------- log

// Messages about this world go to `handler` from now on; NULL leaves them to the process's handler (spate/log.h), which also gets those
// of spate_world_create.
SPATE_API void spate_world_set_log(spate_world *world, spate_log_handler *handler, void *context);

#ifdef __cplusplus
}
#endif
#endif
