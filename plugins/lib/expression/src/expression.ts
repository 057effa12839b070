import { ErrorCode, Fault, parseReference, referencesIn } from '@tagway/sdk';
import { TreeCompiler } from './compile/compile.ts';
import type { Part, Scope } from './compile/part.ts';
import { latestTime } from './functions/inputs.ts';
import { Input } from './input.ts';
import { ExpressionError } from './expression-fault.ts';
import type { Kind, Operand } from './kinds.ts';
import { parse } from './parse/parse.ts';
import type { Step } from './state/step.ts';

const noReference = 'This is no reference: it is written node/group/tag, with a name in each place.';
const notPlain = 'A reference is written out in plain quotation marks: tag("node/group/tag").';

/** Compiles a text. Throws an `ExpressionError`. */
function compiled(
  text: string,
  isChecking: boolean,
  resolve: (reference: string) => Input,
): [TreeCompiler, Part] {
  const tree = parse(text);
  const found = new Set(referencesIn(text).map(({ start }) => start - 1));
  const compiler = new TreeCompiler(text, isChecking, (reference, start) => {
    if (parseReference(reference) === undefined) return noReference;
    return found.has(start) ? resolve(reference) : notPlain;
  });
  return [compiler, compiler.part(tree)];
}

/** What is wrong with an expression as far as that is known without the types of its inputs; otherwise the kind of its result. */
export function check(text: string): ExpressionError | Kind {
  try {
    return compiled(text, true, (reference) => new Input(reference))[1].kind;
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
}

/** An expression over inputs: compiled once, and again when the type of an input is another. */
export class Expression {
  readonly text: string;
  readonly #resolve: (reference: string) => Input;
  #root: Part;
  #steps: ReadonlyMap<number, Step> = new Map();
  /** States that were loaded and wait for their step, whose argument has no type yet. */
  readonly #waiting = new Map<number, object>();
  #scope: Scope;

  /** `resolve` gives the input of a reference as it is written. */
  constructor(text: string, resolve: (reference: string) => Input) {
    this.text = text;
    this.#resolve = resolve;
    this.#scope = { now: NaN, quality: 0 };
    this.#root = { kind: 'unknown', inputs: [], run: () => 0 };
    this.compile();
  }

  /** Compiles it for the types that the inputs have now; functions with a state go on. Never throws: what is wrong is the fault of its value. */
  compile(): void {
    try {
      const [{ scope, steps }, root] = compiled(this.text, false, this.#resolve);
      goOn(steps, this.#steps);
      for (const [number, state] of this.#waiting)
        if (steps.has(number)) {
          steps.get(number)?.load(state);
          this.#waiting.delete(number);
        }
      this.#root = root;
      this.#steps = steps;
      this.#scope = scope;
    } catch (error) {
      const fault = new Fault(
        ErrorCode.TYPE_MISMATCH,
        error instanceof Error ? error.message : String(error),
      );
      const run = (): never => {
        throw fault;
      };
      this.#root = { kind: 'unknown', inputs: this.#root.inputs, run };
    }
  }

  /** The kind of the value, `unknown` while an input that decides it has no type. */
  get kind(): Kind {
    return this.#root.kind;
  }

  /** Each tag that it reads, once. */
  get inputs(): readonly Input[] {
    return this.#root.inputs;
  }

  /**
   * Lets the functions with a state take what is new of the inputs at the time `now`. At a tick, functions of time go on as well: what was
   * there is still there.
   */
  observe(now: number, isTick: boolean): void {
    this.#scope.now = now;
    for (const step of this.#steps.values()) step.advance(isTick);
  }

  /** Calculates the value after `observe`. Throws the fault when there is none. */
  value(): Operand {
    this.#scope.quality = 0;
    return this.#root.run();
  }

  /** Flags of the inputs that the last value was made of. */
  get quality(): number {
    return this.#scope.quality;
  }

  /** When the newest of its inputs arose, NaN when none has a time. */
  get time(): number {
    return latestTime(this.#root.inputs);
  }

  /** What outlives the process, as a text; undefined when there is nothing. */
  save(): string | undefined {
    const states: [number, object][] = [...this.#waiting];
    for (const [number, step] of this.#steps) if (step.isKept) states.push([number, step.save()]);
    return states.length === 0 ? undefined : JSON.stringify(states);
  }

  /** Goes on from a text that `save` gave, of this expression or of one with the same functions in the same order. */
  load(text: string): void {
    const states: unknown = JSON.parse(text);
    if (!Array.isArray(states)) return;
    for (const entry of states as unknown[]) {
      const [number, state] = Array.isArray(entry) ? (entry as unknown[]) : [];
      if (typeof number !== 'number' || typeof state !== 'object' || state === null) continue;
      const step = this.#steps.get(number);
      if (step === undefined) this.#waiting.set(number, state);
      else if (step.isKept) step.load(state);
    }
  }

  /** Goes on where the same expression is, and leaves that as it is. */
  adopt(other: Expression): void {
    goOn(this.#steps, other.#steps);
  }
}

/** Steps go on where those of another compilation of the same text are. */
function goOn(steps: ReadonlyMap<number, Step>, earlier: ReadonlyMap<number, Step>): void {
  for (const [number, step] of steps) {
    const from = earlier.get(number);
    if (from !== undefined && step.isLike(from)) step.adopt(from);
  }
}
