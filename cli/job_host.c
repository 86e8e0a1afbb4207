#include "cli/job_host.h"

#include "cli/interrupt.h"

static int show_progress(void *context, const spate_job_progress *now)
{
	job_host *host = context;
	if (now->done == 0 && !now->item)
	{
		progress_clear(&host->shown);
		int percent = host->shown.percent, begun = host->shown.program != NULL;
		host->shown =
		    progress_begin(host->args->program, now->what, now->total, host->args->quiet, host->args->plain);
		// of several passes only the first has a line for its beginning
		host->shown.percent = begun ? percent : -1;
		interrupt_watch(NULL);
	}
	host->shown.prepares = now->prepares;
	progress_update(&host->shown, now->done);
	return interrupt_seen();
}

static void show_message(void *context, spate_log_level level, const char *text)
{
	job_host *host = context;
	progress_clear(&host->shown);
	if (level == SPATE_LOG_WARNING || !host->args->quiet)
		job_complain(host->args->program, host->names, text);
}

spate_job job_host_connect(job_host *host)
{
	return (spate_job){
	    .handler = show_progress, .log = show_message, .context = host, .threads = host->args->threads};
}
