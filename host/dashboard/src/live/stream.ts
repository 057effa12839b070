import { parseExact } from '../api/exact-json.ts';
import { EventParser } from './event-parser.ts';
import { GatewayError, request, type Access } from './gateway-access.ts';
import type { Demand, StreamEvent } from './messages.ts';

/** Longest silence of a stream in ms: before its first event, which is sent at once, and between two events (one and a half beats). */
const longestSilence = { first: 3000, next: 7500 } as const;

export interface StreamWants {
  readonly states: boolean;
  readonly values: readonly Demand[];
}

/** How a stream ended. `silent`: nothing arrived for too long, or the gateway refused the request. */
export type StreamEnd = 'closed' | 'silent';

/**
 * Reads a stream of the gateway and calls `onEvent` with each event. Resolves when the stream has ended or the signal
 * is aborted. Throws a `GatewayError` of the token.
 */
export async function listen(
  access: Access,
  wants: StreamWants,
  signal: AbortSignal,
  onEvent: (event: StreamEvent) => void,
): Promise<StreamEnd> {
  const stop = new AbortController();
  let last = Date.now();
  let limit: number = longestSilence.first;
  const watch = setInterval(() => {
    if (Date.now() - last > limit) stop.abort();
  }, 250);
  const end = (): void => stop.abort();
  signal.addEventListener('abort', end);
  try {
    if (signal.aborted) return 'closed';
    const response = await request(access, ['POST', 'live/events'], stop.signal, wants);
    if (response.body === null) return 'silent';
    const parser = new EventParser();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return 'closed';
      // An event of many tags arrives in pieces; every piece shows that the stream is alive.
      last = Date.now();
      limit = longestSilence.next;
      for (const { event, data } of parser.add(value)) {
        onEvent({ event, data: parseExact(data) } as StreamEvent);
      }
    }
  } catch (error) {
    if (stop.signal.aborted) return signal.aborted ? 'closed' : 'silent';
    if (error instanceof GatewayError) {
      if (error.isTokenError) throw error;
      return 'silent';
    }
    // The stream was cut, the gateway cannot be reached, or something else has replied.
    return 'closed';
  } finally {
    clearInterval(watch);
    signal.removeEventListener('abort', end);
    stop.abort();
  }
}
