import { stripVTControlCharacters, format } from 'node:util';
import type { Log } from '@tagway/sdk';
import { setDebugLogger, setErrorLogger, setWarningLogger } from 'node-opcua-debug';

const listeners = new Set<Log>();

/** The library would print on the console. It does not say for which node, so every node's log gets its lines, at debug level. */
function pass(_place: unknown, ...words: readonly unknown[]): void {
  if (listeners.size === 0) return;
  const line = stripVTControlCharacters(format(...words))
    .trim()
    .slice(0, 1000);
  for (const log of listeners) log.debug(`OPC UA library: ${line}`);
}

setDebugLogger(pass);
setWarningLogger(pass);
setErrorLogger(pass);

/** Gives a node's log the lines of the library, until the returned object is disposed of. */
export function listenToLibrary(log: Log): Disposable {
  listeners.add(log);
  return { [Symbol.dispose]: () => void listeners.delete(log) };
}
