/** BACnet/IP messages: the virtual link (ANSI/ASHRAE 135, Annex J), the network layer (clause 6) and the kinds of APDUs (clause 20). */

/** Kinds of APDUs (20.1). */
export const Kind = {
  CONFIRMED: 0,
  UNCONFIRMED: 1,
  SIMPLE_ACK: 2,
  COMPLEX_ACK: 3,
  SEGMENT_ACK: 4,
  ERROR: 5,
  REJECT: 6,
  ABORT: 7,
} as const;

/** Confirmed services (BACnetConfirmedServiceChoice). */
export const Service = {
  COV_NOTIFICATION: 1,
  SUBSCRIBE_COV: 5,
  READ_PROPERTY: 12,
  READ_PROPERTY_MULTIPLE: 14,
  WRITE_PROPERTY: 15,
  WRITE_PROPERTY_MULTIPLE: 16,
} as const;

/** Unconfirmed services (BACnetUnconfirmedServiceChoice). */
export const Unconfirmed = { I_AM: 0, COV_NOTIFICATION: 2, WHO_IS: 8 } as const;

/** Functions of the virtual link (Annex J.2). */
export const Bvlc = {
  RESULT: 0x00,
  FORWARDED: 0x04,
  REGISTER_FOREIGN_DEVICE: 0x05,
  DELETE_FOREIGN_DEVICE: 0x08,
  DISTRIBUTE_BROADCAST: 0x09,
  UNICAST: 0x0a,
  BROADCAST: 0x0b,
} as const;

/** Results of a broadcast management device (J.2.1). */
export const BvlcResult = {
  SUCCESS: 0x0000,
  REGISTER_FOREIGN_DEVICE_NAK: 0x0030,
  DISTRIBUTE_BROADCAST_NAK: 0x0060,
} as const;

const bvlcType = 0x81;

/** Answers of up to 64 segments of 1476 bytes each are taken (20.1.2.4, 20.1.2.5). */
const acceptedSizes = 0x65;

/** The most segments of one answer that are taken. */
export const mostSegments = 64;

/** Bytes of an APDU before the data of its service: of a confirmed request, and of the answer to it. */
export const requestHead = 4;
export const answerHead = 3;

/** A device behind a router: its network and its address there. */
export interface Route {
  readonly network: number;
  readonly mac: Buffer;
}

/** A BACnet/IP message that carries an APDU. */
export function envelope(
  apdu: Buffer,
  { route, expectsReply = false, call = Bvlc.UNICAST }: EnvelopeOptions = {},
): Buffer {
  const control = (route === undefined ? 0 : 0x20) | (expectsReply ? 0x04 : 0);
  const npdu = route === undefined ? Buffer.of(1, control) : routed(control, route);
  const size = 4 + npdu.length + apdu.length;
  return Buffer.concat([Buffer.of(bvlcType, call, size >> 8, size), npdu, apdu]);
}

export interface EnvelopeOptions {
  readonly route?: Route | undefined;
  readonly expectsReply?: boolean;
  readonly call?: number;
}

function routed(control: number, { network, mac }: Route): Buffer {
  return Buffer.concat([Buffer.of(1, control, network >> 8, network, mac.length), mac, Buffer.of(0xff)]);
}

export function confirmed(service: number, id: number, body: Buffer): Buffer {
  const acceptsSegments = 0x02;
  return Buffer.concat([
    Buffer.of((Kind.CONFIRMED << 4) | acceptsSegments, acceptedSizes, id, service),
    body,
  ]);
}

export function unconfirmed(service: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.of(Kind.UNCONFIRMED << 4, service), body]);
}

export function simpleAck(service: number, id: number): Buffer {
  return Buffer.of(Kind.SIMPLE_ACK << 4, id, service);
}

/** `isNegative`: the segment behind `sequence` is missing. */
export function segmentAck(id: number, sequence: number, window: number, isNegative: boolean): Buffer {
  return Buffer.of((Kind.SEGMENT_ACK << 4) | (isNegative ? 0x02 : 0), id, sequence, window);
}

/** The refusal of a confirmed request that the other side has sent. */
export function reject(id: number, reason: number): Buffer {
  return Buffer.of(Kind.REJECT << 4, id, reason);
}

/** Asks a broadcast management device to pass broadcasts on for `ttl` seconds (J.5). */
export function registerForeignDevice(ttl: number): Buffer {
  return Buffer.of(bvlcType, Bvlc.REGISTER_FOREIGN_DEVICE, 0, 6, ttl >> 8, ttl);
}

/** Asks a broadcast management device to forget the foreign device at an IPv4 address and port (J.2.9). */
export function deleteForeignDevice(host: string, port: number): Buffer {
  const address = host.split('.').map(Number);
  return Buffer.of(bvlcType, Bvlc.DELETE_FOREIGN_DEVICE, 0, 10, ...address, port >> 8, port);
}

/** A message to all stations of all networks: the network 65535, and an address of no bytes (6.2.2). */
export function envelopeToAll(apdu: Buffer, call: number): Buffer {
  return envelope(apdu, { route: { network: 0xffff, mac: Buffer.alloc(0) }, call });
}

/** The code of a result, one of `BvlcResult`; undefined when the message is no result (J.2.1). */
export function resultOf(data: Buffer): number | undefined {
  if (data.length !== 6 || data[0] !== bvlcType || data[1] !== Bvlc.RESULT) return undefined;
  return data.readUInt16BE(2) === 6 ? data.readUInt16BE(4) : undefined;
}

/** Of the network layer: a router could not pass a message on (6.4.4). */
const rejectMessageToNetwork = 0x03;

/** Reason of that: the router knows no such network. */
const unknownNetwork = 1;

/** Whether a router says that it knows no way to this network. */
export function isUnknownNetwork(data: Buffer, at: number, end: number, network: number): boolean {
  // Routers of this subnet send it without addresses.
  const isPlain = end - at === 10 && data[at] === bvlcType && data[at + 1] === Bvlc.UNICAST;
  return (
    isPlain &&
    (data[at + 5]! & 0xa8) === 0x80 &&
    data[at + 6] === rejectMessageToNetwork &&
    data[at + 7] === unknownNetwork &&
    data.readUInt16BE(at + 8) === network
  );
}

/** Bytes of an APDU before the data of its service, by its kind, when it is no segment; the last one names the service, if there is one. */
const headSizes: Readonly<Record<number, number>> = {
  [Kind.CONFIRMED]: 4,
  [Kind.UNCONFIRMED]: 2,
  [Kind.SIMPLE_ACK]: 3,
  [Kind.COMPLEX_ACK]: 3,
  [Kind.SEGMENT_ACK]: 4,
  [Kind.ERROR]: 3,
  [Kind.REJECT]: 3,
  [Kind.ABORT]: 3,
};

/** One message, as far as its layers go; it is parsed in place. */
export class Pdu {
  /** The function of the virtual link. */
  call = 0;
  kind = 0;
  /** Of a request and of an acknowledgement or error. */
  service = 0;
  id = 0;
  isSegmented = false;
  moreFollow = false;
  sequence = 0;
  window = 0;
  /** Reason of a reject or an abort. */
  reason = 0;
  /** The network that the sender is in, 0 for this one, and where its address is. */
  network = 0;
  macStart = 0;
  macLength = 0;
  /** The data of the service is `data[start, end)`. */
  start = 0;
  end = 0;
  /** The address that a forwarded broadcast came from, as host and port. */
  origin: { readonly host: string; readonly port: number } | undefined;

  /** False when this is not a BACnet/IP message with an APDU. */
  parse(data: Buffer, at: number, end: number): boolean {
    this.origin = undefined;
    if (end - at < 4 || data[at] !== bvlcType || data.readUInt16BE(at + 2) !== end - at) return false;
    this.call = data[at + 1]!;
    at += 4;
    if (this.call === Bvlc.FORWARDED) {
      if (end - at < 6) return false;
      this.origin = { host: data.subarray(at, at + 4).join('.'), port: data.readUInt16BE(at + 4) };
      at += 6;
    } else if (this.call !== Bvlc.UNICAST && this.call !== Bvlc.BROADCAST) return false;
    const apdu = this.#network(data, at, end);
    return apdu > 0 && this.#apdu(data, apdu, end);
  }

  /** Whether the sender is the device at the end of a route. */
  isFrom(data: Buffer, route: Route | undefined): boolean {
    if (route === undefined) return this.network === 0;
    return (
      this.network === route.network &&
      data.compare(route.mac, 0, route.mac.length, this.macStart, this.macStart + this.macLength) === 0
    );
  }

  /** Where the APDU begins, 0 if there is none. */
  #network(data: Buffer, at: number, end: number): number {
    if (end - at < 2 || data[at] !== 1) return 0;
    const control = data[at + 1]!;
    at += 2;
    // Messages of the network layer itself are not for a client.
    if ((control & 0x80) !== 0) return 0;
    this.network = 0;
    const hasDestination = (control & 0x20) !== 0;
    if (hasDestination) {
      if (end - at < 3) return 0;
      at += 3 + data[at + 2]!;
    }
    if ((control & 0x08) !== 0) {
      if (end - at < 3) return 0;
      this.network = data.readUInt16BE(at);
      this.macLength = data[at + 2]!;
      this.macStart = at + 3;
      at += 3 + this.macLength;
    }
    if (hasDestination) at++;
    return at < end ? at : 0;
  }

  #apdu(data: Buffer, at: number, end: number): boolean {
    const first = data[at]!;
    const byte = (offset: number): number => data[at + offset] ?? 0;
    this.kind = first >> 4;
    const size = headSizes[this.kind];
    if (size === undefined) return false;
    const isRequest = this.kind === Kind.CONFIRMED;
    this.isSegmented = (isRequest || this.kind === Kind.COMPLEX_ACK) && (first & 0x08) !== 0;
    this.moreFollow = (first & 0x04) !== 0;
    // Not every kind of APDU has all of these.
    this.id = byte(isRequest ? 2 : 1);
    this.reason = this.sequence = byte(2);
    this.window = byte(3);
    // A segment has its number and the size of the window before its service.
    this.start = at + size + (this.isSegmented ? 2 : 0);
    this.service = data[this.start - 1] ?? 0;
    this.end = end;
    return this.start <= end;
  }
}
