#include "collider/pose.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

spate_pose spate_default_pose(void)
{
	return (spate_pose){.rotation = {1, 0, 0, 0}, .scale = 1.0};
}

rigid placement_rigid(const placement *at)
{
	rigid out = {.scale = (float)at->scale,
		     .translation = {(float)at->translation[0], (float)at->translation[1], (float)at->translation[2]}};
	for (int k = 0; k < 9; k++)
		out.rotation[k] = (float)at->rotation[k];
	return out;
}

// p - before(now^-1(p)) in double precision, because a step's travel is a small difference of large coordinates.
affine placement_travel(const placement *before, const placement *now)
{
	affine travel;
	double offset[3], growth = before->scale / now->scale;
	for (int k = 0; k < 3; k++)
	{
		offset[k] = -before->translation[k];
		for (int j = 0; j < 3; j++)
		{
			double back = 0.0;
			for (int i = 0; i < 3; i++)
				back += before->rotation[3 * k + i] * now->rotation[3 * j + i];
			back *= growth;
			travel.matrix[3 * k + j] = (float)((k == j) - back);
			offset[k] += back * now->translation[j];
		}
	}
	travel.offset = (vec3){(float)offset[0], (float)offset[1], (float)offset[2]};
	return travel;
}

// ------------------------------------------------------------------------------------------------- world coordinates

static double row_of(const placement *at, int k, const double p[3])
{
	const double *r = at->rotation + (size_t)3 * (size_t)k;
	return at->scale * (r[0] * p[0] + r[1] * p[1] + r[2] * p[2]);
}

// Quaternion of a rotation matrix, from its largest component for accuracy; w is not negative.
static void to_quaternion(const double m[9], double q[4])
{
	double trace = m[0] + m[4] + m[8];
	double squares[4] = {1.0 + trace, 1.0 + 2.0 * m[0] - trace, 1.0 + 2.0 * m[4] - trace, 1.0 + 2.0 * m[8] - trace};
	int largest = 0;
	for (int k = 1; k < 4; k++)
		largest = squares[k] > squares[largest] ? k : largest;
	double twice = sqrt(squares[largest]), by = 0.5 / twice;
	// products 4 q_a q_b
	double wx = m[7] - m[5], wy = m[2] - m[6], wz = m[3] - m[1], xy = m[1] + m[3], xz = m[2] + m[6],
	       yz = m[5] + m[7];
	const double products[4][4] = {{0, wx, wy, wz}, {wx, 0, xy, xz}, {wy, xy, 0, yz}, {wz, xz, yz, 0}};
	for (int k = 0; k < 4; k++)
		q[k] = k == largest ? 0.5 * twice : by * products[largest][k];
	for (int k = 3; k >= 0 && q[0] < 0.0; k--)
		q[k] = -q[k];
}

spate_pose placement_to_pose(const placement *at, const double origin[3])
{
	spate_pose pose = {.scale = at->scale};
	for (int k = 0; k < 3; k++)
		pose.position[k] = at->translation[k] + origin[k] - row_of(at, k, origin);
	to_quaternion(at->rotation, pose.rotation);
	return pose;
}

placement placement_of_pose(const spate_pose *pose, const double origin[3])
{
	double length = 0.0, q[4];
	for (int k = 0; k < 4; k++)
		length += pose->rotation[k] * pose->rotation[k];
	for (int k = 0; k < 4; k++)
		q[k] = pose->rotation[k] / sqrt(length);
	double w = q[0], x = q[1], y = q[2], z = q[3];
	placement at = {.rotation = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
				     2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
				     2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)},
			.scale = pose->scale};
	for (int k = 0; k < 3; k++)
		at.translation[k] = pose->position[k] - origin[k] + row_of(&at, k, origin);
	return at;
}

int pose_is_valid(const spate_pose *pose)
{
	double length = 0.0, sum = 0.0;
	for (int k = 0; k < 4; k++)
		length += pose->rotation[k] * pose->rotation[k];
	for (int k = 0; k < 3; k++)
		sum += fabs(pose->position[k]);
	return isfinite(sum) && isfinite(length) && length > 0.0 && isfinite(pose->scale) && pose->scale > 0.0;
}

// ------------------------------------------------------------------------------------------------------------- fixed

static spate_result place_fixed(void *self, double begin, double end, placement *before, placement *now,
				spate_error *error)
{
	(void)begin, (void)end, (void)error;
	*before = *now = *(const placement *)self;
	return SPATE_OK;
}

static double speed_of_fixed(const void *self, const pose_extent *extent, double begin, double end)
{
	(void)self, (void)extent, (void)begin, (void)end;
	return 0.0;
}

const pose_type pose_fixed = {.name = "fixed", .place = place_fixed, .speed = speed_of_fixed, .destroy = mem_free};

void pose_source_destroy(pose_source *source)
{
	if (source->type)
		source->type->destroy(source->self);
	*source = (pose_source){0};
}
