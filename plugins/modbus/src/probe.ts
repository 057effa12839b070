import type { Fault } from '@tagway/sdk';
import { damaged, disconnected } from '@tagway/sdk/link';
import { Exception } from './faults.ts';
import { judgeRead, replySize, Verdict } from './pdu.ts';
import { Flight, Turn, type Sendable, type Sender, type Traffic } from './traffic.ts';

/** How a probe ended. `closed`: the device closed the connection because of it; `over`: it says nothing. */
export type Outcome = 'answered' | 'silent' | 'closed' | 'over';

/** One read outside of all readings, to see whether it is answered. Its values are of no interest. */
export class Probe implements Sendable, Sender {
  readonly turn = Turn.REQUEST;
  readonly nextAt = Infinity;
  readonly unit: number;
  readonly pdu: Uint8Array;
  readonly isSuspect: boolean;
  readonly isSpare = true;
  readonly isKnownGood: boolean;
  readonly flight = new Flight();
  readonly #traffic: Traffic;
  readonly #done: (outcome: Outcome) => void;
  #wasSent = false;

  constructor(
    traffic: Traffic,
    { unit, pdu }: Pick<Sendable, 'unit' | 'pdu'>,
    kind: 'suspect' | 'known good' | 'unknown',
    done: (outcome: Outcome) => void,
  ) {
    this.unit = unit;
    this.pdu = pdu;
    this.isSuspect = kind === 'suspect';
    this.isKnownGood = kind === 'known good';
    this.#traffic = traffic;
    this.#done = done;
  }

  next(): Sendable | undefined {
    if (this.#wasSent || !this.#traffic.allows(this.unit, this.#traffic.isSuspect(this))) return undefined;
    this.#wasSent = true;
    return this;
  }

  answered(data: Buffer, start: number, end: number): boolean {
    const verdict = judgeRead(this.pdu, replySize(this.pdu) - 2, data, start, end);
    if (verdict === Verdict.MALFORMED) return false;
    const isSilent =
      verdict === Exception.GATEWAY_PATH_UNAVAILABLE || verdict === Exception.GATEWAY_TARGET_FAILED;
    this.#end(true, isSilent ? 'silent' : 'answered');
    return true;
  }

  failed(fault: Fault): void {
    if (fault === disconnected) this.#traffic.failed(this);
    else this.#end(fault === damaged, fault === damaged ? 'answered' : 'silent');
  }

  lost(_request: Sendable, isCause: boolean): void {
    this.#traffic.remove(this);
    this.#done(isCause ? 'closed' : 'over');
  }

  broken(): void {
    this.#done('over');
  }

  #end(wasAnswered: boolean, outcome: Outcome): void {
    this.#traffic.ended(this, wasAnswered);
    this.#traffic.remove(this);
    this.#done(outcome);
    this.#traffic.pump();
  }
}
