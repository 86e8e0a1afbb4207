// What .vdb files tell besides their grids, as metadata of the file.
#ifndef BRIDGE_VDB_FACTS_H
#define BRIDGE_VDB_FACTS_H

#include <stdint.h>

typedef struct vdb_facts
{
	const char *note; // "made"; "" for none
	int64_t frame;    // -1 if unknown; then so is the time
	double time;      // s
	double fps;       // 0 if unknown
} vdb_facts;

#endif
