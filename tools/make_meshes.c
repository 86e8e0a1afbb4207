// Writes the meshes and textures of the example scenes: make_meshes FOLDER
#include "base/error.h"
#include "base/memory.h"
#include "render/image.h"
#include "tools/meshes/make.h"
#include "tools/meshes/make_part.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A valley 2 m long with a cliff in the middle: a river bed 0.8 m high, a fall, and a basin, rough all over.
static spate_result make_waterfall(spate_mesh **mesh, spate_error *error)
{
	spate_result result = make_terrain(mesh, 2.0, 1.0, 0.06, 40, 7, error);
	for (size_t v = 0; result == SPATE_OK && v < (*mesh)->vertex_count; v++)
	{
		float *p = (*mesh)->positions + 3 * v;
		double x = (double)p[0], z = (double)p[2];
		double down = fmin(1.0, fmax(0.0, (x + 0.25) / 0.2)),
		       cliff = 0.8 * (1.0 - down * down * (3.0 - 2.0 * down));
		double banks = 1.6 * z * z, rim = 0.9 * fmax(0.0, x - 0.7) + 1.5 * fmax(0.0, -0.88 - x);
		p[1] += (float)(cliff - 0.1 * x + banks + rim);
	}
	return result;
}

// A block that falls from `height` at x = 0 to nothing at `length`, with the whole texture on its slope. The other sides share
// one texel in the corner.
static spate_result make_ramp(spate_mesh **mesh, double length, double height, double width, spate_error *error)
{
	const float l = (float)length, h = (float)height, w = (float)(0.5 * width);
	const float places[6][3] = {{0, 0, -w}, {0, 0, w}, {0, h, -w}, {0, h, w}, {l, 0, -w}, {l, 0, w}};
	static const uint32_t corners[8][3] = {{2, 3, 5}, {2, 5, 4}, {0, 1, 3}, {0, 3, 2},
					       {0, 4, 5}, {0, 5, 1}, {1, 5, 3}, {0, 2, 4}};
	static const float slope[2][6] = {{0, 0, 0, 1, 1, 1}, {0, 0, 1, 1, 1, 0}};
	spate_result result = spate_mesh_create(mesh, 6, 8, error);
	if (result != SPATE_OK)
		return result;
	memcpy((*mesh)->positions, places, sizeof places);
	memcpy((*mesh)->triangles, corners, sizeof corners);
	(*mesh)->uvs = mem_calloc(8, 6 * sizeof(float));
	if (!(*mesh)->uvs)
		return error_memory(error, 8 * 6 * sizeof(float));
	memcpy((*mesh)->uvs, slope, sizeof slope);
	return SPATE_OK;
}

// At the place and of the size that the Stanford bunny has in most files, 33 mm above zero.
static spate_result make_stand_in(spate_mesh **mesh, spate_error *error)
{
	spate_result result = make_critter(mesh, 0.15, error);
	for (size_t v = 0; result == SPATE_OK && v < (*mesh)->vertex_count; v++)
		(*mesh)->positions[3 * v + 1] += 0.033f;
	return result;
}

static void place_channel(const void *context, double point[3])
{
	const double *middle = context;
	point[0] += 0.6;
	point[1] += 0.4;
	point[2] += *middle;
}

// Three troughs side by side, 1.2 m long, 0.8 m high and 0.3 m wide: a container of three rooms.
static spate_result make_channels(spate_mesh **mesh, spate_error *error)
{
	static const double size[3] = {1.2, 0.8, 0.3}, middles[3] = {0.15, 0.55, 0.95};
	spate_result result = make_begin(mesh, 3 * 8, 3 * 12, 0, error);
	if (result != SPATE_OK)
		return result;
	make_part p = {.mesh = *mesh};
	for (int i = 0; i < 3; i++)
		make_part_box(&p, size, place_channel, &middles[i], 0);
	return SPATE_OK;
}

enum
{
	TURNED_SEGMENTS = 48,
	TURNED_MOST = 10 // rings
};

typedef struct turned
{
	uint32_t rings;
	int lid;
	double profile[TURNED_MOST][2];
} turned;

// The room inside of a tall glass, 0.18 m high and wider at the top than at the foot: a container, closed above as well.
static const turned glass = {5, 1, {{0.02, 0.0}, {0.027, 0.004}, {0.029, 0.012}, {0.037, 0.12}, {0.039, 0.18}}};

// The bowl of a wine glass for 0.4 l, open above, and the foot that it stands on.
static const turned wine_bowl = {9,
				 0,
				 {{0.004, 0.088},
				  {0.014, 0.0895},
				  {0.024, 0.095},
				  {0.033, 0.106},
				  {0.039, 0.122},
				  {0.041, 0.14},
				  {0.0395, 0.16},
				  {0.036, 0.175},
				  {0.032, 0.188}}};
static const turned wine_foot = {8,
				 1,
				 {{0.034, 0.0},
				  {0.034, 0.0015},
				  {0.02, 0.004},
				  {0.008, 0.009},
				  {0.0045, 0.02},
				  {0.004, 0.05},
				  {0.005, 0.078},
				  {0.009, 0.087}}};

// A round basin of stone, 1 m across and 0.12 m deep.
static const turned stone_basin = {
    8,
    1,
    {{0.45, 0.0}, {0.47, 0.02}, {0.47, 0.12}, {0.5, 0.135}, {0.5, 0.165}, {0.49, 0.17}, {0.44, 0.17}, {0.43, 0.05}}};

// A bottle 0.3 m high, closed.
static const turned bottle = {9,
			      1,
			      {{0.034, 0.0},
			       {0.037, 0.004},
			       {0.037, 0.17},
			       {0.034, 0.19},
			       {0.02, 0.215},
			       {0.0145, 0.235},
			       {0.0135, 0.285},
			       {0.0155, 0.287},
			       {0.0155, 0.3}}};

static spate_result make_one_turned(spate_mesh **mesh, const turned *t, spate_error *error)
{
	return make_turned(mesh, t->profile, t->rings, t->lid, TURNED_SEGMENTS, error);
}

// Smooth at the edges, rough in a band down the middle: white where friction holds.
static spate_result make_band(const char *path, spate_error *error)
{
	image picture;
	spate_result result = image_init(&picture, 64, 64, error);
	if (result != SPATE_OK)
		return result;
	for (int y = 0; y < picture.height; y++)
		for (int x = 0; x < picture.width; x++)
		{
			uint8_t *pixel = picture.pixels + 4 * (y * picture.width + x);
			double side = fabs((y + 0.5) / picture.height - 0.5),
			       level = fmin(1.0, fmax(0.0, (0.25 - side) * 8.0));
			pixel[0] = pixel[1] = pixel[2] = (uint8_t)lround(255.0 * level);
			pixel[3] = 255;
		}
	result = image_write_png(&picture, path, error);
	image_free(&picture);
	return result;
}

// Smooth on one side of the slope's middle line, rough on the other.
static spate_result make_halves(const char *path, spate_error *error)
{
	image picture;
	spate_result result = image_init(&picture, 16, 16, error);
	if (result != SPATE_OK)
		return result;
	for (int k = 0; k < picture.width * picture.height; k++)
	{
		uint8_t *pixel = picture.pixels + 4 * k;
		pixel[0] = pixel[1] = pixel[2] = k / picture.width < picture.height / 2 ? 0 : 255;
		pixel[3] = 255;
	}
	result = image_write_png(&picture, path, error);
	image_free(&picture);
	return result;
}

static spate_result write_mesh(spate_mesh *mesh, spate_result made, const char *folder, const char *name,
			       spate_error *error)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	spate_result result = made == SPATE_OK ? spate_mesh_write(mesh, path, error) : made;
	spate_mesh_destroy(mesh);
	return result;
}

// One beat of a fish's tail after the other, file after file.
static spate_result make_swim(const char *folder, spate_error *error)
{
	enum
	{
		FILES = 25,
		BEAT = 8 // files
	};
	spate_result result = SPATE_OK;
	for (int i = 0; result == SPATE_OK && i < FILES; i++)
	{
		char name[64];
		snprintf(name, sizeof name, "fish_%04d.ply", i + 1);
		spate_mesh *mesh = NULL;
		spate_result made = make_fish(&mesh, 0.5, (double)i / BEAT, error);
		result = write_mesh(mesh, made, folder, name, error);
	}
	return result;
}

int main(int argc, char **argv)
{
	if (argc != 2)
	{
		fprintf(stderr, "usage: make_meshes FOLDER\n");
		return 2;
	}
	enum
	{
		COUNT = 24
	};
	static const char *const names[COUNT] = {
	    "waterfall.obj",   "grate.obj",    "wheel.obj",   "ramp.obj",  "cup.obj",       "critter.obj",
	    "dragon.obj",      "channels.obj", "globe.obj",   "glass.obj", "idol.obj",      "wine_bowl.obj",
	    "wine_foot.obj",   "bottle.obj",   "cascade.obj", "sewer.obj", "cobbles.obj",   "stone_basin.obj",
	    "drain_grate.obj", "duck.obj",     "hull.obj",    "bag.obj",   "soft_ball.obj", "flag.obj"};
	spate_error error = {0};
	spate_mesh *meshes[COUNT] = {0};
	const spate_result made[COUNT] = {
	    make_waterfall(&meshes[0], &error),
	    make_grate(&meshes[1], 0.6, 0.02, 9, &error),
	    make_wheel(&meshes[2], 0.3, 0.05, 0.36, 0.02, 8, &error),
	    make_ramp(&meshes[3], 1.0, 0.4, 0.5, &error),
	    make_cup(&meshes[4], 0.05, 0.12, 0.003, 48, &error),
	    make_stand_in(&meshes[5], &error),
	    make_dragon(&meshes[6], 1.0, &error),
	    make_channels(&meshes[7], &error),
	    make_sphere(&meshes[8], 0.2, 32, 16, &error),
	    make_one_turned(&meshes[9], &glass, &error),
	    make_idol(&meshes[10], 0.5, &error),
	    make_one_turned(&meshes[11], &wine_bowl, &error),
	    make_one_turned(&meshes[12], &wine_foot, &error),
	    make_one_turned(&meshes[13], &bottle, &error),
	    make_cascade(&meshes[14], &error),
	    make_sewer(&meshes[15], &error),
	    make_cobbles(&meshes[16], &error),
	    make_one_turned(&meshes[17], &stone_basin, &error),
	    make_grate(&meshes[18], 0.3, 0.012, 4, &error),
	    make_duck(&meshes[19], 0.2, &error),
	    make_hull(&meshes[20], 0.6, &error),
	    make_bag(&meshes[21], 0.12, 10, 32, &error),
	    make_sphere(&meshes[22], 0.1, 24, 12, &error),
	    make_flag(&meshes[23], 0.24, 0.1, 18, 8, &error),
	};
	char path[4096];
	snprintf(path, sizeof path, "%s/band.png", argv[1]);
	spate_result result = make_band(path, &error);
	snprintf(path, sizeof path, "%s/halves.png", argv[1]);
	if (result == SPATE_OK)
		result = make_halves(path, &error);
	for (int i = 0; i < COUNT; i++)
	{
		spate_result written = write_mesh(meshes[i], made[i], argv[1], names[i], &error);
		result = result == SPATE_OK ? written : result;
	}
	if (result == SPATE_OK)
		result = make_swim(argv[1], &error);
	if (result != SPATE_OK)
		fprintf(stderr, "make_meshes: %s\n", error.text);
	return result != SPATE_OK;
}
