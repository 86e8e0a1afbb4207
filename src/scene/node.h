// YAML text as a tree in which every value knows its line and column.
#ifndef SCENE_NODE_H
#define SCENE_NODE_H

#include "base/memory.h"
#include "scene/problem.h"

enum
{
	NODE_DEPTH_LIMIT = 32,
	NODE_COUNT_LIMIT = 1000000,
	NODE_KEYS_LIMIT = 1000,              // in one map
	SCENE_BYTES_LIMIT = 16 * 1000 * 1000 // of a scene file
};

// Small blocks from an arena, for nodes, strings and the scene's own arrays.
typedef struct node_pool
{
	arena blocks;
	char *next;
	size_t left;
	uint32_t nodes;
	int failed; // out of memory
} node_pool;

void node_pool_free(node_pool *pool);
// 16-byte aligned and zeroed; NULL (and `failed`) when out of memory.
void *node_pool_alloc(node_pool *pool, size_t bytes);
char *node_pool_strdup(node_pool *pool, const char *text, size_t length);

typedef enum node_type
{
	NODE_SCALAR,
	NODE_LIST,
	NODE_MAP
} node_type;

typedef struct node
{
	node_type type;
	int plain;                        // a scalar without quotes
	place at;                         // of the value
	place named_at;                   // of its key; of the value itself in a list
	const char *key;                  // in a map
	const char *own_key;              // of an included name: what it is in the file that defines it; else NULL
	const char *text;                 // of a scalar
	struct node *first, *last, *next; // children, and the next child of the same parent
	uint32_t count;                   // of children
} node;

// Parses one YAML document. NULL when it is invalid (and a problem says why) or when out of memory. `from` has the override or the
// included file that the text comes from, neither for a scene file.
node *node_parse(node_pool *pool, const char *text, size_t bytes, place from, problem_list *problems);
// The child called `key`, or NULL.
node *node_get(const node *map, const char *key);
// The n-th child, or NULL.
node *node_item(const node *parent, uint32_t n);
// The place of a key's value, or of the map if it has no such key.
place node_place(const node *map, const char *key);
void node_append(node *parent, node *child);
// Takes a child out of a map.
void node_detach(node *map, const node *child);
// Whether a text can be the name of an object and its files: one printable line of at most 200 bytes, without slashes.
int text_is_name(const char *text);
// An empty plain scalar, `null` or `~`.
int node_is_empty(const node *n);

#endif
