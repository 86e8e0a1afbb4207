// Libraries that a build may be without, and with them what they are for. May be called from any thread.
#ifndef SPATE_BUILD_H
#define SPATE_BUILD_H

#include "spate/result.h"

#ifdef __cplusplus
extern "C" {
#endif

// name, as people write it, packages of Debian
#define SPATE_LIBRARY_MAP(X)                                                                                  \
	X(OPENVDB, "OpenVDB", "libopenvdb-dev libnanovdb-dev libboost-dev libboost-iostreams-dev libtbb-dev") \
	X(QHULL, "Qhull", "libqhull-dev")                                                                     \
	X(OPENEXR, "OpenEXR", "libopenexr-dev")                                                               \
	X(ODE, "ODE", "libode-dev")

typedef enum spate_library
{
#define X(name, text, packages) SPATE_LIBRARY_##name,
	SPATE_LIBRARY_MAP(X)
#undef X
	SPATE_LIBRARY_COUNT
} spate_library;

// The libraries that this build has, bit 1 << SPATE_LIBRARY_QHULL for Qhull and so on.
SPATE_API unsigned spate_build_libraries(void);
// "OpenVDB"
SPATE_API const char *spate_library_name(spate_library library);

#ifdef __cplusplus
}
#endif
#endif
