// Shared by the files of the scene module, besides the key table.
#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include "scene/buffer.h"
#include "scene/keys.h"

#include <locale.h>

// Numbers are read and written with a decimal point in any locale. The pair brackets a public call.
locale_t scene_locale_enter(void);
void scene_locale_leave(locale_t old);

// Writes a key's value in `defaults` (the struct of its object) as in a scene file; in text.c.
void write_default(buffer *out, const scene_key *key, const void *defaults);

#endif
