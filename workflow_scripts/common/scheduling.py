"""What is mended of Snakemake's scheduler while it runs."""

# Snakemake's own --max-jobs-per-timespan: this many in this many seconds.
DEFAULT_LIMIT = (100, 1)


def look_only_when_jobs_end(workflow):
    """Take away Snakemake's limit of job starts, unless somebody asked for another than its own.

    The limiter (of Snakemake 9.27) has the scheduler look for jobs to start once more after each look that found some
    waiting: as many looks per span as jobs have ended, each in a thread of its own, and each reads the sizes of all
    inputs. Of the demo that was a quarter of the processor time; after a thousand jobs it would be all of a core.

    Parameters
    ----------
    workflow : snakemake.workflow.Workflow
        Of the main process, when its scheduler is there (onstart).
    """
    limit = workflow.scheduling_settings.max_jobs_per_timespan
    if limit is not None and (limit.max_jobs, limit.timespan) == DEFAULT_LIMIT:
        workflow.scheduler.job_rate_limiter = None
