#include "run/body_lines.h"

#include <stdio.h>
#include <string.h>

#define COLUMNS "frame,time,name,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,fx,fy,fz,tx,ty,tz"

enum
{
	NAME_ROOM = 512,
	LINE_ROOM = NAME_ROOM + 1024
};

// A name as a field of a CSV file: in quotes, which are doubled, where it needs them. Bodies without a name have their number.
static void write_name(char out[NAME_ROOM], const char *name, uint32_t number)
{
	size_t at = 0;
	if (!name)
		snprintf(out, NAME_ROOM, "body_%u", number);
	else if (!strpbrk(name, ",\"\r\n"))
		snprintf(out, NAME_ROOM, "%s", name);
	if (!name || !strpbrk(name, ",\"\r\n"))
		return;
	out[at++] = '"';
	for (const char *c = name; *c && at < NAME_ROOM - 4; c++)
	{
		if (*c == '"')
			out[at++] = '"';
		out[at++] = *c;
	}
	out[at++] = '"';
	out[at] = '\0';
}

static size_t add_numbers(char *line, size_t at, const double *values, int count)
{
	for (int k = 0; k < count; k++)
		at += (size_t)snprintf(line + at, LINE_ROOM - at, ",%.9g", values[k]);
	return at;
}

spate_result body_lines_write(append_log *log, const spate_world *world, const spate_body_def *defs, spate_error *error)
{
	spate_result result = log->bytes == 0 ? append_log_line(log, COLUMNS, error) : SPATE_OK;
	for (uint32_t b = 0; b < spate_world_body_count(world) && result == SPATE_OK; b++)
	{
		char line[LINE_ROOM], name[NAME_ROOM];
		spate_body_state s;
		result = spate_world_body(world, b, &s, error);
		if (result != SPATE_OK)
			break;
		write_name(name, defs[b].name, b);
		size_t at = (size_t)snprintf(line, sizeof line, "%u,%.9g,%s", spate_world_frame(world),
					     spate_world_time(world), name);
		at = add_numbers(line, at, s.position, 3);
		at = add_numbers(line, at, s.rotation, 4);
		at = add_numbers(line, at, s.velocity, 3);
		at = add_numbers(line, at, s.spin, 3);
		at = add_numbers(line, at, s.force, 3);
		add_numbers(line, at, s.torque, 3);
		result = append_log_line(log, line, error);
	}
	return result;
}
