// What the parts of the scene module share beside the table.
#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include "scene/buffer.h"
#include "scene/keys.h"

#include <locale.h>

// Numbers are read and written with a decimal point whatever the program's language. The pair brackets a public call.
locale_t scene_locale_enter(void);
void scene_locale_leave(locale_t old);

// A key's value in `defaults` (the struct of its object) as it would stand in a file: text.c.
void write_default(buffer *out, const scene_key *key, const void *defaults);

#endif
