// Spate: liquids made of particles. Includes all public headers.
#ifndef SPATE_H
#define SPATE_H

#include "spate/body.h"
#include "spate/build.h"
#include "spate/check.h"
#include "spate/constraint.h"
#include "spate/export.h"
#include "spate/file.h"
#include "spate/formats.h"
#include "spate/frame.h"
#include "spate/info.h"
#include "spate/job.h"
#include "spate/live.h"
#include "spate/log.h"
#include "spate/mesh.h"
#include "spate/mesh_job.h"
#include "spate/neighbours.h"
#include "spate/plot.h"
#include "spate/pose.h"
#include "spate/preview.h"
#include "spate/result.h"
#include "spate/run.h"
#include "spate/scene.h"
#include "spate/snapshot.h"
#include "spate/solver.h"
#include "spate/store.h"
#include "spate/surface.h"
#include "spate/threads.h"
#include "spate/world.h"

#endif
