import {
  Attribute,
  isFault,
  Quality,
  type Context,
  type Fault,
  type Point,
  type Report,
  type Watch,
} from '@tagway/sdk';
import { parseAddress, type Address } from './address.ts';
import { bitAt, bitCount, decodeEnclosed } from './decode.ts';
import { Tag, TagCursor } from './encoding.ts';
import { refusalOf, type Exchange } from './exchange.ts';
import { RejectReason } from './faults.ts';
import { Kind, Service } from './protocol.ts';
import { Property } from './properties.ts';
import { cancelCov, subscribeCov } from './services.ts';
import type { DeviceInfo } from './session.ts';
import { CovMode, type Settings } from './settings.ts';

interface Watched {
  readonly index: number;
  readonly type: Point['type'];
  readonly property: number;
}

/** How the points of an object get their values: by notifications to come, by those that come, or by polling. */
const State = { WAITING: 0, REPORTED: 1, POLLED: 2 } as const;

class WatchedObject {
  readonly object: number;
  readonly points: Watched[] = [];
  state: number = State.WAITING;
  isSubscribed = false;

  constructor(object: number) {
    this.object = object;
  }
}

/** Besides its answer, how long the first notification of a subscription may take, in milliseconds. */
const firstValue = 1_000;

/** Longest wait for the device when subscriptions are ended, in milliseconds. */
const leave = 1_500;

/** The subscriptions of one group at a device, through all sessions, until it is disposed of. */
export class CovWatch implements Watch {
  /** The process identifier that comes back with notifications. */
  readonly process: number;
  readonly #context: Context<Settings>;
  readonly #exchange: Exchange;
  readonly #report: Report;
  readonly #ended: (watch: CovWatch) => void;
  readonly #objects = new Map<number, WatchedObject>();
  /** Points that no subscription covers. */
  readonly #others: number[] = [];
  readonly #cursor = new TagCursor();
  #polled: readonly number[] = [];
  #isConfirmed: boolean;
  #device: DeviceInfo | undefined;
  #life = new AbortController();
  #hasWarned = false;

  constructor(
    context: Context<Settings>,
    exchange: Exchange,
    points: readonly Point[],
    report: Report,
    { process, ended }: { readonly process: number; readonly ended: (watch: CovWatch) => void },
  ) {
    this.process = process;
    this.#context = context;
    this.#exchange = exchange;
    this.#report = report;
    this.#ended = ended;
    this.#isConfirmed = context.settings.cov === CovMode.CONFIRMED;
    for (const [index, { address, attribute, type }] of points.entries()) {
      const parsed = parseAddress(address);
      if ((attribute & Attribute.SUBSCRIBE) === 0 || isFault(parsed) || !isReported(parsed)) {
        this.#others.push(index);
        continue;
      }
      const { object, property } = parsed;
      const one = this.#objects.get(object) ?? new WatchedObject(object);
      one.points.push({ index, type, property });
      this.#objects.set(object, one);
    }
    this.#publish();
  }

  /** Points that are left to polling. */
  get polled(): readonly number[] {
    return this.#polled;
  }

  /** There is a new session, which lasts until `down`. */
  up(device: DeviceInfo): void {
    if (this.#objects.size === 0) return;
    this.#device = device;
    this.#life = new AbortController();
    void this.#keep(device, this.#life.signal);
  }

  /** The session is lost; the runner gives all points their faults. */
  down(): void {
    this.#device = undefined;
    this.#life.abort();
    for (const one of this.#objects.values()) {
      one.state = State.WAITING;
      one.isSubscribed = false;
    }
    this.#publish();
  }

  /** Takes the values of a notification for this watch, with `cursor` in its list of values. False when they are malformed. */
  take(object: number, cursor: TagCursor): boolean {
    const watched = this.#objects.get(object);
    if (watched === undefined) return true;
    let quality: number | undefined;
    while (!cursor.isNextClosing(4)) {
      if (!cursor.context(0)) return false;
      const property = cursor.unsigned();
      const hasIndex = cursor.isNextContext(1);
      if (hasIndex && !cursor.context(1)) return false;
      if (!cursor.opening(2)) return false;
      const { at, end, data } = cursor;
      for (const point of watched.points) {
        if (point.property !== property) continue;
        this.#cursor.begin(data, at, end);
        decodeEnclosed(this.#cursor, 2, point.type, point.index, this.#report);
      }
      if (property === Property.STATUS_FLAGS && cursor.next()) {
        quality = qualityOf(cursor);
        cursor.at = at;
      }
      if (!cursor.skip()) return false;
      if (cursor.isNextContext(3) && !cursor.context(3)) return false;
    }
    if (quality !== undefined)
      for (const { index } of watched.points) this.#report.stamp(index, NaN, quality);
    this.#report.send();
    if (watched.state !== State.REPORTED) {
      watched.state = State.REPORTED;
      this.#publish();
    }
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#life.abort();
    this.#ended(this);
    if (this.#device === undefined) return;
    const signal = AbortSignal.timeout(leave);
    const subscribed = [...this.#objects.values()].filter(({ isSubscribed }) => isSubscribed);
    const cancel = ({ object }: WatchedObject): Promise<unknown> =>
      this.#exchange.ask(Service.SUBSCRIBE_COV, cancelCov({ process: this.process, object }), signal);
    // A subscription that is not cancelled ends with its lifetime.
    await Promise.allSettled(subscribed.map(cancel));
  }

  /** Subscribes, and again after each half of the lifetime, as long as the session lasts. */
  async #keep(device: DeviceInfo, life: AbortSignal): Promise<void> {
    const { clock, settings, log } = this.#context;
    try {
      while (!life.aborted) {
        const round = clock.sleep(settings.cov_lifetime * 500, life);
        // It may reject before it is awaited.
        round.catch(() => undefined);
        await Promise.all(Array.from(this.#objects.values(), (one) => this.#subscribe(one, device, life)));
        await clock.sleep(settings.timeout + firstValue, life);
        this.#pollSilent();
        await round;
      }
    } catch (error) {
      if (!life.aborted && !isFault(error)) log.error('A group could not be subscribed.', { error });
    }
  }

  async #subscribe(one: WatchedObject, device: DeviceInfo, life: AbortSignal): Promise<void> {
    const refusal = device.cov ? await this.#ask(one, device, life) : undefined;
    one.isSubscribed = device.cov && refusal === undefined;
    if (one.isSubscribed) return;
    if (refusal !== undefined && !this.#hasWarned) {
      this.#hasWarned = true;
      this.#context.log.warn(
        `The device does not take every subscription of a group, and what it does not take is polled: ${refusal.message}`,
      );
    }
    if (one.state === State.POLLED) return;
    one.state = State.POLLED;
    this.#publish();
  }

  /** Undefined when the device took the subscription. */
  async #ask(one: WatchedObject, device: DeviceInfo, life: AbortSignal): Promise<Fault | undefined> {
    const { cov_lifetime: lifetime } = this.#context.settings;
    for (const isConfirmed of this.#isConfirmed ? [true, false] : [false]) {
      const body = subscribeCov({ process: this.process, object: one.object, isConfirmed, lifetime });
      const answer = await this.#exchange.ask(Service.SUBSCRIBE_COV, body, life);
      if (isFault(answer)) return answer;
      if (answer.kind === Kind.SIMPLE_ACK) {
        // A device that takes only unconfirmed ones is not asked twice for each object.
        this.#isConfirmed &&= isConfirmed;
        return undefined;
      }
      if (answer.kind === Kind.REJECT && answer.reason === RejectReason.UNRECOGNIZED_SERVICE)
        device.cov = false;
      if (!isConfirmed || !device.cov) return refusalOf(answer);
    }
    return undefined;
  }

  /** Has objects polled that gave nothing although the device took their subscriptions, until they give something. */
  #pollSilent(): void {
    const silent = [...this.#objects.values()].filter(({ state }) => state === State.WAITING);
    for (const one of silent) one.state = State.POLLED;
    if (silent.length > 0) this.#publish();
  }

  #publish(): void {
    const polled = [...this.#others];
    for (const { points, state } of this.#objects.values())
      if (state === State.POLLED) for (const { index } of points) polled.push(index);
    this.#polled = Object.freeze(polled.sort((a, b) => a - b));
  }
}

/** Whether notifications of a change of value carry this property of an object. */
function isReported({ property, index, isRelinquish }: Address): boolean {
  if (isRelinquish || index !== undefined) return false;
  return property === Property.PRESENT_VALUE || property === Property.STATUS_FLAGS;
}

/** Status flags as quality: in alarm, fault, overridden, out of service (BACnetStatusFlags). */
function qualityOf({ number, isContext, data, start, length }: TagCursor): number {
  if (isContext || number !== Tag.BITS || bitCount(data, start, length) < 4) return Quality.GOOD;
  const flags = [Quality.ALARM, Quality.UNCERTAIN, Quality.OVERRIDDEN, Quality.OUT_OF_SERVICE];
  return flags.reduce((sum, flag, bit) => (bitAt(data, start, bit) ? sum | flag : sum), 0);
}
