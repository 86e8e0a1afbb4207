// Shared by the files of the scene module, besides the key table.
#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include "scene/buffer.h"
#include "scene/keys.h"

#include <locale.h>

// Numbers are read and written with a decimal point in any locale. The pair brackets a public call.
locale_t scene_locale_enter(void);
void scene_locale_leave(locale_t old);

// Reads a text in place of that of the file `path`: what it names is looked for beside that.
spate_result scene_parse_file(spate_scene *scene, const char *path, const char *text, size_t bytes,
			      const char *const *overrides, uint32_t override_count, spate_problems *problems,
			      spate_error *error);

// Writes a key's value in `defaults` (the struct of its object) as in a scene file; in text.c.
void write_default(buffer *out, const scene_key *key, const void *defaults);

#endif
