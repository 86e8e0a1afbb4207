#include "cli/scene_report.h"

#include "cli/command.h"
#include "cli/report.h"
#include "cli/text.h"
#include "spate/check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const shape_names[SPATE_SHAPE_COUNT] = {"plane",     "box",  "sphere", "capsule",   "cylinder",
							   "ellipsoid", "mesh", "union",  "difference"};
static const char *const quality_names[SPATE_QUALITY_COUNT] = {"draft", "normal", "high"};

static int has_smoothing(const spate_fluid_def *fluid)
{
	return fluid->damping > 0.0 || (fluid->damping < 0.0 && fluid->viscosity > 0.0);
}

static const char *const mode_names[] = {"outside", "inside", "shell"};

static const char *mode_text(spate_collider_mode mode)
{
	static const char *const texts[] = {"", ", container", ", shell"};
	return texts[mode];
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static const char *motion_text(const spate_motion *motion)
{
	return motion->keyframe_count > 0 || motion->amplitude != 0.0 || motion->turn != 0.0 ? ", moving" : "";
}

static void print_fluids(const spate_check *check)
{
	for (uint32_t i = 0; i < check->scene.world.fluid_count; i++)
	{
		const spate_fluid_def *f = &check->scene.world.fluids[i];
		const spate_fluid_check *c = &check->fluids[i];
		printf("  fluid      %s: spacing %g m, density %g kg/m^3, viscosity %g m^2/s, about %s particles\n",
		       f->name, f->spacing, f->density, f->viscosity, report_count(c->particles).text);
		printf("             numerical viscosity about %.2g m^2/s%s\n", c->numerical,
		       f->damping < 0.0 && f->viscosity < c->numerical ? ", more than the fluid's own" : "");
		if (!has_smoothing(f))
			continue;
		printf("             %s gives an XSPH coefficient of %.3g per substep",
		       f->damping >= 0.0 ? "damping" : "viscosity", c->coefficient);
		if (c->implicit)
			printf(": solved implicitly instead of in %s smoothing passes", report_count(c->rounds).text);
		else if (c->rounds > 1.0)
			printf(": %s smoothing passes per substep", report_count(c->rounds).text);
		putchar('\n');
	}
}

static const char *const source_names[SPATE_SOURCE_COUNT] = {[SPATE_SOURCE_FILL] = "fill",
							     [SPATE_SOURCE_EMITTER] = "emitter",
							     [SPATE_SOURCE_SURFACE] = "surface",
							     [SPATE_SOURCE_VOLUME] = "volume"};

static void print_own(const char *name, double value, const char *unit)
{
	if (value >= 0.0)
		printf(", %s %g%s", name, value, unit);
}

static void print_mesh(const spate_mesh_report *r)
{
	printf("             %s triangles", report_count(r->triangles).text);
	if (r->dropped > 0)
		printf(" (%s degenerate, dropped)", report_count(r->dropped).text);
	if (r->files > 1)
		printf(" in the first of %s files", report_count(r->files).text);
	printf(", %s, %.4g x %.4g x %.4g m\n", r->open_edges ? "open" : "closed", r->high[0] - r->low[0],
	       r->high[1] - r->low[1], r->high[2] - r->low[2]);
	printf("             from [%.4g, %.4g, %.4g] to [%.4g, %.4g, %.4g]\n", r->low[0], r->low[1], r->low[2],
	       r->high[0], r->high[1], r->high[2]);
	printf("             distance field with cells of %.4g m: about %s voxels, %s\n", r->cell,
	       report_count(r->field_voxels).text, report_bytes(r->field_bytes).text);
}

// What follows the value of a key of a source that has a curve.
static const char *at_first(const spate_world_def *world, uint32_t source, const char *key)
{
	char path[64];
	snprintf(path, sizeof path, "sources.%" PRIu32 ".%s", source, key);
	for (uint32_t t = 0; t < world->track_count; t++)
		if (strcmp(world->tracks[t].path, path) == 0)
			return " at first";
	return "";
}

static void print_objects(const spate_scene *scene)
{
	const spate_world_def *world = &scene->world;
	for (uint32_t i = 0; i < world->interface_count; i++)
	{
		const spate_interface_def *f = &world->interfaces[i];
		printf("  interface  %s and %s: %g N/m\n", world->fluids[f->fluids[0]].name,
		       world->fluids[f->fluids[1]].name, f->surface_tension);
	}
	for (uint32_t i = 0; i < world->source_count; i++)
	{
		const spate_source_def *s = &world->sources[i];
		printf("  source     %s: ", s->name ? s->name : "(no name)");
		if (s->from)
			printf("starts from %s%s%s", file_name(s->from), s->fluid < world->fluid_count ? " with " : "",
			       s->fluid < world->fluid_count ? world->fluids[s->fluid].name : "");
		else if (s->type == SPATE_SOURCE_FILL)
			printf("fills a %s with %s", shape_names[s->shape.type], world->fluids[s->fluid].name);
		else
		{
			printf(s->type == SPATE_SOURCE_SURFACE  ? "pours %s from a surface"
			       : s->type == SPATE_SOURCE_VOLUME ? "lets %s appear in a volume"
								: "emits %s",
			       world->fluids[s->fluid].name);
			if (s->area > 0.0)
				printf(" of %.3g m^2", s->area);
			if (s->speed >= 0.0)
				printf(" at %g m/s%s", s->speed, at_first(world, i, "speed"));
			if (s->flow >= 0.0)
				printf(", %g m^3/s%s", s->flow, at_first(world, i, "flow"));
			if (s->count > 0)
				printf(", %" PRIu64 " particles", s->count);
		}
		if (s->start > 0.0)
			printf(" from %g s", s->start);
		if (s->type != SPATE_SOURCE_FILL && s->stop >= 0.0)
			printf(" until %g s", s->stop);
		print_own("viscosity", s->material.viscosity, " m^2/s");
		print_own("damping", s->material.damping, "");
		print_own("cohesion", s->material.cohesion, "");
		print_own("density", s->material.density, " kg/m^3");
		putchar('\n');
	}
	for (uint32_t i = 0; i < world->collider_count; i++)
	{
		const spate_collider_def *c = &world->colliders[i];
		const spate_mesh_report *mesh = spate_scene_mesh_report(scene, i);
		printf("  collider   %s: %s%s%s%s\n", c->name ? c->name : "(no name)", c->mesh.path ? "mesh " : "",
		       c->mesh.path ? file_name(c->mesh.path) : shape_names[c->shape.type], mode_text(c->mode),
		       motion_text(&c->motion));
		if (mesh)
			print_mesh(mesh);
	}
}

// The number of particles over time, unless it is always the same.
static void print_particles(const spate_estimate *e)
{
	int changes = 0;
	printf("  particles  about %s at the end%s\n", report_count(e->particles).text,
	       e->open_sinks > 0 ? ", before sinks remove some" : "");
	for (int i = 0; i < SPATE_ESTIMATE_TIMES; i++)
		changes |= round(e->alive[i]) != round(e->alive[0]) || round(e->alive[i]) != round(e->most);
	if (!changes)
		return;
	printf("             %-9s", "time");
	for (int i = 0; i < SPATE_ESTIMATE_TIMES; i++)
		printf("%11.4g s", e->times[i]);
	printf("\n             %-9s", "about");
	for (int i = 0; i < SPATE_ESTIMATE_TIMES; i++)
		printf("%13s", report_count(e->alive[i]).text);
	printf("\n");
	if (e->most > 1.01 * e->particles)
		printf("             at most %s at any time\n", report_count(e->most).text);
}

static void print_scene(const spate_check *check)
{
	const spate_scene *scene = &check->scene;
	const spate_estimate *e = &check->estimate;
	const spate_world_def *world = &scene->world;
	printf("%s: %u frames at %g fps, %g s\n", scene->name, scene->frames, world->fps, scene->frames / world->fps);
	printf("  solver     quality %s, %s%.0f substeps per frame\n", quality_names[world->solver.quality],
	       world->solver.substeps > 0 ? "" : "about ", e->substeps);
	print_fluids(check);
	print_objects(scene);
	if (world->sink_count > 0)
		printf("  sinks      %u\n", world->sink_count);
	if (world->probe_count > 0)
		printf("  probes     %u\n", world->probe_count);
	print_particles(e);
	printf("  memory     about %s\n", report_bytes(e->bytes + check->field_bytes).text);
	printf("  time       about %s\n", report_seconds(e->seconds).text);
}

// --------------------------------------------------------------------------------------------------------------- JSON

static void add_problems(FILE *json, const spate_problems *problems)
{
	fprintf(json, ",\"problems\":[");
	for (uint32_t i = 0; i < problems->count; i++)
	{
		const spate_problem *p = &problems->items[i];
		fprintf(json, "%s{\"level\":\"%s\",", i ? "," : "", p->warning ? "warning" : "error");
		if (p->file[0])
		{
			fprintf(json, "\"file\":");
			json_put_string(json, p->file);
			fprintf(json, ",");
		}
		fprintf(json, "\"line\":%u,\"column\":%u,\"path\":", p->line, p->column);
		json_put_string(json, p->path);
		fprintf(json, ",\"text\":");
		json_put_string(json, p->text);
		fprintf(json, "}");
	}
	fprintf(json, "]");
}

static void add_named(FILE *json, const char *key, double value)
{
	fprintf(json, ",\"%s\":", key);
	json_put_number(json, value);
}

static void add_name(FILE *json, uint32_t index, const char *name)
{
	fprintf(json, "%s{\"name\":", index ? "," : "");
	json_put_string(json, name ? name : "");
}

static void add_place(FILE *json, const char *key, const double place[3])
{
	fprintf(json, ",\"%s\":", key);
	for (int k = 0; k < 3; k++)
	{
		fprintf(json, "%s", k ? "," : "[");
		json_put_number(json, place[k]);
	}
	fprintf(json, "]");
}

static void add_mesh(FILE *json, const spate_collider_def *c, const spate_mesh_report *r)
{
	fprintf(json, ",\"mesh\":");
	json_put_string(json, c->mesh.path);
	if (!r)
		return;
	add_named(json, "files", r->files);
	add_named(json, "triangles", r->triangles);
	add_named(json, "dropped", r->dropped);
	fprintf(json, ",\"closed\":%s", r->open_edges ? "false" : "true");
	add_place(json, "low", r->low);
	add_place(json, "high", r->high);
	add_named(json, "area", r->area);
	add_named(json, "cell", r->cell);
	add_named(json, "field_voxels", round(r->field_voxels));
	add_named(json, "field_bytes", round(r->field_bytes));
}

static void add_objects(FILE *json, const spate_check *check)
{
	const spate_scene *scene = &check->scene;
	const spate_world_def *world = &scene->world;
	fprintf(json, ",\"fluids\":[");
	for (uint32_t i = 0; i < world->fluid_count; i++)
	{
		const spate_fluid_def *f = &world->fluids[i];
		const spate_fluid_check *c = &check->fluids[i];
		add_name(json, i, f->name);
		add_named(json, "spacing", f->spacing);
		add_named(json, "density", f->density);
		add_named(json, "viscosity", f->viscosity);
		add_named(json, "particles", round(c->particles));
		add_named(json, "numerical_viscosity", c->numerical);
		add_named(json, "xsph", c->coefficient);
		add_named(json, "xsph_rounds", c->rounds);
		fprintf(json, ",\"implicit\":%s}", c->implicit ? "true" : "false");
	}
	fprintf(json, "],\"sources\":[");
	for (uint32_t i = 0; i < world->source_count; i++)
	{
		const spate_source_def *s = &world->sources[i];
		add_name(json, i, s->name);
		fprintf(json, ",\"type\":\"%s\",\"fluid\":", source_names[s->type]);
		if (s->fluid < world->fluid_count)
			json_put_string(json, world->fluids[s->fluid].name);
		else
			fprintf(json, "null");
		if (s->from)
		{
			fprintf(json, ",\"from\":");
			json_put_string(json, s->from);
		}
		fprintf(json, "}");
	}
	fprintf(json, "],\"colliders\":[");
	for (uint32_t i = 0; i < world->collider_count; i++)
	{
		const spate_collider_def *c = &world->colliders[i];
		add_name(json, i, c->name);
		if (c->mesh.path)
			add_mesh(json, c, spate_scene_mesh_report(scene, i));
		else
			fprintf(json, ",\"shape\":\"%s\"", shape_names[c->shape.type]);
		fprintf(json, ",\"mode\":\"%s\"}", mode_names[c->mode]);
	}
	fprintf(json, "]");
}

static int print_json(const char *path, const spate_check *check, const char *program)
{
	const spate_scene *scene = &check->scene;
	output_text out;
	text_open(&out, program);
	FILE *json = out.stream;
	fprintf(json, "{\"kind\":\"scene\",\"file\":");
	json_put_string(json, path);
	fprintf(json, ",\"valid\":%s", check->valid ? "true" : "false");
	add_problems(json, &check->problems);
	if (check->valid)
	{
		const spate_estimate *e = &check->estimate;
		fprintf(json, ",\"name\":");
		json_put_string(json, scene->name);
		add_named(json, "frames", scene->frames);
		add_named(json, "fps", scene->world.fps);
		add_named(json, "duration", scene->frames / scene->world.fps);
		add_named(json, "substeps", e->substeps);
		add_objects(json, check);
		add_named(json, "particles", round(e->particles));
		add_named(json, "particles_most", round(e->most));
		fprintf(json, ",\"particles_over_time\":[");
		for (int i = 0; i < SPATE_ESTIMATE_TIMES; i++)
		{
			fprintf(json, "%s{\"time\":", i ? "," : "");
			json_put_number(json, e->times[i]);
			add_named(json, "particles", round(e->alive[i]));
			fprintf(json, "}");
		}
		fprintf(json, "]");
		add_named(json, "bytes", round(e->bytes + check->field_bytes));
		add_named(json, "iterations", e->iterations);
		add_named(json, "smoothing", e->smoothing);
		add_named(json, "particle_substeps", e->particle_substeps);
		add_named(json, "particle_iterations", e->particle_iterations);
		add_named(json, "cpu_seconds", e->cpu_seconds);
		add_named(json, "seconds", e->seconds);
	}
	fprintf(json, "}");
	return text_print(&out, program);
}

// ------------------------------------------------------------------------------------------------------------ the whole

int scene_report(const char *path, const scene_report_options *options)
{
	spate_check_def def = {path, options->overrides, options->override_count, options->read_meshes};
	spate_check check;
	spate_error error = {0};
	int status = EXIT_DONE;
	spate_result result = spate_check_run(&def, &check, &error);
	if (result != SPATE_OK && result != SPATE_SCENE)
	{
		complain(options->program, "%s", error.text);
		return EXIT_FAILED;
	}
	if (options->json)
		status = print_json(path, &check, options->program);
	else
		command_print_problems(path, &check.problems);
	if (check.valid && !options->json && !options->quiet)
	{
		print_scene(&check);
		status = finish_output(options->program);
	}
	if (result == SPATE_SCENE)
	{
		status = EXIT_MISUSE;
		if (!options->json)
			complain(options->program, "%s has %u %s", path, check.problems.errors,
				 check.problems.errors == 1 ? "mistake" : "mistakes");
	}
	spate_check_free(&check);
	return status;
}
