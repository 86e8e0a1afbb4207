// What went wrong: one table of result codes and one human sentence beside it.
#ifndef SPATE_RESULT_H
#define SPATE_RESULT_H

#ifdef __cplusplus
extern "C" {
#endif

// Marks what the shared library exports.
#define SPATE_API __attribute__((visibility("default")))

// name, value, what it means in a few words
#define SPATE_RESULT_MAP(X)                                             \
	X(OK, 0, "done")                                                \
	X(INVALID, -1, "a value that the function cannot take")         \
	X(MEMORY, -2, "out of memory")                                  \
	X(IO, -3, "a file or directory could not be read or written")   \
	X(FORMAT, -4, "a file's content is damaged or of another kind") \
	X(SCENE, -5, "the scene has mistakes")                          \
	X(RANGE, -6, "a particle is outside the representable range")   \
	X(MISSING, -7, "the thing named does not exist")                \
	X(EXISTS, -8, "the thing named exists already")                 \
	X(BUSY, -9, "another run is using it")                          \
	X(DIVERGED, -10, "the simulation left its limits")              \
	X(CANCELLED, -11, "stopped on request")                         \
	X(DAMAGED, -12, "no checkpoint of a run can be gone on from")

typedef enum spate_result
{
#define X(name, value, text) SPATE_##name = (value),
	SPATE_RESULT_MAP(X)
#undef X
} spate_result;

// Owned by the caller, may be NULL wherever a function takes one. Untouched on success.
typedef struct spate_error
{
	spate_result code;
	char text[1024]; // one sentence, with file, line and column or particle where known
} spate_error;

// "INVALID", "MEMORY", ... or "UNKNOWN".
SPATE_API const char *spate_result_name(spate_result code);
// The table's short description.
SPATE_API const char *spate_result_text(spate_result code);

#ifdef __cplusplus
}
#endif
#endif
