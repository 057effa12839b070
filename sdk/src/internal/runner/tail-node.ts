import { ErrorCode } from '@tagway/schemas';
import type { AppDefinition } from '../../app.ts';
import type { Context } from '../../context.ts';
import { withRequests } from './host-requests.ts';
import { Lifecycle, type NodeEvents, RunnerNode, type Startable } from './lifecycle.ts';
import type { NodeContext } from './node-context.ts';
import { faultData } from '../channel/fault-data.ts';
import type { AskHost } from '../channel/host-request.ts';
import { soundFault } from './sound-fault.ts';

interface Tail extends Startable {
  tail(): Promise<void>;
}

interface TailEvents extends NodeEvents {
  /** Everything is sent, and the app has released everything. */
  ended(): void;
}

/** Runs one app node in tail mode: it sends what an earlier run could not, and ends by itself. A tail that fails is tried again later. */
export class TailNode extends RunnerNode<Tail> {
  protected readonly life: Lifecycle<Tail>;
  readonly #events: TailEvents;

  constructor(
    definition: AppDefinition<never, never>,
    context: NodeContext,
    ask: AskHost,
    events: TailEvents,
  ) {
    super(context);
    this.#events = events;
    const create = (run: Context): Tail => {
      const app = definition.create(withRequests(run, context.id, ask) as never);
      let tail: Promise<void> | undefined;
      return {
        start: () => Promise.resolve(),
        tail: () => (tail = app.tail?.() ?? Promise.resolve()),
        async stop(signal) {
          // An app without a tail mode was not started.
          if (app.tail === undefined) return;
          await app.stop(signal);
          await tail?.catch(() => undefined);
        },
      };
    };
    this.life = new Lifecycle(context, create, {
      started: (instance) => void this.#run(instance),
      failed: () => undefined,
      refused: (fault) => events.refused(faultData(fault, fault.code)),
    });
  }

  async #run(instance: Tail): Promise<void> {
    this.#events.started();
    try {
      await instance.tail();
    } catch (error) {
      if (this.life.instance === instance) await this.life.replace(soundFault(error, ErrorCode.DISCONNECTED));
      return;
    }
    // A run that the runner has stopped reports nothing.
    if (this.life.instance !== instance) return;
    await this.stop();
    this.#events.ended();
  }
}
