// Common liquids by name.
#ifndef SCENE_PRESETS_H
#define SCENE_PRESETS_H

#include "spate/world.h"

#include <stdint.h>

// clang-format off
// Measured properties. For foods and lava, sources differ by more than the last digit.
//
// name, temperature (C), density (kg/m^3), dynamic viscosity (Pa s), surface tension (N/m), colour, what it is
#define PRESET_MAP(X)                                                                                            \
	X(water, 20, 998.2, 1.002e-3, 0.0728, 0x3b82c4, "fresh water")                                           \
	X(seawater, 20, 1024.8, 1.08e-3, 0.0735, 0x2a6f97, "sea water with 35 g of salt per kg")                 \
	X(milk, 20, 1033, 2.0e-3, 0.047, 0xf4f1e8, "whole milk")                                                 \
	X(cream, 20, 1005, 2.0e-2, 0.040, 0xf7ecd0, "heavy cream")                                               \
	X(blood, 37, 1060, 3.5e-3, 0.058, 0x8a0f12, "human blood, flowing")                                      \
	X(ethanol, 20, 789.3, 1.20e-3, 0.0223, 0xc9dbe6, "pure alcohol")                                         \
	X(gasoline, 20, 745, 6.0e-4, 0.0216, 0xe3c878, "petrol")                                                 \
	X(acetone, 20, 790, 3.2e-4, 0.0237, 0xd7e3e8, "nail polish remover")                                     \
	X(oil, 20, 911, 8.4e-2, 0.032, 0xb5a327, "olive oil")                                                    \
	X(motor_oil, 20, 880, 0.29, 0.031, 0x8a5a14, "SAE 30")                                                   \
	X(glycerin, 20, 1261, 1.41, 0.0634, 0xdde8ea, "pure glycerol")                                           \
	X(syrup, 20, 1330, 0.17, 0.060, 0x7a3b0c, "maple syrup")                                                 \
	X(honey, 20, 1420, 10, 0.056, 0xd68910, "runny honey")                                                   \
	X(ketchup, 20, 1110, 10, 0.050, 0xa81c07, "slow ketchup; the real one thins when shaken")                \
	X(chocolate, 45, 1270, 3, 0.030, 0x3d1c0a, "molten dark chocolate")                                      \
	X(paint, 20, 1250, 1, 0.030, 0xd94f30, "wall paint, stirred")                                            \
	X(lava, 1150, 2650, 100, 0.350, 0xe2510c, "basalt")                                                      \
	X(mercury, 20, 13546, 1.554e-3, 0.4865, 0xb8bcc2, "quicksilver")                                         \
	X(liquid_nitrogen, -196, 807, 1.58e-4, 0.00885, 0xdbeafe, "nitrogen at its boiling point")

// clang-format on

typedef enum preset_id
{
#define X(name, celsius, density, viscosity, tension, color, text) PRESET_##name,
	PRESET_MAP(X)
#undef X
	PRESET_COUNT
} preset_id;

// Sets everything but name and spacing. Viscosity becomes kinematic.
void preset_apply(preset_id id, spate_fluid_def *fluid);
// 0xrrggbb to sRGB from 0 to 1.
void color_from_hex(double color[3], uint32_t hex);

#endif
