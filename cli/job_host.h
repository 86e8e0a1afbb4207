// A command as the host of a library job: a progress line, messages, and Ctrl-C, which cancels the job.
#ifndef CLI_JOB_HOST_H
#define CLI_JOB_HOST_H

#include "cli/arguments.h"
#include "cli/job_message.h"
#include "cli/progress.h"
#include "spate/job.h"

typedef struct job_host
{
	const common_arguments *args;
	const option_name *names; // for messages
	progress shown;
} job_host;

// The part of a job's definition that points to this host. Ctrl-C is watched from the first report of the job on.
spate_job job_host_connect(job_host *host);

#endif
