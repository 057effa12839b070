import { Expression, type Input } from '@tagway/expression';
import { isFault, type AlarmCause, type Point } from '@tagway/sdk';
import { Condition } from './condition.ts';
import type { Definition } from './definition/definition.ts';
import type { Facts, KeptAlarm } from './kept-alarm.ts';
import type { AlarmEvent } from './machine/table.ts';
import { SampleClock } from './sample-clock.ts';

/** Characters of the text of a transition. */
const longestText = 500;

/** One alarm: its condition with the delays, and the state that follows. */
export class Alarm {
  readonly point: Point;
  readonly definition: Definition;
  readonly kept: KeptAlarm;
  readonly condition: Condition;
  readonly #suppressed: Expression | undefined;
  readonly #text: Expression | undefined;
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
    if (definition.text !== undefined) this.#text = new Expression(definition.text, resolve);
    this.#isThere = kept.isAbnormal;
  }

  /** Each tag that it reads, once. */
  get inputs(): ReadonlySet<Input> {
    return new Set([
      ...this.condition.inputs,
      ...(this.#suppressed?.inputs ?? []),
      ...(this.#text?.inputs ?? []),
    ]);
  }

  compile(): void {
    this.condition.compile();
    this.#suppressed?.compile();
    this.#text?.compile();
  }

  /** Goes on where the alarm of the same tag in an earlier plan is. With another address its delays begin anew. */
  goOn(earlier: Alarm): void {
    if (earlier.point.address !== this.point.address) return;
    this.condition.adopt(earlier.condition);
    if (earlier.#suppressed !== undefined) this.#suppressed?.adopt(earlier.#suppressed);
    if (earlier.#text !== undefined) this.#text?.adopt(earlier.#text);
    this.#isThere = earlier.#isThere;
    this.#held = earlier.#held;
    this.#knownAt = earlier.#knownAt;
    this.#clock.adopt(earlier.#clock);
  }

  /** Takes what is new of the inputs, or time that has passed. `now`: the clock of the gateway. */
  observe(now: number, isTick: boolean): void {
    this.#clock.move(this.condition.source, now);
    const { time } = this.#clock;
    this.#text?.observe(now, isTick);
    // What was there until now counts as there until now.
    this.#passTime(time);
    const isThere = this.condition.observe(time, now, isTick, this.#isThere);
    this.#suppress(now, isTick, time);
    if (this.kept.state.shelfEnd > 0 && now >= this.kept.state.shelfEnd)
      this.#happens('unshelve', 'end of shelf', time);
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
    if (this.#isThere === this.kept.isAbnormal) {
      this.#held = 0;
      return;
    }
    const { offDelay, onDelay } = this.definition;
    if (this.#held < (this.#isThere ? onDelay : offDelay) * 1000) return;
    this.#held = 0;
    this.#happens(this.#isThere ? 'active' : 'inactive', 'condition', time);
  }

  #suppress(now: number, isTick: boolean, time: number): void {
    const isSuppressed = this.#isSuppressedNow(now, isTick);
    if (isSuppressed === undefined || isSuppressed === this.kept.isSuppressed) return;
    this.#happens(isSuppressed ? 'suppress' : 'unsuppress', 'suppression', time);
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

  #happens(event: AlarmEvent, cause: AlarmCause, time: number): void {
    this.kept.happen(event, this.definition, this.facts(cause, time));
  }

  /** What is known now, for the journal. */
  facts(cause: AlarmCause, time: number): Facts {
    const { condition, priority } = this.definition;
    return {
      point: this.point,
      time,
      cause,
      value: this.condition.value,
      limit: 'limit' in condition ? condition.limit : undefined,
      priority,
      text: this.#textNow(),
    };
  }

  /** The text with the values of now, or why it has none. */
  #textNow(): string {
    if (this.#text === undefined) return '';
    try {
      const text = this.#text.value();
      return typeof text === 'string' ? text.slice(0, longestText).toWellFormed() : '';
    } catch (error) {
      return isFault(error) ? error.message.slice(0, longestText) : '';
    }
  }

  /** The time in which its delays run. */
  get time(): number {
    return this.#clock.time;
  }
}
