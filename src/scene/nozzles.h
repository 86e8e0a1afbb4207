// Nozzles: a capsule or cylinder that an emitter follows tells where the emitter opens, and where it points.
#ifndef SCENE_NOZZLES_H
#define SCENE_NOZZLES_H

#include "scene/read.h"

// Gives emitters that follow a collider the place and the direction that the scene leaves out. Fluids and colliders are known by now.
void nozzles_complete(scene_reader *reader);

#endif
