// Results: one table of codes, and an error with one readable sentence.
#ifndef SPATE_RESULT_H
#define SPATE_RESULT_H

#ifdef __cplusplus
extern "C" {
#endif

// Marks symbols that the shared library exports.
#define SPATE_API __attribute__((visibility("default")))

// name, value, short description
#define SPATE_RESULT_MAP(X)                                           \
	X(OK, 0, "success")                                           \
	X(INVALID, -1, "an argument is invalid")                      \
	X(MEMORY, -2, "out of memory")                                \
	X(IO, -3, "a file or directory could not be read or written") \
	X(FORMAT, -4, "a file is damaged or has the wrong format")    \
	X(SCENE, -5, "the scene has errors")                          \
	X(RANGE, -6, "a particle is outside the representable range") \
	X(MISSING, -7, "no item of that name exists")                 \
	X(EXISTS, -8, "an item of that name already exists")          \
	X(BUSY, -9, "another run is using it")                        \
	X(DIVERGED, -10, "the simulation diverged")                   \
	X(CANCELLED, -11, "stopped on request")                       \
	X(DAMAGED, -12, "no checkpoint of the run is usable")         \
	X(UNUSABLE, -13, "the world has to be restored first")

typedef enum spate_result
{
#define X(name, value, text) SPATE_##name = (value),
	SPATE_RESULT_MAP(X)
#undef X
} spate_result;

// Owned by the caller; may be NULL wherever a function takes one. Unchanged on success.
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
