#include "cli/scene_report.h"

#include "cli/command.h"
#include "cli/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const shape_names[SPATE_SHAPE_COUNT] = {"plane", "box", "sphere", "capsule", "cylinder"};
static const char *const quality_names[SPATE_QUALITY_COUNT] = {"draft", "normal", "high"};

// Smoothing that a fluid's viscosity needs: coefficient c per substep, in rounds of limited strength. If too many rounds would be
// needed, the solver solves implicitly instead (solver/viscosity.c).
typedef struct smoothing
{
	double coefficient, rounds;
	int implicit;
} smoothing;

static smoothing smoothing_of(const spate_scene *scene, const spate_fluid_def *fluid, double substeps)
{
	static const double most_rounds = 20.0;
	double h = 2.0 * fluid->spacing, dt = 1.0 / (scene->world.fps * substeps);
	double c = fluid->damping >= 0.0 ? fluid->damping : 22.0 * fluid->viscosity * dt / (h * h);
	int pairwise = scene->world.solver.viscosity_model == SPATE_VISCOSITY_PAIRWISE;
	double rounds = fmax(1.0, ceil(pairwise ? c * 5.4 / 2.0 : c / 0.5));
	return (smoothing){c, rounds, rounds > most_rounds};
}

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
	return motion->keyframe_count > 0 || motion->amplitude != 0.0 ? ", moving" : "";
}

static void print_fluids(const spate_scene *scene, double substeps)
{
	for (uint32_t i = 0; i < scene->world.fluid_count; i++)
	{
		const spate_fluid_def *f = &scene->world.fluids[i];
		printf("  fluid      %s: spacing %g m, density %g kg/m^3, viscosity %g m^2/s, about %s particles\n",
		       f->name, f->spacing, f->density, f->viscosity,
		       report_count(spate_scene_estimate_fluid(scene, i)).text);
		if (!has_smoothing(f))
			continue;
		smoothing s = smoothing_of(scene, f, substeps);
		printf("             %s gives an XSPH coefficient of %.3g per substep",
		       f->damping >= 0.0 ? "damping" : "viscosity", s.coefficient);
		if (s.implicit)
			printf(": solved implicitly instead of in %s smoothing passes", report_count(s.rounds).text);
		else if (s.rounds > 1.0)
			printf(": %s smoothing passes per substep", report_count(s.rounds).text);
		putchar('\n');
	}
}

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

static void print_objects(const spate_scene *scene)
{
	const spate_world_def *world = &scene->world;
	for (uint32_t i = 0; i < world->source_count; i++)
	{
		const spate_source_def *s = &world->sources[i];
		printf("  source     %s: ", s->name ? s->name : "(no name)");
		if (s->type == SPATE_SOURCE_FILL)
			printf("fills a %s with %s", shape_names[s->shape.type], world->fluids[s->fluid].name);
		else
			printf("emits %s at %g m/s", world->fluids[s->fluid].name, s->speed);
		if (s->start > 0.0)
			printf(" from %g s", s->start);
		if (s->type == SPATE_SOURCE_EMITTER && s->stop >= 0.0)
			printf(" until %g s", s->stop);
		print_own("viscosity", s->material.viscosity, " m^2/s");
		print_own("damping", s->material.damping, "");
		print_own("surface tension", s->material.surface_tension, "");
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

static double field_bytes(const spate_scene *scene)
{
	double bytes = 0.0;
	for (uint32_t i = 0; i < scene->world.collider_count; i++)
	{
		const spate_mesh_report *mesh = spate_scene_mesh_report(scene, i);
		bytes += mesh ? mesh->field_bytes : 0.0;
	}
	return bytes;
}

static void print_scene(const spate_scene *scene)
{
	spate_estimate e;
	spate_scene_estimate(scene, &e);
	const spate_world_def *world = &scene->world;
	printf("%s: %u frames at %g fps, %g s\n", scene->name, scene->frames, world->fps, scene->frames / world->fps);
	printf("  solver     quality %s, %s%.0f substeps per frame\n", quality_names[world->solver.quality],
	       world->solver.substeps > 0 ? "" : "about ", e.substeps);
	print_fluids(scene, e.substeps);
	print_objects(scene);
	if (world->sink_count > 0)
		printf("  sinks      %u\n", world->sink_count);
	if (world->probe_count > 0)
		printf("  probes     %u\n", world->probe_count);
	printf("  particles  about %s at the end\n", report_count(e.particles).text);
	printf("  memory     about %s\n", report_bytes(e.bytes + field_bytes(scene)).text);
	printf("  time       about %s\n", report_seconds(e.seconds).text);
}

// --------------------------------------------------------------------------------------------------------------- JSON

static void add_problems(buffer *json, const spate_problems *problems)
{
	buffer_add(json, ",\"problems\":[");
	for (uint32_t i = 0; i < problems->count; i++)
	{
		const spate_problem *p = &problems->items[i];
		buffer_add(json, "%s{\"level\":\"%s\",\"line\":%u,\"column\":%u,\"path\":", i ? "," : "",
			   p->warning ? "warning" : "error", p->line, p->column);
		buffer_add_quoted(json, p->path);
		buffer_add(json, ",\"text\":");
		buffer_add_quoted(json, p->text);
		buffer_add(json, "}");
	}
	buffer_add(json, "]");
}

static void add_named(buffer *json, const char *key, double value)
{
	buffer_add(json, ",\"%s\":", key);
	json_number(json, value);
}

static void add_name(buffer *json, uint32_t index, const char *name)
{
	buffer_add(json, "%s{\"name\":", index ? "," : "");
	buffer_add_quoted(json, name ? name : "");
}

static void add_place(buffer *json, const char *key, const double place[3])
{
	buffer_add(json, ",\"%s\":", key);
	for (int k = 0; k < 3; k++)
	{
		buffer_add(json, "%s", k ? "," : "[");
		json_number(json, place[k]);
	}
	buffer_add(json, "]");
}

static void add_mesh(buffer *json, const spate_collider_def *c, const spate_mesh_report *r)
{
	buffer_add(json, ",\"mesh\":");
	buffer_add_quoted(json, c->mesh.path);
	if (!r)
		return;
	add_named(json, "files", r->files);
	add_named(json, "triangles", r->triangles);
	add_named(json, "dropped", r->dropped);
	buffer_add(json, ",\"closed\":%s", r->open_edges ? "false" : "true");
	add_place(json, "low", r->low);
	add_place(json, "high", r->high);
	add_named(json, "area", r->area);
	add_named(json, "cell", r->cell);
	add_named(json, "field_voxels", round(r->field_voxels));
	add_named(json, "field_bytes", round(r->field_bytes));
}

static void add_objects(buffer *json, const spate_scene *scene, double substeps)
{
	const spate_world_def *world = &scene->world;
	buffer_add(json, ",\"fluids\":[");
	for (uint32_t i = 0; i < world->fluid_count; i++)
	{
		const spate_fluid_def *f = &world->fluids[i];
		smoothing s = smoothing_of(scene, f, substeps);
		add_name(json, i, f->name);
		add_named(json, "spacing", f->spacing);
		add_named(json, "density", f->density);
		add_named(json, "viscosity", f->viscosity);
		add_named(json, "particles", round(spate_scene_estimate_fluid(scene, i)));
		add_named(json, "xsph", s.coefficient);
		add_named(json, "xsph_rounds", s.rounds);
		buffer_add(json, ",\"implicit\":%s}", s.implicit ? "true" : "false");
	}
	buffer_add(json, "],\"sources\":[");
	for (uint32_t i = 0; i < world->source_count; i++)
	{
		const spate_source_def *s = &world->sources[i];
		add_name(json, i, s->name);
		buffer_add(json, ",\"type\":\"%s\",\"fluid\":", s->type == SPATE_SOURCE_FILL ? "fill" : "emitter");
		buffer_add_quoted(json, world->fluids[s->fluid].name);
		buffer_add(json, "}");
	}
	buffer_add(json, "],\"colliders\":[");
	for (uint32_t i = 0; i < world->collider_count; i++)
	{
		const spate_collider_def *c = &world->colliders[i];
		add_name(json, i, c->name);
		if (c->mesh.path)
			add_mesh(json, c, spate_scene_mesh_report(scene, i));
		else
			buffer_add(json, ",\"shape\":\"%s\"", shape_names[c->shape.type]);
		buffer_add(json, ",\"mode\":\"%s\"}", mode_names[c->mode]);
	}
	buffer_add(json, "]");
}

static int print_json(const char *path, const spate_scene *scene, const spate_problems *problems, const char *program)
{
	buffer json = {0};
	buffer_add(&json, "{\"kind\":\"scene\",\"file\":");
	buffer_add_quoted(&json, path);
	buffer_add(&json, ",\"valid\":%s", scene ? "true" : "false");
	add_problems(&json, problems);
	if (scene)
	{
		spate_estimate e;
		spate_scene_estimate(scene, &e);
		buffer_add(&json, ",\"name\":");
		buffer_add_quoted(&json, scene->name);
		add_named(&json, "frames", scene->frames);
		add_named(&json, "fps", scene->world.fps);
		add_named(&json, "duration", scene->frames / scene->world.fps);
		add_named(&json, "substeps", e.substeps);
		add_objects(&json, scene, e.substeps);
		add_named(&json, "particles", round(e.particles));
		add_named(&json, "bytes", round(e.bytes + field_bytes(scene)));
		add_named(&json, "iterations", e.iterations);
		add_named(&json, "smoothing", e.smoothing);
		add_named(&json, "particle_substeps", e.particle_substeps);
		add_named(&json, "particle_iterations", e.particle_iterations);
		add_named(&json, "cpu_seconds", e.cpu_seconds);
		add_named(&json, "seconds", e.seconds);
	}
	buffer_add(&json, "}");
	return json_print(&json, program);
}

// ------------------------------------------------------------------------------------------------------------ the whole

int scene_report(const char *path, const scene_report_options *options)
{
	spate_scene scene = {0};
	spate_problems problems = {0};
	spate_error error = {0};
	int status = EXIT_DONE;
	spate_result result =
	    spate_scene_load(&scene, path, options->overrides, options->override_count, &problems, &error);
	if (result == SPATE_OK && options->read_meshes)
		result = spate_scene_read_meshes(&scene, &problems, &error);
	int known = result == SPATE_OK || result == SPATE_SCENE;
	if (!known)
		complain(options->program, "%s", error.text);
	else if (options->json)
		status = print_json(path, result == SPATE_OK ? &scene : NULL, &problems, options->program);
	else
		command_print_problems(path, &problems);
	if (result == SPATE_OK && !options->json && !options->quiet)
	{
		print_scene(&scene);
		status = finish_output(options->program);
	}
	if (!known)
		status = EXIT_FAILED;
	else if (result == SPATE_SCENE)
	{
		status = EXIT_MISUSE;
		if (!options->json)
			complain(options->program, "%s has %u %s", path, problems.errors,
				 problems.errors == 1 ? "mistake" : "mistakes");
	}
	spate_problems_free(&problems);
	spate_scene_free(&scene);
	return status;
}
