// One install or build of this working copy at a time: `npm start` and `npm test` may run side by side.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, inRoot, stampFile } from './workspace.mjs';

const waitLimit = 10 * 60_000;

/** Writes the pid of this process into the file, unless that of a living one is there, which is returned. */
function take(file) {
  try {
    writeFileSync(file, `${process.pid}`, { flag: 'wx' });
    return undefined;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    if (error.code === 'EPERM') return 'of another user';
    rmSync(file, { force: true });
    return take(file);
  }
}

export async function withLock(work) {
  mkdirSync(inRoot('.stamps'), { recursive: true });
  const file = stampFile('lock');
  const deadline = Date.now() + waitLimit;
  let holder = take(file);
  if (holder !== undefined)
    console.log(`Waiting for process ${holder}, which installs or builds in this folder.`);
  for (; holder !== undefined; holder = take(file)) {
    if (Date.now() > deadline)
      throw new Failure(
        `Process ${holder} has held ${file} for ten minutes. Remove the file if it is stale.`,
      );
    await sleep(200);
  }
  const release = () => rmSync(file, { force: true });
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.off('exit', release);
    release();
  }
}
