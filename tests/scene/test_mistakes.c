// Bad scenes: each mistake has its place and its sentence.
#include "scene/scene_support.h"

#define HEAD "spate: 1\nfluids:\n  water: { spacing: 0.01 }\n"
#define SOURCE HEAD "sources:\n  - "
#define BOX "{ box: { min: [0, 0, 0], max: [1, 1, 1] } }"
#define NOZZLE "{ type: emitter, fluid: water, position: [0, 1, 0], direction: [0, -1, 0]"
#define EMITTER "{ type: emitter, fluid: water, position: [0, 1, 0], direction: [0, -1, 0], speed: 1"
// Scenes of a few particles: one fill, a jet that falls, a floor, no weight.
#define COARSE "spate: 1\nfluids:\n  water: { spacing: 0.1 }\nsources:\n"
#define FILL "  - { type: fill, fluid: water, shape: " BOX " }\n"
#define POUR(x, y, z)                                                                                              \
	"  - { type: emitter, fluid: water, position: [" #x ", " #y ", " #z "], direction: [0, -1, 0], speed: 1, " \
	"radius: 0.2 }\n"
#define DRIPPING                                                    \
	"spate: 2\nfluids:\n  water: { spacing: 0.01 }\nsources:\n" \
	"  - { type: emitter, fluid: water, position: [0, 1, 0], direction: [0, -1, 0], speed: 1, radius: 0.1 }\nsinks:\n  - "
#define FLOOR "colliders:\n  - { shape: { plane: { point: [0, 0, 0], normal: [0, 1, 0] } } }\n"
// Two fluids side by side, about to get an interface.
#define OTHER_BOX "{ box: { min: [1, 0, 0], max: [2, 1, 1] } }"
#define PAIR \
	"spate: 2\nfluids:\n  oil: { spacing: 0.1, surface_tension: 0.03 }\n  water: { spacing: 0.1 }\ninterfaces:\n"
#define TWO_FILLS                                                                                                     \
	"sources:\n  - { type: fill, fluid: oil, shape: " BOX " }\n  - { type: fill, fluid: water, shape: " OTHER_BOX \
	" }\n" FLOAT
#define FLOAT "gravity: [0, 0, 0]\n"

// A tank with forces.
#define FORCES                                                                              \
	"spate: 2\nfluids:\n  oil: { spacing: 0.1 }\n  water: { spacing: 0.1 }\nsources:\n" \
	"  - { type: fill, fluid: oil, shape: " BOX " }\ncolliders:\n"                      \
	"  - { shape: { box: { min: [0, 0, 0], max: [2, 2, 1] } }, mode: inside }\n" FLOAT "forces:\n  - "

#define UNUSED "4:3: warning: fluids.water: no source emits this fluid\n"

// A fluid of this line.
#define UNIT(fluid) "spate: 2\nfluids:\n  " fluid "\nsources:\n  - { type: fill, fluid: water, shape: " BOX " }\n" FLOAT

typedef struct bad_scene
{
	const char *text, *said;
} bad_scene;

// In the order: bytes and grammar, keys, types, numbers, sources, other objects, several at once, warnings.
static const bad_scene bad_scenes[] = {
    {"", "1:1: error: the file is empty; a scene begins with 'spate: 2'\n"},
    {"# only a comment\n", "1:1: error: the file is empty; a scene begins with 'spate: 2'\n"},
    {"spate: 1\nname: [a, b\n",
     "3:1: error: this is not valid YAML: did not find expected ',' or ']' while parsing a flow "
     "sequence that began on line 2\n"},
    {"spate: 1\nfluids:\n\twater: { spacing: 0.01 }\n", "3:1: error: tabs cannot indent YAML; use spaces\n"},
    {"spate: 1\nname: \"unfinished\n",
     "3:1: error: this is not valid YAML: found unexpected end of stream while scanning a quoted scalar "
     "that began on line 2\n"},
    {"spate: 1\nname: a: b\n", "2:8: error: this is not valid YAML: mapping values are not allowed in "
			       "this context\n"},
    {"- 1\n- 2\n", "1:1: error: a scene is a map of keys that begins with 'spate: 2'; this is a list\n"},
    {"hello\n", "1:1: error: a scene is a map of keys that begins with 'spate: 2'; this is a single value\n"},
    {HEAD "---\nspate: 1\n", "4:1: error: a second document begins here; a scene is one document\n"},
    {HEAD "name: caf\xe9\n",
     "4:10: error: this is not UTF-8 text: the byte 0xe9 is invalid here; save the file as UTF-8\n"},
    {"spate: 1\nname: a\x01"
     "b\n",
     "2:8: error: this is not a text file: it contains the control character 0x01\n"},
    {"spate: 1\nfluids: &f\n  water: { spacing: 0.01 }\nprobes: *f\n",
     "4:9: error: aliases like '*f' are not supported in scene files; write the value out\n"},
    {"spate: 1\nname: !!str x\n", "2:7: error: tags like 'tag:yaml.org,2002:str' are not supported in scene files\n"},
    {"spate: 1\n? [a, b]\n: 1\n", "2:3: error: a key must be a word; here it is a list\n"},
    {"spate: 1\nname: \"a\\0b\"\n", "2:7: error: a text must not contain the character \\0\n"},
    {HEAD "frames: 10\nframes: 20\n", "5:1: error: the key 'frames' appears twice; first on line 4\n"},
    {"spate: 1\nfluids:\n  water: { spacng: 0.01 }\n",
     "3:3: error: fluids.water: 'spacing' is missing, like spacing: 0.01\n"
     "3:12: error: fluids.water: unknown key 'spacng'; did you mean 'spacing'?\n"},
    {FORCES "{ type: vortx, position: [1, 0, 0], radius: 1 }\n",
     UNUSED "11:13: error: forces.0: type cannot be 'vortx'; did you mean 'vortex'?\n"},
    {FORCES "{ type: wind, drag: 1, strength: 2 }\n", UNUSED
     "11:5: error: forces.0: 'velocity' is missing, like velocity: [4, 0, 0]\n"
     "11:28: error: forces.0: 'strength' does not apply to type wind, only to attractor and vortex and spiral\n"},
    {FORCES "{ type: wind, velocity: [4, 0, 0] }\n",
     UNUSED "11:5: error: forces.0: the force needs drag or quadratic\n"},
    {FORCES "{ type: vortex, position: [1, 0, 0], radius: 1, speed: 2 }\n", UNUSED
     "11:60: error: forces.0: a speed needs a drag that leads to it, like drag: 4; for an acceleration use strength\n"},
    {FORCES "{ type: drag, drag: 1, fluids: [oil, watr] }\n",
     UNUSED "11:42: error: forces.0: there is no fluid 'watr' (known: oil, water); did you mean 'water'?\n"},
    {FORCES "{ type: drag, drag: 1, fluids: oil }\n",
     UNUSED "11:36: error: forces.0: fluids must be a list of names of fluids, like [water]; here it is 'oil'\n"},
    {FORCES "{ type: drag, drag: 1, fluids: [] }\n",
     UNUSED "11:36: error: forces.0: fluids must name at least one fluid\n"},
    {FORCES "{ type: drag, drag: 1, falloff: 0.1, fluids: [water] }\n",
     "4:3: warning: fluids.water: no source emits this fluid\n"
     "11:37: warning: forces.0: falloff has no effect without a shape\n"
     "11:50: warning: forces.0: the force acts on no particle: no source emits its fluids\n"},
    {FORCES "{ type: drag, drag: 1, shape: { sphere: { center: [5, 0, 0], radius: 1 } } }\n",
     UNUSED "11:35: warning: forces.0: the force acts on no particle: its shape is 2 m away from all sources and "
	    "containers\n"},
    {FORCES "{ type: expression, acceleration: [\"2*sin(t)\", \"0\", \"1 + hieght\"] }\n", UNUSED
     "11:62: error: forces.0: z of acceleration: an expression has no name 'hieght' here; its variables are x, y, z, t, vx, vy, vz\n"},
    {FORCES "{ type: expression, acceleration: [1, 2] }\n",
     UNUSED "11:39: error: forces.0: acceleration must be a list of three formulas in m/s^2, like [\"2*sin(3*t)\", "
	    "\"0\", \"-x\"]; here it is a list\n"},
    {FORCES "{ type: target, rate: 5 }\n", UNUSED "11:5: error: forces.0: 'field' is missing, like field: flow.vdb\n"},
    {"spate: 1\nfluids:\n  water: { spacing: 0.1 }\nforces: []\n",
     "4:1: error: 'forces' is a key of version 2; write 'spate: 2' to use it\n"},
    {HEAD "camera: {}\n", "4:1: error: unknown key 'camera'; did you mean 'cameras'?\n"},
    {HEAD "pu: z\n", "4:1: error: unknown key 'pu'; did you mean 'up'?\n"}, // a swap is one mistake, not two
    {HEAD "wibble: 1\n",
     "4:1: error: unknown key 'wibble'; use spate, include, name, frames, fps, up, gravity, seed, solver, "
     "fluids, interfaces, sources, channels, colliders, bodies, joints, sinks, forces, probes, cameras, output, runaway or speed_limit\n"},
    {"fluids:\n  water: { spacing: 0.01 }\n", "1:1: error: 'spate' is missing, like spate: 2\n"},
    {"spate: 1\n", "1:1: error: 'fluids' is missing\n"},
    {"spate: 3\nfluids:\n  water: { spacing: 0.01 }\n",
     "1:8: error: the file has format version 3, but this program reads versions up to 2; use a newer version of Spate\n"},
    {"spate: 0\nfluids:\n  water: { spacing: 0.01 }\n", "1:8: error: spate must be from 1 to 2; here it is 0\n"},
    {"spate: one\nfluids:\n  water: { spacing: 0.01 }\n",
     "1:8: error: spate must be a whole number, like 2; here it is 'one'\n"},
    {"spate: 1\nfluids:\n  water: { spacing: [1, 2] }\n",
     "3:21: error: fluids.water: spacing must be a number in metres, like 0.01; here it is a list\n"},
    {"spate: 1\nfluids:\n  water: { spacing: \"0.01\" }\n",
     "3:21: error: fluids.water: spacing must be a number in metres, like 0.01; here it is the quoted text '0.01'\n"},
    {"spate: 1\nfluids:\n  water: { spacing: }\n",
     "3:21: error: fluids.water: spacing must be a number in metres, like 0.01; here it is empty\n"},
    {"spate: 1\nfluids: [water]\n", "2:9: error: fluids must be a map of names; here it is a list\n"},
    {"spate: 1\nfluids: {}\n", "2:1: error: fluids must have at least one element\n"},
    {"spate: 1\nfluids:\n", "2:8: error: fluids must be a map of names; here it is empty\n"},
    {"spate: 1\nfluids:\n  water: 5\n", "3:10: error: fluids.water: this must be a map of keys; here it is '5'\n"},
    {"spate: 1\nfluids:\n  my water: { spacing: 0.01 }\n",
     "3:3: error: fluids: the name 'my water' must be 1 to 63 letters, digits, '_' or '-'\n"},
    {HEAD "frames: 12.5\n", "4:9: error: frames must be a whole number, like 120; here it is 12.5\n"},
    {HEAD "frames: many\n", "4:9: error: frames must be a whole number, like 120; here it is 'many'\n"},
    {HEAD "frames: -3\n", "4:9: error: frames must be from 1 to 1000000; here it is -3\n"},
    {HEAD "gravity: -9.81\n",
     "4:10: error: gravity must be a list of three numbers in m/s^2, like [0, -9.81, 0]; here it is '-9.81'\n"},
    {HEAD "gravity: [0, -9.81]\n",
     "4:10: error: gravity must be a list of three numbers, like [0, -9.81, 0]; here it has 2\n"},
    {HEAD "gravity: [0, -9.81, 0, 1]\n",
     "4:10: error: gravity must be a list of three numbers, like [0, -9.81, 0]; here it has 4\n"},
    {HEAD "gravity: [0, down, 0]\n", "4:14: error: y of gravity must be a number in m/s^2; here it is 'down'\n"},
    {HEAD "sources: { type: fill }\n", "4:10: error: sources must be a list; here it is a map\n"},
    {HEAD "solver: pbf\n", "4:9: error: solver must be a map of keys; here it is 'pbf'\n"},
    {HEAD "name: a/b\n", "4:7: error: name must be one line of at most 200 bytes, printable and without slashes\n"},
    {HEAD "output: { channels: velocity }\n",
     "4:21: error: output: channels must be a list of the words velocity, fluid, density, pressure, viscosity, damping, cohesion, rest_density, birth, source, rest_position, uv, color, age, speed, acceleration, vorticity, neighbours, surface, isolated or level; here it is 'velocity'\n"},
    {HEAD "output: { channels: [velocity, velocty] }\n",
     "4:32: error: output: channels cannot be 'velocty'; did you mean 'velocity'?\n"},
    {HEAD "channels:\n  heat: { default: 20 }\noutput: { channels: [velocity, haet] }\n",
     "6:32: error: output: channels cannot be 'haet'; did you mean 'heat'?\n"},
    {SOURCE "{ type: fill, name: hot, fluid: water, shape: " BOX " }\n"
	    "channels:\n"
	    "  heat: { type: float, default: 20, sources: { hott: 80 } }\n"
	    "  density: { default: 2 }\n"
	    "  batch: { type: int, default: 1.5, sources: { hot: [1, 2, 3] } }\n"
	    "  tint: { type: vector, default: 7 }\n"
	    "  tones: { default: 2e15 }\n",
     "7:48: error: channels.heat: there is no source 'hott' (known: hot); did you mean 'hot'?\n"
     "8:3: error: channels.density: 'density' is a built-in field of particles; give the channel another name, like "
     "density_2\n"
     "9:32: error: channels.batch: default must be a whole number; here it is 1.5\n"
     "9:53: error: channels.batch.sources.hot: hot must be a number or a formula, like 2; here it is a list\n"
     "10:34: error: channels.tint: default must be a list of three numbers or formulas, like [0, 0, 1]; here it is '7'\n"
     "11:21: error: channels.tones: default must be from -1e+15 to 1e+15; here it is 2e15\n"},
    {SOURCE
     "{ type: fill, name: hot, fluid: water, velocity: [\"2*w\", 0, \"1 +\"], shape: " BOX
     " }\nchannels:\n  heat: { default: \"20 + 60*h\", sources: { hot: \"sqrt(x, y)\" } }\n  tint: { type: vector, default: [1, \"(x\", 0] }\n  batch: { type: int, default: .nan }\n",
     "5:58: error: sources.0: x of velocity: an expression has no name 'w' here; its variables are x, y, z, t\n"
     "5:69: error: sources.0: z of velocity: a value is missing here; there is the end\n"
     "7:29: error: channels.heat: default: an expression has no name 'h' here; its variables are x, y, z, t\n"
     "7:50: error: channels.heat.sources.hot: hot: sqrt takes 1 value; here are 2\n"
     "8:39: error: channels.tint: y of default: this ( has no )\n"
     "9:32: error: channels.batch: default must be a finite number; here it is '.nan'\n"},
    {SOURCE "{ type: fill, fluid: water, velocity: [\"sqrt(x - 0.5)\", 0, 0], shape: " BOX " }\n" FLOOR
	    "channels:\n  heat: { default: \"log10(y - 0.2)\" }\n",
     "5:43: error: sources.0: velocity has no value at [0.005, 0.005, 0.005]: formula 1 is not a finite number there\n"
     "9:20: error: channels.heat: it has no value at [0.005, 0.005, 0.005]: formula 1 is not a finite number there\n"},
    {COARSE "  - { type: fill, fluid: water, velocity: [\"1000*y\", 0, 0], shape: " BOX " }\n" FLOOR,
     "5:43: warning: sources.0: its particles start at 950 m/s, above the speed limit of 100 m/s, and are removed at once; start them slower or raise speed_limit\n"},
    {SOURCE "{ type: fill, fluid: water, position: [0, 1, 0], shape: " BOX " }\n",
     "5:33: error: sources.0: 'position' is for fills that start from a file; a shape says itself where it is\n"},
    {SOURCE "{ type: fill, fluid: water, from: a.spate, layout: relaxed, limit: 5, collide: true }\n",
     "5:48: error: sources.0: 'layout' and 'from' exclude each other: the particles begin as the file has them\n"
     "5:65: error: sources.0: 'limit' and 'from' exclude each other: the particles begin as the file has them\n"
     "5:75: error: sources.0: 'collide' and 'from' exclude each other: the particles begin as the file has them\n"},
    {SOURCE "{ type: emitter, from: a.spate, position: [0, 1, 0], direction: [0, -1, 0], speed: 1, radius: 0.1 }\n",
     "5:5: error: sources.0: 'fluid' is missing, like fluid: water\n"
     "5:22: error: sources.0: 'from' does not apply to type emitter, only to fill\n"},
    {SOURCE
     "{ type: fill, fluid: water, collide: true, shape: { box: { min: [0, 0, 0], max: [1, 1, 1], rotation: [0, 30, 0] } } }\n",
     "5:42: error: sources.0: this shape cannot be a wall; boxes without rotation, spheres, capsules, cylinders and meshes can, and other walls are put together from several colliders\n"},
    {SOURCE "{ type: fill, fluid: water, collide: shell, shape: " BOX " }\n",
     "5:42: error: sources.0: collide: shell is for meshes; another shape can be a container, with collide: true\n"},
    {SOURCE "{ type: fill, fluid: water, collide: outside, shape: " BOX " }\n",
     "5:42: error: sources.0: collide cannot be 'outside'; use false, true or shell\n"},
    {COARSE "  - { type: fill, fluid: water, wall: { friction: 1 }, shape: " BOX " }\n" FLOOR,
     "5:33: warning: sources.0: wall has no effect without collide: true\n"},
    {SOURCE "{ type: fill, fluid: water, collide: true, wall: { stickiness: 2 }, shape: " BOX " }\n",
     "5:68: error: sources.0.wall: stickiness must be from 0 to 1; here it is 2\n"},
    {COARSE "  - { type: fill, name: jar, fluid: water, collide: true, shape: " BOX
	    " }\ncolliders:\n  - { name: jar, shape: { plane: { point: [0, 0, 0], normal: [0, 1, 0] } } }\n",
     "5:25: error: sources.0: the wall of the fill is called 'jar' as well, and colliders.0 has that name; choose another\n"},
    {HEAD "channels:\n"
	  "  c-d: { default: 2 }\n"
	  "  a_name_that_other_programs_cannot: { default: 2 }\n"
	  "  flaot: { type: flaot }\n"
	  "  list: { sources: [hot] }\n",
     "5:3: error: channels.c-d: the name of a channel has at most 31 letters, digits and '_', and does not start with a "
     "digit; here it is 'c-d'\n"
     "6:3: error: channels.a_name_that_other_programs_cannot: the name of a channel has at most 31 letters, digits and "
     "'_', and does not start with a digit; here it is 'a_name_that_other_programs_cannot'\n"
     "7:18: error: channels.flaot: type cannot be 'flaot'; did you mean 'float'?\n"
     "8:20: error: channels.list: sources must be a map of names, like { hot: 80 }; here it is a list\n"},
    {SOURCE "{ type: fill, fluid: water, shape: " BOX " }\nchannels:\n  heat: { sources: { hot: 80 } }\n",
     "7:22: error: channels.heat: there is no source 'hot': no source has a name; give it one, like name: hot\n"},
    {HEAD "output: { channels: [velocity, velocity] }\n", "4:32: error: output: channels contains 'velocity' twice\n"},
    {HEAD "seed: 18446744073709551616\n",
     "4:7: error: seed must be a whole number from 0 to 18446744073709551615; here it is 18446744073709551616\n"},
    {"spate: 1\nfluids:\n  water: { spacing: .nan }\n",
     "3:21: error: fluids.water: spacing must be a finite number; here it is '.nan'\n"},
    {"spate: 1\nfluids:\n  water: { spacing: 1e400 }\n",
     "3:21: error: fluids.water: spacing must be a finite number; here it is '1e400'\n"},
    {"spate: 1\nfluids:\n  water: { spacing: 0x10 }\n",
     "3:21: error: fluids.water: spacing must be a number in metres, like 0.01; here it is '0x10'\n"},
    {"spate: 1\nfluids:\n  water: { spacing: 0 }\n",
     "3:21: error: fluids.water: spacing must be greater than 0 and at most 100 m; here it is 0\n"},
    {"spate: 2\nfluids:\n  water: { spacing: 0.01, surface_tension: 11, cohesion: 2 }\n",
     "3:44: error: fluids.water: surface_tension must be from 0 to 10 N/m; here it is 11, and in mN/m (dyn/cm) that is 0.011\n"
     "3:58: error: fluids.water: cohesion must be from 0 to 1; here it is 2\n"},
    // values in another unit
    {UNIT("water: { spacing: 0.1, surface_tension: 72.8 }"),
     "3:43: error: fluids.water: surface_tension must be from 0 to 10 N/m; here it is 72.8, and in mN/m (dyn/cm) that is 0.0728\n"},
    {UNIT("water: { spacing: 0.1, surface_tension: 8.85 }"),
     "3:43: warning: fluids.water: surface_tension is in N/m, and 8.85 looks like mN/m (dyn/cm), which is 0.00885\n"},
    {UNIT("water: { spacing: 0.1, viscosity: 0.001 }"),
     "3:37: warning: fluids.water: viscosity is kinematic, in m^2/s, and 0.001 looks like the dynamic one of water in Pa s; "
     "divided by its density that is 1e-06\n"},
    {UNIT("water: { spacing: 0.1, viscosity: 1 }"),
     "3:37: warning: fluids.water: viscosity is in m^2/s, and 1 looks like that of water in mm^2/s (cSt), which is 1e-06\n"},
    {UNIT("water: { spacing: 0.1, preset: honey, viscosity: 10 }"),
     "3:52: warning: fluids.water: viscosity is kinematic, in m^2/s, and 10 looks like the dynamic one of honey in Pa s; "
     "divided by its density that is 0.00704\n"},
    {UNIT("water: { spacing: 0.1, preset: motor_oil, viscosity: 290 }"),
     "3:56: warning: fluids.water: viscosity is in m^2/s, and 290 looks like that of motor_oil in mm^2/s (cSt), which is 0.00029\n"},
    {UNIT("water: { spacing: 0.1, preset: mercury, viscosity: 1.55 }"),
     "3:54: warning: fluids.water: viscosity is kinematic, in m^2/s, and 1.55 looks like the dynamic one of mercury in mPa s "
     "(cP); divided by its density that is 1.14e-07\n"},
    {UNIT("water: { spacing: 0.1, preset: honey, viscosity: 7000 }"),
     "3:52: error: fluids.water: viscosity must be from 0 to 1000 m^2/s; here it is 7000, and in mm^2/s (cSt) that is 0.007\n"},
    {"spate: 2\nfluids:\n  goo: { spacing: 0.1, viscosity: 1 }\nsources:\n  - { type: fill, fluid: goo, shape: " BOX
     " }\n" FLOAT,
     "3:35: warning: fluids.goo: viscosity is in m^2/s, and 1 looks like that of water in mm^2/s (cSt) or mPa s (cP), which is 1e-06\n"},
    {"spate: 2\nfluids:\n  goo: { spacing: 0.1, viscosity: 40 }\nsources:\n  - { type: fill, fluid: goo, shape: " BOX
     " }\n" FLOAT,
     "3:35: warning: fluids.goo: viscosity is in m^2/s, and 40 is more than that of putty; if it is in mm^2/s (cSt), it is 4e-05, "
     "and in mPa s (cP) it is 4e-05\n"},
    {UNIT("water: { spacing: 0.1, viscosity: 1.0e-5, surface_tension: 0.0728 }"), ""},
    {UNIT("water: { spacing: 0.1, preset: honey, viscosity: 0.1 }"), ""},
    {UNIT("water: { spacing: 0.1, preset: mercury, surface_tension: 0.5 }"), ""},
    {"spate: 2\nsolver: { type: projection }\nfluids:\n  water: { spacing: 0.01, surface_tension: 0.1 }\n"
     "sources:\n  - { type: fill, fluid: water, shape: " BOX " }\ngravity: [0, 0, 0]\n",
     "4:44: warning: fluids.water: surface_tension is in N/m, and 0.1 is more than that of water, 0.0728; a strength from 0 to 1 is 'cohesion'\n"},
    {"spate: 2\nsolver: { type: pbf }\nfluids:\n  water: { spacing: 0.01, surface_tension: 0.05 }\n"
     "sources:\n  - { type: fill, fluid: water, shape: " BOX " }\ngravity: [0, 0, 0]\n",
     "4:44: warning: fluids.water: the solver pbf has no surface tension in N/m; it uses a cohesion of about the same effect\n"},
    {"spate: 2\nsolver: { type: pbf }\nfluids:\n  water: { spacing: 0.01 }\n"
     "sources:\n  - { type: fill, fluid: water, shape: " BOX " }\ngravity: [0, 0, 0]\n"
     "colliders:\n  - { contact_angle: 60, shape: { plane: { point: [0, -9, 0], normal: [0, 1, 0] } } }\n",
     "9:22: warning: colliders.0: contact_angle has no effect: the solver pbf has no surface tension in N/m\n"},
    {"spate: 2\nsolver: { type: pbf }\nfluids:\n  water: { spacing: 0.01 }\n"
     "sources:\n  - { type: fill, fluid: water, shape: " BOX " }\ngravity: [0, 0, 0]\n"
     "colliders:\n  - { slip: 0, shape: { plane: { point: [0, -9, 0], normal: [0, 1, 0] } } }\n",
     "9:13: warning: colliders.0: slip has no effect: the solver pbf has no viscosity at walls; use stickiness\n"},
    {"spate: 2\nfluids:\n  water: { spacing: 0.01 }\n"
     "colliders:\n  - { slip: none, shape: { plane: { point: [0, -9, 0], normal: [0, 1, 0] } } }\n",
     "5:13: error: colliders.0: slip must be a number in metres, like 0, or the word free; here it is 'none'\n"},
    {"spate: 1\nfluids:\n  water: { spacing: 0.01, surface_tension: 0.0728 }\n"
     "sources:\n  - { type: fill, fluid: water, shape: " BOX " }\ngravity: [0, 0, 0]\n",
     "3:44: warning: fluids.water: surface_tension looks like N/m, but in scenes of version 1 it is a strength from 0 to 1, 0.1 for water; write 'spate: 2' to give it in N/m\n"},
    {PAIR "  - { between: oil, and: wader, surface_tension: 0.05 }\n" TWO_FILLS,
     "6:26: error: interfaces.0: there is no fluid 'wader' (known: oil, water); did you mean 'water'?\n"},
    {PAIR "  - { between: oil, and: oil, surface_tension: 0.05 }\n" TWO_FILLS,
     "6:26: error: interfaces.0: an interface is between two fluids, but 'between' and 'and' are both 'oil'\n"},
    {PAIR "  - { between: oil, and: water, surface_tension: -0.05 }\n" TWO_FILLS,
     "6:50: error: interfaces.0: surface_tension must be from 0 to 10 N/m; here it is -0.05\n"},
    {PAIR "  - { between: oil, surface_tension: 0.05 }\n" TWO_FILLS,
     "6:5: error: interfaces.0: 'and' is missing, like and: water\n"},
    {PAIR "  - { between: oil, and: water, surface_tension: 0.05 }\n"
	  "  - { between: water, and: oil, surface_tension: 0.04 }\n" TWO_FILLS,
     "7:5: error: interfaces.1: 'water' and 'oil' have a tension already, by interfaces.0\n"},
    {PAIR "  - { between: oil, and: water, surface_tension: 0.5 }\n" TWO_FILLS,
     "6:50: warning: interfaces.0: surface_tension is in N/m, and 0.5 is more than that of water against air, 0.0728\n"},
    {PAIR "  - { between: oil, and: water, surface_tension: 0.05 }\n" TWO_FILLS "solver: { type: pbf }\n",
     "3:41: warning: fluids.oil: the solver pbf has no surface tension in N/m; it uses a cohesion of about the same effect\n"
     "6:50: warning: interfaces.0: surface_tension has no effect: the solver pbf has no surface tension in N/m\n"},
    {"spate: 2\nfluids:\n  a: { spacing: 0.1, surface_tension: 0.02 }\n  b: { spacing: 0.1, surface_tension: 0.03 }\n"
     "interfaces:\n  - { between: a, and: b, surface_tension: 0.06 }\n"
     "sources:\n  - { type: fill, fluid: a, shape: " BOX " }\n  - { type: fill, fluid: b, shape: " OTHER_BOX
     " }\n" FLOAT,
     "6:44: warning: interfaces.0: 0.06 N/m is more than the surface tensions of 'a' and 'b' together, 0.05 N/m: the liquids will part rather than touch\n"},
    {"spate: 1\nfluids:\n  a: { spacing: 0.1 }\n  b: { spacing: 0.1 }\ninterfaces:\n  - { between: a, and: b, surface_tension: 0.06 }\n",
     "5:1: error: 'interfaces' is a key of version 2; write 'spate: 2' to use it\n"},
    {"spate: 2\nfluids:\n  water: { spacing: 0.1, cohesion: 0.0728 }\nsources:\n" FILL FLOAT,
     "3:36: warning: fluids.water: cohesion looks like N/m, but it is a strength from 0 to 1, 0.1 for water; a tension in N/m is 'surface_tension'\n"},
    {"spate: 1\nfluids:\n  water: { spacing: 0.01, cohesion: 0.1 }\n",
     "3:27: error: fluids.water: 'cohesion' is a key of version 2; in version 1 it is called 'surface_tension'\n"},
    {"spate: 1\nfluids:\n  water: { spacing: 0.01, surface_tension: 1.5 }\n",
     "3:44: error: fluids.water: surface_tension must be from 0 to 1; here it is 1.5\n"},
    {"spate: 1\nfluids:\n  water: { spacing: 0.01, color: #3b82c4 }\n",
     "4:1: error: something is missing after the line above; put colours in quotes, because # starts a comment\n"},
    {"spate: 1\nfluids:\n  water: { spacing: 0.01, color: blue }\n",
     "3:34: error: fluids.water: color must be a colour, like \"#3b82c4\"; here it is 'blue'\n"},
    {"spate: 1\nfluids:\n  water: { spacing: 0.01, preset: watr }\n",
     "3:35: error: fluids.water: preset cannot be 'watr'; did you mean 'water'?\n"},
    {HEAD "solver: { quality: medium }\n",
     "4:20: error: solver: quality cannot be 'medium'; use draft, normal or high\n"},
    {HEAD "solver: { substeps: automatic }\n",
     "4:21: error: solver: substeps must be a whole number, like 4, or the word auto; here it is 'automatic'\n"},
    {HEAD "solver: { iterations: 3, min_iterations: 5 }\n",
     "4:42: error: solver: min_iterations is 5, more than iterations, which is 3\n"},
    {SOURCE "{ type: fil, fluid: water, shape: " BOX " }\n",
     "5:13: error: sources.0: type cannot be 'fil'; did you mean 'fill'?\n"},
    {SOURCE "{ fluid: water, shape: " BOX " }\n",
     "5:5: error: sources.0: 'type' is missing: fill, emitter, surface or volume\n"},
    {SOURCE "{ type: fill, fluid: watr, shape: " BOX " }\n",
     "5:26: error: sources.0: there is no fluid 'watr' (known: water); did you mean 'water'?\n"},
    {SOURCE "{ type: fill, fluid: water }\n",
     "5:5: error: sources.0: 'shape' is missing, like shape: { box: { min: [0, 0, 0], max: [1, 1, 1] } }\n"},
    {SOURCE "{ type: fill, fluid: water, speed: 2, shape: " BOX " }\n",
     "5:33: error: sources.0: 'speed' does not apply to type fill, only to emitter and surface\n"},
    // names of the type, each once
    {SOURCE "{ type: surface, fluid: water, mesh: a.obj, shape: { mesh: { path: a.obj } }, flow: 1 }\n",
     "5:36: error: sources.0: unknown key 'mesh'; use type, name, fluid, start, viscosity, damping, cohesion, density, color, shape, "
     "jitter, stop, direction, follow, speed, flow, count or limit\n"},
    // sinks that take all at once
    {SOURCE "{ type: fill, fluid: water, shape: " BOX
	    " }\nsinks:\n  - { shape: { plane: { point: [0, -1, 0], normal: [0, -1, 0] } } }\n",
     "5:40: warning: sources.0: sinks.0 takes all of its liquid as soon as it comes; the normal of a plane points to what stays\n"},
    {SOURCE "{ type: fill, fluid: water, shape: " BOX
	    " }\nsinks:\n  - { shape: { box: { min: [-9, -9, -9], max: [9, 9, 9] } } }\n",
     "5:40: warning: sources.0: sinks.0 takes all of its liquid as soon as it comes; move one of them\n"},
    {SOURCE
     "{ type: emitter, fluid: water, position: [0, 1, 0], direction: [1, 0, 0], radius: 1, speed: 1 }\nsinks:\n"
     "  - { age: 2, remove: everywhere }\n  - { remove: outside, shape: { box: { min: [5, 0, 0], max: [9, 2, 9] } } }\n",
     "5:46: warning: sources.0: sinks.1 takes all of its liquid as soon as it comes; move one of them\n"},
    {SOURCE "{ type: fill, fluid: water, shape: " BOX " }\nsinks:\n"
	    "  - { shape: { plane: { point: [0, 0.5, 0], normal: [0, -1, 0] } } }\n"
	    "  - { shape: { plane: { point: [0, -1, 0], normal: [0, -1, 0] } }, flow: 1 }\n"
	    "  - { remove: outside, shape: { sphere: { center: [0.5, 0.5, 0.5], radius: 0.6 } } }\n",
     ""},
    {SOURCE "{ type: fill, fluid: water, shape: { } }\n",
     "5:33: error: sources.0.shape: one of the keys box, sphere, ellipsoid, capsule, cylinder, mesh, plane, union or "
     "difference is needed\n"},
    {SOURCE "{ type: fill, fluid: water, shape: { cube: { min: [0, 0, 0] } } }\n",
     "5:42: error: sources.0.shape: unknown key 'cube'; use box, sphere, ellipsoid, capsule, cylinder, mesh, "
     "plane, union or difference\n"},
    {SOURCE "{ type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [1, 1, 1] }, sphere: { center: "
	    "[0, 0, 0], radius: 1 } } }\n",
     "5:83: error: sources.0.shape: 'sphere' and 'box' exclude each other\n"},
    {SOURCE "{ type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [1, 0, 1] } } }\n",
     "5:70: error: sources.0.shape.box: max must be greater than min on every axis; on y it is 0, and min is 0\n"},
    {SOURCE "{ type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [1, 0.001, 1] } } }\n",
     "5:40: error: sources.0: the shape is 0.001 m wide, less than the fluid's spacing of 0.01 m\n"},
    {SOURCE "{ type: fill, fluid: water, shape: { plane: { point: [0, 0, 0], normal: [0, 1, 0] } } }\n",
     "5:40: error: sources.0: a plane has no interior to fill; it can only be taken away, as a later shape of a "
     "difference\n"},
    {SOURCE "{ type: fill, fluid: water, shape: { cylinder: { from: [0, 0, 0], to: [0, 0, 0], radius: 1 } } }\n",
     "5:75: error: sources.0.shape.cylinder: from and to must not be the same point\n"},
    {SOURCE "{ type: fill, fluid: water, shape: { sphere: { center: [0, 0, 1e9], radius: 1 } } }\n",
     "5:67: error: sources.0.shape.sphere: z of center must be from -1000000 to 1000000 m; here it is 1e9\n"},
    {SOURCE EMITTER " }\n", "5:5: error: sources.0: an emitter has either a radius or a width\n"},
    {SOURCE EMITTER ", radius: 0.1, width: 0.1, height: 0.1 }\n",
     "5:5: error: sources.0: an emitter has either a radius or a width\n"},
    {SOURCE EMITTER ", height: 0.1 }\n", "5:98: error: sources.0: an emitter with a height needs a width, too\n"},
    {SOURCE NOZZLE ", radius: 0.1 }\n",
     "5:5: error: sources.0: an emitter needs a speed, like speed: 1.5, or a flow, like flow: 2.0e-4, or a count\n"},
    {SOURCE NOZZLE ", radius: 0.1, flow: 1, count: 50, stop: 1 }\n",
     "5:109: error: sources.0: flow and count exclude each other\n"},
    {SOURCE NOZZLE ", radius: 0.1, count: 50 }\n",
     "5:100: error: sources.0: count needs a time at which the emitter stops, like stop: 2.5\n"},
    {SOURCE NOZZLE ", radius: 0.1, flow: -1 }\n",
     "5:99: error: sources.0: flow must be from 0 to 1000000000 m^3/s; here it is -1\n"},
    {SOURCE NOZZLE ", radius: 0.1, speed: 1, follow: hose }\n",
     "5:111: error: sources.0: there is no collider 'hose' (known: none)\n"},
    {SOURCE EMITTER ", radius: 0.1, jitter: 0.6 }\n",
     "5:111: error: sources.0: jitter must be from 0 to 0.5; here it is 0.6\n"},
    {SOURCE EMITTER ", radius: 0.1, flow: 0.05 }\n" FLOOR,
     "5:109: warning: sources.0: at this speed only 0.0314 m^3/s of 0.05 pass the opening; widen it, raise the speed, or leave "
     "out one of flow and speed\n"},
    {SOURCE EMITTER ", radius: 0.1, flow: 5.0e-5 }\n" FLOOR,
     "5:109: warning: sources.0: at this speed the jet is 0.00798 m thick, less than the fluid's spacing of 0.01 m, so it is "
     "a row of drops; lower the speed or raise the flow\n"},
    {SOURCE EMITTER ", radius: 0.001 }\n",
     "5:98: error: sources.0: the opening is 0.002 m wide, less than the fluid's spacing of 0.01 m\n"},
    {SOURCE EMITTER ", radius: 0.1, start: 2, stop: 1 }\n",
     "5:119: error: sources.0: stop must be after start; it is 1 s, and start is 2 s\n"},
    {SOURCE "{ type: fill, fluid: water, viscosity: -1, shape: " BOX " }\n",
     "5:44: error: sources.0: viscosity must be from 0 to 1000 m^2/s; here it is -1\n"},
    {SOURCE "{ type: fill, fluid: water, surface_tension: 2, density: 0, damping: none, shape: " BOX " }\n",
     "5:50: error: sources.0: surface_tension must be from 0 to 1; here it is 2\n"
     "5:62: error: sources.0: density must be greater than 0 and at most 100000 kg/m^3; here it is 0\n"
     "5:74: error: sources.0: damping must be a number, like 0.05; here it is 'none'\n"},
    {SOURCE EMITTER ", radius: 0.1, viscosity: thick }\n",
     "5:114: error: sources.0: viscosity must be a number in m^2/s, like 0.01; here it is 'thick'\n"},
    {SOURCE "{ type: fill, fluid: water, viscosity: 1, shape: " BOX
	    " }\noutput: { channels: [viscosity, rest_density] }\n",
     "6:33: error: output: cannot write channel 'rest_density': no source sets density\n"},
    {"spate: 1\nfluids:\n  water: { spacing: 0.01, vorticity: 2 }\n",
     "3:38: error: fluids.water: vorticity must be from 0 to 1; here it is 2\n"},
    {SOURCE "{ type: emitter, fluid: water, position: [0, 1, 0], direction: [0, 0, 0], speed: 1, radius: 0.1 }\n",
     "5:68: error: sources.0: direction must not be zero: it gives a direction\n"},
    {"spate: 1\nfluids:\n  water: { spacing: 0.00001 }\nsources:\n  - { type: fill, fluid: water, shape: " BOX " }\n",
     "4:1: error: the sources make about 1000 trillion particles, more than the 2.1 billion that can be "
     "numbered; a larger spacing makes fewer\n"},
    {HEAD "colliders:\n  - { shape: " BOX ", friction: -0.1 }\n",
     "5:69: error: colliders.0: friction must be from 0 to 100; here it is -0.1\n"},
    {HEAD "colliders:\n  - { shape: " BOX ", mode: in }\n",
     "5:65: error: colliders.0: mode cannot be 'in'; use outside, inside or shell\n"},
    {HEAD "colliders:\n  - { shape: " BOX ", motion: { keyframes: [{ time: 1 }, { time: 1 }] } }\n",
     "5:102: error: colliders.0.motion: the times of keyframes must increase; keyframe 1 is at 1 s, after one at 1 s\n"},
    {HEAD "colliders:\n  - { shape: " BOX ", motion: { sine: { direction: [0, 0, 0], amplitude: 0.1 } } }\n",
     "5:88: error: colliders.0.motion.sine: direction must not be zero: it gives a direction\n"},
    {HEAD "colliders:\n  - { shape: " BOX ", name: a }\n  - { shape: " BOX ", name: a }\n",
     "6:65: error: colliders.1: the name 'a' is already used by colliders.0\n"},
    {HEAD "colliders:\n  - { shape: { plane: { point: [0, 0, 0], normal: [0, 0, 0] } } }\n",
     "5:51: error: colliders.0.shape.plane: normal must not be zero: it gives a direction\n"},
    {HEAD "colliders:\n  - { shape: " BOX ", mesh: a.obj }\n",
     "5:59: error: colliders.0: 'mesh' and 'shape' exclude each other\n"},
    {HEAD "colliders:\n  - { mode: inside }\n", "5:5: error: colliders.0: one of the keys shape or mesh is needed\n"},
    {HEAD "colliders:\n  - { shape: " BOX ", scale: 2, wet_map: { size: 8 } }\n",
     "5:59: error: colliders.0: 'scale' cannot be used with 'shape', only with 'mesh'\n"
     "5:69: error: colliders.0: 'wet_map' cannot be used with 'shape', only with 'mesh'\n"},
    {HEAD "colliders:\n  - { shape: " BOX ", sequence: { last: 2 }, field: { cell: 1 } }\n",
     "5:59: error: colliders.0: 'sequence' cannot be used with 'shape', only with 'mesh'\n"
     "5:82: error: colliders.0: 'field' cannot be used with 'shape', only with 'mesh'\n"},
    {HEAD "colliders:\n  - { shape: " BOX ", mode: shell }\n",
     "5:65: error: colliders.0: mode shell is for meshes; a shape can be outside or inside\n"},
    {HEAD "colliders:\n  - { mesh: [a], scale: 0 }\n",
     "5:13: error: colliders.0: mesh must be the path of a file, like bunny.obj; here it is a list\n"
     "5:25: error: colliders.0: scale must be greater than 0 and at most 1000000; here it is 0\n"},
    {HEAD "colliders:\n  - { mesh: \"a\\tb\" }\n",
     "5:13: error: colliders.0: mesh must be the path of a file: it must be one line of printable characters\n"},
    {HEAD "colliders:\n  - { mesh: a_%04d.obj }\n",
     "5:13: error: colliders.0: the name has a placeholder for the frame number, but 'sequence' is missing, like sequence: { "
     "first: 1, last: 40 }\n"},
    {HEAD "colliders:\n  - { mesh: a_%d_%d.obj, sequence: { last: 3 } }\n",
     "5:36: error: colliders.0: a sequence needs exactly one placeholder for the frame number in the name of the mesh, like mesh: "
     "cloth_%04d.obj\n"},
    {HEAD "colliders:\n  - { mesh: a_%s.obj, sequence: { last: 3 } }\n",
     "5:33: error: colliders.0: a sequence needs exactly one placeholder for the frame number in the name of the mesh, like mesh: "
     "cloth_%04d.obj\n"},
    {HEAD "colliders:\n  - { mesh: a.obj, sequence: { last: 3 } }\n",
     "5:30: error: colliders.0: a sequence needs exactly one placeholder for the frame number in the name of the mesh, like mesh: "
     "cloth_%04d.obj\n"},
    {HEAD "colliders:\n  - { mesh: a_%d.obj, sequence: { first: 4, last: 3 } }\n",
     "5:51: error: colliders.0.sequence: last must not be below first; it is 3, and first is 4\n"},
    {HEAD "colliders:\n  - { mesh: a_%d.obj, sequence: { first: 4 } }\n",
     "5:23: error: colliders.0.sequence: 'last' is missing, like last: 40\n"},
    {HEAD "colliders:\n  - { mesh: a.obj, field: { cell: -1, band: wide } }\n",
     "5:35: error: colliders.0.field: cell must be greater than 0 and at most 1000000 m; here it is -1\n"
     "5:45: error: colliders.0.field: band must be a number in metres, like 0.03, or the word auto; here it is 'wide'\n"},
    {HEAD "colliders:\n  - { mesh: a.obj, field: { cell: 0.01, band: 0.015 } }\n",
     "5:47: error: colliders.0.field: band must be at least two cells wide; it is 0.015 m, and cell is 0.01 m\n"},
    {HEAD "colliders:\n  - { mesh: a.obj, friction: 1, friction_map: { texture: a.png, channel: b } }\n",
     "5:65: error: colliders.0.friction_map: 'channel' and 'texture' exclude each other\n"},
    {HEAD "colliders:\n  - { mesh: a.obj, bounce: 1, bounce_map: { } }\n",
     "5:31: error: colliders.0.bounce_map: one of the keys texture or channel is needed\n"},
    {HEAD "colliders:\n  - { mesh: a.obj, stickiness: 1.1, wet_map: { format: bmp } }\n",
     "5:32: error: colliders.0: stickiness must be from 0 to 1; here it is 1.1\n"
     "5:37: error: colliders.0.wet_map: 'size' is missing, like size: 1024\n"
     "5:56: error: colliders.0.wet_map: format cannot be 'bmp'; use png or exr\n"},
    {HEAD "colliders:\n  - { shape: " BOX ", motion: { keyframes: [{ time: 0, scale: 0 }] } }\n",
     "5:99: error: colliders.0.motion.keyframes.0: scale must be greater than 0 and at most 1000; here it is 0\n"},
    {SOURCE "{ type: fill, fluid: water, shape: " BOX
	    " }\ncolliders:\n  - { mesh: a.obj, stickiness_map: { channel: c } }\n",
     "7:36: warning: colliders.0: stickiness_map has no effect: stickiness, which it multiplies, is 0\n"},
    {HEAD "probes:\n  p: { type: hight, from: [0, 0, 0], to: [0, 1, 0] }\n",
     "5:14: error: probes.p: type cannot be 'hight'; did you mean 'height'?\n"},
    {HEAD "probes:\n  p: { type: height, from: [0, 0, 0], to: [0, 0, 0] }\n",
     "5:43: error: probes.p: from and to must not be the same point\n"},
    {HEAD "colliders:\n  - { name: paddle, shape: " BOX " }\nprobes:\n  p: { type: force, collider: padle }\n",
     "7:31: error: probes.p: there is no collider 'padle' (known: paddle); did you mean 'paddle'?\n"},
    {HEAD "colliders:\n  - { shape: " BOX " }\nprobes:\n  p: { type: force, collider: lid }\n",
     "7:31: error: probes.p: there is no collider 'lid' (known: none)\n"},
    {HEAD "probes:\n  p: { type: force }\n", "5:3: error: probes.p: 'collider' is missing, like collider: paddle\n"},
    {HEAD "probes:\n  p: { type: flux, position: [0, 0, 0], direction: [1, 0, 0], width: 1 }\n",
     "5:3: error: probes.p: 'height' is missing, like height: 0.5\n"},
    {HEAD "cameras:\n  c: { position: [0, 0, 0], target: [0, 0, 0] }\n",
     "5:18: error: cameras.c: position and target must not be the same point\n"},
    {HEAD "cameras:\n  c: { position: [0, 5, 0] }\n",
     "5:3: error: cameras.c: the camera looks along its own up direction; set up to another axis\n"},
    {HEAD "cameras:\n  c: { position: [0, 0, 5], fov: 180 }\n",
     "5:34: error: cameras.c: fov must be from 1 to 170 degrees; here it is 180\n"},
    {HEAD "solver: { type: adaptive, level: surface }\n",
     "4:34: error: solver: level surface needs a camera, and there is none; add one to 'cameras'\n"},
    {HEAD "solver: { type: adaptive, iterations_min: 6, iterations_max: 3 }\n",
     "4:43: error: solver: iterations_min is 6, more than iterations_max, which is 3\n"},
    {HEAD "solver: { type: adaptive, near: 2, far: 1 }\n",
     "4:41: error: solver: far must be greater than near; it is 1 m, and near is 2 m\n"},
    {HEAD "cameras:\n  main: { position: [0, 0, 5] }\nsolver: { type: adaptive, level: camera, cameras: [mian] }\n",
     "6:52: error: solver: there is no camera 'mian'; did you mean 'main'?\n"},
    {HEAD "solver: { type: adaptive, cameras: main }\n",
     "4:36: error: solver: cameras must be a list of names of cameras, like [main]; here it is 'main'\n"},
    {HEAD "solver: { type: pbf, cameras: [main] }\n",
     "4:22: error: solver: 'cameras' does not apply to type pbf, only to adaptive\n"},
    {"spate: 1\nframes: none\nfluids:\n  water: { spacing: -1, colour: \"#ffffff\" }\nsources:\n  - { "
     "type: fill, fluid: oil, shape: { ball: 1 } }\nup: x\n",
     "2:9: error: frames must be a whole number, like 120; here it is 'none'\n"
     "4:21: error: fluids.water: spacing must be greater than 0 and at most 100 m; here it is -1\n"
     "4:25: error: fluids.water: unknown key 'colour'; did you mean 'color'?\n"
     "6:26: error: sources.0: there is no fluid 'oil' (known: water)\n"
     "6:40: error: sources.0.shape: unknown key 'ball'; use box, sphere, ellipsoid, capsule, cylinder, mesh, plane, union or difference\n"
     "7:5: error: up cannot be 'x'; use y or z\n"},
    {SOURCE
     "{ type: fill, fluid: water, shape: { box: { min: [5, 5, 5], max: [6, 6, 6] } } }\ncolliders:\n  - { shape: " BOX
     ", mode: inside }\n",
     "5:40: warning: sources.0: the fill lies completely outside the container colliders.0, so it makes no particles; move or resize one of them\n"},
    {"spate: 1\nfluids:\n  a: { spacing: 0.01 }\n  b: { spacing: 0.05 }\nsources:\n  - { type: fill, "
     "fluid: a, shape: " BOX " }\n" FLOAT,
     "4:3: warning: fluids.b: no source emits this fluid\n"
     "4:17: warning: fluids.b: its spacing is 5 times that of 'a'; where they meet, the interface will be rough\n"},
    {"spate: 1\nfluids:\n  a: { spacing: 0.1, damping: 0.1 }\nsources:\n  - { type: fill, fluid: a, viscosity: 1, shape: " BOX
     " }\n" FLOAT,
     "5:40: warning: sources.0: viscosity has no effect: the damping of its fluid replaces it\n"},
    {"spate: 1\nfluids:\n  a: { spacing: 0.1 }\nsources:\n  - { type: fill, fluid: a, viscosity: 1, damping: 0, shape: " BOX
     " }\n" FLOAT,
     "5:40: warning: sources.0: viscosity has no effect: the damping of the source replaces it\n"},
    // shapes of fills
    {COARSE
     "  - { type: fill, fluid: water, shape: { difference: [ { plane: { point: [0, 0, 0], normal: [0, 1, 0] } } ] } }\n" FLOAT,
     "5:40: error: sources.0: a plane has no interior to fill; it can only be taken away, as a later shape of a "
     "difference\n"},
    {COARSE "  - { type: fill, fluid: water, level: -0.5, shape: " BOX " }\n" FLOAT,
     "5:40: error: sources.0: the level of -0.5 m is below the shape, which begins at 0 m, so there is nothing to fill\n"},
    {COARSE "  - { type: fill, fluid: water, shape: { union: [] } }\n" FLOAT,
     "5:42: error: sources.0.shape: union must have at least one element\n"},
    {COARSE "  - { type: fill, fluid: water, shape: { union: [ { ball: {} } ] } }\n" FLOAT,
     "5:53: error: sources.0.shape.union.0: unknown key 'ball'; use box, sphere, ellipsoid, capsule, cylinder, mesh, plane, "
     "union or difference\n"},
    {COARSE "  - { type: fill, fluid: water, shape: { ellipsoid: { center: [0, 0, 0], radii: [1, 0, 1] } } }\n" FLOAT,
     "5:81: error: sources.0.shape.ellipsoid: radii must be above 0; along y it is 0\n"},
    {COARSE "  - { type: fill, fluid: water, shape: { mesh: { path: cloth_%04d.obj } } }\n" FLOAT,
     "5:56: error: sources.0.shape.mesh: a sequence cannot be used here; name one of its files, like cloth_0001.obj\n"},
    // sinks
    {DRIPPING "{ age: 3 }\n", "7:5: error: sinks.0: a sink needs a shape, or remove: everywhere\n"},
    {DRIPPING "{ remove: everywhere, shape: { sphere: { center: [0, 0, 0], radius: 1 } } }\n",
     "7:34: error: sinks.0: a sink that is everywhere has no shape; leave it out\n"},
    {DRIPPING "{ remove: everywhere }\n",
     "7:5: warning: sinks.0: it removes all liquid at once; add an age, a speed, a flow or an isolation\n"},
    {DRIPPING "{ remove: everywhere, isolated_for: 1 }\n",
     "7:5: warning: sinks.0: it removes all liquid at once; add an age, a speed, a flow or an isolation\n"
     "7:41: error: sinks.0: isolated_for needs the number of neighbours below which a particle is isolated, like "
     "isolation: 3\n"},
    {DRIPPING
     "{ remove: everywhere, isolation: 3, isolated_for: 1 }\n  - { remove: everywhere, isolation: 2, isolated_for: 1 }\n",
     "8:38: error: sinks.1: all sinks with isolated_for must have the same isolation; it is 2, and that of sinks.0 is 3\n"},
    {DRIPPING "{ shape: { union: [ { plane: { point: [0, 0, 0] } } ] } }\n",
     "7:27: error: sinks.0.shape.union.0.plane: 'normal' is missing, like normal: [0, 1, 0]\n"},
    // surfaces and volumes
    {COARSE "  - { type: surface, fluid: water, speed: 1, shape: " BOX " }\n" FLOAT,
     "5:53: error: sources.0: only a mesh has a surface to pour from, like shape: { mesh: { path: idol.obj } }; other "
     "shapes can be of type volume\n"},
    {COARSE "  - { type: surface, fluid: water, shape: { mesh: { path: a.obj } } }\n" FLOAT,
     "5:5: error: sources.0: a surface needs a speed, like speed: 1.5, or a flow, like flow: 2.0e-4, or a count\n"},
    {COARSE "  - { type: surface, fluid: water, speed: 1, radius: 0.1, shape: { mesh: { path: a.obj } } }\n" FLOAT,
     "5:46: error: sources.0: 'radius' does not apply to type surface, only to emitter\n"},
    {COARSE "  - { type: surface, fluid: water, count: 100, shape: { mesh: { path: a.obj } } }\n" FLOAT,
     "5:43: error: sources.0: count needs a time at which the source stops, like stop: 2.5\n"},
    {COARSE "  - { type: volume, fluid: water, shape: " BOX " }\n" FLOAT,
     "5:5: error: sources.0: a volume needs a flow, like flow: 2.0e-4, or a count\n"},
    {COARSE "  - { type: volume, fluid: water, flow: 0.1, direction: [0, 1, 0], shape: " BOX " }\n" FLOAT,
     "5:46: error: sources.0: 'direction' does not apply to type volume, only to emitter and surface\n"},
    {COARSE "  - { type: volume, fluid: water, flow: 0.1, stop: 1, start: 2, shape: " BOX " }\n" FLOAT,
     "5:52: error: sources.0: stop must be after start; it is 1 s, and start is 2 s\n"},
    {COARSE "  - { type: volume, fluid: water, flow: 20, shape: " BOX " }\n" FLOOR,
     "5:41: warning: sources.0: no more than about 13.3 m^3/s of 20 find room, because what appears leaves the shape at 4.43 "
     "m/s at most; enlarge the shape, or give the particles a velocity\n"},
    {COARSE "  - { type: volume, fluid: water, flow: 0.1, shape: " BOX " }\n"
	    "colliders:\n  - { name: rock, shape: { sphere: { center: [0, 0, 0], radius: 4 } } }\n",
     "5:53: warning: sources.0: the volume lies completely inside colliders.0 ('rock'), so it makes no particles; move or "
     "resize one of them\n"},
    {COARSE
     "  - { type: volume, fluid: water, flow: 0.1, shape: { plane: { point: [0, 0, 0], normal: [0, 1, 0] } } }\n" FLOAT,
     "5:53: error: sources.0: a plane has no interior to fill; it can only be taken away, as a later shape of a "
     "difference\n"},
    {DRIPPING "{ remove: everywhere, age: 0 }\n",
     "7:32: error: sinks.0: age must be greater than 0 and at most 1000000 s; here it is 0\n"},
    // liquid and what is around it
    {COARSE FILL "colliders:\n  - { name: rock, shape: { sphere: { center: [0, 0, 0], radius: 4 } } }\n",
     "5:40: warning: sources.0: the fill lies completely inside colliders.0 ('rock'), so it makes no particles; move or "
     "resize one of them\n"},
    {COARSE FILL FLOOR "  - { shape: { box: { min: [-1, -1, -1], max: [0.6, 2, 2] } } }\n"
		       "  - { shape: { box: { min: [0.5, -1, -1], max: [2, 2, 2] } } }\n",
     "5:40: warning: sources.0: the colliders leave no room for the fill, so it makes no particles; move or resize it\n"},
    {COARSE FILL "  - { type: fill, fluid: water, shape: " BOX " }\n" FLOOR,
     "6:40: warning: sources.1: the fill is the same as sources.0, which leaves no room for it; remove one of them\n"},
    {COARSE FILL "  - { type: fill, fluid: water, shape: { box: { min: [0.5, 0, 0], max: [1.5, 1, 1] } } }\n" FLOOR,
     "6:40: warning: sources.1: about 500 particles of the fill are left out, because they lie inside of sources.0, "
     "which is filled first; move the fills apart if that is not intended\n"},
    {COARSE FILL "colliders:\n  - { name: tank, shape: { box: { min: [0, 0, 0], max: [0.8, 1, 1] } }, mode: inside }\n",
     "5:40: warning: sources.0: the fill is larger than its tank: 20 percent of it lie outside of colliders.0 ('tank') and "
     "are left out; make the fill smaller if that is not intended\n"},
    {COARSE "  - { type: fill, fluid: water, velocity: [0, 0, 150], shape: " BOX " }\n" FLOOR,
     "5:43: warning: sources.0: its particles start at 150 m/s, above the speed limit of 100 m/s, and are removed at "
     "once; start them slower or raise speed_limit\n"},
    {COARSE "  - { type: fill, fluid: water, spin: [0, 0, 30], shape: " BOX
	    " }\nrunaway: clamp\nspeed_limit: 19\n" FLOOR,
     "5:39: warning: sources.0: its particles start at 19.09 m/s, above the speed limit of 19 m/s, and are slowed down to "
     "it; start them slower or raise speed_limit\n"},
    {COARSE POUR(0, 1, 0) "runaway: stop\nspeed_limit: 0.5\n" FLOOR,
     "5:87: warning: sources.0: its particles start at 1 m/s, above the speed limit of 0.5 m/s, and end the run; start "
     "them slower or raise speed_limit\n"},
    {COARSE FILL
     "  - { type: fill, fluid: water, shape: { box: { min: [900000, 0, 0], max: [900001, 1, 1] } } }\n" FLOOR,
     "6:40: warning: sources.1: it reaches 900001 m from the middle of the scene at [0, 0, 0], and with this spacing "
     "particles are lost beyond 209505 m; move the sources closer together, or simulate them in scenes of their own\n"},
    {COARSE POUR(0, -3, 0) FLOOR,
     "5:46: warning: sources.0: the emitter opens inside colliders.0, so its liquid is pushed away at once; move one of them\n"},
    {COARSE POUR(0, 5, 0) "colliders:\n  - { shape: " BOX ", mode: inside }\n",
     "5:46: warning: sources.0: the emitter opens outside the container colliders.0, so its liquid is pushed away at once; "
     "move one of them\n"},
    {COARSE FILL,
     "4:1: warning: there is neither a collider nor a sink, so the liquid falls forever; add a floor, a sink or gravity: "
     "[0, 0, 0]\n"},
};

// Scenes that come close to what is warned of, and are fine.
static const char *const good_scenes[] = {
    // cut by an obstacle, by a floor, and free in one corner of a container only
    COARSE FILL FLOOR "  - { shape: { sphere: { center: [0, 0, 0], radius: 1.5 } } }\n",
    COARSE FILL "colliders:\n  - { shape: { plane: { point: [0, 0.85, 0], normal: [0, 1, 0] } } }\n",
    COARSE FILL "colliders:\n  - { shape: { box: { min: [0.8, 0.8, 0.8], max: [9, 9, 9] } }, mode: inside }\n",
    // what is in the way of a fill has gone when it appears; what a mesh encloses is not known
    COARSE
    "  - { type: fill, fluid: water, start: 2, shape: " BOX " }\n" FLOOR
    "  - { shape: { sphere: { center: [0, 0, 0], radius: 4 } }, motion: { keyframes: [{ time: 0 }, { time: 1, position: "
    "[9, 0, 0] }] } }\n",
    COARSE FILL FLOOR "  - { mesh: a.obj, scale: 100 }\n",
    // fills side by side, and one after the other
    COARSE FILL "  - { type: fill, fluid: water, shape: { box: { min: [1, 0, 0], max: [2, 1, 1] } } }\n" FLOOR,
    COARSE FILL "  - { type: fill, fluid: water, start: 1, shape: " BOX " }\n" FLOOR,
    // a ball that dips into a pool by less than half a spacing
    COARSE FILL
    "  - { type: fill, fluid: water, shape: { sphere: { center: [0.5, 1.36, 0.5], radius: 0.4 } } }\n" FLOOR,
    // as fast as allowed
    COARSE "  - { type: fill, fluid: water, velocity: [0, 0, 100], shape: " BOX " }\n" FLOOR,
    COARSE "  - { type: fill, fluid: water, spin: [0, 0, 30], shape: " BOX " }\nspeed_limit: 20\n" FLOOR,
    // far from zero, but together
    COARSE "  - { type: fill, fluid: water, shape: { box: { min: [900000, 0, 0], max: [900001, 1, 1] } } }\n" FLOOR,
    // an opening in the ceiling of a container, and one behind a door that opens
    COARSE POUR(0.5, 1, 0.5) "colliders:\n  - { shape: " BOX ", mode: inside }\n",
    COARSE POUR(0.5, 0.5, 0.5) FLOOR "  - { shape: " BOX
				     ", motion: { keyframes: [{ time: 0 }, { time: 1, position: [9, 0, 0] }] } }\n",
    // nothing falls, or what falls is taken away
    COARSE FILL FLOAT,
    COARSE FILL "sinks:\n  - { shape: { plane: { point: [0, -9, 0], normal: [0, 1, 0] } } }\n",
};

static void what_is_fine_is_not_warned_of(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof good_scenes / sizeof *good_scenes; i++)
	{
		spate_scene scene;
		char said[4096];
		check_ok(parse(&scene, good_scenes[i], NULL, 0, said, sizeof said));
		if (*said)
			fail_msg("scene:\n%s\nsaid:\n%s\nexpected nothing", good_scenes[i], said);
		spate_scene_free(&scene);
	}
}

// The scene that a run writes has the same forces, and nothing to be warned of.
static void written_forces_are_the_same(void **state)
{
	(void)state;
	static const char text[] =
	    "spate: 2\nfluids:\n  oil: { spacing: 0.1 }\n  water: { spacing: 0.1 }\n" TWO_FILLS "forces:\n"
	    "  - { type: wind, name: breeze, velocity: [8, 0, 0], drag: 2, shape: " BOX ", falloff: 0.03 }\n"
	    "  - { type: drag, quadratic: 0.1, fluids: [water, oil] }\n"
	    "  - { type: attractor, position: [0, 1, 0], radius: 0.1, strength: 3 }\n"
	    "  - { type: vortex, position: [0, 1, 0], radius: 0.1, speed: 1, drag: 2 }\n"
	    "  - { type: spiral, position: [0, 1, 0], radius: 0.1, inward: 2 }\n"
	    "  - { type: noise, size: 0.2, amplitude: 2, seed: 4, speed: 0.3 }\n"
	    "  - { type: target, field: /flow.vdb, grid: vel, rate: 3 }\n"
	    "  - { type: expression, acceleration: [\"sin(3*t)*y\", 0, -x], fluids: [oil] }\n";
	spate_scene scene, again;
	char said[4096];
	check_ok(parse(&scene, text, NULL, 0, said, sizeof said));
	assert_string_equal(said, "");
	assert_int_equal(scene.world.force_count, 8);
	char *written = spate_scene_text(&scene);
	check_ok(parse(&again, written, NULL, 0, said, sizeof said));
	assert_string_equal(said, "");
	char *twice = spate_scene_text(&again);
	assert_string_equal(written, twice);
	const spate_force_def *f = again.world.forces;
	assert_int_equal(f[1].fluid_count, 2);
	assert_int_equal(f[1].fluids[0], 1);
	check_near(f[0].shape.b[2], 1, 0);
	assert_string_equal(f[6].grid, "vel");
	check_near(f[6].drag, 3, 0);
	assert_string_equal(f[7].acceleration[1], "0");
	assert_string_equal(f[7].acceleration[2], "-x");
	spate_scene_text_free(written);
	spate_scene_text_free(twice);
	spate_scene_free(&scene);
	spate_scene_free(&again);
}

static void every_mistake_has_its_place_and_sentence(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof bad_scenes / sizeof bad_scenes[0]; i++)
	{
		const bad_scene *bad = &bad_scenes[i];
		spate_scene scene;
		char said[4096];
		spate_result result = parse(&scene, bad->text, NULL, 0, said, sizeof said);
		if (strcmp(said, bad->said) != 0)
			fail_msg("scene:\n%s\nsaid:\n%s\nexpected:\n%s", bad->text, said, bad->said);
		int only_warnings = strstr(bad->said, ": error: ") == NULL;
		assert_int_equal(result, only_warnings ? SPATE_OK : SPATE_SCENE);
		spate_scene_free(&scene);
	}
}

static void error_holds_the_first_mistake(void **state)
{
	(void)state;
	const char *text = "spate: 1\nfluids:\n  water: { spacing: 0, densty: 1 }\n";
	spate_scene scene;
	spate_problems problems = {0};
	spate_error error = {0};
	check_result(spate_scene_parse(&scene, "dir/a.yaml", text, strlen(text), NULL, 0, &problems, &error),
		     SPATE_SCENE);
	assert_string_equal(error.text,
			    "dir/a.yaml:3:21: fluids.water: spacing must be greater than 0 and at most 100 m; "
			    "here it is 0 (and 1 more errors)");
	assert_int_equal(problems.errors, 2);
	assert_null(scene.memory);
	spate_problems_free(&problems);
}

// Thousands of mistakes are counted, not stored.
static void many_mistakes_are_cut_off(void **state)
{
	(void)state;
	static char text[100000] = HEAD;
	size_t used = strlen(text);
	for (int i = 0; i < 900; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "wrong%d: 1\n", i);
	spate_scene scene;
	spate_problems problems = {0};
	check_result(spate_scene_parse(&scene, "t", text, used, NULL, 0, &problems, NULL), SPATE_SCENE);
	assert_int_equal(problems.count, 101);
	assert_string_equal(problems.items[100].text, "800 more problems are not listed");
	spate_problems_free(&problems);
}

static void deep_nesting_is_refused(void **state)
{
	(void)state;
	char text[256] = HEAD "name: ", said[4096];
	for (int i = 0; i < 40; i++)
		strcat(text, "[");
	spate_scene scene;
	check_result(parse(&scene, text, NULL, 0, said, sizeof said), SPATE_SCENE);
	assert_string_equal(said, "4:38: error: lists and maps are nested more than 32 deep\n");
}

static void billion_laughs_are_refused_at_the_first_alias(void **state)
{
	(void)state;
	const char *text = "a: &a [x, x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n";
	spate_scene scene;
	char said[4096];
	check_result(parse(&scene, text, NULL, 0, said, sizeof said), SPATE_SCENE);
	assert_string_equal(said,
			    "2:8: error: aliases like '*a' are not supported in scene files; write the value out\n");
}

static void binary_and_oversized_files_are_refused(void **state)
{
	(void)state;
	spate_scene scene;
	spate_problems problems = {0};
	static const char png[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
	check_result(spate_scene_parse(&scene, "t", png, sizeof png, NULL, 0, &problems, NULL), SPATE_SCENE);
	assert_string_equal(problems.items[0].text,
			    "this is not UTF-8 text: the byte 0x89 is invalid here; save the file as UTF-8");
	size_t bytes = 17 * 1000 * 1000;
	char *text = malloc(bytes);
	assert_non_null(text);
	memset(text, ' ', bytes);
	check_result(spate_scene_parse(&scene, "t", text, bytes, NULL, 0, &problems, NULL), SPATE_SCENE);
	assert_string_equal(problems.items[0].text, "the file has 17 MB; a scene file has at most 16 MB");
	free(text);
	spate_problems_free(&problems);
}

static void missing_files_and_directories_are_io_errors(void **state)
{
	(void)state;
	spate_scene scene;
	spate_problems problems = {0};
	spate_error error = {0};
	check_result(spate_scene_load(&scene, "no/such/file.yaml", NULL, 0, &problems, &error), SPATE_IO);
	assert_string_equal(error.text, "cannot open no/such/file.yaml: No such file or directory");
	check_result(spate_scene_load(&scene, ".", NULL, 0, &problems, &error), SPATE_IO);
	assert_string_equal(error.text, "cannot read .: Is a directory");
}

// 1.9 billion particles can be numbered, but they need 760 GB.
static void scenes_larger_than_the_machine_are_refused(void **state)
{
	(void)state;
	const char *text = "spate: 1\nfluids:\n  water: { spacing: 0.01 }\nsources:\n"
			   "  - { type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [19, 10, 10] } } "
			   "}\n";
	spate_scene scene;
	char said[4096];
	spate_result result = parse(&scene, text, NULL, 0, said, sizeof said);
	if (result == SPATE_OK)
	{
		spate_scene_free(&scene);
		skip_because("this machine has the 760 GB that the scene needs");
	}
	const char *begin =
	    "4:1: error: about 1.9 billion particles need about 760 GB of memory, and this machine has ";
	if (strncmp(said, begin, strlen(begin)) != 0)
		fail_msg("said: %s\nexpected: %s...", said, begin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(written_forces_are_the_same),
	    cmocka_unit_test(every_mistake_has_its_place_and_sentence),
	    cmocka_unit_test(what_is_fine_is_not_warned_of),
	    cmocka_unit_test(error_holds_the_first_mistake),
	    cmocka_unit_test(many_mistakes_are_cut_off),
	    cmocka_unit_test(deep_nesting_is_refused),
	    cmocka_unit_test(billion_laughs_are_refused_at_the_first_alias),
	    cmocka_unit_test(binary_and_oversized_files_are_refused),
	    cmocka_unit_test(missing_files_and_directories_are_io_errors),
	    cmocka_unit_test(scenes_larger_than_the_machine_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
