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
import { parseAddress } from './address.ts';
import { bitAt, bitCount, decodeEnclosed } from './decode.ts';
import { Tag, TagCursor } from './encoding.ts';
import { isDown, refusalOf, type Exchange } from './exchange.ts';
import { RejectReason } from './faults.ts';
import { Kind, Service } from './protocol.ts';
import { Property } from './properties.ts';
import { cancelCov, subscribeCov } from './services.ts';
import type { Session } from './session.ts';
import { CovMode, type Settings } from './settings.ts';

interface Watched {
  readonly index: number;
  readonly type: Point['type'];
  readonly property: number;
}

/** How the points of an object get their values: by notifications to come, by those that come, or by polling. */
const State = { WAITING: 0, REPORTED: 1, POLLED: 2 } as const;

interface WatchedObject {
  readonly object: number;
  readonly points: readonly Watched[];
  state: number;
  isSubscribed: boolean;
}

/** Besides its answer, how long the first notification of a subscription may take, in milliseconds. */
const firstValue = 1_000;

/** Longest wait for the device when subscriptions are ended, in milliseconds. */
const leave = 1_500;

/** How a group is subscribed at a device, through all sessions, until it is disposed of. */
export class CovWatch implements Watch {
  /** Comes back with notifications and says whose they are. */
  readonly process: number;
  readonly #context: Context<Settings>;
  readonly #exchange: Exchange;
  readonly #report: Report;
  readonly #ended: (watch: CovWatch) => void;
  readonly #objects = new Map<number, WatchedObject>();
  /** Points that no subscription covers. */
  readonly #others: readonly number[];
  readonly #cursor = new TagCursor();
  #polled: readonly number[] = [];
  #isConfirmed: boolean;
  #session: Session | undefined;
  #life = new AbortController();
  #saidRefusal = false;

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
    const objects = new Map<number, Watched[]>();
    const others: number[] = [];
    points.forEach(({ address, attribute, type }, index) => {
      const parsed = parseAddress(address);
      const isPushed = (attribute & Attribute.SUBSCRIBE) !== 0 && !isFault(parsed) && isReported(parsed);
      if (!isPushed) others.push(index);
      else {
        const list = objects.get(parsed.object) ?? [];
        list.push({ index, type, property: parsed.property });
        objects.set(parsed.object, list);
      }
    });
    for (const [object, list] of objects)
      this.#objects.set(object, { object, points: list, state: State.WAITING, isSubscribed: false });
    this.#others = others;
    this.#publish();
  }

  /** Points that are left to polling. */
  get polled(): readonly number[] {
    return this.#polled;
  }

  /** There is a new session, which lasts until `down`. */
  up(session: Session): void {
    if (this.#objects.size === 0) return;
    this.#session = session;
    this.#life = new AbortController();
    void this.#keep(session, this.#life.signal);
  }

  /** The session is lost; the runner has said so for all points. */
  down(): void {
    this.#session = undefined;
    this.#life.abort();
    for (const one of this.#objects.values()) {
      one.state = State.WAITING;
      one.isSubscribed = false;
    }
    this.#publish();
  }

  /** Takes the values of a notification for this watch, `cursor` standing in its list of values. False when they make no sense. */
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
    if (this.#session === undefined) return;
    const signal = AbortSignal.timeout(leave);
    const subscribed = [...this.#objects.values()].filter(({ isSubscribed }) => isSubscribed);
    const cancel = ({ object }: WatchedObject): Promise<unknown> =>
      this.#exchange.ask(Service.SUBSCRIBE_COV, cancelCov({ process: this.process, object }), signal);
    // Whatever is not cancelled ends with its lifetime.
    await Promise.allSettled(subscribed.map(cancel));
  }

  /** Subscribes, and again after each half of the lifetime, as long as the session lasts. */
  async #keep(session: Session, life: AbortSignal): Promise<void> {
    const { clock, settings, log } = this.#context;
    try {
      while (!life.aborted) {
        const round = clock.sleep(settings.cov_lifetime * 500, life);
        // It may reject while nobody waits for it yet.
        round.catch(() => undefined);
        await Promise.all(Array.from(this.#objects.values(), (one) => this.#subscribe(one, session, life)));
        await clock.sleep(settings.timeout + firstValue, life);
        this.#pollSilent();
        await round;
      }
    } catch (error) {
      if (!life.aborted && !isFault(error)) log.error('A group could not be subscribed.', { error });
    }
  }

  async #subscribe(one: WatchedObject, session: Session, life: AbortSignal): Promise<void> {
    const refusal = session.cov ? await this.#ask(one, session, life) : undefined;
    one.isSubscribed = session.cov && refusal === undefined;
    if (one.isSubscribed) return;
    if (refusal !== undefined && !this.#saidRefusal) {
      this.#saidRefusal = true;
      this.#context.log.warn(
        `The device does not take every subscription of a group, and what it does not take is polled: ${refusal.message}`,
      );
    }
    if (one.state === State.POLLED) return;
    one.state = State.POLLED;
    this.#publish();
  }

  /** Undefined when the device took the subscription. */
  async #ask(one: WatchedObject, session: Session, life: AbortSignal): Promise<Fault | undefined> {
    const { cov_lifetime: lifetime } = this.#context.settings;
    for (const isConfirmed of this.#isConfirmed ? [true, false] : [false]) {
      const body = subscribeCov({ process: this.process, object: one.object, isConfirmed, lifetime });
      try {
        const answer = await this.#exchange.ask(Service.SUBSCRIBE_COV, body, life);
        if (answer.kind === Kind.SIMPLE_ACK) {
          // A device that takes the one but not the other is not asked twice for each object.
          this.#isConfirmed &&= isConfirmed;
          return undefined;
        }
        if (answer.kind === Kind.REJECT && answer.reason === RejectReason.UNRECOGNIZED_SERVICE)
          session.cov = false;
        if (!isConfirmed || !session.cov) return refusalOf(answer);
      } catch (error) {
        if (!isFault(error) || isDown(error)) throw error;
        return error;
      }
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
function isReported({
  property,
  index,
  isRelinquish,
}: {
  property: number;
  index: number | undefined;
  isRelinquish: boolean;
}): boolean {
  return (
    !isRelinquish &&
    index === undefined &&
    (property === Property.PRESENT_VALUE || property === Property.STATUS_FLAGS)
  );
}

/** Status flags as quality: in alarm, fault, overridden, out of service (BACnetStatusFlags). */
function qualityOf({ number, isContext, data, start, length }: TagCursor): number {
  if (isContext || number !== Tag.BITS || bitCount(data, start, length) < 4) return Quality.GOOD;
  const flags = [Quality.ALARM, Quality.UNCERTAIN, Quality.OVERRIDDEN, Quality.OUT_OF_SERVICE];
  return flags.reduce((sum, flag, bit) => (bitAt(data, start, bit) ? sum | flag : sum), 0);
}
