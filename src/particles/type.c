// The types of channels, from the one table of them.
#include "spate/store.h"

static const struct
{
	const char *name;
	size_t size;
	uint32_t components;
} types[] = {
    [SPATE_FLOAT] = {"float", sizeof(float), 1},      [SPATE_INT32] = {"int32", sizeof(int32_t), 1},
    [SPATE_INT64] = {"int64", sizeof(int64_t), 1},    [SPATE_VEC2] = {"vec2", 2 * sizeof(float), 2},
    [SPATE_VEC3] = {"vec3", 3 * sizeof(float), 3},    [SPATE_VEC4] = {"vec4", 4 * sizeof(float), 4},
};

static int is_known(spate_type type)
{
	return (unsigned)type < SPATE_TYPE_COUNT;
}

size_t spate_type_size(spate_type type)
{
	return is_known(type) ? types[type].size : 0;
}

uint32_t spate_type_components(spate_type type)
{
	return is_known(type) ? types[type].components : 0;
}

const char *spate_type_name(spate_type type)
{
	return is_known(type) ? types[type].name : NULL;
}
