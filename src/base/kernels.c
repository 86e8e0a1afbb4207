#include "base/kernels.h"

const kernel kernel_table[KERNEL_COUNT] = {
    {"poly6", poly6_value, poly6_derivative, poly6_laplacian, 0},
    {"spiky", spiky_value, spiky_derivative, spiky_laplacian, 0},
    {"viscosity", viscosity_value, viscosity_derivative, viscosity_laplacian, 1},
    {"cubic", cubic_value, cubic_derivative, cubic_laplacian, 0},
    {"wendland", wendland_value, wendland_derivative, wendland_laplacian, 0},
};
