import { errorMeaning } from '@tagway/schemas';
import { type Delivered, machineTime, randomId, type SampleData, type SampleWay } from '@tagway/sdk/internal';
import type { Group, Node } from '../../core/model.ts';
import type { Following, SampleSpan } from '../../core/ports/telemetry.ts';

/** Milliseconds that the times of a runner may lie back: a plugin may get at the channel. */
const oldest = 600_000;

/** A followed reading in the host. */
export interface WayHere {
  /** What apps get. */
  readonly next: SampleWay;
  /** The sample is on its way to apps. */
  readonly passed: () => void;
}

/** Makes spans of what runners say of followed readings. */
export class SampleWays {
  readonly #following: Following;

  constructor(following: Following) {
    this.#following = following;
  }

  /** A sample has come from a driver. */
  received({ name: group, node }: Group, { way, faults, ...arrays }: SampleData): WayHere | undefined {
    if (way === undefined) return undefined;
    const clock = new MachineClock();
    const [began = NaN, called = NaN, ended = NaN] = way.times;
    if (!clock.isOrder(began, called, ended)) return undefined;
    const here = machineTime();
    const attributes = { ...attributesOf(node), 'tagway.group.name': group };
    const tags = arrays.numbers.length + arrays.integers.length + arrays.objects.length;
    const counts = { 'tagway.tag.count': tags, 'tagway.tag.faults': faults.length / 2 };
    const code = faults.length / 2 === tags ? faults[1] : undefined;
    const failure = code === undefined ? undefined : errorMeaning(code);
    const poll = this.#span(
      clock,
      way.id,
      undefined,
      'poll',
      began,
      ended,
      { ...attributes, ...counts },
      failure,
    );
    this.#span(clock, way.id, poll, 'read', called, ended, attributes, failure);
    const parent = randomId(8);
    return {
      next: { id: way.id, parent, times: [] },
      passed: () => {
        this.#span(clock, way.id, poll, 'gateway', here, machineTime(), attributes, undefined, parent);
      },
    };
  }

  /** An app has taken a sample. */
  delivered(app: Node, group: Group, step: Delivered): void {
    const clock = new MachineClock();
    const { id, parent, arrived, handed, settled, messages, topic, failure } = step;
    if (!clock.isOrder(arrived, handed, settled ?? handed)) return;
    const attributes = {
      ...attributesOf(app),
      'tagway.driver.name': group.node.name,
      'tagway.group.name': group.name,
    };
    const publish = this.#span(clock, id, parent, 'publish', arrived, handed, attributes);
    if (settled === undefined) return;
    const more = {
      ...attributes,
      ...(messages !== undefined && { 'messaging.batch.message_count': messages }),
      ...(topic !== undefined && { 'messaging.destination.name': topic }),
    };
    this.#span(clock, id, publish, 'acknowledge', handed, settled, more, failure);
  }

  #span(
    clock: MachineClock,
    traceId: string,
    parentId: string | undefined,
    name: SampleSpan['name'],
    start: number,
    end: number,
    attributes: SampleSpan['attributes'],
    failure?: string,
    spanId = randomId(8),
  ): string {
    const times = { start: clock.timeOf(start), end: clock.timeOf(end) };
    this.#following.take({ traceId, spanId, parentId, name, ...times, attributes, failure });
    return spanId;
  }
}

/** Times of the machine as times since the epoch, of now. */
class MachineClock {
  readonly #now = machineTime();
  readonly #epoch = Date.now() - this.#now;

  timeOf(time: number): number {
    return this.#epoch + time;
  }

  isOrder(first: number, second: number, third: number): boolean {
    return first >= this.#now - oldest && second >= first && third >= second && third <= this.#now;
  }
}

function attributesOf({ name, plugin }: Node): Record<string, string> {
  return { 'tagway.node.name': name, 'tagway.plugin.name': plugin.name };
}
