import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Question } from './connection.ts';
import type { Setup } from './setup.ts';

/** How often something is asked, and for how long. */
export interface Pressure {
  readonly connections: number;
  /** Seconds before counting begins. Default 0. */
  readonly warmUp?: number;
  readonly seconds: number;
  /** Requests per second over all connections, evenly spread. Default: each connection asks again at once. */
  readonly rate?: number;
}

/** The argument of the load generator, as JSON. */
export interface Load extends Pressure {
  readonly url: string;
  readonly token: string;
  readonly question: Question;
}

/** Asks the same again and again over kept-alive connections, and returns the latencies of the replies in milliseconds. */
export async function measureLoad(
  { client, gateway: { url } }: Setup,
  question: Question,
  pressure: Pressure,
): Promise<readonly number[]> {
  const load: Load = { url, token: client.token ?? '', question, ...pressure };
  const script = join(import.meta.dirname, 'load-process.ts');
  const child = fork(script, [JSON.stringify(load)], { execArgv: [], serialization: 'advanced' });
  const failed = once(child, 'exit').then(() => {
    throw new Error(`The load generator ended before it reported on ${question.path}.`);
  });
  const [latencies] = (await Promise.race([once(child, 'message'), failed])) as [readonly number[]];
  failed.catch(() => undefined);
  return latencies;
}
