#include "base/error.h"
#include "surface/finish.h"

spate_result surface_decimate(surface_mesh *mesh, double tolerance, spate_error *error)
{
	(void)mesh;
	(void)tolerance;
	(void)error;
	return SPATE_OK;
}
