import { ErrorCode, Fault, isFault, type Context } from '@tagway/sdk';
import { Requests, type Link } from '@tagway/sdk/link';
import { Opened } from './envelope.ts';
import { undecodable, writeUnanswered } from './faults.ts';
import { reportClause, type Agent, type Session } from './session.ts';
import type { Settings } from './settings.ts';
import { pdu, PduType } from './wire/pdu.ts';
import { UsmReport } from './wire/secured.ts';

/** The answer of an agent. */
export interface Answer {
  readonly status: number;
  /** Which object, from 1 on, the status is about; 0: none. */
  readonly index: number;
  /** The objects with their values. */
  readonly varbinds: Buffer;
}

export interface Question {
  readonly type: number;
  readonly varbinds: Buffer;
  /** Of a GETBULK: how often its objects are repeated. */
  readonly repetitions?: number;
}

/** Ids of reads and writes, apart from what all ids of a session begin with. */
const readIds = { first: 1, last: 0xffff } as const;
const writeIds = { first: 0x1_0000, last: 0x1_ffff } as const;

/** The agent has said what time it is there: the request is made once more with that. */
const outOfTime = new Fault(ErrorCode.READ_FAILED, 'The agent takes the message for too old or too new.');

/** Sends requests to an agent and matches answers to them. */
export class Exchange {
  readonly #context: Context<Settings>;
  readonly #link: Link<Agent>;
  readonly #session: Session;
  readonly #reads: Requests<Answer>;
  readonly #writes: Requests<Answer>;

  constructor(context: Context<Settings>, link: Link<Agent>, session: Session) {
    const { timeout, retries, max_in_flight: window } = context.settings;
    this.#context = context;
    this.#link = link;
    this.#session = session;
    this.#reads = new Requests(link, { timeout, window, retries, ids: readIds });
    // A write is sent once: an outlet that is switched off and on again by a write would be so twice.
    this.#writes = new Requests(link, { timeout: timeout * (retries + 1), window: 1, ids: writeIds });
  }

  /**
   * Asks the agent; its refusal is an answer too. Resolves with a fault when no good answer came. Rejects when the link is down, or with the
   * reason of the signal.
   */
  async ask(question: Question, signal: AbortSignal): Promise<Answer | Fault> {
    const isWrite = question.type === PduType.SET;
    for (let isAgain = false; ; isAgain = true) {
      let isSent = false;
      try {
        const requests = isWrite ? this.#writes : this.#reads;
        return await requests.ask(
          (id) => {
            isSent = true;
            this.#send(id, question, isWrite);
          },
          { signal },
        );
      } catch (error) {
        if (!isFault(error)) throw error;
        if (error === outOfTime && !isAgain) continue;
        const isDown = error.code === ErrorCode.DISCONNECTED;
        if (isWrite && isSent && (isDown || error.code === ErrorCode.NO_RESPONSE)) return writeUnanswered;
        if (isDown) throw error;
        return error;
      }
    }
  }

  /** Takes a datagram of the agent. */
  received(data: Buffer): void {
    const { envelope, firstId } = this.#session;
    const found = envelope.open(data);
    const id = envelope.id - firstId;
    if (found === Opened.MALFORMED) this.#context.count('malformed_frames', 1);
    else if (found === Opened.FOREIGN || id < 0 || id > writeIds.last)
      this.#context.count('foreign_frames', 1);
    else if (found === Opened.REPORT) this.#report(id, envelope.report);
    else if (envelope.pdu.type !== PduType.RESPONSE) this.#context.count('foreign_frames', 1);
    // A late answer to the handshake.
    else if (id === 0) this.#context.count('late_frames', 1);
    else {
      const { status, index, start, end } = envelope.pdu;
      const varbinds = Buffer.from(envelope.data.subarray(start, end));
      this.#of(id).settle(id, { status, index, varbinds });
    }
  }

  #report(id: number, report: number): void {
    const isTime = report === UsmReport.NOT_IN_TIME_WINDOW;
    if (id === 0 || !this.#of(id).fail(id, isTime ? outOfTime : undecodable) || isTime) return;
    this.#link.lose(reportClause(report, this.#context.settings.host));
  }

  #of(id: number): Requests<Answer> {
    return id <= readIds.last ? this.#reads : this.#writes;
  }

  #send(id: number, { type, varbinds, repetitions = 0 }: Question, isWrite: boolean): void {
    const own = this.#session.firstId + id;
    const body = pdu(type, { id: own, index: repetitions, varbinds });
    this.#link.send(this.#session.envelope.seal(own, body, isWrite));
  }
}
