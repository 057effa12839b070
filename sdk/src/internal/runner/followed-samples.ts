import type { App, Subscription } from '../../app.ts';
import type { Sample } from '../../sample.ts';
import { type Delivered, machineTime, type SampleWay } from '../samples/sample-way.ts';
import type { Outcome } from './message-watch.ts';
import type { NodeContext } from './node-context.ts';

/** Milliseconds that an app is given until it is known what became of the messages of a sample. */
const patience = 10_000;

interface Arrival {
  readonly group: number;
  readonly way: SampleWay;
  readonly at: number;
}

/** Samples of followed readings at an app: says when they were there, when the app had taken them, and when its server had. */
export class FollowedSamples {
  readonly #context: NodeContext;
  readonly #arrivals = new WeakMap<Sample, Arrival>();

  constructor(context: NodeContext) {
    this.#context = context;
  }

  arrived(sample: Sample, group: number, way: SampleWay): void {
    this.#arrivals.set(sample, { group, way, at: machineTime() });
  }

  /** Delivers a sample, followed or not. */
  deliver(instance: App, sample: Sample, subscription: Subscription): void | Promise<void> {
    const arrival = this.#arrivals.get(sample);
    if (arrival === undefined) return instance.deliver(sample, subscription);
    const { driver, group } = subscription;
    const { frames, clock } = this.#context;
    let handed = 0;
    const settled = (outcome: Outcome | undefined): void => {
      timer?.[Symbol.dispose]();
      this.#context.delivered({
        ...deliveredOf(this.#context.id, arrival, handed),
        ...(outcome && { settled: machineTime(), ...outcome }),
      });
    };
    const watch = frames.watch({ driver, group }, settled);
    const timer = watch && clock.timer(patience, () => watch[Symbol.dispose]());
    try {
      return instance.deliver(sample, subscription);
    } finally {
      handed = machineTime();
      if (watch === undefined) settled(undefined);
      else watch.made();
    }
  }
}

function deliveredOf(node: number, { group, way, at }: Arrival, handed: number): Delivered {
  return { node, group, id: way.id, parent: way.parent, arrived: at, handed };
}
