import { DatagramPeer } from './datagram-peer.ts';
import type { RemoteInfo } from 'node:dgram';
import { objectBytes, Tag, TagCursor, TagWriter, unsignedBytes } from '../src/encoding.ts';
import { BacnetError, RejectReason } from '../src/faults.ts';
import { ObjectType, objectOf, Property, typeOf } from '../src/properties.ts';
import {
  confirmed,
  envelope,
  Kind,
  Pdu,
  Service,
  unconfirmed,
  Unconfirmed,
  type Route,
} from '../src/protocol.ts';

interface Subscription {
  readonly process: number;
  readonly object: number;
  readonly isConfirmed: boolean;
  readonly to: RemoteInfo;
}

interface Ref {
  readonly object: number;
  readonly property: number;
  readonly index: number | undefined;
}

/** The error of a property: class and code. */
class Refusal {
  readonly errorClass: number;
  readonly code: number;

  constructor(code: number, errorClass = code === BacnetError.UNKNOWN_OBJECT ? 1 : 2) {
    this.code = code;
    this.errorClass = errorClass;
  }

  write(writer: TagWriter): TagWriter {
    return writer
      .application(Tag.ENUMERATED, unsignedBytes(this.errorClass))
      .application(Tag.ENUMERATED, unsignedBytes(this.code));
  }
}

const unknownObject = new Refusal(BacnetError.UNKNOWN_OBJECT);
const unknownProperty = new Refusal(BacnetError.UNKNOWN_PROPERTY);
const denied = new Refusal(BacnetError.WRITE_ACCESS_DENIED);
const noElement = new Refusal(BacnetError.INVALID_ARRAY_INDEX);

export const real = (value: number): Buffer => {
  const bytes = Buffer.alloc(5, 0x44);
  bytes.writeFloatBE(value, 1);
  return bytes;
};
export const unsigned = (value: number): Buffer =>
  new TagWriter().application(Tag.UNSIGNED, unsignedBytes(value)).bytes();
export const enumerated = (value: number): Buffer =>
  new TagWriter().application(Tag.ENUMERATED, unsignedBytes(value)).bytes();
export const text = (value: string): Buffer =>
  new TagWriter().application(Tag.TEXT, Buffer.concat([Buffer.of(0), Buffer.from(value)])).bytes();
export const identifier = (object: number): Buffer =>
  new TagWriter().application(Tag.OBJECT, objectBytes(object)).bytes();

/** A BACnet device on a port of 127.0.0.1. Values are kept encoded; a list is an array property. */
export class Simulator extends DatagramPeer {
  readonly device = 77;
  readonly objects = new Map<number, Map<number, Buffer | Buffer[]>>();
  /** Bytes of the largest APDU. */
  maxApdu = 1476;
  segments = false;
  /** Segments in a window, as the device proposes. */
  window = 3;
  /** Services that the device has. */
  readonly services = new Set<number>([5, 12, 14, 15, 16]);
  /** Whether the object list and the services can be asked for. */
  isTalkative = true;
  /** Requests so far, by service. */
  readonly asked = new Map<number, number>();
  readonly written: { readonly ref: Ref; readonly data: Buffer; readonly priority: number | undefined }[] =
    [];
  readonly subscriptions: Subscription[] = [];
  /** Subscriptions that were taken, renewed ones among them. */
  subscribed = 0;
  /** Services whose requests are dropped this many times. */
  readonly deaf = new Map<number, number>();
  /** Stands in for the answer to a request: several datagrams, or none. */
  script: ((request: Pdu, data: Buffer, answer: Buffer) => readonly Buffer[]) | undefined;
  /** Confirmed notifications that the client has acknowledged. */
  acknowledged = 0;
  /** The network that the device is in, for clients that must route. */
  route: Route | undefined;
  #notifications = 0;
  readonly #pdu = new Pdu();
  readonly #sending = new Map<
    string,
    { readonly parts: Buffer[]; readonly apdu: (part: number) => Buffer }
  >();

  constructor() {
    super();
    this.object(ObjectType.DEVICE, this.device, { [Property.OBJECT_NAME]: text('plant') });
  }

  /** Adds an object. */
  object(type: number, instance: number, properties: Record<number, Buffer | Buffer[]>): number {
    const object = objectOf(type, instance);
    this.objects.set(
      object,
      new Map(Object.entries(properties).map(([number, value]) => [Number(number), value])),
    );
    return object;
  }

  /** Adds an object with a present value. */
  value(type: number, instance: number, value: Buffer): number {
    return this.object(type, instance, {
      [Property.OBJECT_NAME]: text(`object ${type} ${instance}`),
      [Property.PRESENT_VALUE]: value,
      [Property.STATUS_FLAGS]: Buffer.of(0x82, 4, 0),
    });
  }

  /** Changes a present value and notifies its subscribers. */
  change(object: number, value: Buffer, flags = 0): void {
    this.objects.get(object)?.set(Property.PRESENT_VALUE, value);
    this.objects.get(object)?.set(Property.STATUS_FLAGS, Buffer.of(0x82, 4, flags));
    for (const subscription of this.subscriptions)
      if (subscription.object === object) this.#notify(subscription);
  }

  /** Sends bytes to a client as they are. */

  override receive(data: Buffer, from: RemoteInfo): void {
    const pdu = this.#pdu;
    if (!pdu.parse(data, 0, data.length)) return;
    if (pdu.kind === Kind.SEGMENT_ACK) return this.#nextSegments(pdu, from);
    if (pdu.kind === Kind.SIMPLE_ACK) this.acknowledged++;
    if (pdu.kind !== Kind.CONFIRMED) return;
    this.asked.set(pdu.service, (this.asked.get(pdu.service) ?? 0) + 1);
    const deaf = this.deaf.get(pdu.service) ?? 0;
    if (deaf > 0) return void this.deaf.set(pdu.service, deaf - 1);
    const answer = this.#serve(pdu, data.subarray(pdu.start, pdu.end), from);
    const whole = this.#wrap(answer);
    if (this.script !== undefined) {
      for (const bytes of this.script(pdu, data, whole)) this.send(bytes, from);
    } else if (answer.length > this.maxApdu) this.#tooLarge(pdu.id, answer, from);
    else this.send(whole, from);
    if (pdu.service === Service.SUBSCRIBE_COV && answer[0] === Kind.SIMPLE_ACK << 4) {
      const last = this.subscriptions.at(-1);
      if (last !== undefined && this.#isNew) this.#notify(last);
    }
  }

  #isNew = false;

  #wrap(apdu: Buffer): Buffer {
    if (this.route === undefined) return envelope(apdu);
    const { network, mac } = this.route;
    const npdu = Buffer.concat([Buffer.of(1, 8, network >> 8, network & 0xff, mac.length), mac]);
    const size = 4 + npdu.length + apdu.length;
    return Buffer.concat([Buffer.of(0x81, 0x0a, size >> 8, size & 0xff), npdu, apdu]);
  }

  #serve({ service, id }: Pdu, body: Buffer, from: RemoteInfo): Buffer {
    const bits: Readonly<Record<number, number>> = { 5: 5, 12: 12, 14: 14, 15: 15, 16: 16 };
    const refused = Buffer.of(Kind.REJECT << 4, id, RejectReason.UNRECOGNIZED_SERVICE);
    if (!this.services.has(bits[service] ?? -1)) return refused;
    const ack = (content: Buffer): Buffer =>
      Buffer.concat([Buffer.of(Kind.COMPLEX_ACK << 4, id, service), content]);
    const done = Buffer.of(Kind.SIMPLE_ACK << 4, id, service);
    const error = (refusal: Refusal): Buffer =>
      Buffer.concat([Buffer.of(Kind.ERROR << 4, id, service), refusal.write(new TagWriter()).bytes()]);
    const cursor = new TagCursor().begin(body);
    switch (service) {
      case Service.READ_PROPERTY: {
        const asked = readRef(cursor, 0);
        const value = this.#read(asked);
        if (value instanceof Refusal) return error(value);
        const object =
          asked.object === objectOf(ObjectType.DEVICE, 0x3f_ffff)
            ? objectOf(ObjectType.DEVICE, this.device)
            : asked.object;
        return ack(
          writeRef(new TagWriter(), { ...asked, object })
            .opening(3)
            .raw(value)
            .closing(3)
            .bytes(),
        );
      }
      case Service.READ_PROPERTY_MULTIPLE:
        return ack(this.#readMany(cursor));
      case Service.WRITE_PROPERTY: {
        const refusal = this.#write(readRef(cursor, 0), cursor, 3);
        return refusal === undefined ? done : error(refusal);
      }
      case Service.WRITE_PROPERTY_MULTIPLE: {
        const failed = this.#writeMany(cursor);
        if (failed === undefined) return done;
        const writer = failed.refusal.write(new TagWriter().opening(0)).closing(0);
        writeRef(writer.opening(1), failed.ref).closing(1);
        return Buffer.concat([Buffer.of(Kind.ERROR << 4, id, service), writer.bytes()]);
      }
      default:
        return this.#subscribe(cursor, from) ? done : error(new Refusal(43, 5));
    }
  }

  #read({ object, property, index }: Ref): Buffer | Refusal {
    const own = objectOf(ObjectType.DEVICE, this.device);
    const isWild = object === objectOf(ObjectType.DEVICE, 0x3f_ffff);
    const properties = this.objects.get(isWild ? own : object);
    if (properties === undefined) return unknownObject;
    let value = properties.get(property);
    if (property === Property.OBJECT_IDENTIFIER) value ??= identifier(isWild ? own : object);
    if (typeOf(object) === ObjectType.DEVICE && this.isTalkative) {
      if (property === Property.MAX_APDU) value ??= unsigned(this.maxApdu);
      if (property === Property.SERVICES_SUPPORTED) value ??= this.#bits();
      if (property === Property.OBJECT_LIST) value ??= [...this.objects.keys()].map(identifier);
    }
    if (value === undefined) return unknownProperty;
    if (!Array.isArray(value)) return index === undefined ? value : noElement;
    if (index === undefined) return Buffer.concat(value);
    return index === 0 ? unsigned(value.length) : (value[index - 1] ?? noElement);
  }

  #bits(): Buffer {
    const bits = Buffer.alloc(7);
    bits.set([0x85, 6, 4]);
    for (const bit of this.services) bits[3 + (bit >> 3)] = (bits[3 + (bit >> 3)] ?? 0) | (0x80 >> (bit & 7));
    return bits;
  }

  #readMany(cursor: TagCursor): Buffer {
    const writer = new TagWriter();
    while (cursor.context(0)) {
      const object = cursor.unsigned();
      writer.context(0, objectBytes(object)).opening(1);
      cursor.opening(1);
      while (!cursor.isNextClosing(1) && cursor.context(0)) {
        const property = cursor.unsigned();
        const index = cursor.isNextContext(1) && cursor.context(1) ? cursor.unsigned() : undefined;
        writer.context(2, unsignedBytes(property));
        if (index !== undefined) writer.context(3, unsignedBytes(index));
        const value = this.#read({ object, property, index });
        if (value instanceof Refusal) value.write(writer.opening(5)).closing(5);
        else writer.opening(4).raw(value).closing(4);
      }
      cursor.closing(1);
      writer.closing(1);
    }
    return writer.bytes();
  }

  #write(ref: Ref, cursor: TagCursor, tag: number): Refusal | undefined {
    if (!cursor.opening(tag)) return denied;
    const { at } = cursor;
    cursor.skip();
    const data = Buffer.from(cursor.data.subarray(at, cursor.at - 1));
    const priority = cursor.isNextContext(tag + 1) && cursor.context(tag + 1) ? cursor.unsigned() : undefined;
    const known = this.#read(ref);
    if (known instanceof Refusal) return known;
    if (ref.property === Property.OBJECT_NAME) return denied;
    this.written.push({ ref, data, priority });
    if (data[0] === 0) return undefined;
    this.objects.get(ref.object)?.set(ref.property, data);
    if (ref.property === Property.PRESENT_VALUE)
      for (const subscription of this.subscriptions)
        if (subscription.object === ref.object) this.#notify(subscription);
    return undefined;
  }

  #writeMany(cursor: TagCursor): { readonly ref: Ref; readonly refusal: Refusal } | undefined {
    while (cursor.context(0)) {
      const object = cursor.unsigned();
      cursor.opening(1);
      while (!cursor.isNextClosing(1) && cursor.context(0)) {
        const property = cursor.unsigned();
        const index = cursor.isNextContext(1) && cursor.context(1) ? cursor.unsigned() : undefined;
        const ref = { object, property, index };
        const refusal = this.#write(ref, cursor, 2);
        if (refusal !== undefined) return { ref, refusal };
      }
      cursor.closing(1);
    }
    return undefined;
  }

  /** Whether to refuse subscriptions, all of them or those that ask for confirmed notifications. */
  refuses: 'all' | 'confirmed' | 'none' = 'none';

  #subscribe(cursor: TagCursor, to: RemoteInfo): boolean {
    const process = cursor.context(0) ? cursor.unsigned() : NaN;
    const object = cursor.context(1) ? cursor.unsigned() : NaN;
    const same = this.subscriptions.findIndex((one) => one.process === process && one.object === object);
    if (same >= 0) this.subscriptions.splice(same, 1);
    this.#isNew = !cursor.done;
    if (cursor.done) return true;
    const isConfirmed = cursor.context(2) && cursor.unsigned() === 1;
    if (this.refuses === 'all' || (this.refuses === 'confirmed' && isConfirmed)) return false;
    if (!this.objects.has(object)) return false;
    this.subscriptions.push({ process, object, isConfirmed, to });
    this.subscribed++;
    return true;
  }

  #notify({ process, object, isConfirmed, to }: Subscription): void {
    const value = this.objects.get(object)?.get(Property.PRESENT_VALUE);
    const flags = this.objects.get(object)?.get(Property.STATUS_FLAGS);
    const body = new TagWriter()
      .context(0, unsignedBytes(process))
      .context(1, objectBytes(objectOf(ObjectType.DEVICE, this.device)))
      .context(2, objectBytes(object))
      .context(3, unsignedBytes(60))
      .opening(4);
    body
      .context(0, Buffer.of(Property.PRESENT_VALUE))
      .opening(2)
      .raw(value as Buffer)
      .closing(2);
    body
      .context(0, Buffer.of(Property.STATUS_FLAGS))
      .opening(2)
      .raw(flags as Buffer)
      .closing(2);
    const bytes = body.closing(4).bytes();
    const apdu = isConfirmed
      ? confirmed(Service.COV_NOTIFICATION, this.#notifications++ & 0xff, bytes)
      : unconfirmed(Unconfirmed.COV_NOTIFICATION, bytes);
    this.send(this.#wrap(apdu), to);
  }

  #tooLarge(id: number, answer: Buffer, from: RemoteInfo): void {
    const segmentationNotSupported = 4;
    const fromServer = 1;
    if (!this.segments)
      return this.send(
        this.#wrap(Buffer.of((Kind.ABORT << 4) | fromServer, id, segmentationNotSupported)),
        from,
      );
    const size = this.maxApdu - 5;
    const parts: Buffer[] = [];
    for (let at = 3; at < answer.length; at += size) parts.push(answer.subarray(at, at + size));
    const service = answer[2] as number;
    const apdu = (part: number): Buffer => {
      const more = part < parts.length - 1 ? 4 : 0;
      const head = Buffer.of((Kind.COMPLEX_ACK << 4) | 8 | more, id, part & 0xff, this.window, service);
      return Buffer.concat([head, parts[part] as Buffer]);
    };
    this.#sending.set(`${from.port} ${id}`, { parts, apdu });
    this.send(this.#wrap(apdu(0)), from);
  }

  #nextSegments({ id, sequence, window }: Pdu, from: RemoteInfo): void {
    const sending = this.#sending.get(`${from.port} ${id}`);
    if (sending === undefined) return;
    for (let part = sequence + 1; part <= sequence + window && part < sending.parts.length; part++)
      this.send(this.#wrap(sending.apdu(part)), from);
  }
}

function readRef(cursor: TagCursor, first: number): Ref {
  const object = cursor.context(first) ? cursor.unsigned() : NaN;
  const property = cursor.context(first + 1) ? cursor.unsigned() : NaN;
  const index = cursor.isNextContext(first + 2) && cursor.context(first + 2) ? cursor.unsigned() : undefined;
  return { object, property, index };
}

function writeRef(writer: TagWriter, { object, property, index }: Ref): TagWriter {
  writer.context(0, objectBytes(object)).context(1, unsignedBytes(property));
  return index === undefined ? writer : writer.context(2, unsignedBytes(index));
}
