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
    const traceId = way.id;
    const poll = this.#span(clock, {
      traceId,
      parentId: undefined,
      name: 'poll',
      start: began,
      end: ended,
      attributes: { ...attributes, ...counts },
      failure,
    });
    const read = { traceId, parentId: poll, name: 'read', start: called, end: ended } as const;
    this.#span(clock, { ...read, attributes, failure });
    const parent = randomId(8);
    const gateway = { traceId, spanId: parent, parentId: poll, name: 'gateway', start: here } as const;
    return {
      next: { id: way.id, parent, times: [] },
      passed: () => {
        this.#span(clock, { ...gateway, end: machineTime(), attributes });
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
    const publish = this.#span(clock, {
      traceId: id,
      parentId: parent,
      name: 'publish',
      start: arrived,
      end: handed,
      attributes,
    });
    if (settled === undefined) return;
    const more = {
      ...attributes,
      ...(messages !== undefined && { 'messaging.batch.message_count': messages }),
      ...(topic !== undefined && { 'messaging.destination.name': topic }),
    };
    const last = {
      traceId: id,
      parentId: publish,
      name: 'acknowledge',
      start: handed,
      end: settled,
    } as const;
    this.#span(clock, { ...last, attributes: more, failure });
  }

  /** Hands a step on whose times are those of the machine. Its id, which is made where it has none. */
  #span(clock: MachineClock, step: Omit<SampleSpan, 'spanId'> & { readonly spanId?: string }): string {
    const { spanId = randomId(8), start, end } = step;
    this.#following.take({ ...step, spanId, start: clock.timeOf(start), end: clock.timeOf(end) });
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
