// The one place that walks a NanoVDB tree.
#include "collider/field_data.h"

#ifdef SPATE_OPENVDB

#define PNANOVDB_C
#include <nanovdb/PNanoVDB.h>

const void *field_find_leaf(const void *grid, const int32_t at[3], int is_float, uint32_t *value)
{
	// the header's reads want a pointer that could write
	union
	{
		const void *constant;
		uint32_t *words;
	} memory = {.constant = grid};
	pnanovdb_grid_type_t type = is_float ? PNANOVDB_GRID_TYPE_FLOAT : PNANOVDB_GRID_TYPE_INT32;
	pnanovdb_buf_t buffer = pnanovdb_make_buf(memory.words, 0);
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

#else

// Without OpenVDB there is no field to look into.
const void *field_find_leaf(const void *grid, const int32_t at[3], int is_float, uint32_t *value)
{
	(void)grid, (void)at, (void)is_float;
	*value = 0;
	return NULL;
}

#endif
