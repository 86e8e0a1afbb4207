// The only code that walks the NanoVDB trees of distance fields.
#include "collider/field_data.h"

#ifdef SPATE_OPENVDB

#define PNANOVDB_C
#include <nanovdb/PNanoVDB.h>

static pnanovdb_buf_t buffer_of(const void *grid)
{
	// the PNanoVDB header takes non-const pointers, even for reading
	union
	{
		const void *constant;
		uint32_t *words;
	} memory = {.constant = grid};
	return pnanovdb_make_buf(memory.words, 0);
}

static pnanovdb_grid_type_t type_of(int is_float)
{
	return is_float ? PNANOVDB_GRID_TYPE_FLOAT : PNANOVDB_GRID_TYPE_INT32;
}

const void *field_find_leaf(const void *grid, const int32_t at[3], int is_float, uint32_t *value)
{
	pnanovdb_grid_type_t type = type_of(is_float);
	pnanovdb_buf_t buffer = buffer_of(grid);
	pnanovdb_grid_handle_t handle = {pnanovdb_address_null()};
	pnanovdb_root_handle_t root = pnanovdb_tree_get_root(buffer, pnanovdb_grid_get_tree(buffer, handle));
	pnanovdb_coord_t first = {at[0] & ~7, at[1] & ~7, at[2] & ~7};
	pnanovdb_readaccessor_t accessor;
	pnanovdb_readaccessor_init(&accessor, root);
	pnanovdb_uint32_t level;
	pnanovdb_address_t address =
	    pnanovdb_readaccessor_get_value_address_and_level(type, buffer, &accessor, &first, &level);
	if (level == 0)
		return (const char *)grid + address.byte_offset;
	*value = pnanovdb_read_uint32(buffer, address);
	return NULL;
}

// ------------------------------------------------------------------------------------------------------------- soundness

enum
{
	NODE_ALIGNMENT = 32,
	UPPER_ENTRIES = 32 * 32 * 32,
	LOWER_ENTRIES = 16 * 16 * 16,
	LEAF_VALUES = 8 * 8 * 8
};

typedef struct tree_check
{
	const char *grid;
	pnanovdb_buf_t buffer;
	pnanovdb_grid_type_t type;
	uint64_t bytes, left; // of the grid; not yet assigned to a node
	field_value_test *test;
	const void *context;
} tree_check;

// Whether a node lies within the grid. Each node's bytes are subtracted from what is left, so a file cannot refer to
// the same node many times.
static int take_node(tree_check *c, pnanovdb_address_t node, uint64_t size)
{
	if (node.byte_offset % NODE_ALIGNMENT != 0 || node.byte_offset > c->bytes ||
	    size > c->bytes - node.byte_offset || size > c->left)
		return 0;
	c->left -= size;
	return 1;
}

static int values_are_good(const tree_check *c, pnanovdb_address_t first, size_t count)
{
	return c->test((const uint32_t *)(const void *)(c->grid + first.byte_offset), count, c->context);
}

static int leaf_is_sound(tree_check *c, pnanovdb_leaf_handle_t leaf)
{
	return take_node(c, leaf.address, PNANOVDB_GRID_TYPE_GET(c->type, leaf_size)) &&
	       values_are_good(c, pnanovdb_leaf_get_table_address(c->type, c->buffer, leaf, 0), LEAF_VALUES);
}

static int lower_is_sound(tree_check *c, pnanovdb_lower_handle_t lower)
{
	int sound = take_node(c, lower.address, PNANOVDB_GRID_TYPE_GET(c->type, lower_size));
	for (uint32_t n = 0; sound && n < LOWER_ENTRIES; n++)
		if (pnanovdb_lower_get_child_mask(c->buffer, lower, n))
			sound = leaf_is_sound(c, pnanovdb_lower_get_child(c->type, c->buffer, lower, n));
		else
			sound = values_are_good(c, pnanovdb_lower_get_table_address(c->type, c->buffer, lower, n), 1);
	return sound;
}

static int upper_is_sound(tree_check *c, pnanovdb_upper_handle_t upper)
{
	int sound = take_node(c, upper.address, PNANOVDB_GRID_TYPE_GET(c->type, upper_size));
	for (uint32_t n = 0; sound && n < UPPER_ENTRIES; n++)
		if (pnanovdb_upper_get_child_mask(c->buffer, upper, n))
			sound = lower_is_sound(c, pnanovdb_upper_get_child(c->type, c->buffer, upper, n));
		else
			sound = values_are_good(c, pnanovdb_upper_get_table_address(c->type, c->buffer, upper, n), 1);
	return sound;
}

// Checks a tile of the root: a child, or a single value.
static int tile_is_sound(tree_check *c, pnanovdb_root_handle_t root, pnanovdb_root_tile_handle_t tile)
{
	if (!take_node(c, tile.address, PNANOVDB_GRID_TYPE_GET(c->type, root_tile_size)))
		return 0;
	if (pnanovdb_root_tile_get_child(c->buffer, tile) != 0)
		return upper_is_sound(c, pnanovdb_root_get_child(c->type, c->buffer, root, tile));
	return values_are_good(
	    c, pnanovdb_address_offset(tile.address, PNANOVDB_GRID_TYPE_GET(c->type, root_tile_off_value)), 1);
}

int field_grid_is_sound(const void *grid, size_t bytes, int is_float, field_value_test *test, const void *context)
{
	tree_check c = {.grid = grid,
			.buffer = buffer_of(grid),
			.type = type_of(is_float),
			.bytes = bytes,
			.left = bytes,
			.test = test,
			.context = context};
	pnanovdb_grid_handle_t handle = {pnanovdb_address_null()};
	if (!take_node(&c, handle.address, PNANOVDB_GRID_SIZE + PNANOVDB_TREE_SIZE))
		return 0;
	pnanovdb_root_handle_t root = pnanovdb_tree_get_root(c.buffer, pnanovdb_grid_get_tree(c.buffer, handle));
	int sound =
	    take_node(&c, root.address, PNANOVDB_GRID_TYPE_GET(c.type, root_size)) &&
	    values_are_good(
		&c, pnanovdb_address_offset(root.address, PNANOVDB_GRID_TYPE_GET(c.type, root_off_background)), 1);
	uint32_t tiles = sound ? pnanovdb_root_get_tile_count(c.buffer, root) : 0;
	for (uint32_t n = 0; sound && n < tiles; n++)
		sound = tile_is_sound(&c, root, pnanovdb_root_get_tile(c.type, root, n));
	return sound;
}

#else

int field_grid_is_sound(const void *grid, size_t bytes, int is_float, field_value_test *test, const void *context)
{
	(void)grid, (void)bytes, (void)is_float, (void)test, (void)context;
	return 0;
}

// Without OpenVDB there are no fields to search.
const void *field_find_leaf(const void *grid, const int32_t at[3], int is_float, uint32_t *value)
{
	(void)grid, (void)at, (void)is_float;
	*value = 0;
	return NULL;
}

#endif
