import type { Fault } from '@tagway/sdk';
import { disconnected, Priority } from '@tagway/sdk/link';
import { Request, type Sender, type Traffic } from './traffic.ts';

/** What became of a request: 0 or the code of an exception, or the fault of one without an answer. `isCause`: the connection was closed because of it. */
export type Ended = (outcome: number | Fault, isCause: boolean) => void;

/** A request on its own: a write, or a read outside of all read passes that shows whether it is answered. */
export class SingleRequest extends Request implements Sender {
  readonly nextAt = Infinity;
  readonly priority: Priority;
  readonly #traffic: Traffic;
  readonly #ended: Ended;
  #wasSent = false;

  constructor(traffic: Traffic, unit: number, pdu: Buffer, priority: Priority, ended: Ended) {
    super(unit, pdu);
    this.priority = priority;
    this.#traffic = traffic;
    this.#ended = ended;
  }

  next(onlySpare: boolean): Request | undefined {
    if (this.#wasSent || (onlySpare && !this.isSpare)) return undefined;
    if (this.priority !== Priority.WRITE && !this.#traffic.mayLeave(this)) return undefined;
    this.#wasSent = true;
    return this;
  }

  requestAnswered(_request: Request, exception: number): void {
    this.#end(exception);
  }

  requestFailed(_request: Request, fault: Fault): void {
    this.#end(fault);
  }

  requestLost(_request: Request, isCause: boolean): void {
    this.#end(disconnected, isCause);
  }

  broken(fault: Fault): void {
    this.#end(fault);
  }

  #end(outcome: number | Fault, isCause = false): void {
    this.#traffic.remove(this);
    this.#ended(outcome, isCause);
  }
}
