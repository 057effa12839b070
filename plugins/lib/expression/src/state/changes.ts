import { combined } from '../compile/arithmetic.ts';
import { partOf } from '../compile/part.ts';
import type { Compiler } from '../compile/compiler.ts';
import type { Part, Scope } from '../compile/part.ts';
import type { Kind, Operand } from '../kinds.ts';
import type { ASTNode } from '../parse/parse.ts';
import { Step } from './step.ts';

interface Last {
  last: Operand | undefined;
}

/** `previous(x)`: the value of the sample before. */
export class Previous extends Step<Last> {
  readonly kind: Kind;

  constructor(argument: Part, reset: Part | undefined, scope: Scope) {
    super(argument, reset, scope, { last: undefined });
    this.kind = argument.kind;
  }

  protected initial(): Last {
    return { last: undefined };
  }

  protected afterReset(): undefined {
    return undefined;
  }

  protected take(value: Operand): Operand | undefined {
    const { last } = this.state;
    this.state.last = value;
    return last;
  }
}

/** `delta(x)`: what came since the sample before; of whole numbers exact. */
export class Delta extends Step<Last> {
  readonly kind: Kind;
  readonly #difference: (value: Operand, last: Operand) => Operand;

  constructor(compiler: Compiler, node: ASTNode, argument: Part, reset: Part | undefined) {
    super(argument, reset, compiler.scope, { last: undefined });
    let one: Operand = 0;
    let other: Operand = 0;
    // Counters without a sign go back, too.
    const kind = argument.kind === 'uint' ? 'integer' : argument.kind;
    const { run } = combined(
      compiler,
      node,
      '-',
      partOf(kind, [], () => one),
      partOf(kind, [], () => other),
    );
    this.kind = kind;
    this.#difference = (value, last) => {
      one = value;
      other = last;
      return run();
    };
  }

  protected initial(): Last {
    return { last: undefined };
  }

  protected afterReset(): undefined {
    return undefined;
  }

  protected take(value: Operand): Operand | undefined {
    const { last } = this.state;
    this.state.last = value;
    return last === undefined ? undefined : this.#difference(value, last);
  }
}

interface LastRate extends Last {
  at: number;
  rate: number | undefined;
}

/** `rate(x)`: change per second between the last two samples; samples of the same time count as one. */
export class Rate extends Step<LastRate> {
  readonly kind = 'double';

  constructor(argument: Part, reset: Part | undefined, scope: Scope) {
    super(argument, reset, scope, { last: undefined, at: NaN, rate: undefined });
  }

  protected initial(): LastRate {
    return { last: undefined, at: NaN, rate: undefined };
  }

  protected afterReset(): undefined {
    return undefined;
  }

  protected take(value: Operand, time: number): number | undefined {
    const { state } = this;
    const { at, last } = state;
    if (last !== undefined && time === at) return state.rate;
    if (last !== undefined && time > at) state.rate = (differenceOf(value, last) * 1000) / (time - at);
    state.last = value;
    state.at = time;
    return state.rate;
  }
}

/** The difference of two numbers as a double; of whole numbers the exact one. */
function differenceOf(value: Operand, last: Operand): number {
  if (typeof value === 'number' && typeof last === 'number') return value - last;
  return Number(BigInt(value as number | bigint) - BigInt(last as number | bigint));
}
