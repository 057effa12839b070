import { Expression, type Input } from '@tagway/expression';
import type { Point } from '@tagway/sdk';
import { Condition } from './condition.ts';
import type { Definition } from './definition/definition.ts';
import type { KeptAlarm } from './kept-alarm.ts';
import { Flag, isAbnormal } from './machine/states.ts';
import type { AlarmEvent } from './machine/table.ts';
import { transition } from './machine/transition.ts';
import { SampleClock } from './sample-clock.ts';

/** One alarm: its condition with the delays, and the state that follows. */
export class Alarm {
  readonly point: Point;
  readonly definition: Definition;
  readonly kept: KeptAlarm;
  readonly condition: Condition;
  readonly #suppressed: Expression | undefined;
  readonly #clock: SampleClock;
  /** The condition without its delays, as it was last known. */
  #isThere: boolean;
  /** Milliseconds for which the condition has been other than the state says. */
  #held = 0;
  /** Time of the last observation in which the condition was known, NaN when it was not. */
  #knownAt = NaN;

  constructor(point: Point, definition: Definition, kept: KeptAlarm, resolve: (reference: string) => Input) {
    this.point = point;
    this.definition = definition;
    this.kept = kept;
    this.condition = new Condition(definition, resolve);
    this.#clock = new SampleClock();
    if (definition.suppressed !== undefined)
      this.#suppressed = new Expression(definition.suppressed, resolve);
    this.#isThere = isAbnormal(kept.state);
  }

  /** Each tag that it reads, once. */
  get inputs(): ReadonlySet<Input> {
    return new Set([...this.condition.inputs, ...(this.#suppressed?.inputs ?? [])]);
  }

  compile(): void {
    this.condition.compile();
    this.#suppressed?.compile();
  }

  /** Goes on where the alarm of the same tag in an earlier plan is. With another address its delays begin anew. */
  goOn(earlier: Alarm): void {
    if (earlier.point.address !== this.point.address) return;
    this.condition.adopt(earlier.condition);
    if (earlier.#suppressed !== undefined) this.#suppressed?.adopt(earlier.#suppressed);
    this.#isThere = earlier.#isThere;
    this.#held = earlier.#held;
    this.#knownAt = earlier.#knownAt;
    this.#clock.adopt(earlier.#clock);
  }

  /** Takes what is new of the inputs, or time that has passed. `now`: the clock of the gateway. */
  observe(now: number, isTick: boolean): void {
    this.#clock.move(this.condition.source, now);
    const { time } = this.#clock;
    // What was there until now counts as there until now.
    this.#passTime(time);
    const isThere = this.condition.observe(time, now, isTick, this.#isThere);
    this.#suppress(now, isTick, time);
    if (this.kept.state.shelfEnd > 0 && now >= this.kept.state.shelfEnd) this.#happens('unshelve', time);
    this.#knownAt = isThere === undefined ? NaN : time;
    if (isThere === undefined) return;
    this.kept.isKnown = true;
    if (isThere !== this.#isThere) this.#held = 0;
    this.#isThere = isThere;
    this.#follow(time);
  }

  #passTime(time: number): void {
    if (!(time > this.#knownAt)) return;
    this.#held += time - this.#knownAt;
    this.#follow(time);
  }

  /** Lets the state follow the condition once the delay has run off. */
  #follow(time: number): void {
    if (this.#isThere === isAbnormal(this.kept.state)) {
      this.#held = 0;
      return;
    }
    const { offDelay, onDelay } = this.definition;
    if (this.#held < (this.#isThere ? onDelay : offDelay) * 1000) return;
    this.#held = 0;
    this.#happens(this.#isThere ? 'active' : 'inactive', time);
  }

  #suppress(now: number, isTick: boolean, time: number): void {
    const isSuppressed = this.#isSuppressedNow(now, isTick);
    const was = (this.kept.state.flags & Flag.SUPPRESSED) !== 0;
    if (isSuppressed === undefined || isSuppressed === was) return;
    this.#happens(isSuppressed ? 'suppress' : 'unsuppress', time);
  }

  /** Undefined as long as it is not known: the alarm then stays as it is. */
  #isSuppressedNow(now: number, isTick: boolean): boolean | undefined {
    const expression = this.#suppressed;
    if (expression === undefined) return false;
    expression.observe(now, isTick);
    try {
      const value = expression.value();
      return typeof value === 'boolean' ? value : undefined;
    } catch {
      return undefined;
    }
  }

  #happens(event: AlarmEvent, time: number): void {
    const after = transition(this.kept.state, event, this.definition, time);
    if (after !== undefined) this.kept.set(after);
  }

  /** The time in which its delays run. */
  get time(): number {
    return this.#clock.time;
  }
}
