import { parseExact } from '../api/exact-json.ts';
import { EventText } from './event-text.ts';
import { Refusal, request, type Access } from './gateway-access.ts';
import type { Demand } from './messages.ts';

/** Milliseconds that a stream may be silent: to its first event, which comes at once, and from one to the next: a beat and a half. */
const patience = { first: 3000, next: 7500 } as const;

export interface StreamWants {
  readonly states: boolean;
  readonly values: readonly Demand[];
}

/** How a stream ended. `silent`: it stood open and nothing came any more, or the gateway did not take it. */
export type StreamEnd = 'closed' | 'silent';

/**
 * Reads a stream of the gateway and calls `onEvent` with each event's name and data. Resolves when the stream has ended or the signal
 * is aborted. Throws a `Refusal` of the token.
 */
export async function listen(
  access: Access,
  wants: StreamWants,
  signal: AbortSignal,
  onEvent: (event: string, data: Readonly<Record<string, unknown>>) => void,
): Promise<StreamEnd> {
  const stop = new AbortController();
  let [last, limit]: [number, number] = [Date.now(), patience.first];
  const watch = setInterval(() => {
    if (Date.now() - last > limit) stop.abort();
  }, 250);
  const end = (): void => stop.abort();
  signal.addEventListener('abort', end);
  try {
    if (signal.aborted) return 'closed';
    const response = await request(access, ['POST', 'live/events'], stop.signal, wants);
    if (response.body === null) return 'silent';
    const text = new EventText();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return 'closed';
      // An event of many tags comes in pieces: the last of them is not the only sign of life.
      [last, limit] = [Date.now(), patience.next];
      for (const { event, data } of text.add(value)) {
        onEvent(event, parseExact(data) as Readonly<Record<string, unknown>>);
      }
    }
  } catch (error) {
    if (stop.signal.aborted) return signal.aborted ? 'closed' : 'silent';
    if (error instanceof Refusal) {
      if (error.isOfToken) throw error;
      return 'silent';
    }
    // Cut, unreachable, or something else than the gateway has answered.
    return 'closed';
  } finally {
    clearInterval(watch);
    signal.removeEventListener('abort', end);
    stop.abort();
  }
}
