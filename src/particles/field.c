#include "particles/field.h"

#include "base/error.h"
#include "base/vec.h"
#include "particles/store.h"

#include <string.h>

enum
{
#define X(name, c_type, components) SIZE_##name = (components) * sizeof(c_type),
	SPATE_TYPE_MAP(X)
#undef X
};

#define CORE_FIELD(type, c_type, name, unit, flags, meaning) \
	_Static_assert(sizeof(c_type) == SIZE_##type, "the type of field " #name " and its C type differ");
#include "particles/fields.def"
#undef CORE_FIELD

enum
{
	HOT = SPATE_FIELD_HOT,
	SAVED = SPATE_FIELD_SAVED,
	PUBLISHED = SPATE_FIELD_PUBLISHED,
	HALO = SPATE_FIELD_HALO,
	DEVICE = SPATE_FIELD_DEVICE,
	PADDED = SPATE_FIELD_PADDED,
	FRESH = SPATE_FIELD_FRESH
};

static const spate_field_def core[] = {
#define CORE_FIELD(type_, c_type, name_, unit_, flags_, meaning_) \
	{.name = #name_, .type = SPATE_##type_, .unit = unit_, .meaning = meaning_, .flags = HOT | (flags_)},
#include "particles/fields.def"
#undef CORE_FIELD
};
const field_table field_core = FIELD_TABLE(core);

// -------------------------------------------------------------------------------------------------------------- types

size_t spate_type_size(spate_type type)
{
	switch (type)
	{
#define X(name, c_type, components) \
	case SPATE_##name:          \
		return SIZE_##name;
		SPATE_TYPE_MAP(X)
#undef X
	default:
		return 0;
	}
}

uint32_t spate_type_components(spate_type type)
{
	switch (type)
	{
#define X(name, c_type, components) \
	case SPATE_##name:          \
		return components;
		SPATE_TYPE_MAP(X)
#undef X
	default:
		return 0;
	}
}

const char *spate_type_name(spate_type type)
{
	static const char *const names[SPATE_TYPE_COUNT] = {
	    [SPATE_FLOAT] = "float", [SPATE_INT32] = "int32", [SPATE_INT64] = "int64",
	    [SPATE_VEC2] = "vec2",   [SPATE_VEC3] = "vec3",   [SPATE_VEC4] = "vec4",
	};
	return spate_type_size(type) > 0 ? names[type] : NULL;
}

// --------------------------------------------------------------------------------------------------------- definitions

spate_field_def spate_default_field_def(void)
{
	return (spate_field_def){.name = "",
				 .type = SPATE_FLOAT,
				 .unit = "",
				 .meaning = "",
				 .flags = SPATE_FIELD_SAVED | SPATE_FIELD_PUBLISHED};
}

// An ASCII identifier; does not depend on the locale.
static int is_identifier(const char *name)
{
	size_t length = 0;
	for (; name[length]; length++)
	{
		char c = name[length];
		int letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
		int digit = c >= '0' && c <= '9';
		if (!letter && !(digit && length > 0))
			return 0;
		if (length + 1 >= STORE_NAME_CHARS)
			return 0;
	}
	return length > 0;
}

static int is_long(const char *text, size_t most)
{
	return text && strnlen(text, most) == most;
}

spate_result field_def_check(const spate_field_def *def, spate_error *error)
{
	const uint32_t known = HOT | SAVED | PUBLISHED | HALO | DEVICE | PADDED | FRESH;
	if (!is_identifier(def->name))
		return error_set(error, SPATE_INVALID,
				 "'%.80s' is not a valid field name: use at most 63 letters, digits and underscores, "
				 "not starting with a digit",
				 def->name);
	if (spate_type_size(def->type) == 0)
		return error_set(error, SPATE_INVALID, "field '%s' has the unknown type %d", def->name, (int)def->type);
	if (is_long(def->unit, STORE_UNIT_CHARS) || is_long(def->meaning, STORE_MEANING_CHARS))
		return error_set(error, SPATE_INVALID,
				 "the unit of field '%s' or its sentence is too long: at most %d and %d bytes",
				 def->name, STORE_UNIT_CHARS - 1, STORE_MEANING_CHARS - 1);
	if (def->flags & ~known)
		return error_set(error, SPATE_INVALID, "field '%s' has unknown flags, %#x", def->name,
				 def->flags & ~known);
	if (def->flags & PADDED && def->type != SPATE_VEC4)
		return error_set(error, SPATE_INVALID, "field '%s' is a %s: only a vec4 can be padded", def->name,
				 spate_type_name(def->type));
	if (def->flags & FRESH && !(def->flags & HOT))
		return error_set(error, SPATE_INVALID, "field '%s' is fresh but not hot: only a hot field can be fresh",
				 def->name);
	return SPATE_OK;
}
