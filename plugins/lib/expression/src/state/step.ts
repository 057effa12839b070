import { ErrorCode, Fault, isFault } from '@tagway/sdk';
import type { Part, Scope } from '../compile/part.ts';
import type { Kind, Operand } from '../kinds.ts';

const firstSample = new Fault(ErrorCode.NOT_READY, 'The first sample is there, and a second one is needed.');
const notANumber = new Fault(ErrorCode.READ_FAILED, 'The value is not a number (NaN).');
const failed = new Fault(ErrorCode.READ_FAILED, 'The expression could not be calculated.');

/**
 * A function with a state, at its place in one expression. Before an expression is calculated, each of its steps looks whether its argument has a
 * sample that it has not taken yet, also when the branch that it stands in is not taken; what the step gives then stands until the next one. An
 * argument with a fault changes nothing but what is given: that fault. Times are those at which samples were read: clocks of devices may be
 * wrong, and a source time stands still as long as a value does.
 */
export abstract class Step<State extends object = object> {
  readonly #argument: Part;
  readonly #reset: Part | undefined;
  readonly #scope: Scope;
  /** Samples of all inputs of the argument that were taken. */
  #taken = 0;
  #quality = 0;
  #value: Operand = 0;
  #fault: Fault | undefined = firstSample;
  /** Time of the last sample, NaN when there is none, or when a fault came since. */
  #time = NaN;
  protected state: State;
  /** Name of the function. */
  name = '';
  abstract readonly kind: Kind;
  /** Whether the state outlives the process. */
  readonly isKept: boolean = false;
  /** Whether time that passes without a sample counts: the last value is still there then. */
  protected readonly followsTime: boolean = false;

  protected constructor(argument: Part, reset: Part | undefined, scope: Scope, state: State) {
    this.#argument = argument;
    this.#reset = reset;
    this.#scope = scope;
    this.state = state;
  }

  /**
   * Takes one sample and gives the value, or undefined when there is none yet. `seconds`: since the sample before, NaN when there is none or a
   * fault came between, and less than 0 when the clock was set back. With `isHeld` it is no sample, but the last value that is still there; only where `followsTime`.
   */
  protected abstract take(
    value: Operand,
    time: number,
    seconds: number,
    isHeld: boolean,
  ): Operand | undefined;

  /** The state of the beginning. */
  protected abstract initial(): State;

  /** The value right after a reset, or undefined when there is none until the next sample. */
  protected abstract afterReset(): Operand | undefined;

  /** Looks for a new sample and a reset; at a tick, time has passed as well. Never throws. */
  advance(isTick: boolean): void {
    const samples = this.#samples();
    const isNew = samples !== this.#taken;
    if (isNew || (isTick && (this.followsTime || samples === 0))) {
      this.#taken = samples;
      this.#observe(!isNew && samples > 0);
    }
    if (this.#reset !== undefined) this.#resetIfAsked(this.#reset);
  }

  #observe(isHeld: boolean): void {
    const scope = this.#scope;
    const before = scope.quality;
    scope.quality = 0;
    try {
      const value = this.#argument.run();
      if (value !== value) throw notANumber;
      const seconds = (scope.now - this.#time) / 1000;
      this.#set(this.take(value, scope.now, seconds, isHeld));
      this.#time = scope.now;
      this.#quality = scope.quality;
    } catch (error) {
      this.#fault = isFault(error) ? error : failed;
      this.#time = NaN;
    } finally {
      scope.quality = before;
    }
  }

  /** What the last sample gave. */
  readonly read = (): Operand => {
    if (this.#fault !== undefined) throw this.#fault;
    this.#scope.quality |= this.#quality;
    return this.#value;
  };

  /** The state as plain data. */
  save(): object {
    return this.state;
  }

  /** Goes on from a state that was saved, if it is one. */
  load(state: object): void {
    if (this.isState(state)) this.state = state;
  }

  /** Whether what was kept is a state of this function. */
  protected isState(_state: object): _state is State {
    return false;
  }

  /** Goes on where the same step of another compilation of the expression is, over the same inputs. */
  goOn(other: Step): void {
    this.adopt(other);
    this.#taken = other.#taken;
  }

  /** Goes on where the same step of another expression is, and leaves that as it is. What its own inputs have counts as taken. */
  adopt(other: Step): void {
    this.state = structuredClone(other.state) as State;
    this.#taken = this.#samples();
    this.#quality = other.#quality;
    this.#value = other.#value;
    this.#fault = other.#fault;
    this.#time = other.#time;
  }

  #samples(): number {
    let samples = 0;
    for (const input of this.#argument.inputs) samples += input.samples;
    return samples;
  }

  #resetIfAsked({ run }: Part): void {
    const before = this.#scope.quality;
    try {
      if (run() !== true) return;
      this.state = this.initial();
      this.#set(this.afterReset());
    } catch {
      // A condition that cannot be calculated asks for nothing.
    } finally {
      this.#scope.quality = before;
    }
  }

  #set(value: Operand | undefined): void {
    this.#fault = value === undefined ? firstSample : undefined;
    this.#value = value ?? 0;
  }
}
