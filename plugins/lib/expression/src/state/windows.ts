import type { Part, Scope } from '../compile/part.ts';
import type { Kind, Operand } from '../kinds.ts';
import { Step } from './step.ts';

/** Into how many pieces a window is divided at most: samples that come closer together share a piece, so that memory has a bound. */
const mostPieces = 256;

type Whole = number | bigint;

interface Pieces {
  /** Time of the first sample of each piece, ascending. */
  times: number[];
  /** The sum of its samples, or the best of them. */
  values: Whole[];
  counts: number[];
}

const empty = (): Pieces => ({ times: [], values: [], counts: [] });

/**
 * A function of the samples of the last seconds. A piece leaves the window with its first sample. When no
 * sample is left, the last value counts, which is still there.
 */
abstract class Window extends Step<Pieces> {
  protected override readonly followsTime = true;
  readonly #length: number;

  constructor(argument: Part, seconds: number, reset: Part | undefined, scope: Scope) {
    super(argument, reset, scope, empty());
    this.#length = seconds * 1000;
  }

  /** Puts a sample to the others of its piece. */
  protected abstract join(piece: Whole, value: Whole): Whole;

  /** The result of all pieces, of which there is at least one. */
  protected abstract result(pieces: Pieces): Whole;

  protected initial(): Pieces {
    return empty();
  }

  protected afterReset(): undefined {
    return undefined;
  }

  protected take(value: Operand, time: number, _seconds: number, isHeld: boolean): Whole {
    const { counts, times, values } = this.state;
    const sample = value as Whole;
    let gone = 0;
    while (gone < times.length && times[gone]! <= time - this.#length) gone++;
    if (gone > 0) for (const list of [counts, times, values]) list.splice(0, gone);
    // A clock that was set back takes what lies ahead of it out of the window.
    while ((times.at(-1) ?? time) > time) for (const list of [counts, times, values]) list.pop();
    const last = times.length - 1;
    if (isHeld && last >= 0) return this.result(this.state);
    if (last >= 0 && time - times[last]! < this.#length / mostPieces) {
      values[last] = this.join(values[last]!, sample);
      counts[last]!++;
    } else {
      times.push(time);
      values.push(sample);
      counts.push(1);
    }
    return this.result(this.state);
  }
}

/** `avg(x, seconds)`: the mean of the samples of the last seconds. */
export class Average extends Window {
  readonly kind = 'double';

  protected join(piece: Whole, value: Whole): number {
    return Number(piece) + Number(value);
  }

  protected result({ counts, values }: Pieces): number {
    let sum = 0;
    let count = 0;
    for (let piece = 0; piece < values.length; piece++) {
      sum += Number(values[piece]);
      count += counts[piece]!;
    }
    return sum / count;
  }
}

/** `min(x, seconds)` and `max(x, seconds)`: the least or greatest sample of the last seconds. */
export class Extreme extends Window {
  readonly kind: Kind;
  readonly #isLeast: boolean;

  constructor(argument: Part, seconds: number, reset: Part | undefined, scope: Scope, isLeast: boolean) {
    super(argument, seconds, reset, scope);
    this.kind = argument.kind;
    this.#isLeast = isLeast;
  }

  protected join(piece: Whole, value: Whole): Whole {
    return value < piece === this.#isLeast ? value : piece;
  }

  protected result({ values }: Pieces): Whole {
    let best = values[0]!;
    for (const value of values) best = this.join(best, value);
    return best;
  }
}
