import { ErrorCode, isFault, type Context } from '@tagway/sdk';
import type { Failure, Handshake, Protocol } from '@tagway/sdk/link';
import { noResponse } from '@tagway/sdk/link';
import { bitAt, bitCount } from './decode.ts';
import { Tag, TagCursor } from './encoding.ts';
import { confirmed, envelope, Kind, Pdu, Service, type Route } from './protocol.ts';
import { anyInstance, instanceOf, ObjectType, objectOf, Property, typeOf } from './properties.ts';
import { openReadProperty, readProperty } from './services.ts';
import { routeOf, type Settings } from './settings.ts';

/** What the handshake found out of a device, and what its answers have taught since. */
export interface Session {
  /** Instance of the device; undefined when it does not tell and the settings do not either. */
  readonly device: number | undefined;
  /** Bytes of the largest APDU that the device sends and takes. */
  readonly maxApdu: number;
  /** Whether the device has ReadPropertyMultiple, WritePropertyMultiple and SubscribeCOV. */
  multiple: boolean;
  writeMultiple: boolean;
  cov: boolean;
}

/** What takes the messages of a session. */
export interface PduSink {
  /** `data` is valid during the call only. */
  pdu(pdu: Pdu, data: Buffer): void;
  up(session: Session): void;
  down(): void;
}

/** Of a device that does not tell; the smallest of those on an IP network (BACnetMaxAPDULengthAccepted). */
const usualApdu = 480;
const leastApdu = 50;
const mostApdu = 1476;

/** Invoke id of the handshake, which no other request has. */
const handshakeId = 0;

/** The framing of BACnet/IP, and what is asked of a device before anything else. */
export class BacnetSession implements Protocol<Session> {
  readonly most = 2048;
  readonly #context: Context<Settings>;
  readonly #sink: PduSink;
  readonly #route: Route | undefined;
  readonly #pdu = new Pdu();

  constructor(context: Context<Settings>, sink: PduSink) {
    this.#context = context;
    this.#sink = sink;
    this.#route = routeOf(context.settings);
  }

  async handshake(channel: Handshake): Promise<Session> {
    const wanted = this.#context.settings.device_id;
    const identifier = await this.#ask(channel, wanted, Property.OBJECT_IDENTIFIER);
    const object = identifier?.number === Tag.OBJECT ? identifier.unsigned() : NaN;
    const isDevice = typeOf(object) === ObjectType.DEVICE;
    if (wanted !== anyInstance && (!isDevice || instanceOf(object) !== wanted))
      throw new Error(`what answers at ${channel.peer} is not the device ${wanted} of the setting device_id`);
    const device = isDevice ? instanceOf(object) : undefined;
    const at = device ?? anyInstance;
    const size = await this.#ask(channel, at, Property.MAX_APDU);
    const told = size?.number === Tag.UNSIGNED ? size.unsigned() : NaN;
    const maxApdu = told >= leastApdu ? Math.min(told, mostApdu) : usualApdu;
    const services = await this.#ask(channel, at, Property.SERVICES_SUPPORTED);
    return { device, maxApdu, ...servicesOf(services) };
  }

  up(session: Session): void {
    this.#sink.up(session);
  }

  down(_session: Session, _failure: Failure): void {
    this.#sink.down();
  }

  frame(_session: Session, data: Buffer, at: number, end: number): void {
    if (!this.#pdu.parse(data, at, end)) return this.#context.count('malformed_frames', 1);
    if (!this.#pdu.isFrom(data, this.#route)) return this.#context.count('foreign_frames', 1);
    this.#sink.pdu(this.#pdu, data);
  }

  /** One property of the device object; undefined when the device refuses it. Rejects with NO_RESPONSE after all retries. */
  async #ask(channel: Handshake, device: number, property: number): Promise<TagCursor | undefined> {
    const asked = { object: objectOf(ObjectType.DEVICE, device), property, index: undefined };
    const apdu = confirmed(Service.READ_PROPERTY, handshakeId, readProperty(asked));
    for (let tries = 0; tries <= this.#context.settings.retries; tries++) {
      channel.send(envelope(apdu, { route: this.#route, expectsReply: true }));
      const answer = await this.#answer(channel, property);
      if (answer !== undefined) return answer === 'refused' ? undefined : answer;
    }
    throw noResponse;
  }

  /** The answer to a question for a property; undefined when none comes in time. */
  async #answer(channel: Handshake, property: number): Promise<TagCursor | 'refused' | undefined> {
    const { clock, settings } = this.#context;
    const end = clock.monotonic() + settings.timeout;
    for (let now = clock.monotonic(); now < end; now = clock.monotonic()) {
      let data: Buffer;
      try {
        data = await channel.next(end - now);
      } catch (error) {
        if (isFault(error) && error.code === ErrorCode.NO_RESPONSE) return undefined;
        throw error;
      }
      const pdu = this.#pdu;
      if (!pdu.parse(data, 0, data.length)) this.#context.count('malformed_frames', 1);
      else if (!pdu.isFrom(data, this.#route)) this.#context.count('foreign_frames', 1);
      else if (pdu.id === handshakeId && pdu.kind >= Kind.COMPLEX_ACK) {
        if (pdu.kind !== Kind.COMPLEX_ACK) return 'refused';
        const cursor = valueOf(pdu, data, property);
        if (cursor !== undefined) return cursor;
      }
    }
    return undefined;
  }
}

/** The value of a property of the device, whatever instance the device has; undefined when it is an answer to something else. */
function valueOf(pdu: Pdu, data: Buffer, property: number): TagCursor | undefined {
  if (pdu.isSegmented || pdu.service !== Service.READ_PROPERTY) return undefined;
  const cursor = new TagCursor().begin(data, pdu.start, pdu.end);
  if (!cursor.context(0)) return undefined;
  const object = cursor.unsigned();
  cursor.begin(data, pdu.start, pdu.end);
  if (!openReadProperty(cursor, { object, property, index: undefined })) return undefined;
  return cursor.next() && !cursor.isContext ? cursor : undefined;
}

/** Services of a device, by their bits (BACnetServicesSupported). A device that does not tell is tried. */
function servicesOf(bits: TagCursor | undefined): Pick<Session, 'multiple' | 'writeMultiple' | 'cov'> {
  const supported = { cov: 5, multiple: 14, writeMultiple: 16 };
  const count = bits?.number === Tag.BITS ? bitCount(bits.data, bits.start, bits.length) : -1;
  if (bits === undefined || count < 0) return { multiple: true, writeMultiple: true, cov: true };
  const has = (bit: number): boolean => bit < count && bitAt(bits.data, bits.start, bit);
  return {
    multiple: has(supported.multiple),
    writeMultiple: has(supported.writeMultiple),
    cov: has(supported.cov),
  };
}
