// What an emitter's definition says about its jet. Surfaces and volumes, which pour as well, count as emitters here.
#ifndef SOURCE_OPENING_H
#define SOURCE_OPENING_H

#include "spate/world.h"

// Area of an emitter's opening (m^2): 0 for a volume, and for a surface that has not been measured. One whose speed alone is given has whole columns, a spacing apart, so what it pours differs from
// area times speed by up to a few percent.
double emitter_area(const spate_source_def *def, double spacing);
// Mean speed of its jet, that of its fastest column (m/s), and what it pours (m^3/s).
double emitter_speed(const spate_source_def *def, double spacing);
double emitter_fastest(const spate_source_def *def, double spacing);
double emitter_flow(const spate_source_def *def, double spacing);
// Half of the width and of the height of its jet, or twice its radius (m).
void emitter_size(const spate_source_def *def, double spacing, double half[2]);

#endif
