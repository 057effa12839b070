import type { Context } from '@tagway/sdk';
import type { Link } from './link.ts';
import { Probe, type Outcome } from './probe.ts';
import type { CycleWatcher } from './read/cycle.ts';
import type { ReadRequest } from './read/read-request.ts';
import type { UnitPlan } from './read/unit-plan.ts';
import type { ModbusSettings } from './settings.ts';
import type { Sender, Traffic } from './traffic.ts';
import type { Units } from './units.ts';

type WatchContext = Pick<Context<ModbusSettings>, 'clock' | 'log' | 'settings'>;

/**
 * Asks for what the cycles leave out, on its own clock and beside them: units that stay silent, and requests that are not answered. It
 * also decides when silence means that the connection is of no use.
 */
export class UnitWatch implements CycleWatcher {
  readonly #context: WatchContext;
  readonly #link: Link;
  readonly #units: Units;
  readonly #traffic: Traffic;
  /** Units whose probe is under way: the pause before the next one may be over before it has failed. */
  readonly #probed = new Set<number>();
  /** Whether it is being found out if anybody is there. */
  #isChecking = false;

  constructor(context: WatchContext, link: Link, units: Units, traffic: Traffic) {
    this.#context = context;
    this.#link = link;
    this.#units = units;
    this.#traffic = traffic;
  }

  due(plan: UnitPlan): void {
    const { unit } = plan;
    if (this.#probed.has(unit)) return;
    this.#probed.add(unit);
    const isSuspect = this.#units.isSuspected(unit);
    this.#probe({ unit, pdu: plan.sample() }, isSuspect ? 'suspect' : 'unknown', (outcome) => {
      this.#probed.delete(unit);
      if (outcome === 'answered') this.heard(unit);
      else if (outcome !== 'over') this.silent(unit, outcome === 'closed');
    });
  }

  ignored(plan: UnitPlan, request: ReadRequest): void {
    this.#probe(request, 'unknown', (outcome) => {
      if (outcome === 'answered') plan.heed(request);
      else if (outcome !== 'over') plan.ignore(request, this.#context.clock.now());
    });
  }

  heard(unit: number, request?: ReadRequest): void {
    if (this.#units.answered(unit, request?.pdu)) this.#context.log.notice(`Unit ${unit} answers again.`);
  }

  silent(unit: number, isCause: boolean): void {
    const { clock, log } = this.#context;
    const wasSilent = this.#units.isSilent(unit);
    const pause = this.#units.stayedSilent(unit, clock.now(), isCause);
    if (pause > 0) {
      const what = isCause ? 'The connection is closed when unit' : 'Unit';
      const how = isCause ? 'is asked' : 'does not answer';
      const text = `${what} ${unit} ${how}; it is asked again after ${pause / 1000} s.`;
      if (wasSilent) log.debug(text);
      else log.notice(text);
    }
    if (!isCause) this.#doubt();
  }

  /** A read that somebody has answered before, to show whether the connection works. */
  makeCheck(done: (outcome: Outcome) => void = () => undefined): Sender | undefined {
    const read = this.#units.goodRead;
    return read === undefined ? undefined : new Probe(this.#traffic, read, 'known good', done);
  }

  /** Somebody did not answer: whether anybody does is to be seen before the connection is given up. */
  #doubt(): void {
    if (this.#isChecking || this.#link.quietFor < this.#context.settings.timeout) return;
    const check = this.makeCheck((outcome) => {
      this.#isChecking = false;
      if (outcome === 'silent') this.#giveUp();
    });
    if (check === undefined) return this.#giveUp();
    this.#isChecking = true;
    this.#traffic.add(check);
  }

  #giveUp(): void {
    if (this.#link.quietFor < this.#context.settings.timeout) return;
    this.#units.startAnew();
    this.#link.reconnect('nobody has answered for longer than the timeout');
  }

  #probe(
    read: Pick<ReadRequest, 'unit' | 'pdu'>,
    kind: 'suspect' | 'unknown',
    done: (outcome: Outcome) => void,
  ): void {
    if (!this.#traffic.isOpen) return done('over');
    this.#traffic.add(new Probe(this.#traffic, read, kind, done));
  }
}
