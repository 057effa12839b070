import { isFault, type DataType, type Fault, type Point } from '@tagway/sdk';
import { parsePoints, RetryTimer, type PointFault } from '@tagway/sdk/link';
import { parseAddress } from './address.ts';
import { answerHead, requestHead, Service } from './protocol.ts';
import { Property } from './properties.ts';
import {
  objectSize,
  readProperty,
  readPropertyMultiple,
  referenceSize,
  type PropertyRef,
} from './services.ts';
import type { DeviceInfo } from './session.ts';

/** One point of a plan, and what is asked for it. */
export interface Item extends PropertyRef {
  /** Index of the point in its group. */
  readonly point: number;
  readonly type: DataType;
}

/** Bytes that a value is expected to take in an answer, with its tag. A device whose answer is too large aborts. */
const numberSize = 5;
const textSize = 40;
/** Properties that hold text, by their numbers. */
const textProperties: ReadonlySet<number> = new Set([4, 12, 28, 31, 44, 46, 58, 70, 77, 110, 121, 168, 372]);

/** One request of a plan; a refusal of all of it is remembered here. */
export class PlannedRequest {
  readonly items: readonly Item[];
  readonly service: number;
  readonly body: Buffer;
  refusal: Fault | undefined;
  /** What is asked instead as long as the device refuses this request. */
  parts: readonly PlannedRequest[] = [];
  /** The answer would be too large: this request is never asked again. */
  isTooLarge = false;
  readonly #timer = new RetryTimer();

  /** `service`: ReadProperty takes one item. */
  constructor(items: readonly Item[], service: number) {
    this.items = items;
    this.service = service;
    this.body =
      service === Service.READ_PROPERTY ? readProperty(items[0] as Item) : readPropertyMultiple(items);
  }

  /** Whether to ask now: a request that was refused is asked again after a pause. */
  due(now: number): boolean {
    if (this.isTooLarge) return false;
    if (this.refusal === undefined) return true;
    if (!this.#timer.due(now)) return false;
    this.#timer.tried(now);
    return true;
  }

  refused(fault: Fault, now: number): void {
    this.refusal = fault;
    this.#timer.refused(now);
  }

  /** The device has answered all of it. */
  accepted(): void {
    this.refusal = undefined;
    this.parts = [];
  }

  /** Makes it due, and its parts; `most` of them on each level. */
  expire(most = Infinity): void {
    this.#timer.expire();
    for (const part of this.parts.slice(0, most)) part.expire(most);
  }

  /** Its parts, made when it is refused for the first time. */
  split(): readonly PlannedRequest[] {
    const { items } = this;
    if (this.parts.length > 0) return this.parts;
    const middle = items.length >> 1;
    this.parts =
      items.length === 1
        ? [new PlannedRequest(items, Service.READ_PROPERTY)]
        : [items.slice(0, middle), items.slice(middle)].map(
            (half) => new PlannedRequest(half, Service.READ_PROPERTY_MULTIPLE),
          );
    return this.parts;
  }
}

/** Milliseconds after which one request is tried of a device that refuses everything. */
const probePause = 10_000;

/** What a group asks a device in each pass; compiled once per connection, and finer where the device has refused. */
export class ReadPlan {
  readonly invalid: readonly PointFault[];
  readonly #items: readonly Item[];
  #requests: readonly PlannedRequest[] = [];
  #device: DeviceInfo | undefined;
  #isMultiple = false;
  #epoch = 0;
  #probedAt = -Infinity;

  constructor(points: readonly Point[]) {
    const { items, invalid } = parsePoints(points, ({ address, type }, point): Item | Fault => {
      const parsed = parseAddress(address);
      if (isFault(parsed)) return parsed;
      const { object, property, index } = parsed;
      return { object, property, index, point, type };
    });
    this.invalid = invalid;
    // Points of one object stand together, so that they share its identifier.
    this.#items = items.sort((a, b) => a.object - b.object);
  }

  /** The requests of a pass. */
  requests(device: DeviceInfo, now: number): readonly PlannedRequest[] {
    const { recovery } = device;
    if (device !== this.#device || device.multiple !== this.#isMultiple) {
      this.#device = device;
      this.#isMultiple = device.multiple;
      this.#requests = device.multiple
        ? pack(this.#items, device.maxApdu).map(
            (items) => new PlannedRequest(items, Service.READ_PROPERTY_MULTIPLE),
          )
        : this.#items.map((item) => new PlannedRequest([item], Service.READ_PROPERTY));
    } else if (recovery.epoch !== this.#epoch) {
      for (const request of this.#requests) request.expire();
    } else if (recovery.refusesAll && now - this.#probedAt >= probePause) {
      this.#probedAt = now;
      this.#requests[0]?.expire(1);
    }
    this.#epoch = recovery.epoch;
    return this.#requests;
  }
}

/** As many items in each request as request and answer have room for. */
function pack(items: readonly Item[], maxApdu: number): readonly (readonly Item[])[] {
  const requests: Item[][] = [];
  let open: Item[] = [];
  let asked = 0;
  let answered = 0;
  for (const item of items) {
    const reference = referenceSize(item);
    // The value stands between an opening and a closing tag.
    const value = 2 + valueSize(item);
    const head = open.at(-1)?.object === item.object ? 0 : objectSize;
    const isFull =
      requestHead + asked + head + reference > maxApdu ||
      answerHead + answered + head + reference + value > maxApdu;
    if (open.length === 0 || isFull) {
      open = [];
      requests.push(open);
      asked = answered = objectSize - head;
    }
    asked += head + reference;
    answered += head + reference + value;
    open.push(item);
  }
  return requests;
}

function valueSize({ property, index }: PropertyRef): number {
  if (property === Property.PRESENT_VALUE) return numberSize;
  return textProperties.has(property) && (index ?? 1) > 0 ? textSize : numberSize + 4;
}
