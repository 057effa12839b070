import { ErrorCode, Fault, isFault, type Results, type Write } from '@tagway/sdk';
import type { AskOptions } from '@tagway/sdk/link';
import { parseAddress, type Address } from './address.ts';
import { packetOf, packetOverhead, ReplyCursor, requestOf, Service, type Reply } from './cip.ts';
import { encode } from './encode.ts';
import { codeOf, isChanging, Status, tooShort, writeRefused } from './faults.ts';
import type { Findings, Learned } from './findings.ts';
import type { Program } from './program.ts';
import { namePath } from './resolve.ts';
import type { Session } from './session.ts';
import { targetOf, type Target } from './target.ts';
import { elementaryOf, Kind, kindOf, structureMark, type Variable } from './types.ts';

/** A write whose value was found good. */
interface Item {
  readonly index: number;
  readonly write: Write;
  /** The requests that carry it out, in their order. */
  readonly messages: readonly Buffer[];
  /** A bit: the request says nothing of the type, so that the program has to be known to be the same. */
  readonly isBit: boolean;
}

interface Entry {
  readonly write: Write;
  readonly index: number;
}

const structureWrite = new Fault(
  ErrorCode.WRITE_FAILED,
  'Structures are not written as a whole: give the members that are to be written a tag each.',
);

/** Refusals after which the program is looked at: it may be another one than the types of the values are from. */
const doubtful: readonly number[] = [0x04_0000, 0x05_0000, 0xff_2107, 0xff_2105];

const cursor = new ReplyCursor();

/** Writes, by names alone, in as few requests as the connection takes, one after the other in the order of the writes, each with a result of its own. */
export class Writer {
  readonly #session: Session;
  readonly #program: Program;
  readonly #findings: Findings;

  constructor(session: Session, program: Program, findings: Findings) {
    this.#session = session;
    this.#program = program;
    this.#findings = findings;
  }

  async write(writes: readonly Write[], into: Results, options: AskOptions): Promise<void> {
    const entries = writes.map((write, index) => ({ write, index }));
    const refused = await this.#writeAll(entries, into, options);
    if (refused.length === 0) return;
    const hasChanged = refused.some(({ isDoubtful }) => isDoubtful) && !(await this.#program.verify(options));
    if (hasChanged) this.#program.renew();
    const again = hasChanged ? refused.filter(({ isDoubtful }) => isDoubtful) : [];
    for (const one of refused) if (!again.includes(one)) into.fault(one.index, one.fault);
    if (again.length === 0) return;
    for (const { index, fault } of await this.#writeAll(again, into, options, true)) into.fault(index, fault);
  }

  /** Returns what the controller refused. `isLast`: a program that has changed again ends it. */
  async #writeAll(
    entries: readonly Entry[],
    into: Results,
    options: AskOptions,
    isLast = false,
  ): Promise<Refused[]> {
    const addresses = entries.map(({ write: { point } }) => parseAddress(point.address, point.type));
    const sound = addresses.flatMap((address) => (isFault(address) ? [] : [address]));
    await this.#program.prepare(sound, options);
    this.#findings.begin(this.#program.epoch);
    await this.#learn(entries, addresses, options);
    const items: Item[] = [];
    for (const [at, entry] of entries.entries()) {
      const item = this.#itemOf(entry, addresses[at]!);
      if (isFault(item)) into.fault(entry.index, item);
      else items.push(item);
    }
    if (items.some(({ isBit }) => isBit) && !(await this.#program.verify(options))) {
      // Nothing was written yet.
      this.#program.renew();
      if (!isLast) return this.#writeAll(items, into, options, true);
      for (const { index } of items) into.fault(index, isChanging);
      return [];
    }
    const refused: Refused[] = [];
    let at = 0;
    while (at < items.length) {
      const some = this.#packet(items, at);
      const replies = await this.#send(some, options);
      if (replies === undefined) continue;
      at += some.length;
      for (const [place, item] of some.entries()) {
        const code = replies[place]!;
        if (code === Status.OK) into.done(item.index);
        else refused.push({ ...item, fault: writeRefused(code), isDoubtful: doubtful.includes(code) });
      }
    }
    return refused;
  }

  /** The items from `at` on that fit into one request; a value in several parts stands alone. */
  #packet(items: readonly Item[], at: number): Item[] {
    const some: Item[] = [];
    let room = this.#session.limit - packetOverhead;
    for (const item of items.slice(at)) {
      const isAlone = item.messages.length > 1 || !this.#findings.packets;
      room -= 2 + item.messages[0]!.length;
      if (some.length > 0 && (isAlone || room < 0)) break;
      some.push(item);
      if (isAlone) break;
    }
    return some;
  }

  /** The code of each item, 0 for success. Undefined: nothing was written, and the items have to be sent in another way. */
  async #send(items: readonly Item[], options: AskOptions): Promise<number[] | undefined> {
    if (items.length === 1) {
      for (const message of items[0]!.messages) {
        const reply = await this.#session.ask(message, options);
        // What has failed in part is not finished.
        if (reply.status !== Status.OK) return [codeOf(reply)];
      }
      return [Status.OK];
    }
    const reply = await this.#session.ask(packetOf(items.map(({ messages }) => messages[0]!)), options);
    if (reply.status === Status.NO_SERVICE) {
      this.#findings.withoutPackets();
      return undefined;
    }
    if (reply.status !== Status.OK && reply.status !== Status.EMBEDDED) return items.map(() => codeOf(reply));
    if (!cursor.begin(reply.data, items.length)) this.#session.misfit();
    return items.map(({ messages }) => {
      if (!cursor.next() || cursor.service !== messages[0]![0]) this.#session.misfit();
      return codeOf(cursor);
    });
  }

  /** Reads the variables whose types no list has, once each. */
  async #learn(
    entries: readonly Entry[],
    addresses: readonly (Address | Fault)[],
    options: AskOptions,
  ): Promise<void> {
    for (const [at, address] of addresses.entries()) {
      if (isFault(address) || this.#findings.learned(keyOf(address)) !== undefined) continue;
      const { point } = entries[at]!.write;
      if (targetOf(this.#program, point.address, address, point.type) !== undefined) continue;
      const count = Buffer.alloc(2);
      count.writeUInt16LE(Math.max(1, address.count));
      const reply = await this.#session.ask(requestOf(Service.READ, namePath(address), count), options);
      this.#findings.learn(keyOf(address), learnedOf(reply));
    }
  }

  #itemOf({ index, write }: Entry, address: Address | Fault): Item | Fault {
    if (isFault(address)) return address;
    const { point, value } = write;
    const target =
      targetOf(this.#program, point.address, address, point.type) ?? this.#learnedTarget(address, write);
    if (isFault(target)) return target;
    if (target.kind === Kind.BYTES && target.handle !== 0) return structureWrite;
    const data = encode(target, value);
    if (isFault(data)) return data;
    const isBit = target.kind === Kind.BIT;
    const messages = isBit ? [modifyRequest(target, data[0] !== 0)] : this.#messagesOf(target, data);
    return { index, write, messages, isBit };
  }

  #learnedTarget(address: Address, { point }: Write): Target | Fault {
    const learned = this.#findings.learned(keyOf(address));
    if (learned === undefined) return tooShort;
    if (isFault(learned)) return learned;
    const { handle, size, variable } = learned;
    const kind = kindOf(point.type, variable, address.bit, address.text);
    if (isFault(kind)) return kind;
    const extra = kind === Kind.BIT ? address.bit : Math.max(0, variable.characters);
    return {
      path: namePath(address),
      kind,
      variable,
      handle,
      size,
      elements: Math.max(1, address.count),
      extra,
    };
  }

  /** One request, or several for a value that is larger than a message. */
  #messagesOf({ elements, handle, path, variable }: Target, data: Buffer): Buffer[] {
    const type = typeBytes(variable, handle);
    const room = this.#session.limit - 2 - path.length - type.length;
    const head = Buffer.alloc(2);
    head.writeUInt16LE(elements);
    if (data.length <= room - 2) return [requestOf(Service.WRITE, path, Buffer.concat([type, head, data]))];
    const step = Math.max(8, (room - 6) & ~7);
    const messages: Buffer[] = [];
    for (let at = 0; at < data.length; at += step) {
      const offset = Buffer.alloc(4);
      offset.writeUInt32LE(at);
      const part = data.subarray(at, at + step);
      messages.push(requestOf(Service.WRITE_FRAGMENT, path, Buffer.concat([type, head, offset, part])));
    }
    return messages;
  }
}

interface Refused extends Item {
  readonly fault: Fault;
  readonly isDoubtful: boolean;
}

function keyOf({ count, text }: Address): string {
  return `${text} ${count}`;
}

/** What a reply says of the variable that was read. */
function learnedOf({ data, extended, status }: Reply): Learned | Fault {
  if (status !== Status.OK) return writeRefused(codeOf({ status, extended }));
  if (data.length < 3) return tooShort;
  const mark = data.readUInt16LE(0);
  if (mark === structureMark && data.length < 4) return tooShort;
  if (mark !== structureMark) {
    const bytes = data.length - 2;
    return { variable: elementaryOf(mark, bytes), handle: 0, size: bytes };
  }
  const variable: Variable = { code: 0, size: data.length - 4, name: 'structure', characters: -1 };
  return { variable, handle: data.readUInt16LE(2), size: data.length - 4 };
}

/** The type of a value as it was read. */
function typeBytes({ code }: Variable, handle: number): Buffer {
  const type = Buffer.alloc(handle === 0 ? 2 : 4);
  type.writeUInt16LE(handle === 0 ? code : structureMark, 0);
  if (handle !== 0) type.writeUInt16LE(handle, 2);
  return type;
}

/** Sets or clears one bit in the controller itself, so that no other bit is touched. */
function modifyRequest({ extra: bit, path, size }: Target, isSet: boolean): Buffer {
  const data = Buffer.alloc(2 + 2 * size);
  data.writeUInt16LE(size, 0);
  data.fill(0xff, 2 + size);
  const mask = 1 << (bit & 7);
  if (isSet) data[2 + (bit >> 3)] = mask;
  else data[2 + size + (bit >> 3)] = 0xff & ~mask;
  return requestOf(Service.MODIFY, path, data);
}
