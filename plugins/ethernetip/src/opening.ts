import { randomInt } from 'node:crypto';
import { noResponse, type Handshake } from '@tagway/sdk/link';
import {
  openedIds,
  openRequest,
  replyOf,
  smallConnection,
  type Connection,
  type ConnectionSerial,
  type Reply,
} from './cip.ts';
import { isWithoutConnections, Refused, routeTrouble, Status, statusInWords } from './faults.ts';
import { Command, Frame, frameOf, identityOf, registerFrame, unconnectedFrame, Vendor } from './protocol.ts';
import type { Identity } from './protocol.ts';
import { routeOf } from './path.ts';
import type { Settings } from './settings.ts';

/** What kind of controller it is, as the setting `controller` numbers it. */
export type Family = (typeof Family)[keyof typeof Family];
export const Family = { LOGIX: 1, MICRO800: 2, OMRON: 3 } as const;

/** What the handshake found out. */
export interface Agreement {
  readonly session: number;
  readonly family: Family;
  /** The way from the device at the other end of the TCP connection to the controller. */
  readonly route: Buffer;
  /** Undefined: messages go without a connection. */
  readonly connection: Connection | undefined;
  /** Why there is none although one was asked for. */
  readonly refusal: Refusal | undefined;
}

/** A connection was refused. */
export interface Refusal {
  readonly reason: string;
  /** A later attempt may succeed, because the controller had none left. */
  readonly isTemporary: boolean;
}

/** Vendor number of nobody in particular, as programs use it that have none. */
const vendor = 0x1337;

/** The size of a connection that each family takes at most. */
const mostSize: Readonly<Record<Family, number>> = {
  [Family.LOGIX]: 4002,
  [Family.MICRO800]: smallConnection,
  [Family.OMRON]: 1994,
};

/** NJ and NX take two bytes fewer than the others. */
const smallSize: Readonly<Record<Family, number>> = {
  [Family.LOGIX]: smallConnection,
  [Family.MICRO800]: smallConnection,
  [Family.OMRON]: 502,
};

/** Registers the session, finds out what the controller is, and opens a connection to it. Throws when there is no way to it. */
export async function open(channel: Handshake, settings: Settings): Promise<Agreement> {
  const asker = new Asker(channel);
  const registered = await asker.ask(registerFrame(), Command.REGISTER);
  const { session, status } = asker.frame;
  if (status !== 0 || session === 0 || registered === undefined)
    throw new Error(`${channel.peer} refused the session with status ${status} of the encapsulation`);
  const family = settings.controller === 0 ? await familyOf(asker) : (settings.controller as Family);
  const route = routeFor(settings, family);
  const opened = await openConnection(
    (request) => asker.askCip(session, request),
    connectionSize(settings, family),
    smallSize[family],
    route,
  );
  return { session, family, route, ...opened };
}

/** Bytes of the connection that is asked for first; 0 for none. */
export function connectionSize({ connection_size }: Settings, family: Family): number {
  return connection_size === 0 ? 0 : Math.min(connection_size, mostSize[family]);
}

/** Asks for a connection of this size, then for a small one, by requests without a connection. Throws when there is no way to the controller. */
export async function openConnection(
  ask: (request: Buffer) => Promise<Reply>,
  size: number,
  small: number,
  route: Uint8Array,
): Promise<Pick<Agreement, 'connection' | 'refusal'>> {
  let wanted = size;
  let refusal: Refusal | undefined;
  // Large, the size that the refusal names, small; one more for a serial number that is in use.
  for (let tries = 4; tries > 0 && wanted > 0; tries--) {
    const serial: ConnectionSerial = {
      serial: randomInt(1, 0x1_0000),
      vendor,
      originator: randomInt(1, 0x1_0000_0000 - 1),
    };
    const reply = await ask(openRequest(serial, randomInt(1, 0x1_0000_0000 - 1), wanted, route));
    if (reply.status === Status.OK) {
      const ids = openedIds(reply);
      if (ids === undefined) throw new Error('the controller opened a connection and did not say which');
      return { connection: { ...serial, ...ids, size: wanted }, refusal: undefined };
    }
    const trouble = routeTrouble(reply);
    if (trouble !== undefined) throw new Error(trouble);
    refusal = {
      reason: statusInWords(reply.status, reply.extended),
      isTemporary: isWithoutConnections(reply),
    };
    wanted = nextSize(reply, wanted, small);
  }
  return { connection: undefined, refusal };
}

/** The size to ask for after a refusal; 0 for no connection. */
function nextSize(reply: Reply, size: number, small: number): number {
  if (isWithoutConnections(reply)) return 0;
  const { status, extended, detail } = reply;
  if (status === Status.CONNECTION) {
    if (extended === Refused.DUPLICATE) return size;
    if (extended === Refused.TRANSPORT || extended === Refused.TRANSPORT_CLASS) return 0;
    const isOfSize = [Refused.SIZE, Refused.SIZE_TO_TARGET, Refused.SIZE_TO_GATEWAY].some(
      (code) => code === extended,
    );
    if (isOfSize && detail >= 100 && detail < size) return detail;
  }
  return size > small ? small : 0;
}

/** The kind of the controller by its identity. A device that keeps it to itself counts as Logix. */
async function familyOf(asker: Asker): Promise<Family> {
  try {
    const answer = await asker.ask(
      frameOf(Command.LIST_IDENTITY, 0, 2, Buffer.alloc(0)),
      Command.LIST_IDENTITY,
    );
    const identity = identityOf(answer, 0, answer.length);
    return identity === undefined ? Family.LOGIX : familyFrom(identity);
  } catch (error) {
    if (error !== noResponse) throw error;
    return Family.LOGIX;
  }
}

export function familyFrom({ vendor: maker, name }: Identity): Family {
  if (maker === Vendor.OMRON) return Family.OMRON;
  return maker === Vendor.ROCKWELL && name.startsWith('2080') ? Family.MICRO800 : Family.LOGIX;
}

/** The route of the settings. Left empty, a Logix controller is in slot 0 and the others are what is connected to. */
function routeFor({ path }: Settings, family: Family): Buffer {
  if (path === '') return family === Family.LOGIX ? Buffer.from([1, 0]) : Buffer.alloc(0);
  return routeOf(path) ?? Buffer.alloc(0);
}

/** Asks one thing after the other before the link is up. */
class Asker {
  readonly frame = new Frame();
  readonly #channel: Handshake;

  constructor(channel: Handshake) {
    this.#channel = channel;
  }

  /** The answer to a frame; others that come meanwhile are passed over. */
  async ask(request: Buffer, command: number): Promise<Buffer> {
    this.#channel.send(request);
    for (let passed = 0; passed < 100; passed++) {
      const answer = await this.#channel.next();
      if (!this.frame.parse(answer, 0, answer.length)) break;
      const isOwn = this.frame.command === command && this.frame.id === request.readUInt32LE(12);
      if (isOwn) return answer;
    }
    throw new Error(`what listens at ${this.#channel.peer} does not speak EtherNet/IP`);
  }

  /** The reply to a CIP request without a connection. */
  async askCip(session: number, request: Buffer): Promise<Reply> {
    const answer = await this.ask(unconnectedFrame(session, 3, request), Command.UNCONNECTED);
    const { status, start, end } = this.frame;
    if (status !== 0)
      throw new Error(`${this.#channel.peer} refused a message with status ${status} of the encapsulation`);
    const reply = replyOf(answer, start, end);
    if (reply === undefined || reply.service !== request[0])
      throw new Error(`${this.#channel.peer} answered something else than was asked`);
    return reply;
  }
}

/** The size of the small connection that a controller is asked for when it gives no large one. */
export function smallSizeOf(family: Family): number {
  return smallSize[family];
}
