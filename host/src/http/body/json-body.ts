import { setImmediate as turn } from 'node:timers/promises';
import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { Pacer } from '../../core/system/pacer.ts';
import { isUnicode } from './body.ts';

/** Bytes that are parsed at once. The work on a longer body is done in steps. */
const slice = 64 << 10;
/** Most levels of lists and objects within each other. */
const deepest = 1000;
/** Most values of one body: they take many times the memory of their text. */
const mostValues = 2_000_000;
/** Most members of one object; a list may have `mostValues`. */
const mostMembers = 10_000;

type Parse = (text: string) => unknown;

/** Long bodies are parsed one after the other, so that many at once do not block the event loop for longer than one. */
let latest: Promise<unknown> = Promise.resolve();

/**
 * The value of a body in JSON. A long one is parsed in slices, between which the gateway does other things. Rejects with
 * BODY_INVALID when it is not JSON, and with BODY_TOO_BIG when it has very many values.
 */
export async function parseBody(bytes: Buffer, parse: Parse): Promise<unknown> {
  if (bytes.length <= slice) return parsed(bytes.toString('utf8'), parse);
  const own = latest.then(async () => {
    // This pass of the event loop has already joined the pieces of the body.
    await turn();
    return new LongBody(bytes, parse).value();
  });
  latest = own.catch(() => undefined);
  return own;
}

/** Lets the gateway do other things between two steps of the work on a long body. */
export async function betweenSteps(bytes: Buffer): Promise<void> {
  if (bytes.length > slice) await turn();
}

function parsed(text: string, parse: Parse): unknown {
  // A run longer than a slice has one long value and few others, which are faster to check after they are parsed.
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
const openList = 0x5b;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/**
 * JSON text longer than a slice. The first pass finds the ends of the lists and objects that are longer than a slice. The second pass
 * cuts each of these into runs of members, parses each run as a list or an object of its own, and joins the results. Every byte is
 * scanned at most twice, at any depth.
 */
class LongBody {
  readonly #bytes: Buffer;
  readonly #parse: Parse;
  /** The end of each list and object that is longer than a slice, by its beginning: the index behind its closing bracket. */
  readonly #ends = new Map<number, number>();
  readonly #pace = new Pacer();

  constructor(bytes: Buffer, parse: Parse) {
    this.#bytes = bytes;
    this.#parse = parse;
  }

  async value(): Promise<unknown> {
    await this.#findEnds();
    const begin = this.#skipSpace(0);
    const end = this.#ends.get(begin);
    // One long text or number, or no JSON.
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
    const whole: unknown[] | Record<string, unknown> = bytes[begin] === openList ? [] : {};
    const last = end - 1;
    /** The index of the first member that is not added yet, and that of the comma before the latest one. */
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
        // The name of a long member is read with null in the place of its value.
        const name = this.#add(whole, before + 1, at, 'null');
        put(whole, name, await this.#long(at, endOfMember));
        at = this.#skipSpace(endOfMember);
        if (at === last) return whole;
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
    return whole;
  }

  /** Adds a run of members, of which there must be one at least, and returns the name of the first. */
  #add(whole: unknown[] | Record<string, unknown>, from: number, to: number, end = ''): string | number {
    if (Array.isArray(whole)) {
      const members = this.#run(from, to, '[', `${end}]`) as unknown[];
      if (members.length === 0) throw notJson();
      for (const member of members) whole.push(member);
      return whole.length - members.length;
    }
    const members = Object.entries(this.#run(from, to, '{', `${end}}`) as object);
    if (members[0] === undefined) throw notJson();
    for (const [name, member] of members) put(whole, name, member);
    if (Object.keys(whole).length > mostMembers)
      throw new Fault(
        ErrorCode.BODY_TOO_BIG,
        `An object of a request body has at most ${mostMembers} members.`,
      );
    return members[0][0];
  }

  #run(from: number, to: number, before: string, after: string): unknown {
    return parsed(`${before}${this.#bytes.toString('utf8', from, to)}${after}`, this.#parse);
  }

  /** The index of the quote that ends the text that begins here; the end of the body when there is none. */
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

/** As `JSON.parse` does it: `__proto__` is a member like any other. */
function put(whole: object, name: string | number, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(whole, name, { value, writable: true, enumerable: true, configurable: true });
  else (whole as Record<string | number, unknown>)[name] = value;
}
