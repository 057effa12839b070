import type { Part, Scope } from '../compile/part.ts';
import type { Operand } from '../kinds.ts';
import { Step } from './step.ts';

interface Sum {
  sum: number;
}

/**
 * `total(x)`: the integral of x over time, in its unit times seconds: each value counts until the next one. Time without a value adds nothing: after
 * a fault or a restart it goes on with the first sample.
 */
export class Total extends Step<Sum> {
  readonly kind = 'double';
  override readonly isKept = true;
  protected override readonly followsTime = true;
  /** The value since the last sample. */
  #last = 0;

  constructor(argument: Part, reset: Part | undefined, scope: Scope) {
    super(argument, reset, scope, { sum: 0 });
  }

  protected initial(): Sum {
    return { sum: 0 };
  }

  override adopt(other: Step): void {
    super.adopt(other);
    if (other instanceof Total) this.#last = other.#last;
  }

  protected override isState(state: object): state is Sum {
    return 'sum' in state && Number.isFinite(state.sum);
  }

  protected afterReset(): number {
    return 0;
  }

  protected take(value: Operand, _time: number, seconds: number): number {
    const { state } = this;
    if (seconds > 0) state.sum += this.#last * seconds;
    this.#last = Number(value);
    return state.sum;
  }
}

interface Edges {
  count: number;
  last: boolean | undefined;
}

/** `count(condition)`: how many times the condition became true. */
export class Count extends Step<Edges> {
  readonly kind = 'int';
  override readonly isKept = true;

  constructor(argument: Part, reset: Part | undefined, scope: Scope) {
    super(argument, reset, scope, { count: 0, last: undefined });
  }

  protected initial(): Edges {
    // A condition that is true while the count is reset does not count again before it was false.
    return { count: 0, last: this.state.last };
  }

  protected override isState(state: object): state is Edges {
    return 'count' in state && Number.isSafeInteger(state.count);
  }

  protected afterReset(): number {
    return 0;
  }

  protected take(value: Operand): number {
    const { state } = this;
    if (value === true && state.last === false) state.count++;
    state.last = value === true;
    return state.count;
  }
}
