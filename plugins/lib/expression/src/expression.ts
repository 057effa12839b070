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

/** The state of a function as it is kept: its number in the expression, its name, and the state. */
type KeptState = readonly [number: number, name: string, state: object];

interface WaitingState {
  readonly name: string;
  readonly state: object;
}

/** An expression over inputs: compiled once, and again when the type of an input is another. */
export class Expression {
  readonly text: string;
  readonly #resolve: (reference: string) => Input;
  #root: Part;
  #steps: ReadonlyMap<number, Step> = new Map();
  /** States that were loaded and wait for their step, whose argument has no type yet. */
  readonly #waiting = new Map<number, WaitingState>();
  #scope: Scope;
  #isKept = false;

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
      for (const [step, earlier] of pairs(steps, this.#steps)) step.goOn(earlier);
      takeUp(steps, this.#waiting);
      this.#root = root;
      this.#steps = steps;
      this.#isKept = Array.from(steps.values()).some((step) => step.isKept);
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

  /** Whether anything of it outlives the process. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** What outlives the process, as a text; undefined when there is nothing. */
  save(): string | undefined {
    const states = Array.from(this.#waiting, ([number, { name, state }]): KeptState => [number, name, state]);
    for (const [number, step] of this.#steps) if (step.isKept) states.push([number, step.name, step.save()]);
    return states.length === 0 ? undefined : JSON.stringify(states);
  }

  /** Goes on from a text that `save` gave, of this expression or of one with the same functions in the same order. */
  load(text: string): void {
    const states: unknown = JSON.parse(text);
    if (!Array.isArray(states)) return;
    for (const entry of states as unknown[]) {
      const [number, name, state] = Array.isArray(entry) ? (entry as unknown[]) : [];
      if (typeof number !== 'number' || typeof name !== 'string') continue;
      if (typeof state === 'object' && state !== null) this.#waiting.set(number, { name, state });
    }
    takeUp(this.#steps, this.#waiting);
  }

  /** Goes on where the same expression is, and leaves that as it is. */
  adopt(other: Expression): void {
    for (const [step, earlier] of pairs(this.#steps, other.#steps)) step.adopt(earlier);
  }
}

/** Each step with the earlier one of the same function at the same place, if there is one. */
function* pairs(
  steps: ReadonlyMap<number, Step>,
  earlier: ReadonlyMap<number, Step>,
): Generator<readonly [step: Step, earlier: Step]> {
  for (const [number, step] of steps) {
    const from = earlier.get(number);
    if (from?.name === step.name) yield [step, from];
  }
}

/** States that wait go to the function that they are of, once it is there. */
function takeUp(steps: ReadonlyMap<number, Step>, waiting: Map<number, WaitingState>): void {
  for (const [number, { name, state }] of waiting) {
    const step = steps.get(number);
    if (step === undefined) continue;
    waiting.delete(number);
    if (step.isKept && step.name === name) step.load(state);
  }
}
