import type { Fault } from '@tagway/sdk';
import type { Exchange, Link } from '../link.ts';
import { judgeWrite, Verdict } from '../pdu.ts';

/** Sends one write and waits for the device's word: 0 when it confirms the write, the code of its exception otherwise. Rejects with the link's fault. */
export async function sendWrite(
  link: Link,
  unit: number,
  pdu: Uint8Array,
  signal: AbortSignal,
): Promise<number> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const exchange: Exchange = {
    unit,
    pdu,
    answered(data, start, end) {
      const verdict = judgeWrite(pdu, data, start, end);
      if (verdict === Verdict.MALFORMED) return false;
      resolve(verdict);
      return true;
    },
    failed: (fault: Fault) => reject(fault),
  };
  const abort = (): void => {
    link.abandon(new Set([exchange]));
    reject(signal.reason as Error);
  };
  signal.addEventListener('abort', abort);
  try {
    link.send(exchange);
    link.flush();
    return await promise;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
