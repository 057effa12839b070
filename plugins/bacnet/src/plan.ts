import { isFault, type DataType, type Fault, type Point } from '@tagway/sdk';
import { RetryTimer } from '@tagway/sdk/link';
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
import type { Session } from './session.ts';

/** One point, and what is asked for it. */
export interface Item extends PropertyRef {
  readonly index: number | undefined;
  readonly point: number;
  readonly type: DataType;
}

/** Bytes that a value is expected to take in an answer, with its tag. A device that cannot send an answer says so. */
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
    if (this.refusal === undefined) return true;
    if (!this.#timer.due(now)) return false;
    this.#timer.tried(now);
    return true;
  }

  refused(fault: Fault, now: number): void {
    this.refusal = fault;
    this.#timer.refused(now);
  }
}

/** What a group asks a device in each cycle; compiled once per connection, and finer where the device has refused. */
export class ReadPlan {
  readonly invalid: readonly { readonly point: number; readonly fault: Fault }[];
  readonly #items: readonly Item[];
  #requests: PlannedRequest[] = [];
  #session: Session | undefined;
  #isMultiple = false;

  constructor(points: readonly Point[]) {
    const invalid: { point: number; fault: Fault }[] = [];
    const items: Item[] = [];
    points.forEach(({ address, type }, point) => {
      const parsed = parseAddress(address);
      if (isFault(parsed)) invalid.push({ point, fault: parsed });
      else {
        const { object, property, index } = parsed;
        items.push({ object, property, index, point, type });
      }
    });
    this.invalid = invalid;
    // Points of one object stand together, so that they share its identifier.
    this.#items = items.sort((a, b) => a.object - b.object);
  }

  /** The requests for a session. */
  requests(session: Session): readonly PlannedRequest[] {
    if (session !== this.#session || session.multiple !== this.#isMultiple) {
      this.#session = session;
      this.#isMultiple = session.multiple;
      this.#requests = session.multiple
        ? pack(this.#items, session.maxApdu).map(
            (items) => new PlannedRequest(items, Service.READ_PROPERTY_MULTIPLE),
          )
        : this.#items.map((item) => new PlannedRequest([item], Service.READ_PROPERTY));
    }
    return this.#requests;
  }

  /** Asks in parts from now on for what a request asked; the parts. */
  split(request: PlannedRequest): readonly PlannedRequest[] {
    const { items } = request;
    const middle = items.length >> 1;
    const parts =
      items.length === 1
        ? [new PlannedRequest(items, Service.READ_PROPERTY)]
        : [items.slice(0, middle), items.slice(middle)].map(
            (half) => new PlannedRequest(half, Service.READ_PROPERTY_MULTIPLE),
          );
    const at = this.#requests.indexOf(request);
    if (at >= 0) this.#requests = this.#requests.toSpliced(at, 1, ...parts);
    return parts;
  }
}

/** As many items in each request as request and answer have room for. */
function pack(items: readonly Item[], maxApdu: number): readonly (readonly Item[])[] {
  const requests: Item[][] = [];
  let open: Item[] = [];
  let asked = 0;
  let answered = 0;
  for (const item of items) {
    const isSame = open.at(-1)?.object === item.object;
    const head = isSame ? 0 : objectSize;
    const reference = referenceSize(item);
    // The value stands between an opening and a closing tag.
    const answer = head + reference + 2 + valueSize(item);
    const isFull =
      requestHead + asked + head + reference > maxApdu || answerHead + answered + answer > maxApdu;
    if (open.length === 0 || isFull) {
      open = [];
      requests.push(open);
      asked = objectSize + reference;
      answered = objectSize + reference + 2 + valueSize(item);
    } else {
      asked += head + reference;
      answered += answer;
    }
    open.push(item);
  }
  return requests;
}

function valueSize({ property, index }: PropertyRef): number {
  if (property === Property.PRESENT_VALUE) return numberSize;
  return textProperties.has(property) && (index ?? 1) > 0 ? textSize : numberSize + 4;
}
