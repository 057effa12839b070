import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { Packet } from '@tagway/testkit';
import { Cursor, encoded, integer, Tag } from '../src/wire/ber.ts';
import { isAfter, oidOf } from '../src/wire/oid.ts';
import {
  bound,
  communityMessage,
  ErrorStatus,
  openMessage,
  Pdu,
  pdu,
  PduType,
  Varbinds,
  Version,
} from '../src/wire/pdu.ts';

export const oid = (text: string): Buffer => {
  const content = oidOf(text);
  if (content === undefined) throw new Error(`${text} is no identifier.`);
  return content;
};

export const int = (value: number): Buffer => integer(value);
export const counter32 = (value: number): Buffer => integer(value, Tag.COUNTER32);
export const counter64 = (value: bigint): Buffer => integer(value, Tag.COUNTER64);
export const text = (value: string): Buffer => encoded(Tag.OCTETS, Buffer.from(value));
export const bytes = (hex: string): Buffer => encoded(Tag.OCTETS, Buffer.from(hex, 'hex'));

interface Entry {
  readonly oid: Buffer;
  value: Buffer;
}

/** A request as the agent sees it. */
export interface Request {
  readonly type: number;
  readonly objects: readonly Buffer[];
}

/** An agent of the versions 1 and 2c that does what a test says, on a UDP port of 127.0.0.1; it keeps what it hears and says. */
export class ScriptedAgent implements AsyncDisposable {
  port = 0;
  readonly packets: Packet[] = [];
  readonly requests: Request[] = [];
  community = 'public';
  writeCommunity = 'public';
  /** More objects are answered with tooBig. */
  mostObjects = Infinity;
  /** More objects are not answered. */
  mostAnswered = Infinity;
  /** Answers with this error to requests for these objects. */
  readonly failing = new Map<string, number>();
  /** Answers every GETNEXT and GETBULK with its first object. */
  walksInCircles = false;
  /** What is sent for a request in place of the answer. */
  script: ((request: Request, answer: Buffer) => readonly Buffer[]) | undefined;
  #entries: Entry[] = [];
  #socket: Socket | undefined;

  constructor() {
    this.set('1.3.6.1.2.1.1.3.0', integer(4711, Tag.TIME_TICKS));
  }

  set(place: string, value: Buffer): this {
    const name = oid(place);
    const known = this.#entries.find((entry) => entry.oid.equals(name));
    if (known !== undefined) known.value = value;
    else {
      // Most tests set objects in their order.
      const isLast = this.#entries.length === 0 || isAfter(name, this.#entries.at(-1)!.oid);
      this.#entries.push({ oid: name, value });
      if (!isLast) this.#entries.sort((a, b) => (isAfter(a.oid, b.oid) ? 1 : -1));
    }
    return this;
  }

  get(place: string): Buffer | undefined {
    const name = oid(place);
    return this.#entries.find((entry) => entry.oid.equals(name))?.value;
  }

  remove(prefix: string): this {
    const name = oid(prefix);
    this.#entries = this.#entries.filter((entry) => !entry.oid.subarray(0, name.length).equals(name));
    return this;
  }

  async listen(): Promise<this> {
    const socket = createSocket('udp4', (data, from) => this.#receive(data, from));
    this.#socket = socket;
    socket.on('error', () => undefined);
    socket.bind(this.port, '127.0.0.1');
    await once(socket, 'listening');
    this.port = socket.address().port;
    return this;
  }

  /** Sends a datagram from the agent. */
  send(data: Buffer, port: number): void {
    this.packets.push({ fromClient: false, bytes: data });
    this.#socket?.send(data, port, '127.0.0.1', () => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket !== undefined) await new Promise<void>((resolve) => socket.close(resolve));
  }

  #receive(data: Buffer, from: RemoteInfo): void {
    this.packets.push({ fromClient: true, bytes: Buffer.from(data) });
    const cursor = new Cursor().begin(data);
    const version = openMessage(cursor);
    const community = cursor.octets()?.toString();
    const request = new Pdu();
    if (version > 1 || community === undefined || !request.read(cursor)) return;
    const isWrite = request.type === PduType.SET;
    if (community !== (isWrite ? this.writeCommunity : this.community)) return;
    const asked: { oid: Buffer; value: Buffer }[] = [];
    const varbinds = new Varbinds().begin(data, request.start, request.end);
    while (varbinds.next())
      asked.push({
        oid: varbinds.oid,
        value: Buffer.from(data.subarray(varbinds.name.at, varbinds.value.stop)),
      });
    if (asked.length > this.mostAnswered) return;
    const heard = { type: request.type, objects: asked.map((one) => one.oid) };
    this.requests.push(heard);
    const answer = this.#answer(request, asked, version);
    const message = communityMessage(version, Buffer.from(community), answer);
    for (const piece of this.script?.(heard, message) ?? [message]) this.send(piece, from.port);
  }

  #answer(request: Pdu, asked: readonly Entry[], version: number): Buffer {
    const { id, type } = request;
    const same = Buffer.concat(asked.map((one) => bound(one.oid, one.value)));
    const fail = (status: number, index: number): Buffer =>
      pdu(PduType.RESPONSE, { id, status, index, varbinds: same });
    if (asked.length > this.mostObjects) return fail(ErrorStatus.TOO_BIG, 0);
    for (const [index, one] of asked.entries()) {
      const status = this.failing.get(one.oid.toString('hex'));
      if (status !== undefined) return fail(status, index + 1);
    }
    if (type === PduType.SET) return this.#write(asked, same, id, fail);
    const found: Buffer[] = [];
    const repeats = type === PduType.GET_BULK ? request.index : 1;
    const heads = asked.map((one) => one.oid);
    for (let round = 0; round < repeats; round++) {
      for (const [index, head] of heads.entries()) {
        const entry = this.#entries.find((one) =>
          type === PduType.GET ? one.oid.equals(head) : isAfter(one.oid, head),
        );
        if (entry === undefined && version === Version.V1) return fail(ErrorStatus.NO_SUCH_NAME, index + 1);
        const nothing = Buffer.of(type === PduType.GET ? Tag.NO_SUCH_INSTANCE : Tag.END_OF_MIB_VIEW, 0);
        found.push(bound(entry?.oid ?? head, entry?.value ?? nothing));
        if (entry !== undefined && !this.walksInCircles) heads[index] = entry.oid;
      }
    }
    return pdu(PduType.RESPONSE, { id, varbinds: Buffer.concat(found) });
  }

  #write(
    asked: readonly Entry[],
    same: Buffer,
    id: number,
    fail: (status: number, index: number) => Buffer,
  ): Buffer {
    for (const [index, one] of asked.entries()) {
      const entry = this.#entries.find((known) => known.oid.equals(one.oid));
      if (entry === undefined) return fail(11, index + 1);
      if (entry.value[0] !== one.value[0]) return fail(ErrorStatus.WRONG_TYPE, index + 1);
    }
    for (const one of asked) this.#entries.find((known) => known.oid.equals(one.oid))!.value = one.value;
    return pdu(PduType.RESPONSE, { id, varbinds: same });
  }
}
