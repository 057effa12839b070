import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Method } from '../client.ts';

export interface Load {
  readonly port: number;
  readonly connections: number;
  /** Seconds before counting begins. */
  readonly warmUp: number;
  readonly seconds: number;
  /** The bytes of one HTTP request. */
  readonly request: string;
}

export interface LoadOptions {
  readonly url: string;
  readonly token: string;
  readonly method: Method;
  /** Path below /api/v2, with its query. */
  readonly path: string;
  readonly body?: object;
  readonly connections?: number;
  readonly seconds: number;
}

/** Sends the same request over kept-alive connections, and returns the latencies of the replies in milliseconds. */
export async function measureLoad(options: LoadOptions): Promise<readonly number[]> {
  const { url, token, method, path, body, connections = 8, seconds } = options;
  const { port, host } = new URL(url);
  const text = body === undefined ? '' : JSON.stringify(body);
  const head = [
    `${method} /api/v2${path} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${token}`,
    ...(body === undefined
      ? []
      : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`]),
  ];
  const request = `${head.join('\r\n')}\r\n\r\n${text}`;
  const load: Load = { port: Number(port), connections, warmUp: 1, seconds, request };
  const script = join(import.meta.dirname, 'load-process.ts');
  const child = fork(script, [JSON.stringify(load)], { execArgv: [], serialization: 'advanced' });
  const failed = once(child, 'exit').then(() => {
    throw new Error(`The load generator ended before it reported on ${method} ${path}.`);
  });
  const [latencies] = (await Promise.race([once(child, 'message'), failed])) as [readonly number[]];
  failed.catch(() => undefined);
  return latencies;
}
