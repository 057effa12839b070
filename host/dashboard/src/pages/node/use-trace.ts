import type { TraceReply } from '@tagway/schemas';
import { useEffect, useState } from 'react';
import { ApiError, call } from '../../api/call.ts';

/** Milliseconds between two looks at a trace that goes on, and before another attempt after an error. */
const period = 500;
const retryPeriod = 2000;

/** FILE_NOT_FOUND: the node was not traced. */
const noTrace = 1011;

interface Followed {
  /** The trace with all of its frames; undefined when there is none. */
  readonly trace: TraceReply | undefined;
  readonly error: unknown;
}

/** The trace of a node, followed while it goes on. Another `round` looks for one that has begun. */
export function useTrace(node: string, round: number): Followed {
  const [followed, setFollowed] = useState<Followed>({ trace: undefined, error: undefined });
  useEffect(() => {
    const stop = new AbortController();
    void follow(node, stop.signal, (next) => {
      if (!stop.signal.aborted) setFollowed(next);
    });
    return () => stop.abort();
  }, [node, round]);
  return followed;
}

async function follow(node: string, signal: AbortSignal, show: (followed: Followed) => void): Promise<void> {
  let trace: TraceReply | undefined;
  while (!signal.aborted) {
    let wait = period;
    try {
      const reply = await ask(node, trace?.frames.length ?? 0, signal);
      const isAnother = trace !== undefined && trace.begun !== reply.begun;
      if (isAnother) {
        trace = undefined;
        continue;
      }
      trace = { ...reply, frames: [...(trace?.frames ?? []), ...reply.frames] };
      show({ trace, error: undefined });
      const isBehind = trace.frames.length < reply.total;
      if (!isBehind && reply.end !== undefined) return;
      if (isBehind) wait = 0;
    } catch (error) {
      const isAbsent = error instanceof ApiError && error.code === noTrace;
      show({ trace, error: isAbsent ? undefined : error });
      // Without a reply the connection may come back; a refusal stays one.
      if (!(error instanceof ApiError) || error.status !== 0) return;
      wait = retryPeriod;
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

const ask = (node: string, after: number, signal: AbortSignal): Promise<TraceReply> =>
  call('GET', 'api/v2/node/trace', { query: { node, after }, signal });
