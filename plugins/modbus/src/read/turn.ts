import type { Fault } from '@tagway/sdk';
import type { Block, BlockObserver } from './block.ts';
import { damaged, Exception, noResponse } from '../faults.ts';
import type { Lane } from './lane.ts';
import type { ModbusSettings } from '../settings.ts';

/** Least pause before a request is repeated that the device was too busy for, in milliseconds. */
const busyPause = 100;

type RetrySettings = Pick<ModbusSettings, 'max_retries' | 'retry_interval'>;

/** One unit's part of one read cycle: what is asked next, what is repeated, and when to give up. */
export class Turn implements BlockObserver {
  readonly lane: Lane;
  /** The unit answered, be it with an exception. */
  heard = false;
  /** A gateway answered in the unit's place. */
  gatewayHeard = false;
  /** A request got no answer, so the unit is not asked any more in this cycle. */
  silent = false;
  readonly #settings: RetrySettings;
  readonly #now: number;
  readonly #ended: (block: Block, fault: Fault | undefined) => void;
  /** Blocks to repeat, from `#repeatAt` on. */
  readonly #repeats: Block[] = [];
  #repeatAt = 0;
  readonly #tries = new Map<Block, number>();

  /** `now` is the cycle's time in milliseconds since the epoch; `ended` is told of every request that has ended. */
  constructor(
    lane: Lane,
    settings: RetrySettings,
    now: number,
    ended: (block: Block, fault: Fault | undefined) => void,
  ) {
    this.lane = lane;
    this.#settings = settings;
    this.#now = now;
    this.#ended = ended;
  }

  /** The next block to ask for. While one waits to be repeated, the unit's others wait behind it. */
  take(): Block | undefined {
    if (this.silent) return undefined;
    if (this.#repeats.length > 0)
      return performance.now() >= this.#repeatAt ? this.#repeats.shift() : undefined;
    return this.lane.take(this.#now);
  }

  takeExtra(): Block | undefined {
    return this.silent || this.#repeats.length > 0 ? undefined : this.lane.takeExtra(this.#now);
  }

  /** When `take` has more, in the time of `performance.now()`; Infinity when nothing waits. */
  get repeatAt(): number {
    return this.#repeats.length > 0 ? this.#repeatAt : Infinity;
  }

  answered(block: Block, exception: number): void {
    if (exception === Exception.GATEWAY_PATH_UNAVAILABLE || exception === Exception.GATEWAY_TARGET_FAILED) {
      this.gatewayHeard = true;
      this.#unanswered(block);
    } else {
      this.heard = true;
      if (exception === 0) this.lane.accept(block, this.#now);
      else this.#refused(block, exception);
    }
    this.#ended(block, undefined);
  }

  failed(block: Block, fault: Fault): void {
    if (fault === noResponse) this.#unanswered(block);
    else if (fault === damaged) this.#spoilt(block);
    else block.fill(fault);
    this.#ended(block, fault);
  }

  /** Gives the fault to everything that was not asked for in this cycle. */
  skip(fault: Fault): void {
    for (const waiting of this.#repeats.splice(0)) waiting.fill(fault);
    this.lane.skip(fault);
  }

  #refused(block: Block, exception: number): void {
    const busy = exception === Exception.ACKNOWLEDGE || exception === Exception.SERVER_DEVICE_BUSY;
    if (busy && this.#repeat(block, Math.max(this.#settings.max_retries, 1), busyPause)) return;
    this.lane.refuse(block, exception, this.#now);
  }

  #unanswered(block: Block): void {
    if (!this.silent && this.#repeat(block, this.#settings.max_retries, 0)) return;
    this.silent = true;
    block.fill(noResponse);
    this.skip(noResponse);
    this.lane.postpone(block, this.heard, this.#now);
  }

  /** Somebody did answer, so the unit's other requests are worth asking. */
  #spoilt(block: Block): void {
    this.heard = true;
    if (!this.#repeat(block, this.#settings.max_retries, 0)) block.fill(damaged);
  }

  #repeat(block: Block, most: number, pause: number): boolean {
    const tries = this.#tries.get(block) ?? 0;
    if (tries >= most) return false;
    this.#tries.set(block, tries + 1);
    this.#repeats.push(block);
    this.#repeatAt = performance.now() + Math.max(this.#settings.retry_interval, pause);
    return true;
  }
}
