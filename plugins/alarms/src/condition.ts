import { Expression, type Input, type Operand } from '@tagway/expression';
import { ErrorCode, Fault, isFault, Quality } from '@tagway/sdk';
import type { ConditionDefinition, Definition } from './definition/definition.ts';
import type { Literal } from './definition/literals.ts';

const noNumber = new Fault(ErrorCode.TYPE_MISMATCH, 'What is compared with a limit is no number.');
const notFinite = new Fault(ErrorCode.READ_FAILED, 'The value is not a number (NaN).');
const noTruth = new Fault(ErrorCode.TYPE_MISMATCH, 'The condition is neither true nor false.');
const failed = new Fault(ErrorCode.READ_FAILED, 'The condition could not be calculated.');

/** Whether the condition of an alarm is there now, without its delays. */
export class Condition {
  readonly #definition: ConditionDefinition;
  readonly #deadband: number;
  readonly #measured: Expression;
  readonly #reference: Expression | undefined;
  /** Why nothing is known of the condition now. */
  fault: Fault | undefined;
  /** Flags of the inputs that it was made of. */
  quality = 0;
  /** What it is about, as it was known last: a value, or of a deviation or rate what is compared with the limit. */
  value: Exclude<Operand, Uint8Array> | undefined;
  /** Of a rate: the last value with its time, and the change per second between the last two. */
  #lastValue = NaN;
  #lastTime = NaN;
  #rate = NaN;
  /** Of "no data": when the last good sample was. */
  #goodAt = NaN;

  constructor({ condition, deadband }: Definition, resolve: (reference: string) => Input) {
    this.#definition = condition;
    this.#deadband = deadband;
    this.#measured = new Expression(condition.measured, resolve);
    if (condition.kind === 'deviation') this.#reference = new Expression(condition.reference, resolve);
  }

  /** Each tag that it reads; one that is in two expressions is there twice. */
  get inputs(): readonly Input[] {
    const { inputs } = this.#measured;
    return this.#reference === undefined ? inputs : [...inputs, ...this.#reference.inputs];
  }

  /** When the newest sample arose. */
  get source(): number {
    const source = this.#measured.time;
    const other = this.#reference?.time ?? NaN;
    return other > source || Number.isNaN(source) ? other : source;
  }

  compile(): void {
    this.#measured.compile();
    this.#reference?.compile();
  }

  /** Goes on where the same condition of an earlier plan is. */
  adopt(other: Condition): void {
    this.#measured.adopt(other.#measured);
    if (other.#reference !== undefined) this.#reference?.adopt(other.#reference);
    this.#lastValue = other.#lastValue;
    this.#lastTime = other.#lastTime;
    this.#rate = other.#rate;
    this.#goodAt = other.#goodAt;
    this.value = other.value;
  }

  /**
   * Whether it is there at a time of the samples. `before`: what it was last, which stands within the deadband. Undefined with `fault` when
   * that is not known. `now`: the clock of the gateway.
   */
  observe(time: number, now: number, isTick: boolean, before: boolean): boolean | undefined {
    this.#measured.observe(now, isTick);
    this.#reference?.observe(now, isTick);
    this.fault = undefined;
    try {
      return this.#evaluate(time, now, isTick, before);
    } catch (error) {
      this.fault = isFault(error) ? error : failed;
      this.value = undefined;
      this.quality = Quality.UNCERTAIN;
      this.#lastTime = NaN;
      return undefined;
    }
  }

  #evaluate(time: number, now: number, isTick: boolean, before: boolean): boolean {
    const definition = this.#definition;
    switch (definition.kind) {
      case 'high':
        return this.#isBeyond(this.#number(), definition.limit, before);
      case 'low':
        return this.#isBeyond(-this.#number(), -definition.limit, before);
      case 'deviation': {
        const value = this.#number();
        const { quality } = this;
        const distance = Math.abs(value - numberOf(this.#reference!.value()));
        this.quality = quality | this.#reference!.quality;
        this.value = distance;
        return this.#isBeyond(distance, definition.limit, before);
      }
      case 'rate':
        this.value = this.#rateAt(time, isTick);
        return this.#isBeyond(this.value, definition.limit, before);
      case 'equal': {
        const value = this.#value();
        return definition.values.some((literal) => isEqual(value, literal));
      }
      case 'no data':
        return this.#isSilent(definition.seconds * 1000, now, isTick);
      default: {
        const value = this.#value();
        if (typeof value !== 'boolean') throw noTruth;
        return value;
      }
    }
  }

  #isBeyond(value: number, limit: number, before: boolean): boolean {
    return value >= limit || (before && value >= limit - this.#deadband);
  }

  #value(): Operand {
    const value = this.#measured.value();
    this.quality = this.#measured.quality;
    this.value = value instanceof Uint8Array ? undefined : value;
    return value;
  }

  #number(): number {
    return numberOf(this.#value());
  }

  /** The change per second between the last two samples, without a sign; 0 before there are two. */
  #rateAt(time: number, isTick: boolean): number {
    const value = this.#number();
    if (isTick) return Number.isNaN(this.#rate) ? 0 : this.#rate;
    const seconds = (time - this.#lastTime) / 1000;
    // Two samples of one moment have no rate between them.
    if (seconds > 0) this.#rate = Math.abs(value - this.#lastValue) / seconds;
    if (seconds !== 0) {
      this.#lastValue = value;
      this.#lastTime = time;
    }
    return Number.isNaN(this.#rate) ? 0 : this.#rate;
  }

  #isSilent(most: number, now: number, isTick: boolean): boolean {
    this.quality = 0;
    if (Number.isNaN(this.#goodAt) || now < this.#goodAt || (!isTick && this.#isGood())) this.#goodAt = now;
    return now - this.#goodAt >= most;
  }

  #isGood(): boolean {
    try {
      const value = this.#measured.value();
      return !(typeof value === 'number' && Number.isNaN(value)) && this.#measured.quality === Quality.GOOD;
    } catch {
      return false;
    }
  }
}

/** Whole numbers are compared exactly, also those of 64 bits. */
function isEqual(value: Operand, literal: Literal): boolean {
  if (value === literal) return true;
  if (typeof value === 'bigint') return Number.isInteger(literal) && value === BigInt(literal);
  return typeof literal === 'bigint' && Number.isInteger(value) && BigInt(value as number) === literal;
}

function numberOf(value: Operand): number {
  if (typeof value !== 'number' && typeof value !== 'bigint') throw noNumber;
  const number = Number(value);
  if (Number.isNaN(number)) throw notFinite;
  return number;
}
