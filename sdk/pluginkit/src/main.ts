#!/usr/bin/env node
import { problemOfNode } from './node-version.ts';

const problem = problemOfNode(process.versions.node);
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}

// Loaded from here on: on an old Node, loading alone may fail or hang.
const { run } = await import('./command.ts');
const { Failure } = await import('./failure.ts');
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
