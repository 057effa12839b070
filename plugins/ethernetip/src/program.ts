import type { Clock } from '@tagway/sdk';
import type { AskOptions } from '@tagway/sdk/link';
import type { Address } from './address.ts';
import { requestOf, Service, type Reply } from './cip.ts';
import { Status } from './faults.ts';
import { Family } from './opening.ts';
import { ClassCode, objectPath } from './path.ts';
import type { Session } from './session.ts';
import { uploadStructure, uploadTags, type Tag } from './symbol-list.ts';
import type { Structure, TypeWord } from './template.ts';

/** The tags of the controller or of a program, by names in lower case. */
type Scope = ReadonlyMap<string, Tag>;

/** Milliseconds after which a controller that did not say which program it runs is asked again. */
const askAgain = 60_000;

/** Milliseconds after which the tags of a controller that never says so are read anew. */
const readAgain = 600_000;

/** Attributes 1, 2, 3, 4 and 10, which change with every change of the program. */
const changeRequest = requestOf(
  Service.GET_LIST,
  objectPath(ClassCode.PROGRAM, 1),
  Buffer.from([5, 0, 1, 0, 2, 0, 3, 0, 4, 0, 10, 0]),
);

/** What is known of the program in the controller: its tags and structures, for as long as it does not change. */
export class Program {
  readonly #session: Session;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #lists: boolean;
  readonly #scopes = new Map<string, Scope | undefined>();
  /** The names of a scope by their numbers, made when somebody traces the frames. */
  readonly #names = new WeakMap<Scope, ReadonlyMap<number, string>>();
  readonly #structures = new Map<number, Structure | undefined>();
  #epoch = 1;
  #version = 0;
  #generation = 0;
  /** What the controller said of its program before the tags were read; undefined when it says nothing. */
  #mark: Buffer | undefined;
  #isMarked = false;
  #askAgainAt = Infinity;
  #hasAskedAgain = false;
  #usesInstances = true;
  #working: Promise<unknown> = Promise.resolve();

  /** `lists`: whether the list of tags is read. */
  constructor(session: Session, clock: Pick<Clock, 'monotonic'>, lists: boolean) {
    this.#session = session;
    this.#clock = clock;
    this.#lists = lists;
  }

  /** Counts programs and connections: what was found out before it grew counts no more. */
  get epoch(): number {
    this.#checkConnection();
    return this.#epoch;
  }

  /** Grows when more was read of the program. */
  get version(): number {
    return this.#version;
  }

  /** Whether a change of the program is noticed, so that numbers of tags and layouts of structures may be used. */
  get isWatched(): boolean {
    return this.#mark !== undefined;
  }

  /** Whether tags may be named by their numbers; older controllers do not read them so. */
  get usesInstances(): boolean {
    return this.#usesInstances;
  }

  /** Whether an array of BOOL is one of words. */
  get packsBits(): boolean {
    return this.#session.link.session?.family === Family.LOGIX;
  }

  /** The controller does not read tags by their numbers. */
  useNames(): void {
    this.#usesInstances = false;
    this.#version++;
  }

  /** The tags of the controller (`''`) or of a program; undefined when they are not known. */
  scope(program: string): Scope | undefined {
    return this.#scopes.get(program.toLowerCase());
  }

  /** The name of a tag by its number, where the list of tags is known. */
  nameOf(program: string, instance: number): string | undefined {
    const scope = this.scope(program);
    if (scope === undefined) return undefined;
    let names = this.#names.get(scope);
    if (names === undefined) {
      names = new Map(Array.from(scope.values(), (tag) => [tag.instance, tag.name]));
      this.#names.set(scope, names);
    }
    return names.get(instance);
  }

  structure(template: number): Structure | undefined {
    return this.#structures.get(template);
  }

  /** Reads what is needed to know what these addresses name. Rejects as the link does. */
  async prepare(addresses: readonly Address[], options: AskOptions): Promise<void> {
    this.#checkConnection();
    if (!this.#mayList) return;
    if (this.#isMarked && addresses.every((address) => this.#missingOf(address) === undefined)) return;
    // Two groups that need one list are not to read it twice.
    const working = this.#working.then(() => this.#prepareAll(addresses, options));
    this.#working = working.catch(() => undefined);
    await working;
  }

  /** Whether the program is still the one that was read. Rejects as the link does. */
  async verify(options: AskOptions): Promise<boolean> {
    const { epoch } = this;
    const mark = this.#mark;
    if (mark === undefined) return true;
    const reply = await this.#session.ask(changeRequest, options);
    return epoch === this.epoch && reply.status === Status.OK && reply.data.equals(mark);
  }

  /** The program has changed: everything is read anew when it is needed. */
  renew(): void {
    this.#scopes.clear();
    this.#structures.clear();
    this.#isMarked = false;
    this.#mark = undefined;
    this.#epoch++;
  }

  /** Reads the tags of a scope for those who list them; undefined when the controller does not list them. */
  async list(program: string, options: AskOptions): Promise<Scope | undefined> {
    this.#checkConnection();
    if (this.#isMarked && !(await this.verify(options))) this.renew();
    await this.#readMark(options);
    return this.#scopeOf(program, options);
  }

  /** Reads a structure for those who list its members. */
  async structureOf({ isStructure, code }: TypeWord, options: AskOptions): Promise<Structure | undefined> {
    if (!isStructure) return undefined;
    if (!this.#structures.has(code)) await this.#loadStructure(code, options);
    return this.#structures.get(code);
  }

  get #mayList(): boolean {
    return this.#lists && this.#session.link.session?.family !== Family.OMRON;
  }

  #checkConnection(): void {
    if (this.#session.link.generation !== this.#generation) {
      this.#generation = this.#session.link.generation;
      this.#hasAskedAgain = false;
      this.#usesInstances = true;
      this.#askAgainAt = Infinity;
      this.renew();
    } else if (this.#clock.monotonic() >= this.#askAgainAt) {
      this.#askAgainAt = Infinity;
      this.renew();
    }
  }

  async #prepareAll(addresses: readonly Address[], options: AskOptions): Promise<void> {
    await this.#readMark(options);
    const { epoch } = this;
    for (const address of addresses) {
      let missing = this.#missingOf(address);
      while (missing !== undefined) {
        if (typeof missing === 'string') await this.#scopeOf(missing, options);
        else await this.#loadStructure(missing, options);
        // A new connection in the middle of it.
        if (epoch !== this.epoch) return;
        missing = this.#missingOf(address);
      }
    }
  }

  /** Asks for what changes with the program, before anything is read of it. */
  async #readMark(options: AskOptions): Promise<void> {
    if (this.#isMarked) return;
    const { epoch } = this;
    const reply = await this.#session.ask(changeRequest, options);
    if (epoch !== this.epoch) return;
    this.#isMarked = true;
    this.#mark = reply.status === Status.OK ? reply.data : undefined;
    // A controller that is being downloaded answers so too; one that has no such object does it again.
    const isBusy = reply.status === Status.PATH_UNKNOWN || reply.status === Status.DEVICE_STATE;
    const pause = isBusy && !this.#hasAskedAgain ? askAgain : readAgain;
    this.#askAgainAt = this.#mark === undefined ? this.#clock.monotonic() + pause : Infinity;
    this.#hasAskedAgain = isBusy;
  }

  async #scopeOf(program: string, options: AskOptions): Promise<Scope | undefined> {
    const key = program.toLowerCase();
    if (this.#scopes.has(key)) return this.#scopes.get(key);
    const { epoch } = this;
    const tags = await uploadTags(this.#session, program, options);
    if (epoch !== this.epoch) return undefined;
    const scope = isRefusal(tags) ? undefined : new Map(tags.map((tag) => [tag.name.toLowerCase(), tag]));
    this.#scopes.set(key, scope);
    this.#version++;
    return scope;
  }

  async #loadStructure(template: number, options: AskOptions): Promise<void> {
    const { epoch } = this;
    const structure = await uploadStructure(this.#session, template, options);
    if (epoch !== this.epoch) return;
    this.#structures.set(template, structure);
    this.#version++;
  }

  /** The program, or the template, that has to be read next to know what an address names. */
  #missingOf({ program, parts }: Address): string | number | undefined {
    const key = program.toLowerCase();
    if (!this.#scopes.has(key)) return program;
    let type = this.#scopes.get(key)?.get(parts[0].name.toLowerCase())?.type;
    for (const [index, { name }] of parts.entries()) {
      if (index > 0) {
        if (type?.isStructure !== true) return undefined;
        type = this.#structures.get(type.code)?.members.get(name.toLowerCase())?.type;
      }
      if (type?.isStructure === true && !this.#structures.has(type.code)) return type.code;
    }
    return undefined;
  }
}

function isRefusal(tags: readonly Tag[] | Reply): tags is Reply {
  return !Array.isArray(tags);
}
