// Onderik's thesis on particle-based liquids, section 5.1. Its ownership rule, 0 < P_k < phi_k (equation 17), assigns
// nothing to a fluid that is alone, since there P_k = phi_k, and switches labels away from the zero set of P_K: with
// two fluids, at phi_1 = 2 phi_2. The sign inside the absolute value, phi_k > P_{k-1}, agrees with the zero set and is
// used instead. Likewise the first sign in equation 16 is that of the term inside.
#include "surface/labels.h"

#include <math.h>

float labels_composite(uint32_t fluids, const float *phi)
{
	float p = 0.0f;
	for (uint32_t k = 0; k < fluids; k++)
		p = fabsf(p - fmaxf(0.0f, phi[k]));
	return p;
}

void labels_composite_gradient(uint32_t fluids, const float *phi, const float (*gradients)[3], float out[3])
{
	float p = 0.0f;
	out[0] = out[1] = out[2] = 0.0f;
	for (uint32_t k = 0; k < fluids; k++)
	{
		float inside = phi[k] > 0.0f ? 1.0f : 0.0f;
		float term = p - inside * phi[k];
		float sign = term > 0.0f ? 1.0f : term < 0.0f ? -1.0f : 0.0f;
		for (int axis = 0; axis < 3; axis++)
			out[axis] = sign * (out[axis] - inside * gradients[k][axis]);
		p = fabsf(term);
	}
}

uint8_t labels_classify(labels_rule rule, uint32_t fluids, const float *phi)
{
	uint32_t label = 0;
	float p = 0.0f;
	for (uint32_t k = 0; k < fluids; k++)
	{
		if (phi[k] > p)
			label = k + 1;
		p = rule == LABELS_COMPOSITE ? fabsf(p - fmaxf(0.0f, phi[k])) : fmaxf(p, phi[k]);
	}
	return (uint8_t)label;
}
