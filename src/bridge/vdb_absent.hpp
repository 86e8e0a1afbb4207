// What is said where OpenVDB is missing.
#ifndef BRIDGE_VDB_ABSENT_HPP
#define BRIDGE_VDB_ABSENT_HPP

extern "C" {
#include "base/error.h"
}

static inline spate_result vdb_absent(spate_error *error)
{
	return error_set(error, SPATE_MISSING,
			 "this build has no OpenVDB, which .vdb files need; install libopenvdb-dev libnanovdb-dev "
			 "libboost-dev libboost-iostreams-dev libtbb-dev (tools/install.sh run) and rebuild");
}

#endif
