// Messages about optional libraries that a build lacks.
#ifndef BASE_BUILD_H
#define BASE_BUILD_H

#include "spate/build.h"

enum
{
	BUILD_TEXT_CHARS = 256
};

// "this build has no Qhull, which NEEDED; install ... and rebuild"; `needed` is like "triangulations need".
void build_lack_text(char out[BUILD_TEXT_CHARS], spate_library library, const char *needed);
// The same as an error, SPATE_MISSING.
spate_result build_lack(spate_library library, const char *needed, spate_error *error);

#endif
