// The variables of formulas for forces, for those who check them.
#ifndef FORCE_EXPRESSION_H
#define FORCE_EXPRESSION_H

enum
{
	FORCE_VARIABLES = 7
};

// x, y, z (m), t (s), vx, vy, vz (m/s)
extern const char *const force_variables[FORCE_VARIABLES];

#endif
