import type { Log } from '../context.ts';
import type { Trace } from '../frames.ts';
import type { Framing } from './splitter.ts';

export type { Trace } from '../frames.ts';

const most = 256;

/** A trace that writes every frame to the log at level debug, in hexadecimal, the first 256 bytes of it. */
export function hexTrace(log: Pick<Log, 'debug'>): Trace {
  return (direction, data, at, end) => {
    const shown = data.toString('hex', at, Math.min(end, at + most));
    log.debug(`${direction === 'sent' ? 'Sent' : 'Received'} ${end - at} bytes: ${shown}`);
  };
}

/** Passes frames to both. */
export function bothTraces(one: Trace | undefined, other: Trace | undefined): Trace | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return (direction, data, at, end) => {
    one(direction, data, at, end);
    other(direction, data, at, end);
  };
}

/** Several frames that are sent in one piece are passed on one by one, where the protocol can tell them apart. */
export function oneByOne(trace: Trace, framing: Framing): Trace {
  return (direction, data, at, end) => {
    if (direction === 'received' || framing.length === undefined) return trace(direction, data, at, end);
    let begin = at;
    while (begin < end) {
      const size = framing.length(data, begin, end);
      const next = size > 0 && begin + size <= end ? begin + size : end;
      trace(direction, data, begin, next);
      begin = next;
    }
  };
}

/** Requests whose answers are to come, for explaining these; the latest 256 of them. */
export class ExplainedRequests<T> {
  readonly #requests = new Map<number | string, T>();

  set(key: number | string, request: T): void {
    this.#requests.delete(key);
    this.#requests.set(key, request);
    if (this.#requests.size <= mostRequests) return;
    for (const oldest of this.#requests.keys()) {
      this.#requests.delete(oldest);
      break;
    }
  }

  /** The request that is answered now. */
  take(key: number | string): T | undefined {
    const request = this.#requests.get(key);
    this.#requests.delete(key);
    return request;
  }
}

const mostRequests = 256;
