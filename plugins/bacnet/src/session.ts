import { ErrorCode, isFault, type Context } from '@tagway/sdk';
import { noResponse, Recovery, type Handshake, type Protocol } from '@tagway/sdk/link';
import { bitAt, bitCount } from './decode.ts';
import { Tag, TagCursor } from './encoding.ts';
import { confirmed, envelope, isUnknownNetwork, Kind, Pdu, Service, type Route } from './protocol.ts';
import { anyInstance, instanceOf, ObjectType, objectOf, Property, typeOf } from './properties.ts';
import { openReadProperty, readProperty } from './services.ts';
import { routeOf, type Settings } from './settings.ts';

/** Whether a device has ReadPropertyMultiple, WritePropertyMultiple and SubscribeCOV. */
interface Services {
  multiple: boolean;
  writeMultiple: boolean;
  cov: boolean;
}

/** What is known of a device from the handshake, and from its answers since. */
export interface DeviceInfo extends Services {
  /** Its instance; undefined when neither the device nor the settings say it. */
  readonly instance: number | undefined;
  /** Bytes of the largest APDU that the device sends and takes. */
  readonly maxApdu: number;
  /** The services that it says it has; an answer may show later that it has not. */
  readonly stated: Readonly<Services>;
  readonly recovery: Recovery;
}

/** For a device that does not say its size; the smallest of those on an IP network (BACnetMaxAPDULengthAccepted). */
const usualApdu = 480;
const leastApdu = 50;
const mostApdu = 1476;

/** Invoke id of the handshake, which no other request has. */
const handshakeId = 0;

/** The session with one device: the framing of BACnet/IP, and the questions to the device before any other. */
export class Session implements Protocol<DeviceInfo> {
  readonly most = 2048;
  readonly #context: Context<Settings>;
  readonly #received: (pdu: Pdu, data: Buffer) => void;
  readonly #route: Route | undefined;
  readonly #pdu = new Pdu();
  #channel: Handshake | undefined;
  /** What the device said of itself in the last handshake in which it said anything: one that restarts may refuse all questions. */
  #last: DeviceInfo | undefined;

  /** `received` takes messages after the handshake; both arguments are valid during the call only. */
  constructor(context: Context<Settings>, received: (pdu: Pdu, data: Buffer) => void) {
    this.#context = context;
    this.#received = received;
    this.#route = routeOf(context.settings);
  }

  async handshake(channel: Handshake): Promise<DeviceInfo> {
    this.#channel = channel;
    const wanted = this.#context.settings.device_id;
    const identifier = await this.#ask(channel, wanted, Property.OBJECT_IDENTIFIER);
    const object = identifier?.number === Tag.OBJECT ? identifier.unsigned() : NaN;
    const isDevice = typeOf(object) === ObjectType.DEVICE;
    if (wanted !== anyInstance && (!isDevice || instanceOf(object) !== wanted))
      throw new Error(`what answers at ${channel.peer} is not the device ${wanted} of the setting device_id`);
    const instance = isDevice ? instanceOf(object) : undefined;
    const at = instance ?? anyInstance;
    const size = await this.#ask(channel, at, Property.MAX_APDU);
    const stated = size?.number === Tag.UNSIGNED ? size.unsigned() : NaN;
    const bits = await this.#ask(channel, at, Property.SERVICES_SUPPORTED);
    if (identifier === undefined && size === undefined && bits === undefined && this.#last !== undefined)
      return { ...this.#last, ...this.#last.stated, recovery: new Recovery() };
    const maxApdu = stated >= leastApdu ? Math.min(stated, mostApdu) : usualApdu;
    const services = servicesOf(bits);
    this.#last = { instance, maxApdu, ...services, stated: services, recovery: new Recovery() };
    return this.#last;
  }

  frame(_device: DeviceInfo, data: Buffer, at: number, end: number): void {
    if (!this.#pdu.parse(data, at, end)) {
      if (this.#isNetworkUnknown(data, at, end)) this.#channel?.lose(this.#unknownNetwork);
      return this.#context.count('malformed_frames', 1);
    }
    if (!this.#pdu.isFrom(data, this.#route)) return this.#context.count('foreign_frames', 1);
    this.#received(this.#pdu, data);
  }

  #isNetworkUnknown(data: Buffer, at: number, end: number): boolean {
    return this.#route !== undefined && isUnknownNetwork(data, at, end, this.#route.network);
  }

  get #unknownNetwork(): string {
    return `the router ${this.#channel?.peer} knows no network ${this.#route?.network}; check the setting network`;
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
      if (!pdu.parse(data, 0, data.length)) {
        if (this.#isNetworkUnknown(data, 0, data.length)) throw new Error(this.#unknownNetwork);
        this.#context.count('malformed_frames', 1);
      } else if (!pdu.isFrom(data, this.#route)) this.#context.count('foreign_frames', 1);
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

/** Services of a device, by their bits (BACnetServicesSupported). A device that does not list them is tried. */
function servicesOf(bits: TagCursor | undefined): Services {
  const count = bits?.number === Tag.BITS ? bitCount(bits.data, bits.start, bits.length) : -1;
  const has = (bit: number): boolean =>
    bits === undefined || count < 0 || (bit < count && bitAt(bits.data, bits.start, bit));
  return { multiple: has(14), writeMultiple: has(16), cov: has(5) };
}
