"""Dagster: the topics of each week, every Tuesday. dagster dev -f dagster.py"""

import os
import subprocess

from dagster import Definitions, Failure, RetryPolicy, ScheduleDefinition, job, op

HOME = os.environ.get("PRIVPIPE_JOBS", "/srv/privpipe")  # a disk that lasts: the ledger is there
COMMAND = "privpipe weekly --quiet --date created --from 2026-03-02 tickets.csv out/weekly"
LASTING = {2, 80, 82, 83, 90, 91, 100}  # somebody must fix the cause, or another run is at work


@op(retry_policy=RetryPolicy(max_retries=3, delay=float(os.environ.get("PRIVPIPE_DELAY", 600))))
def weekly(context):
    with open(f"{HOME}/weekly.log", "ab") as private:  # messages stay behind the wall, not in the log of the web page
        done = subprocess.run(COMMAND.split(), cwd=HOME, stdout=subprocess.PIPE, stderr=private, text=True)
    if done.returncode:
        raise Failure(
            f"privpipe ended with exit code {done.returncode}; {HOME}/weekly.log says why",
            allow_retries=done.returncode not in LASTING,
        )
    context.log.info(done.stdout)  # what moved is released


@job(tags={"dagster/concurrency_key": "privpipe"})
def privpipe_weekly():
    weekly()


definitions = Definitions(schedules=[ScheduleDefinition(job=privpipe_weekly, cron_schedule="0 6 * * 2")])
