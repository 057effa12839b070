// Runs jobs side by side: the first that may start takes the next free place, so that no place is empty while there is work.

/**
 * Does `work` for every job, at most `width` of them at a time and at most `heavy` of those that keep a core busy.
 * A job that `needs` another starts when that one is done, and is left out when it was not done well. A job that is
 * `alone` waits until nothing else is left. Resolves to the results of the jobs that ran, in the order of their ends.
 */
export async function schedule(jobs, { width, heavy = width }, work) {
  const waiting = new Set(jobs);
  const running = new Map();
  const done = new Map();
  const count = (test) => [...running.keys()].filter(test).length;

  const mayStart = (job) =>
    running.size < width &&
    (job.needs === undefined || done.has(job.needs)) &&
    (!job.isHeavy || count(({ isHeavy }) => isHeavy) < heavy) &&
    count(({ alone }) => alone) === 0 &&
    (!job.alone || (running.size === 0 && [...waiting].every(({ alone }) => alone)));

  const start = (job) => {
    waiting.delete(job);
    const end = (result) => {
      running.delete(job);
      done.set(job, result);
    };
    running.set(job, work(job).then(end));
  };

  while (waiting.size > 0) {
    for (const job of waiting) {
      if (job.needs !== undefined && done.get(job.needs)?.isGood === false) waiting.delete(job);
      else if (mayStart(job)) start(job);
    }
    if (running.size > 0) await Promise.race(running.values());
    else if (waiting.size > 0)
      throw new Error('The jobs that are left wait for jobs that are not among them.');
  }
  await Promise.all(running.values());
  return [...done.values()];
}
