import { isFault } from '@tagway/sdk';
import type { Fault } from '@tagway/sdk';
import { Expression, Input } from '../src/index.ts';
import type { Kind, Operand } from '../src/index.ts';

/** What an input of a test has: a value and its kind, or a fault. */
export type InputSample = readonly [Kind, Operand] | Fault;

/** An expression with inputs that a test sets. */
export class Bench {
  readonly inputs = new Map<string, Input>();
  readonly expression: Expression;
  now = 1_000_000;

  constructor(text: string, given: Readonly<Record<string, InputSample>> = {}) {
    for (const [reference, value] of Object.entries(given)) this.give(reference, value);
    this.expression = new Expression(text, (reference) => this.input(reference));
  }

  input(reference: string): Input {
    let input = this.inputs.get(reference);
    if (input === undefined) this.inputs.set(reference, (input = new Input(reference)));
    return input;
  }

  /** A sample of the input, without an evaluation. */
  give(reference: string, given: InputSample, time = this.now): this {
    const input = this.input(reference);
    input.samples++;
    input.time = time;
    input.fault = isFault(given) ? given : undefined;
    if (!isFault(given)) [input.kind, input.value] = given;
    return this;
  }

  /** The value after some seconds, or the sentence of its fault. */
  after(seconds: number, isTick = false): Operand {
    this.now += seconds * 1000;
    this.expression.observe(this.now, isTick);
    try {
      return this.expression.value();
    } catch (fault) {
      if (!isFault(fault)) throw fault;
      return fault.message;
    }
  }
}

/** The value of an expression, or the sentence of its fault. */
export function calculate(text: string, given: Readonly<Record<string, InputSample>> = {}): Operand {
  return new Bench(text, given).after(0);
}
