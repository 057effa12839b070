import { setImmediate as turn } from 'node:timers/promises';
import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { Pace } from '../core/pace.ts';
import { isUnicode } from './body.ts';

/** Bytes that are parsed at once. A longer body is long: what is done with it is done in steps. */
const slice = 64 << 10;
/** Lists and objects within each other. */
const deepest = 1000;
/** Values of one body, which take many times the memory of their text. */
const mostValues = 2_000_000;
/** Members of one object; a list may have as many as there are values. */
const mostMembers = 10_000;

type Parse = (text: string) => unknown;

/** Long bodies are parsed one after the other, so that many together do not keep the loop longer than one. */
let line: Promise<unknown> = Promise.resolve();

/**
 * The value of a body in JSON. A long one is parsed in slices, between which the gateway does other things. Rejects with
 * BODY_INVALID when it is not JSON, and with BODY_TOO_BIG when it has very many values.
 */
export async function parseBody(bytes: Buffer, parse: Parse): Promise<unknown> {
  if (bytes.length <= slice) return parsed(bytes.toString('utf8'), parse);
  const own = line.then(async () => {
    // It has just been read and put together.
    await turn();
    return new LongBody(bytes, parse).value();
  });
  line = own.catch(() => undefined);
  return own;
}

/** Lets others have their turn between two steps of the work on a long body. */
export async function betweenSteps(bytes: Buffer): Promise<void> {
  if (bytes.length > slice) await turn();
}

function parsed(text: string, parse: Parse): unknown {
  // A text that is longer than a slice has few values, one of which is long: that is looked at faster when it is parsed.
  const isLong = text.length > 2 * slice;
  if (!isLong && !isUnicode(text)) throw halfPair();
  let value: unknown;
  try {
    value = parse(text);
  } catch (cause) {
    throw notJson(cause);
  }
  if (isLong && !isWellFormed(value)) throw halfPair();
  return value;
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && isWellFormed(member));
}

function halfPair(): Fault {
  return new Fault(ErrorCode.BODY_INVALID, 'The request body has half of a surrogate pair.');
}

function notJson(cause?: unknown): Fault {
  return new Fault(ErrorCode.BODY_INVALID, 'The request body is not JSON.', { cause });
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * JSON text longer than a slice. A first look finds where the lists and objects end that are longer than a slice; these are then
 * put together from runs of members that `parse` takes as a list or an object of their own. Every byte is looked at twice at most,
 * however deep it lies.
 */
class LongBody {
  readonly #bytes: Buffer;
  readonly #parse: Parse;
  /** Behind the closing bracket of each list and object that is longer than a slice, by the place of its opening one. */
  readonly #ends = new Map<number, number>();
  readonly #pace = new Pace();

  constructor(bytes: Buffer, parse: Parse) {
    this.#bytes = bytes;
    this.#parse = parse;
  }

  async value(): Promise<unknown> {
    await this.#findEnds();
    const begin = this.#skipSpace(0);
    const end = this.#ends.get(begin);
    // One long text or number, or what is not JSON.
    if (end === undefined) return this.#run(0, this.#bytes.length, '', '');
    if (this.#skipSpace(end) !== this.#bytes.length) throw notJson();
    return this.#long(begin, end);
  }

  async #findEnds(): Promise<void> {
    const bytes = this.#bytes;
    const open: number[] = [];
    let values = 1;
    let look = slice;
    for (let at = 0; at < bytes.length; at++) {
      switch (bytes[at]) {
        case quote:
          at = this.#endOfText(at);
          break;
        case comma:
          values++;
          break;
        case openList:
        case openObject:
          values++;
          if (open.push(at) > deepest) throw notJson(new Error('It is nested too deeply.'));
          break;
        case closeList:
        case closeObject: {
          const from = open.pop();
          // The code of a bracket and that of the one that closes it differ by two.
          if (from === undefined || bytes[from] !== (bytes[at] as number) - 2) throw notJson();
          if (at - from > slice) this.#ends.set(from, at + 1);
          break;
        }
        default:
      }
      if (at < look) continue;
      look = at + slice;
      if (this.#pace.isDue) await this.#pace.rest();
    }
    if (open.length > 0) throw notJson();
    if (values > mostValues)
      throw new Fault(ErrorCode.BODY_TOO_BIG, `A request body has at most ${mostValues} values.`);
  }

  /** The value of a list or an object that is longer than a slice. */
  async #long(begin: number, end: number): Promise<unknown> {
    const bytes = this.#bytes;
    const whole = bytes[begin] === openList ? new WholeList() : new WholeObject();
    const last = end - 1;
    /** Where the members begin that are not added yet, and the comma before the latest of them. */
    let from = begin + 1;
    let before = begin;
    let depth = 0;
    for (let at = from; at < last; at++) {
      const byte = bytes[at];
      if (byte === quote) at = this.#endOfText(at);
      else if (byte === closeList || byte === closeObject) depth--;
      else if (byte === openList || byte === openObject) {
        const endOfMember = this.#ends.get(at);
        if (endOfMember === undefined) {
          depth++;
          continue;
        }
        if (before >= from) this.#add(whole, from, before);
        // It has its place, and its name, before it is there itself.
        this.#add(whole, before + 1, at, 'null');
        whole.replaceLast(await this.#long(at, endOfMember));
        at = this.#skipSpace(endOfMember);
        if (at === last) return whole.value;
        if (bytes[at] !== comma) throw notJson();
        before = at;
        from = at + 1;
      } else if (byte === comma && depth === 0) {
        before = at;
        if (at - from < slice) continue;
        this.#add(whole, from, at);
        from = at + 1;
        if (this.#pace.isDue) await this.#pace.rest();
      }
    }
    const isEmpty = from === begin + 1 && this.#skipSpace(from) === last;
    if (!isEmpty) this.#add(whole, from, last);
    return whole.value;
  }

  /** Adds the members that stand here; there must be one. */
  #add(whole: Whole, from: number, to: number, end = ''): void {
    const { open, close } = whole;
    const count = whole.add(this.#run(from, to, open, end + close));
    if (count === 0) throw notJson();
  }

  #run(from: number, to: number, before: string, after: string): unknown {
    return parsed(`${before}${this.#bytes.toString('utf8', from, to)}${after}`, this.#parse);
  }

  /** The place of the quote that ends the text that begins here; the end of the body when there is none. */
  #endOfText(begin: number): number {
    const bytes = this.#bytes;
    let at = begin + 1;
    while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
    return at;
  }

  #skipSpace(from: number): number {
    let at = from;
    while (at < this.#bytes.length && [0x20, 0x09, 0x0a, 0x0d].includes(this.#bytes[at] as number)) at++;
    return at;
  }
}

/** A list or an object that is put together. */
interface Whole {
  readonly value: unknown;
  readonly open: string;
  readonly close: string;
  /** Takes over the members of a part, and says how many there are. */
  add(part: unknown): number;
  /** Sets the value of the latest member. */
  replaceLast(member: unknown): void;
}

class WholeList implements Whole {
  readonly value: unknown[] = [];
  readonly open = '[';
  readonly close = ']';

  add(part: unknown): number {
    const members = part as readonly unknown[];
    for (const member of members) this.value.push(member);
    return members.length;
  }

  replaceLast(member: unknown): void {
    this.value[this.value.length - 1] = member;
  }
}

class WholeObject implements Whole {
  readonly value: Record<string, unknown> = {};
  readonly open = '{';
  readonly close = '}';
  #last = '';
  #count = 0;

  add(part: unknown): number {
    const members = Object.entries(part as object);
    this.#count += members.length;
    if (this.#count > mostMembers)
      throw new Fault(
        ErrorCode.BODY_TOO_BIG,
        `An object of a request body has at most ${mostMembers} members.`,
      );
    for (const [key, member] of members) this.#put(key, member);
    return members.length;
  }

  replaceLast(member: unknown): void {
    this.#put(this.#last, member);
  }

  /** As `JSON.parse` does it: `__proto__` is a member like any other. */
  #put(key: string, value: unknown): void {
    this.#last = key;
    if (key === '__proto__')
      Object.defineProperty(this.value, key, { value, writable: true, enumerable: true, configurable: true });
    else this.value[key] = value;
  }
}
