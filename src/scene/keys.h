// The table of all keys of a scene file. Reader, checker, writer, JSON Schema and reference page are generated from it: to add a key, add
// a row in keys.c (keys_solid.c for objects with a shape, keys_solver.c for what all solvers have) and a field in a definition. A solver
// brings the rows of its own settings (src/solver/solver.h).
#ifndef SCENE_KEYS_H
#define SCENE_KEYS_H

#include "scene/node.h"
#include "spate/scene.h"
#include "spate/solver.h"

typedef enum key_kind
{
	KEY_VERSION,  // the format's version, not stored
	KEY_NUMBER,   // double
	KEY_COUNT,    // uint32_t
	KEY_COUNT64,  // uint64_t
	KEY_TEXT,     // const char *
	KEY_PATH,     // const char *, path of a file; stored as an absolute path
	KEY_VECTOR,   // double[3]
	KEY_FORMULAS, // const char *[3], formulas of x, y and z
	KEY_COLOR,    // double[3], sRGB from 0 to 1, written "#rrggbb"
	KEY_CHOICE,   // int-sized enum, one of `words`
	KEY_CHOICES,  // const char *const * and uint32_t: a list of some of `words`
	KEY_FLUID,    // uint32_t, index of the fluid named
	KEY_FLUIDS,   // const uint32_t * and uint32_t: indices of the fluids named
	KEY_COLLIDER, // uint32_t, index of the collider named
	KEY_BODIES,   // uint32_t[2], indices of the bodies named, SPATE_BODY_WORLD for the word world
	KEY_VALUES,   // values by path of key, "sources.0.speed"; for whoever reads the node, not stored
	KEY_CAMERAS,  // const char *const * and uint32_t: names of cameras
	KEY_OBJECT,   // a map of keys, stored in place
	KEY_LIST,     // array of objects: pointer and uint32_t
	KEY_MAP       // the same, with names
} key_kind;

enum
{
	KEY_REQUIRED = 1,
	KEY_ABOVE_MIN = 2, // the minimum itself is not allowed
	KEY_NONZERO = 4,   // a vector with a direction
	KEY_OMIT = 8,      // not written unless set, because the default is not a value that can be written
	KEY_NOT_STORED = 16,
	KEY_NOT_EMPTY = 32, // a list or map with at least one element
	KEY_LIVE = 64,      // can be changed while the world runs; what else has to follow is in src/world/change.c
	KEY_SETTING = 128,  // a solver's own: a double whatever its kind, NaN for `initial`
	KEY_WHOLE = 256,    // a number without a fraction, which may be negative
	KEY_TIMED = 512     // takes a value over time though it is not live
};

// Largest size of an element of a list or map; text.c and reference.c have room for one.
enum
{
	KEY_ELEMENT_BYTES = 2048
};

typedef spate_word scene_word;

struct scene_object;
struct scene_reader;

typedef struct scene_key
{
	const char *name;
	const char *before; // its name in version 1 of the format, NULL for the same
	int since;          // first version that has it, 0 for the first of all
	key_kind kind;
	unsigned flags;
	size_t offset, count_offset; // into the object's struct
	double min, max;             // inclusive unless flagged; both 0 for any finite number
	const char *unit;            // NULL for none
	const char *other;           // another unit that values are often given in, for sentences; NULL for none
	double other_size;           // its size in `unit`
	const char *example;         // for sentences, "0.01"
	const char *doc;             // one sentence
	const char *word;            // a word allowed in place of a number, "auto"
	double word_value;           // the number that it stands for
	double initial;              // of a setting: its default
	const scene_word *words;     // of choices, ended by a NULL name
	// or: the n-th word of a choice among what other modules register; 0 beyond the last
	int (*word_at)(uint32_t n, scene_word *out);
	// likewise: words that the scene itself adds to those
	int (*scene_word_at)(const spate_scene *scene, uint32_t n, scene_word *out);
	const struct scene_object *object; // of objects, lists and maps
	unsigned only;                     // bit set of the variants that have the key; 0 for all
	const char *unless;                // a required key is not needed beside this one; NULL for none
	size_t
	    formulas; // of numbers and vectors that may be formulas of where a particle comes: offset of const char *[3]; 0 for others
	int variant; // of a one-of object: the value stored for this key
	// called right after a choice was read, with its value, and after a key was read by its name in version 1
	void (*apply)(struct scene_reader *reader, void *object, int value);
} scene_key;

typedef struct scene_object
{
	const char *title;   // of its section in the reference; NULL if it has none
	const char *doc;     // introduction of the section
	const char *example; // YAML
	size_t size;
	const scene_key *keys;                 // ended by a NULL name
	int tagged;                            // the first key is a choice that selects the variant (0 unless given)
	const scene_word *variants;            // or: the one of these keys that is present selects the variant
	int (*variant_of)(const void *object); // with `variants`: the variant of an object
	int one_of;                            // exactly one key is given; its `variant` is stored at tag_offset
	size_t tag_offset;                     // of the variant in the struct
	int bare;                              // an element is written as the value of its only key: { hot: 80 }
	int or_path;                           // an element may be the path that is its first key
	size_t name_offset;                    // of the name of a map's element
	void (*defaults)(void *object, spate_up up); // of a list's or map's element
	// called when the object was read without an error
	void (*check)(struct scene_reader *reader, const node *at, const void *object);
} scene_object;

extern const scene_object scene_root;

// Whether a variant has the key.
int key_is_of(const scene_key *key, int variant);
// The words that choose an object's variant; NULL when it has none.
const scene_word *key_variants(const scene_object *object);
// Whether a key belongs to the variant stored in (or read into) `object`.
int key_belongs(const scene_object *object, const scene_key *key, const void *value);
const scene_key *key_find(const scene_object *object, const char *name);
// The n-th word of a choice; 0 beyond the last, and for keys that are none.
int key_word_at(const scene_key *key, uint32_t n, scene_word *out);
// The value of a number, a count or a choice; NaN for other kinds.
double key_number(const scene_key *key, const void *object);
// Stores a number, a count below 2^32 or a choice.
void key_set_number(const scene_key *key, void *object, double value);
// The formulas that replace a number or vector; NULL for none.
const char *const *key_formulas(const scene_key *key, const void *object);
// The word of a choice's value.
const char *key_word(const scene_key *key, int value);
int key_has_range(const scene_key *key);
// Whether its value may change over time: a live number or vector, or one of a camera.
int key_takes_track(const scene_key *key);

// "greater than 0", "from 0 to 1", "at least 1"; empty without a range. `out` holds KEY_TEXT_CHARS.
enum
{
	KEY_TEXT_CHARS = 512
};
void key_range_text(const scene_key *key, char *out);
// "draft, normal or high": the words of a choice.
void key_words_text(const scene_key *key, char *out);
// "box, sphere or plane": the keys of an object, of one variant or with -1 of all.
void key_names_text(const scene_object *object, int variant, char *out);

#endif
