import { ClassCode, objectPath } from './path.ts';

/** Services. A code means different things to different objects. */
export const Service = {
  GET_ALL: 0x01,
  GET_LIST: 0x03,
  MULTIPLE: 0x0a,
  GET_ONE: 0x0e,
  READ: 0x4c,
  WRITE: 0x4d,
  /** At a tag: single bits. */
  MODIFY: 0x4e,
  READ_FRAGMENT: 0x52,
  WRITE_FRAGMENT: 0x53,
  /** At the class of symbols: a list of them with attributes. */
  LIST: 0x55,
  /** At the class of variables of NJ and NX. */
  LIST_VARIABLES: 0x5f,
  // At the connection manager.
  CLOSE: 0x4e,
  UNCONNECTED_SEND: 0x52,
  OPEN: 0x54,
  OPEN_LARGE: 0x5b,
} as const;

/** Bit of a service code that says that it is a reply. */
const replyBit = 0x80;

const noBytes = Buffer.alloc(0);

export function requestOf(service: number, path: Uint8Array, data: Uint8Array = noBytes): Buffer {
  const request = Buffer.alloc(2 + path.length + data.length);
  request[0] = service;
  request[1] = path.length / 2;
  request.set(path, 2);
  request.set(data, 2 + path.length);
  return request;
}

/** What was answered to a request. */
export interface Reply {
  readonly service: number;
  /** 0 is success. */
  readonly status: number;
  /** The first word of the extended status, 0 for none. */
  readonly extended: number;
  /** The second word of it, which may be a size. */
  readonly detail: number;
  readonly data: Buffer;
}

/** The reply in `data[at, end)`, which keeps the bytes; undefined when it is none. */
export function replyOf(data: Buffer, at = 0, end = data.length): Reply | undefined {
  if (end - at < 4 || (data[at]! & replyBit) === 0) return undefined;
  const words = data[at + 3]!;
  const start = at + 4 + 2 * words;
  if (start > end) return undefined;
  return {
    service: data[at]! - replyBit,
    status: data[at + 2]!,
    extended: words > 0 ? data.readUInt16LE(at + 4) : 0,
    detail: words > 1 ? data.readUInt16LE(at + 6) : 0,
    data: data.subarray(start, end),
  };
}

const routerPath = objectPath(ClassCode.MESSAGE_ROUTER, 1);

/** Bytes that a multiple service packet takes before its requests, and a reply to one before its replies; each takes two more. */
export const packetOverhead = 8;
export const packetReplyOverhead = 6;

/** Several requests in one. */
export function packetOf(requests: readonly Uint8Array[]): Buffer {
  const head = 2 + 2 * requests.length;
  const data = Buffer.alloc(requests.reduce((sum, { length }) => sum + length, head));
  data.writeUInt16LE(requests.length, 0);
  let at = head;
  for (const [index, request] of requests.entries()) {
    data.writeUInt16LE(at, 2 + 2 * index);
    data.set(request, at);
    at += request.length;
  }
  return requestOf(Service.MULTIPLE, routerPath, data);
}

/** Walks through the replies to a packet without an object for each. */
export class ReplyCursor {
  service = 0;
  status = 0;
  extended = 0;
  /** The data of the reply is `data[start, end)`. */
  start = 0;
  end = 0;
  #data: Buffer = noBytes;
  #count = 0;
  #index = 0;

  /** Begins with the data of the reply to a packet of `count` requests. False: it is not one to as many. */
  begin(data: Buffer, count: number): boolean {
    this.#data = data;
    this.#count = count;
    this.#index = 0;
    return data.length >= 2 + 2 * count && data.readUInt16LE(0) === count;
  }

  /** The next reply; false when it does not lie where it has to. */
  next(): boolean {
    const data = this.#data;
    if (this.#index >= this.#count) return false;
    const at = data.readUInt16LE(2 + 2 * this.#index);
    this.#index++;
    const end = this.#index < this.#count ? data.readUInt16LE(2 + 2 * this.#index) : data.length;
    return at >= 2 + 2 * this.#count && end <= data.length && this.#take(data, at, end);
  }

  /** Takes one reply alone, as if it were one of a packet. */
  single({ service, status, extended, data }: Reply): Buffer {
    this.service = service;
    this.status = status;
    this.extended = extended;
    this.start = 0;
    this.end = data.length;
    return data;
  }

  #take(data: Buffer, at: number, end: number): boolean {
    if (end - at < 4 || (data[at]! & replyBit) === 0) return false;
    const words = data[at + 3]!;
    this.service = data[at]! - replyBit;
    this.status = data[at + 2]!;
    this.extended = words > 0 && end - at >= 6 ? data.readUInt16LE(at + 4) : 0;
    this.start = at + 4 + 2 * words;
    this.end = end;
    return this.start <= end;
  }
}

const manager = objectPath(ClassCode.CONNECTION_MANAGER, 1);

/** 14 s for a message on its way: 14 times 2 to the power of 10 milliseconds. */
const wayTimeout = [0x0a, 0x0e];

/** A message that is passed on along a route. */
export function unconnectedSend(message: Uint8Array, route: Uint8Array): Buffer {
  const pad = message.length & 1;
  const data = Buffer.alloc(4 + message.length + pad + 2 + route.length);
  data.set(wayTimeout);
  data.writeUInt16LE(message.length, 2);
  data.set(message, 4);
  const behind = 4 + message.length + pad;
  data[behind] = route.length / 2;
  data.set(route, behind + 2);
  return requestOf(Service.UNCONNECTED_SEND, manager, data);
}

/** Names a connection for as long as it lives. */
export interface ConnectionSerial {
  readonly serial: number;
  readonly vendor: number;
  readonly originator: number;
}

/** A connection as both sides know it. */
export interface Connection extends ConnectionSerial {
  /** Id in what the gateway sends. */
  readonly target: number;
  /** Id in what the gateway receives. */
  readonly own: number;
  /** Bytes of the largest message, sequence number included. */
  readonly size: number;
}

/** Microseconds between packets, of which the time-out is 4 × 2 to the power of `multiplier`: 32 s. */
const interval = 2_000_000;
const multiplier = 2;

/** Transport class 3, server, triggered by the application. */
const transport = 0xa3;

/** Connections larger than this are asked for by the service for large ones. */
export const smallConnection = 504;

/** Opens a connection. `own`: the id by which the other side names it. */
export function openRequest(
  { serial, vendor, originator }: ConnectionSerial,
  own: number,
  size: number,
  route: Uint8Array,
): Buffer {
  const isLarge = size > smallConnection;
  const path = Buffer.concat([route, routerPath]);
  const data = Buffer.alloc((isLarge ? 40 : 36) + path.length);
  data.set(wayTimeout);
  data.writeUInt32LE(own, 6);
  data.writeUInt16LE(serial, 10);
  data.writeUInt16LE(vendor, 12);
  data.writeUInt32LE(originator, 14);
  data[18] = multiplier;
  // Point to point, low priority, of variable size.
  let at = 22;
  for (let direction = 0; direction < 2; direction++) {
    data.writeUInt32LE(interval, at);
    if (isLarge) at = data.writeUInt32LE(0x4200_0000 + size, at + 4);
    else at = data.writeUInt16LE(0x4200 + size, at + 4);
  }
  data[at] = transport;
  data[at + 1] = path.length / 2;
  data.set(path, at + 2);
  return requestOf(isLarge ? Service.OPEN_LARGE : Service.OPEN, manager, data);
}

/** The ids of an opened connection, or undefined when the reply is too short. */
export function openedIds({ data }: Reply): { readonly target: number; readonly own: number } | undefined {
  return data.length < 8 ? undefined : { target: data.readUInt32LE(0), own: data.readUInt32LE(4) };
}

export function closeRequest({ serial, vendor, originator }: ConnectionSerial, route: Uint8Array): Buffer {
  const path = Buffer.concat([route, routerPath]);
  const data = Buffer.alloc(12 + path.length);
  data.set(wayTimeout);
  data.writeUInt16LE(serial, 2);
  data.writeUInt16LE(vendor, 4);
  data.writeUInt32LE(originator, 6);
  data[10] = path.length / 2;
  data.set(path, 12);
  return requestOf(Service.CLOSE, manager, data);
}
