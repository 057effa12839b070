// A command that is started again after every change of a source file: `npm run dev`.
import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listFiles, readPackages } from './workspace.mjs';

/** Milliseconds between two looks. */
const interval = 500;

/**
 * A text that differs after one of the files was changed, also when another file was put in its place, as many editors do. A watch of the
 * system would go on with the file that is gone.
 */
export function stateOf(files) {
  return files
    .map((file) => {
      const { ino, mtimeNs, size } = statSync(file, { bigint: true, throwIfNoEntry: false }) ?? {};
      return `${file} ${ino} ${mtimeNs} ${size}`;
    })
    .join('\n');
}

/** What a package is made from; builds write other files beside it for a moment. */
const source = /^(?:(?:src|api|plugin)[\\/].*|[^\\/]*\.(?:json|html))$/;

/** The state of all that the gateway is built from. */
export function sourcesState() {
  const files = readPackages().flatMap(({ path }) =>
    listFiles(path).filter((file) => source.test(relative(path, file))),
  );
  return stateOf(files);
}

/** Starts a command, and whenever what `state` gives has changed, ends it and starts it again. A command that has ended waits for a change. */
export async function again(state, start) {
  for (;;) {
    const before = state();
    let child;
    const ended = start((started) => (child = started));
    while (state() === before) await sleep(interval);
    console.log('A source file was changed: starting again.');
    child.kill('SIGTERM');
    await ended;
  }
}
