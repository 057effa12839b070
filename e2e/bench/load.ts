import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Question } from './connection.ts';

export interface Load {
  readonly port: number;
  readonly token: string;
  readonly connections: number;
  /** Seconds before counting begins. */
  readonly warmUp: number;
  readonly seconds: number;
  /** Requests per second over all connections, evenly spread. Default: each connection asks again at once. */
  readonly rate?: number;
  readonly question: Question;
}

/** Asks the same again and again over kept-alive connections, and returns the latencies of the replies in milliseconds. */
export async function measureLoad(load: Load): Promise<readonly number[]> {
  const script = join(import.meta.dirname, 'load-process.ts');
  const child = fork(script, [JSON.stringify(load)], { execArgv: [], serialization: 'advanced' });
  const failed = once(child, 'exit').then(() => {
    throw new Error(`The load generator ended before it reported on ${load.question.path}.`);
  });
  const [latencies] = (await Promise.race([once(child, 'message'), failed])) as [readonly number[]];
  failed.catch(() => undefined);
  return latencies;
}
