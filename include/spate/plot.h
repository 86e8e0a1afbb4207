// Line plots of the probes and statistics of a run, as `spate plot` makes them: one picture per quantity.
#ifndef SPATE_PLOT_H
#define SPATE_PLOT_H

#include "spate/job.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum spate_plot_source
{
	SPATE_PLOT_PROBES, // probes.csv
	SPATE_PLOT_STATS   // stats.jsonl
} spate_plot_source;

typedef enum spate_plot_axis
{
	SPATE_PLOT_TIME,
	SPATE_PLOT_FRAME
} spate_plot_axis;

enum
{
	SPATE_PLOT_MIN_SIZE = 160, // pixels per side
	SPATE_PLOT_MAX_SIZE = 16384
};

typedef struct spate_plot_def
{
	spate_job job;     // an item is a picture
	const char *input; // directory of a run
	spate_plot_source source;
	const char *const *columns; // such as "gauge.height" or "kinetic_energy"
	uint32_t column_count;      // 0 for all
	const char *frames;         // a list as in spate_job_frames; NULL for all
	spate_plot_axis x;
	int width, height; // pixels
	// One picture, of columns of the same quantity; NULL writes plot_QUANTITY.png into the run's directory for every quantity. Existing
	// pictures are replaced.
	const char *output;
} spate_plot_def;

SPATE_API spate_plot_def spate_default_plot_def(void);

// *pictures (may be NULL) is the number of pictures written; the handler gets their paths as items. SPATE_INVALID for columns that do
// not exist, and for columns of several quantities in one picture. After a failure, finished pictures stay.
SPATE_API spate_result spate_plot_run(const spate_plot_def *def, uint32_t *pictures, spate_error *error);

typedef struct spate_plot_column
{
	spate_plot_source source;
	const char *file; // "probes.csv"
	char name[96];
	const char *unit; // "" for none
	uint64_t rows;
} spate_plot_column;

// Lists the columns of both files of a run; a missing file has none. Free them with spate_plot_columns_free().
SPATE_API spate_result spate_plot_columns(const char *input, spate_plot_column **columns, uint32_t *count,
					  spate_error *error);
SPATE_API void spate_plot_columns_free(spate_plot_column *columns);

#ifdef __cplusplus
}
#endif
#endif
