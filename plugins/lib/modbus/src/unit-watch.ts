import type { Context, Fault } from '@tagway/sdk';
import { damaged, disconnected, Priority } from '@tagway/sdk/link';
import { isUnreachable } from './faults.ts';
import type { ReadRequest } from './read-request.ts';
import type { ModbusSettings } from './settings.ts';
import { SingleRequest } from './single-request.ts';
import type { Traffic } from './traffic.ts';
import type { UnitPlan } from './unit-plan.ts';
import type { GoodRead, Units } from './units.ts';

type WatchContext = Pick<Context<ModbusSettings>, 'clock' | 'log' | 'settings'>;

/** How a probe ended. `closed`: the device closed the connection because of it; `lost`: it shows nothing. */
type Outcome = 'answered' | 'silent' | 'closed' | 'lost';

/**
 * Asks for what the read passes leave out, on its own clock and beside them: units that stay silent, and requests that are not answered.
 * It also decides when silence means that the connection is of no use.
 */
export class UnitWatch {
  readonly #context: WatchContext;
  readonly #units: Units;
  readonly #traffic: Traffic;
  /** Units whose probe is under way: the pause before the next one may be over before it has failed. */
  readonly #probed = new Set<number>();
  /** A read that was answered before shows whether any unit still answers. */
  #isChecking = false;

  constructor(context: WatchContext, units: Units, traffic: Traffic) {
    this.#context = context;
    this.#units = units;
    this.#traffic = traffic;
  }

  /** The unit is left alone by the read passes, and due to be asked. */
  due(plan: UnitPlan): void {
    const { unit } = plan;
    if (this.#probed.has(unit)) return;
    this.#probed.add(unit);
    this.#probe(unit, plan.sample(), (outcome) => {
      this.#probed.delete(unit);
      if (outcome === 'answered') this.heard(unit);
      else if (outcome !== 'lost') this.silent(unit, outcome === 'closed');
    });
  }

  /** The request is left out of the read passes, and due to be asked. */
  ignored(plan: UnitPlan, request: ReadRequest): void {
    this.#probe(request.unit, request.pdu, (outcome) => {
      if (outcome === 'answered') plan.unignore(request);
      else if (outcome !== 'lost') plan.ignore(request, this.#context.clock.now());
    });
  }

  /** The unit answered this request. */
  heard(unit: number, request?: ReadRequest): void {
    if (this.#units.answered(unit, request?.pdu)) this.#context.log.notice(`Unit ${unit} answers again.`);
  }

  /** The unit answered nothing. `isCause`: because the connection is closed when it is asked. */
  silent(unit: number, isCause: boolean): void {
    const { clock, log } = this.#context;
    const wasSilent = this.#units.get(unit).silent;
    const pause = this.#units.stayedSilent(unit, clock.now(), isCause);
    if (pause > 0) {
      const what = isCause
        ? `The connection is closed when unit ${unit} is asked`
        : `Unit ${unit} does not answer`;
      log[wasSilent ? 'debug' : 'notice'](`${what}; it is asked again after ${pause / 1000} s.`);
    }
    if (!isCause) this.#checkConnection();
  }

  /** A read that a unit has answered before, to show whether the connection works. */
  makeCheck(done: (outcome: Outcome) => void = () => undefined): SingleRequest | undefined {
    const read = this.#units.goodRead;
    if (read === undefined) return undefined;
    const check = this.#single(read, done);
    check.isKnownGood = true;
    return check;
  }

  /** A unit did not answer: the connection is given up when a read that was answered before is not answered either. */
  #checkConnection(): void {
    if (this.#isChecking || !this.#isQuiet) return;
    const check = this.makeCheck((outcome) => {
      this.#isChecking = false;
      if (outcome === 'silent') this.#giveUp();
    });
    if (check === undefined) return this.#giveUp();
    this.#isChecking = true;
    this.#traffic.add(check);
  }

  #giveUp(): void {
    if (!this.#isQuiet) return;
    this.#units.startAnew();
    this.#traffic.session.link.silent('nobody has answered for longer than the timeout');
  }

  get #isQuiet(): boolean {
    return this.#traffic.session.link.quietFor >= this.#context.settings.timeout;
  }

  #probe(unit: number, pdu: Buffer, done: (outcome: Outcome) => void): void {
    if (this.#traffic.isOpen) this.#traffic.add(this.#single({ unit, pdu }, done));
    else done('lost');
  }

  #single({ unit, pdu }: GoodRead, done: (outcome: Outcome) => void): SingleRequest {
    const ended = (outcome: number | Fault, isCause: boolean): void => done(outcomeOf(outcome, isCause));
    const request = new SingleRequest(this.#traffic, unit, pdu, Priority.REQUEST, ended);
    request.isSpare = true;
    return request;
  }
}

function outcomeOf(outcome: number | Fault, isCause: boolean): Outcome {
  if (isCause) return 'closed';
  if (outcome === disconnected) return 'lost';
  const isAnswer = typeof outcome === 'number' ? !isUnreachable(outcome) : outcome === damaged;
  return isAnswer ? 'answered' : 'silent';
}
