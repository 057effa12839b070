import type { Part, Scope } from '../compile/part.ts';
import type { Kind, Operand } from '../kinds.ts';
import { Step } from './step.ts';

interface Held {
  /** Seconds for which it has been so, up to the last sample; undefined while it is not. */
  held: number | undefined;
}

/** `on_for(condition, seconds)`: true once the condition has been true for so long. While there is no value the time stands still. */
export class OnFor extends Step<Held> {
  readonly kind = 'bool';
  protected override readonly followsTime = true;
  readonly #seconds: number;

  constructor(argument: Part, seconds: number, reset: Part | undefined, scope: Scope) {
    super(argument, reset, scope, { held: undefined });
    this.#seconds = seconds;
  }

  protected initial(): Held {
    return { held: undefined };
  }

  protected afterReset(): boolean {
    return false;
  }

  protected take(value: Operand, _time: number, seconds: number): boolean {
    const { state } = this;
    if (value !== true) state.held = undefined;
    else if (state.held === undefined) state.held = 0;
    else if (seconds > 0) state.held += seconds;
    return state.held !== undefined && state.held >= this.#seconds;
  }
}

interface Settled {
  value: Operand | undefined;
  next: Operand | undefined;
  held: number;
}

/** `debounce(x, seconds)`: takes another value once it has been there for so long. */
export class Debounce extends Step<Settled> {
  readonly kind: Kind;
  protected override readonly followsTime = true;
  readonly #seconds: number;

  constructor(argument: Part, seconds: number, reset: Part | undefined, scope: Scope) {
    super(argument, reset, scope, { value: undefined, next: undefined, held: 0 });
    this.kind = argument.kind;
    this.#seconds = seconds;
  }

  protected initial(): Settled {
    return { value: undefined, next: undefined, held: 0 };
  }

  protected afterReset(): undefined {
    return undefined;
  }

  protected take(value: Operand, _time: number, seconds: number): Operand {
    const { state } = this;
    if (state.value === undefined || value === state.value) {
      state.value = value;
      state.next = undefined;
      return value;
    }
    if (state.next !== value) {
      state.next = value;
      state.held = 0;
    } else if (seconds > 0) state.held += seconds;
    if (state.held < this.#seconds) return state.value;
    state.value = value;
    state.next = undefined;
    return value;
  }
}

interface Switched {
  isOn: boolean;
}

/** `hysteresis(x, low, high)`: becomes true at `high` or above, false at `low` or below, and stays as it is between them. */
export class Hysteresis extends Step<Switched> {
  readonly kind = 'bool';
  readonly #low: number;
  readonly #high: number;

  constructor(argument: Part, low: number, high: number, reset: Part | undefined, scope: Scope) {
    super(argument, reset, scope, { isOn: false });
    this.#low = low;
    this.#high = high;
  }

  protected initial(): Switched {
    return { isOn: false };
  }

  protected afterReset(): boolean {
    return false;
  }

  protected take(value: Operand): boolean {
    const { state } = this;
    const number = value as number | bigint;
    if (number >= this.#high) state.isOn = true;
    else if (number <= this.#low) state.isOn = false;
    return state.isOn;
  }
}
