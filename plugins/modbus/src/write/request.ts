import type { Fault } from '@tagway/sdk';
import { disconnected } from '@tagway/sdk/link';
import { judgeWrite, Verdict } from '../pdu.ts';
import { Flight, Turn, type Sendable, type Sender, type Traffic } from '../traffic.ts';

/**
 * Sends one write and waits for the device's word: 0 when it confirms the write, the code of its exception otherwise. Rejects with the
 * link's fault, or with the signal's reason. A write that has not left waits for a connection that may be back; one that
 * went with the connection is not sent again, because the device may have obeyed it.
 */
export async function sendWrite(
  traffic: Traffic,
  unit: number,
  pdu: Uint8Array,
  signal: AbortSignal,
): Promise<number> {
  signal.throwIfAborted();
  if (!traffic.isOpen) throw disconnected;
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const write = new WriteSender(traffic, unit, pdu, resolve, reject);
  const abort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', abort);
  try {
    traffic.add(write);
    return await promise;
  } finally {
    traffic.remove(write);
    signal.removeEventListener('abort', abort);
  }
}

class WriteSender implements Sender, Sendable {
  readonly turn = Turn.WRITE;
  readonly nextAt = Infinity;
  readonly unit: number;
  readonly pdu: Uint8Array;
  readonly isSuspect = false;
  readonly isSpare = false;
  readonly flight = new Flight();
  readonly #traffic: Traffic;
  readonly #done: (exception: number) => void;
  readonly #failed: (fault: Fault) => void;
  #wasSent = false;

  constructor(
    traffic: Traffic,
    unit: number,
    pdu: Uint8Array,
    done: (exception: number) => void,
    failed: (fault: Fault) => void,
  ) {
    this.unit = unit;
    this.pdu = pdu;
    this.#traffic = traffic;
    this.#done = done;
    this.#failed = failed;
  }

  next(onlySpare: boolean): Sendable | undefined {
    if (onlySpare || this.#wasSent) return undefined;
    this.#wasSent = true;
    return this;
  }

  answered(data: Buffer, start: number, end: number): boolean {
    const verdict = judgeWrite(this.pdu, data, start, end);
    if (verdict === Verdict.MALFORMED) return false;
    this.#traffic.ended(this, true);
    this.#done(verdict);
    this.#traffic.pump();
    return true;
  }

  failed(fault: Fault): void {
    if (fault === disconnected) return this.#traffic.failed(this);
    this.#traffic.ended(this, false);
    this.#failed(fault);
    this.#traffic.pump();
  }

  lost(): void {
    this.#failed(disconnected);
  }

  broken(fault: Fault): void {
    this.#failed(fault);
  }
}
