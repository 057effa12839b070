#!/usr/bin/env node
import { run } from './command.ts';
import { Failure } from './failure.ts';

const end = new AbortController();
process.once('SIGINT', () => end.abort());
process.once('SIGTERM', () => end.abort());

try {
  // A plugin that was loaded for a check may hold something that would keep this process alive.
  process.exit(await run(process.argv.slice(2), (line) => process.stdout.write(`${line}\n`), end.signal));
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
