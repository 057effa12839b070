import { Expression, type Input } from '@tagway/expression';
import { ErrorCode, Fault, isFault, type Point, type Values } from '@tagway/sdk';
import { holds, unholdable } from './address.ts';
import { store } from './result.ts';

const failed = new Fault(ErrorCode.READ_FAILED, 'The expression could not be calculated.');

/** One tag and its expression. */
export class CalculatedTag {
  readonly point: Point;
  readonly expression: Expression;
  /** What came since the state was saved would be lost. */
  isUnsaved = false;
  /** Why the tag cannot hold what the expression gives. */
  #misfit: Fault | undefined;

  constructor(point: Point, resolve: (reference: string) => Input) {
    this.point = point;
    this.expression = new Expression(point.address, resolve);
    this.#judge();
  }

  /** The type of an input is another. */
  compile(): void {
    this.expression.compile();
    this.#judge();
  }

  /** Takes what is new of the inputs. */
  observe(now: number, isTick: boolean): void {
    const { expression } = this;
    expression.observe(now, isTick);
    if (expression.isKept) this.isUnsaved = true;
  }

  /** Stores the value, or its fault. */
  store(into: Values, index: number): void {
    const { expression, point } = this;
    try {
      const value = expression.value();
      if (this.#misfit !== undefined) return into.fault(index, this.#misfit);
      store(into, index, point.type, value);
    } catch (fault) {
      return into.fault(index, isFault(fault) ? fault : failed);
    }
    const { quality, time } = expression;
    if (quality !== 0 || !Number.isNaN(time)) into.stamp(index, time, quality);
  }

  #judge(): void {
    const { kind } = this.expression;
    const { type } = this.point;
    this.#misfit = holds(type, kind) ? undefined : new Fault(ErrorCode.TYPE_MISMATCH, unholdable(type, kind));
  }
}
