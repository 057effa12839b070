// One install or build of this working copy at a time: `npm start` and `npm test` may run side by side.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, inRoot, stampFile } from './workspace.mjs';

const waitLimit = 10 * 60_000;

function holder(file) {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    return error.code === 'EPERM' ? 'of another user' : undefined;
  }
}

function take(file) {
  try {
    writeFileSync(file, `${process.pid}`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
}

export async function withLock(work) {
  mkdirSync(inRoot('.stamps'), { recursive: true });
  const file = stampFile('lock');
  const deadline = Date.now() + waitLimit;
  for (let waits = 0; !take(file); waits++) {
    const pid = holder(file);
    if (pid === undefined) rmSync(file, { force: true });
    else if (Date.now() > deadline)
      throw new Failure(`Process ${pid} has held ${file} for ten minutes. Remove the file if it is stale.`);
    else {
      if (waits === 0) console.log(`Waiting for process ${pid}, which installs or builds in this folder.`);
      await sleep(200);
    }
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
