// Which build of the *.simd.c files to call.
#ifndef BASE_SIMD_LEVEL_H
#define BASE_SIMD_LEVEL_H

typedef enum simd_level
{
	SIMD_PORTABLE,
	SIMD_AVX2,
	SIMD_AVX512
} simd_level;

// The best that this machine has; SPATE_SIMD=portable|avx2|avx512 in the environment asks for less.
simd_level simd_level_detect(void);
const char *simd_level_name(simd_level level);

// Declares the builds of a table of functions, and picks one: SIMD_TABLE(list_kernels, list_kernels_table) in a header
// gives `const list_kernels *list_kernels_table(simd_level level)`.
#ifdef SPATE_X86
#define SIMD_TABLE(type, name)                                                                                       \
	extern const type name##_portable, name##_avx2, name##_avx512;                                               \
	static inline const type *name(simd_level level)                                                             \
	{                                                                                                            \
		return level == SIMD_AVX512 ? &name##_avx512 : level == SIMD_AVX2 ? &name##_avx2 : &name##_portable; \
	}
#else
#define SIMD_TABLE(type, name)                           \
	extern const type name##_portable;               \
	static inline const type *name(simd_level level) \
	{                                                \
		(void)level;                             \
		return &name##_portable;                 \
	}
#endif

#endif
