#define _GNU_SOURCE
#include "scene/node.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

// ---------------------------------------------------------------------------------------------------------------- pool

void node_pool_free(node_pool *pool)
{
	arena_free(&pool->blocks);
	*pool = (node_pool){0};
}

void *node_pool_alloc(node_pool *pool, size_t bytes)
{
	enum
	{
		CHUNK = 16384,
		ALIGNMENT = 16
	};
	if (bytes > SIZE_MAX / 2)
	{
		pool->failed = 1;
		return NULL;
	}
	bytes = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	if (bytes > pool->left)
	{
		size_t chunk = bytes > CHUNK ? bytes : CHUNK;
		if (!(pool->next = arena_alloc(&pool->blocks, chunk)))
		{
			pool->left = 0;
			pool->failed = 1;
			return NULL;
		}
		pool->left = chunk;
	}
	void *block = pool->next;
	pool->next += bytes;
	pool->left -= bytes;
	return memset(block, 0, bytes);
}

char *node_pool_strdup(node_pool *pool, const char *text, size_t length)
{
	char *copy = node_pool_alloc(pool, length + 1);
	if (copy)
		memcpy(copy, text, length);
	return copy;
}

// ---------------------------------------------------------------------------------------------------------------- tree

node *node_get(const node *map, const char *key)
{
	if (map && map->type == NODE_MAP)
		for (node *child = map->first; child; child = child->next)
			if (strcmp(child->key, key) == 0)
				return child;
	return NULL;
}

place node_place(const node *map, const char *key)
{
	const node *child = node_get(map, key);
	return child ? child->at : map->named_at;
}

node *node_item(const node *parent, uint32_t n)
{
	node *child = parent->first;
	while (child && n-- > 0)
		child = child->next;
	return child;
}

void node_append(node *parent, node *child)
{
	if (parent->last)
		parent->last->next = child;
	else
		parent->first = child;
	parent->last = child;
	parent->count++;
}

void node_detach(node *map, const node *child)
{
	node *before = NULL;
	for (node *n = map->first; n && n != child; n = n->next)
		before = n;
	if (before)
		before->next = child->next;
	else
		map->first = child->next;
	if (map->last == child)
		map->last = before;
	map->count--;
}

int node_is_empty(const node *n)
{
	return n->type == NODE_SCALAR && n->plain &&
	       (n->text[0] == '\0' || strcmp(n->text, "~") == 0 || strcmp(n->text, "null") == 0);
}

// ------------------------------------------------------------------------------------------------- bytes that are text

// Length of the UTF-8 sequence at `s`, 0 when it is broken (overlong forms, surrogates, code points above 10ffff).
static size_t utf8_length(const unsigned char *s, size_t left)
{
	size_t length = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 : 4;
	if ((s[0] >= 0x80 && s[0] < 0xc2) || s[0] > 0xf4 || length > left)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
	    (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return length;
}

int text_is_name(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t bytes = strlen(text);
	if (bytes == 0 || bytes > 200 || strcmp(text, ".") == 0 || strcmp(text, "..") == 0)
		return 0;
	for (size_t i = 0, length; i < bytes; i += length)
	{
		length = utf8_length(s + i, bytes - i);
		int control = s[i] < 0x20 || s[i] == 0x7f || (s[i] == 0xc2 && s[i + 1] < 0xa0);
		// U+2028, U+2029, the byte order mark and noncharacters
		int odd =
		    length == 3 && (memcmp(s + i, "\xe2\x80\xa8", 3) == 0 || memcmp(s + i, "\xe2\x80\xa9", 3) == 0 ||
				    memcmp(s + i, "\xef\xbb\xbf", 3) == 0 || memcmp(s + i, "\xef\xbf\xbe", 3) == 0 ||
				    memcmp(s + i, "\xef\xbf\xbf", 3) == 0);
		if (length == 0 || control || odd || s[i] == '/' || s[i] == '\\')
			return 0;
	}
	return 1;
}

// libyaml's messages about bytes that are not text are vague, so these are found first.
static int check_bytes(const char *text, size_t bytes, place from, problem_list *problems)
{
	place at = {.line = 1, .column = 1, .origin = from.origin, .file = from.file};
	const unsigned char *s = (const unsigned char *)text;
	for (size_t i = 0; i < bytes;)
	{
		size_t length = utf8_length(s + i, bytes - i);
		int control = length == 1 && (s[i] < 0x20 || s[i] == 0x7f) && !strchr("\t\n\r", s[i]);
		if (length == 0 || s[i] == 0 || control)
		{
			if (from.origin)
				at.line = at.column = 0;
			if (length)
				return problem_add(problems, 0, at, "",
						   "this is not a text file: it contains the control character 0x%02x",
						   s[i]);
			return problem_add(
			    problems, 0, at, "",
			    "this is not UTF-8 text: the byte 0x%02x is invalid here; save the file as UTF-8", s[i]);
		}
		at.column++;
		if (s[i] == '\n')
		{
			at.line++;
			at.column = 1;
		}
		i += length;
	}
	return 1;
}

// ------------------------------------------------------------------------------------------------------------- parsing

// A list or map whose end has not been seen.
typedef struct level
{
	node *container;
	const char *key; // key whose value has not been read yet
	place key_at;
} level;

typedef struct builder
{
	yaml_parser_t parser;
	node_pool *pool;
	problem_list *problems;
	place from;
	node *root;
	level open[NODE_DEPTH_LIMIT];
	int depth;
} builder;

static place place_of(const builder *b, yaml_mark_t mark)
{
	place at = b->from;
	at.line = at.origin ? 0 : (uint32_t)mark.line + 1;
	at.column = at.origin ? 0 : (uint32_t)mark.column + 1;
	return at;
}

#define refuse(b, at, ...) problem_add((b)->problems, 0, (at), "", __VA_ARGS__)

static node *new_node(builder *b, node_type type, place at)
{
	if (++b->pool->nodes > NODE_COUNT_LIMIT)
	{
		refuse(b, at, "the scene has more than %d values", NODE_COUNT_LIMIT);
		return NULL;
	}
	node *n = node_pool_alloc(b->pool, sizeof *n);
	if (n)
		*n = (node){.type = type, .at = at, .named_at = at};
	return n;
}

// A scalar where a map expects a key.
static int take_key(builder *b, level *top, const yaml_event_t *event, place at)
{
	const char *key = (const char *)event->data.scalar.value;
	const node *map = top->container;
	const node *twin = node_get(map, key);
	if (twin)
		refuse(b, at, "the key '%.60s' appears twice; first on line %u", key, twin->named_at.line);
	if (map->count >= NODE_KEYS_LIMIT)
		return refuse(b, at, "one map has more than %d keys", NODE_KEYS_LIMIT);
	top->key = node_pool_strdup(b->pool, key, event->data.scalar.length);
	top->key_at = at;
	return top->key != NULL;
}

// Appends a finished scalar or a new container to the innermost open container.
static int attach(builder *b, node *n)
{
	if (b->depth == 0)
	{
		b->root = n;
		return 1;
	}
	level *top = &b->open[b->depth - 1];
	if (top->container->type == NODE_MAP)
	{
		n->key = top->key;
		n->named_at = top->key_at;
		top->key = NULL;
	}
	node_append(top->container, n);
	return 1;
}

static int awaits_key(const builder *b)
{
	return b->depth > 0 && b->open[b->depth - 1].container->type == NODE_MAP && !b->open[b->depth - 1].key;
}

static int take_scalar(builder *b, const yaml_event_t *event)
{
	place at = place_of(b, event->start_mark);
	if (event->data.scalar.tag)
		return refuse(b, at, "tags like '%.60s' are not supported in scene files",
			      (const char *)event->data.scalar.tag);
	// "\0" in double quotes is the only way to get a NUL here
	if (strlen((const char *)event->data.scalar.value) != event->data.scalar.length)
		return refuse(b, at, "a text must not contain the character \\0");
	if (awaits_key(b))
		return take_key(b, &b->open[b->depth - 1], event, at);
	node *n = new_node(b, NODE_SCALAR, at);
	if (!n)
		return 0;
	n->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	n->text = node_pool_strdup(b->pool, (const char *)event->data.scalar.value, event->data.scalar.length);
	return n->text && attach(b, n);
}

static int open_container(builder *b, node_type type, const yaml_char_t *tag, yaml_mark_t mark)
{
	place at = place_of(b, mark);
	if (tag)
		return refuse(b, at, "tags like '%.60s' are not supported in scene files", (const char *)tag);
	if (awaits_key(b))
		return refuse(b, at, "a key must be a word; here it is a %s", type == NODE_MAP ? "map" : "list");
	if (b->depth == NODE_DEPTH_LIMIT)
		return refuse(b, at, "lists and maps are nested more than %d deep", NODE_DEPTH_LIMIT);
	node *n = new_node(b, type, at);
	if (!n || !attach(b, n))
		return 0;
	b->open[b->depth++] = (level){.container = n};
	return 1;
}

// Returns 1 to continue, 0 to stop: at the end, at a problem, or when out of memory.
static int take_event(builder *b, const yaml_event_t *event)
{
	switch (event->type)
	{
	case YAML_DOCUMENT_START_EVENT:
		if (b->root)
		{
			refuse(b, place_of(b, event->start_mark),
			       "a second document begins here; a scene is one document");
			b->root = NULL;
			return 0;
		}
		return 1;
	case YAML_ALIAS_EVENT:
		return refuse(b, place_of(b, event->start_mark),
			      "aliases like '*%.60s' are not supported in scene files; write the value out",
			      (const char *)event->data.alias.anchor);
	case YAML_SCALAR_EVENT:
		return take_scalar(b, event);
	case YAML_SEQUENCE_START_EVENT:
		return open_container(b, NODE_LIST, event->data.sequence_start.tag, event->start_mark);
	case YAML_MAPPING_START_EVENT:
		return open_container(b, NODE_MAP, event->data.mapping_start.tag, event->start_mark);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		b->depth--;
		return 1;
	default:
		return event->type != YAML_STREAM_END_EVENT;
	}
}

// Reports a syntax error found by libyaml.
static void refuse_syntax(builder *b, const char *text, size_t bytes)
{
	const yaml_parser_t *p = &b->parser;
	if (p->error == YAML_MEMORY_ERROR)
	{
		b->pool->failed = 1;
		return;
	}
	place at = place_of(b, p->problem_mark);
	// libyaml counts characters, so find the byte by line and column
	const char *c = text, *end = text + bytes;
	for (size_t line = 0; line < p->problem_mark.line && c < end; line++)
	{
		const char *newline = memchr(c, '\n', (size_t)(end - c));
		c = newline ? newline + 1 : end;
	}
	// a colour without quotes is a comment, and the error shows up one line further down
	const char *above = c > text ? c - 1 : c;
	while (above > text && above[-1] != '\n')
		above--;
	if (memmem(above, (size_t)(c - above), ": #", 3) && strstr(p->problem, "expected"))
		refuse(b, at,
		       "something is missing after the line above; put colours in quotes, because # starts a comment");
	else if (p->problem_mark.column < (size_t)(end - c) && c[p->problem_mark.column] == '\t')
		refuse(b, at, "tabs cannot indent YAML; use spaces");
	else if (p->context && p->context_mark.line != p->problem_mark.line && !b->from.origin)
		refuse(b, at, "this is not valid YAML: %s %s that began on line %zu", p->problem, p->context,
		       p->context_mark.line + 1);
	else
		refuse(b, at, "this is not valid YAML: %s%s%s", p->problem, p->context ? " " : "",
		       p->context ? p->context : "");
}

// Turns events into nodes until the end of the stream; returns 0 when stopped early.
static int build(builder *b, const char *text, size_t bytes)
{
	yaml_parser_set_encoding(&b->parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&b->parser, (const unsigned char *)text, bytes);
	for (int more = 1; more;)
	{
		yaml_event_t event;
		if (!yaml_parser_parse(&b->parser, &event))
		{
			refuse_syntax(b, text, bytes);
			return 0;
		}
		int ended = event.type == YAML_STREAM_END_EVENT;
		more = take_event(b, &event);
		yaml_event_delete(&event);
		if (ended)
			return 1;
	}
	return 0;
}

node *node_parse(node_pool *pool, const char *text, size_t bytes, place from, problem_list *problems)
{
	uint32_t errors = problems->errors;
	if (!check_bytes(text, bytes, from, problems))
		return NULL;
	builder b = {.pool = pool, .problems = problems, .from = from};
	if (!yaml_parser_initialize(&b.parser))
	{
		pool->failed = 1;
		return NULL;
	}
	int complete = build(&b, text, bytes);
	yaml_parser_delete(&b.parser);
	if (complete && !b.root)
	{
		problem_add(problems, 0, place_of(&b, (yaml_mark_t){0}), "",
			    from.origin ? "the value is missing" : "the file is empty; a scene begins with 'spate: 2'");
	}
	// duplicate keys do not stop the parser, so that other mistakes are found as well
	return complete && (b.root || problems->errors == errors) && !pool->failed ? b.root : NULL;
}
