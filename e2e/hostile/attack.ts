import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface Attack {
  readonly form:
    | 'pipelined'
    | 'metrics'
    | 'refused'
    | 'forged'
    | 'unread'
    | 'bodies'
    | 'held'
    | 'guesses'
    | 'idle'
    | 'churn'
    | 'knocks';
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** Address it comes from, one of 127.0.0.0/8. */
  readonly host: string;
  /** Bytes of the bodies that it sends, where it sends any. */
  readonly bytes?: number;
}

/** What came of an attack. */
export interface Outcome {
  readonly replies: number;
  /** Replies of 429 among them. */
  readonly refused: number;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Attacks from a process of its own, and resolves when that is over. */
export async function attack(what: Attack): Promise<Outcome> {
  const child = fork(join(import.meta.dirname, 'attack-process.ts'), [JSON.stringify(what)], {
    execArgv: [],
  });
  running.add(child);
  const exited = once(child, 'exit');
  const [outcome] = (await Promise.race([
    once(child, 'message'),
    exited.then(() => {
      throw new Error(`The attack ${what.form} ended before it said what came of it.`);
    }),
  ])) as [Outcome];
  await exited;
  running.delete(child);
  return outcome;
}
