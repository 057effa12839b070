import { ErrorCode, Fault, type Clock } from '@tagway/sdk';
import { RetryTimer, type AskOptions } from '@tagway/sdk/link';
import { AdsError, isTemporary, meaningOf } from './faults.ts';
import { IndexGroup } from './protocol.ts';
import type { Session, Answer } from './session.ts';
import type { SumItem, Sums } from './sums.ts';
import { symbolEntryAt, type SymbolEntry } from './symbol-entry.ts';

/** A variable that can be read and written. A handle goes with its variable even when that moves, and never leads to another one. */
export interface Resolved {
  readonly entry: SymbolEntry;
  readonly handle: number;
}

interface Missing {
  readonly fault: Fault;
  readonly timer: RetryTimer;
}

/** Names that are resolved in one request, with two items each. */
const batch = 200;

/** Room for an entry: the names of symbol and type have up to 255 characters each, and a comment that does not fit does no harm. */
const entryRoom = 1024;

/** The variables of the program that tags name: each is resolved once a connection, and again when the program has changed. */
export class SymbolTable {
  readonly #session: Session;
  readonly #sums: Sums;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #resolved = new Map<string, Resolved>();
  readonly #missing = new Map<string, Missing>();
  /** Handles of before that the controller may still hold. */
  #stale: number[] = [];
  #epoch = 1;
  #program = 0;
  #generation = 0;
  #version: number | undefined;
  #resolving: Promise<unknown> = Promise.resolve();

  constructor(session: Session, sums: Sums, clock: Pick<Clock, 'monotonic'>) {
    this.#session = session;
    this.#sums = sums;
    this.#clock = clock;
    session.onFarewell((signal) => this.#release(signal));
  }

  /** Grows when variables were resolved, or have to be resolved again. */
  get epoch(): number {
    this.#checkConnection();
    return this.#epoch;
  }

  /** Counts programs and connections: handles of before it grew may not be used any more. */
  get program(): number {
    this.#checkConnection();
    return this.#program;
  }

  /** The version of the program that the handles belong to; undefined when the controller does not say. */
  get version(): number | undefined {
    return this.#version;
  }

  /** What a name stands for, or why it stands for nothing; undefined when it was not resolved yet. */
  get(name: string): Resolved | Fault | undefined {
    return this.#resolved.get(name) ?? this.#missing.get(name)?.fault;
  }

  /** Resolves what is not resolved yet, and tries again what was missing once its pause is over. Rejects as the link does. */
  async resolve(names: readonly string[], options: AskOptions): Promise<void> {
    this.#checkConnection();
    if (names.every((name) => this.#isSettled(name))) return;
    // Two groups that name one variable are not to get two handles.
    const resolving = this.#resolving.then(() => this.#resolveAll(names, options));
    this.#resolving = resolving.catch(() => undefined);
    await resolving;
  }

  /** The program has changed: everything is resolved anew when it is needed. */
  renew(): void {
    for (const { handle } of this.#resolved.values()) this.#stale.push(handle);
    this.#forget();
  }

  #checkConnection(): void {
    if (this.#session.link.generation === this.#generation) return;
    this.#generation = this.#session.link.generation;
    this.#stale = [];
    this.#forget();
  }

  #forget(): void {
    this.#resolved.clear();
    this.#missing.clear();
    this.#version = undefined;
    this.#program++;
    this.#epoch++;
  }

  #isSettled(name: string): boolean {
    if (this.#resolved.has(name)) return true;
    const missing = this.#missing.get(name);
    return missing !== undefined && !missing.timer.due(this.#clock.monotonic());
  }

  async #resolveAll(names: readonly string[], options: AskOptions): Promise<void> {
    this.#checkConnection();
    const wanted = [...new Set(names)].filter((name) => !this.#isSettled(name));
    if (wanted.length === 0) return;
    const epoch = this.#epoch;
    await this.#releaseStale(options);
    // The version comes first: a change behind it is noticed at the next pass.
    const version = await this.#session.read(IndexGroup.SYMBOL_VERSION, 0, 1, options);
    if (version.error === 0) this.#version ??= version.data[0];
    for (let at = 0; at < wanted.length; at += batch) {
      await this.#resolveBatch(wanted.slice(at, at + batch), options);
      // A new connection, or a new program, in the middle of it.
      if (epoch !== this.#epoch || this.#generation !== this.#session.link.generation) return;
    }
    this.#epoch++;
  }

  async #resolveBatch(names: readonly string[], options: AskOptions): Promise<void> {
    const epoch = this.#epoch;
    const items = names.flatMap((name): SumItem[] => {
      const written = zeroEnded(name);
      return [
        { group: IndexGroup.SYMBOL_BY_NAME, offset: 0, readLength: entryRoom, written },
        { group: IndexGroup.HANDLE_BY_NAME, offset: 0, readLength: 4, written },
      ];
    });
    const answers = await this.#sums.readWrite(items, options);
    for (const [index, name] of names.entries()) {
      let entry = answers[2 * index] as Answer;
      if (entry.error === AdsError.INVALID_SIZE) entry = await readLongEntry(this.#session, name, options);
      if (epoch === this.#epoch) this.#settle(name, entry, answers[2 * index + 1] as Answer);
    }
  }

  #settle(name: string, entryAnswer: Answer, handleAnswer: Answer): void {
    const error = entryAnswer.error || handleAnswer.error;
    if (handleAnswer.error === 0 && handleAnswer.data.length < 4) this.#session.misfit();
    const handle = handleAnswer.error === 0 ? handleAnswer.data.readUInt32LE(0) : 0;
    if (error !== 0) {
      if (handleAnswer.error === 0) this.#stale.push(handle);
      return this.#miss(name, error);
    }
    const found = symbolEntryAt(entryAnswer.data, 0, entryAnswer.data.length);
    if (found === undefined) this.#session.misfit();
    this.#missing.delete(name);
    this.#resolved.set(name, { entry: found.entry, handle });
  }

  #miss(name: string, error: number): void {
    const timer = this.#missing.get(name)?.timer ?? new RetryTimer();
    if (!isTemporary(error)) timer.refused(this.#clock.monotonic());
    this.#missing.set(name, { fault: unresolved(name, error), timer });
  }

  async #releaseStale(options: AskOptions): Promise<void> {
    const handles = this.#stale.splice(0, 500);
    if (handles.length === 0) return;
    // The result is ignored: a new program has no old handles.
    await this.#sums.write(handles.map(release), options);
  }

  async #release(signal: AbortSignal): Promise<void> {
    this.#checkConnection();
    this.renew();
    while (this.#stale.length > 0) await this.#releaseStale({ signal, urgent: true });
  }
}

/** The symbol of one name, without a handle that would have to be given back: for a test read. */
export async function symbolOf(
  session: Session,
  name: string,
  options: AskOptions,
): Promise<SymbolEntry | Fault> {
  const { error, data } = await readLongEntry(session, name, options);
  if (error !== 0) return unresolved(name, error);
  return (symbolEntryAt(data, 0, data.length) ?? session.misfit()).entry;
}

/** The entry of a symbol, with room for the longest. */
function readLongEntry(session: Session, name: string, options: AskOptions): Promise<Answer> {
  return session.readWrite(IndexGroup.SYMBOL_BY_NAME, 0, 0xffff, zeroEnded(name), options);
}

/** A name as it is sent. */
export function zeroEnded(name: string): Uint8Array {
  return Buffer.from(`${name}\0`, 'latin1');
}

function release(handle: number): SumItem {
  const written = Buffer.allocUnsafe(4);
  written.writeUInt32LE(handle);
  return { group: IndexGroup.RELEASE_HANDLE, offset: 0, readLength: 0, written };
}

function unresolved(name: string, error: number): Fault {
  const text =
    error === AdsError.SYMBOL_NOT_FOUND
      ? `The program of the controller has no variable ${name}. Check its spelling, and that the program creates symbols for it.`
      : `The controller does not resolve the variable ${name} (${meaningOf(error)}).`;
  return new Fault(ErrorCode.READ_FAILED, text);
}
