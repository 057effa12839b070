import { isFault, type Fault } from '@tagway/sdk';
import type { Exchange } from './exchange.ts';
import { readRefused, undecodable } from './faults.ts';
import type { Agent } from './session.ts';
import { Tag, type Cursor } from './wire/ber.ts';
import { isAfter, isBelow } from './wire/oid.ts';
import { asked, ErrorStatus, PduType, Varbinds, Version } from './wire/pdu.ts';

/** Bytes that an object of a walk is expected to take in an answer. */
const objectSize = 40;
const mostRepetitions = 50;

/** Goes through objects in the order of the agent: by GETBULK, or by GETNEXT in version 1. */
export class Walk {
  readonly #exchange: Exchange;
  readonly #agent: Agent;
  readonly #signal: AbortSignal;
  #repetitions: number;

  constructor(exchange: Exchange, agent: Agent, signal: AbortSignal) {
    this.#exchange = exchange;
    this.#agent = agent;
    this.#signal = signal;
    const fitting = Math.floor(agent.maxSize / objectSize);
    this.#repetitions = Math.max(1, Math.min(mostRepetitions, fitting));
  }

  /** Gives what is below an identifier, at most `most` objects, to `take`; both arguments are valid during the call only. Resolves with why it ended early. */
  async below(
    prefix: Buffer,
    most: number,
    take: (oid: Buffer, value: Cursor) => void,
  ): Promise<Fault | undefined> {
    let count = 0;
    const end = await this.after(prefix, (oid, value) => {
      if (!isBelow(oid, prefix) || count++ >= most) return false;
      take(oid, value);
      return true;
    });
    return end;
  }

  /** Gives what comes after an identifier to `take` until that answers false or the agent has no more. Resolves with why it ended early. */
  async after(from: Buffer, take: (oid: Buffer, value: Cursor) => boolean): Promise<Fault | undefined> {
    let last = from;
    for (;;) {
      const isBulk = this.#agent.version !== Version.V1;
      const question = isBulk
        ? { type: PduType.GET_BULK, varbinds: asked(last), repetitions: this.#repetitions }
        : { type: PduType.GET_NEXT, varbinds: asked(last) };
      const answer = await this.#exchange.ask(question, this.#signal);
      if (isFault(answer)) return answer;
      if (answer.status === ErrorStatus.TOO_BIG && isBulk && this.#repetitions > 1) {
        this.#repetitions >>= 1;
        continue;
      }
      if (answer.status === ErrorStatus.NO_SUCH_NAME) return undefined;
      if (answer.status !== ErrorStatus.NONE) return readRefused(answer.status);
      const varbinds = new Varbinds().begin(answer.varbinds);
      let isEmpty = true;
      while (varbinds.next()) {
        isEmpty = false;
        if (varbinds.value.tag === Tag.END_OF_MIB_VIEW) return undefined;
        const oid = varbinds.oid;
        // An agent that goes backwards would be walked for ever.
        if (!isAfter(oid, last)) return undecodable;
        if (!take(oid, varbinds.value)) return undefined;
        last = oid;
      }
      if (isEmpty) return undecodable;
    }
  }
}
