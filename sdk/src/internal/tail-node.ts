import { ErrorCode } from '@tagway/schemas';
import type { AppDefinition } from '../app.ts';
import type { Context } from '../context.ts';
import type { Fault } from '../fault.ts';
import { withRequests } from './app-node.ts';
import { Lifecycle, type Startable } from './lifecycle.ts';
import type { NodeContext } from './node-context.ts';
import { type AskHost, type FaultData, faultData } from './protocol.ts';
import { soundFault } from './sound-fault.ts';

interface Tail extends Startable {
  tail(): Promise<void>;
}

/** What a run in tail mode tells the runner. */
export interface TailEvents {
  started(): void;
  /** Everything is sent, and the app has given everything back. */
  ended(): void;
  refused(fault: FaultData): void;
}

/** Runs one app node in tail mode: it sends what an earlier run could not, and ends by itself. A tail that fails is tried again later. */
export class TailNode {
  readonly context: NodeContext;
  readonly #life: Lifecycle<Tail>;
  readonly #events: TailEvents;

  constructor(
    definition: AppDefinition<never, never>,
    context: NodeContext,
    ask: AskHost,
    events: TailEvents,
  ) {
    this.context = context;
    this.#events = events;
    const create = (run: Context): Tail => {
      const app = definition.create(withRequests(run, ask) as never);
      let tail: Promise<void> | undefined;
      return {
        start: () => Promise.resolve(),
        tail: () => (tail = app.tail?.() ?? Promise.resolve()),
        async stop(signal) {
          // An app without a tail mode was never begun.
          if (app.tail === undefined) return;
          await app.stop(signal);
          await tail?.catch(() => undefined);
        },
      };
    };
    this.#life = new Lifecycle(context, create, {
      started: (instance) => void this.#run(instance),
      failed: () => undefined,
      refused: (fault) => events.refused(faultData(fault, fault.code)),
    });
  }

  /** Why the latest attempt failed; undefined once one has succeeded. */
  get failure(): Fault | undefined {
    return this.#life.failure;
  }

  start(): Promise<boolean> {
    return this.#life.start();
  }

  async stop(): Promise<void> {
    await this.#life.stop();
    this.context.flushMeters();
  }

  async #run(instance: Tail): Promise<void> {
    this.#events.started();
    try {
      await instance.tail();
    } catch (error) {
      if (this.#life.instance === instance)
        await this.#life.replace(soundFault(error, ErrorCode.DISCONNECTED));
      return;
    }
    // A run that was ended from outside has nobody to tell.
    if (this.#life.instance !== instance) return;
    await this.stop();
    this.#events.ended();
  }
}
