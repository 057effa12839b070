import type { DirectoryJob, DirectoryJobBody } from '@tagway/schemas';
import type { Client } from './client.ts';
import { until } from './until.ts';

/** Runs a job to its end, whatever that is. */
export async function runJob(client: Client, body: DirectoryJobBody): Promise<DirectoryJob> {
  const { job } = await client.ok<{ job: string }>('POST', '/directory/job', { ...body });
  return until(
    `the job ${body.action} is over`,
    async () => {
      const shown = await client.ok<DirectoryJob>('GET', '/directory/job', { job });
      return ['done', 'failed', 'cancelled'].includes(shown.state) ? shown : undefined;
    },
    { within: 60_000 },
  );
}

/** Runs a job that is to succeed. */
export async function doneJob(client: Client, body: DirectoryJobBody): Promise<DirectoryJob> {
  const job = await runJob(client, body);
  if (job.state !== 'done')
    throw new Error(`The job ${body.action} is ${job.state}: ${job.code} ${job.message}`);
  return job;
}
