#include "base/build.h"

#include "base/error.h"

#include <stdio.h>

static const char *const names[] = {
#define X(name, text, packages) text,
    SPATE_LIBRARY_MAP(X)
#undef X
};

static const char *const packages_of[] = {
#define X(name, text, packages) packages,
    SPATE_LIBRARY_MAP(X)
#undef X
};

unsigned spate_build_libraries(void)
{
	unsigned libraries = 0;
#ifdef SPATE_OPENVDB
	libraries |= 1u << SPATE_LIBRARY_OPENVDB;
#endif
#ifdef SPATE_QHULL
	libraries |= 1u << SPATE_LIBRARY_QHULL;
#endif
#ifdef SPATE_OPENEXR
	libraries |= 1u << SPATE_LIBRARY_OPENEXR;
#endif
#ifdef SPATE_ODE
	libraries |= 1u << SPATE_LIBRARY_ODE;
#endif
	return libraries;
}

const char *spate_library_name(spate_library library)
{
	return (unsigned)library < SPATE_LIBRARY_COUNT ? names[library] : "unknown";
}

void build_lack_text(char out[BUILD_TEXT_CHARS], spate_library library, const char *needed)
{
	snprintf(out, BUILD_TEXT_CHARS, "this build has no %s, which %s; install %s (tools/install.sh run) and rebuild",
		 names[library], needed, packages_of[library]);
}

spate_result build_lack(spate_library library, const char *needed, spate_error *error)
{
	char text[BUILD_TEXT_CHARS];
	build_lack_text(text, library, needed);
	return error_set(error, SPATE_MISSING, "%s", text);
}
