import { setTimeout as sleep } from 'node:timers/promises';
import type { DriverState, Layout, Sample } from '@tagway/sdk';
import { dataOf, type Form, type LineOptions, type SubscriptionsData } from '@tagway/sdk/internal';
import { Bench } from '../bench.ts';
import type { Library } from '../library.ts';
import { answerOf, type GatewayScript, stateOf } from './gateway-script.ts';
import { PeerOnBench, type PeerOptions } from './peer.ts';
import { group, Plant } from './plant.ts';

/** What the suite must know of an app. */
export interface AppConformance {
  /** The server that the app sends samples to. */
  readonly server: PeerOptions;
  /** Parameters of a subscription, when the app needs any. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** Parameters of a subscription that `checkSubscription` refuses. */
  readonly refusedParams?: Readonly<Record<string, unknown>>;
  /** Settings, put over those of the server, that the schema takes and `checkSettings` refuses. */
  readonly refusedSettings?: object;
  /** What the gateway answers the app's own requests with. */
  readonly gateway?: GatewayScript;
  /**
   * Whether the bytes that the app has sent its server since it lost its last subscription hold values of tags, which they must not.
   * Default: any byte counts. An app that sends something without a subscription, such as a ping or a death certificate, tells it apart here.
   */
  readonly holdsData?: (sent: Buffer) => boolean;
  /** Milliseconds after which samples must flow again once the server is back. Default 30 s. */
  readonly recovery?: number;
}

/** A runner, a plant and a server for one test. */
export class AppStand implements AsyncDisposable {
  readonly bench: Bench;
  readonly server: PeerOnBench;
  readonly plant: Plant;
  readonly #params: Readonly<Record<string, unknown>> | undefined;

  private constructor(bench: Bench, server: PeerOnBench, plant: Plant, options: AppConformance) {
    this.bench = bench;
    this.server = server;
    this.plant = plant;
    this.#params = options.params;
  }

  static async open(
    form: Form,
    library: Library,
    options: AppConformance,
    line: LineOptions = {},
  ): Promise<AppStand> {
    const server = await PeerOnBench.start(options.server);
    const plant = new Plant();
    const answer: LineOptions['answer'] = (request) => answerOf(request, options.gateway ?? {}, plant);
    try {
      return new AppStand(await Bench.open(form, library, { ...line, answer }), server, plant, options);
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Starts a node that is subscribed to the plant's group. */
  start(node: number, settings: object = this.server.settings): Promise<unknown> {
    return this.bench.start(node, settings, this.#subscriptions());
  }

  /** Tells a node of the plant's group as it is now. */
  subscribe(node = 1): void {
    this.bench.line.send({ op: 'subscriptions', node, ...this.#subscriptions() });
  }

  unsubscribe(node = 1): void {
    this.bench.line.send({ op: 'subscriptions', node, subscriptions: [], layouts: [], drivers: [] });
  }

  /** Sends a sample to all nodes, the plant's next one if none is given. `layout`: the one it was made with, if that is not the latest. */
  send(sample: Sample = this.plant.sample(), layout?: Layout): void {
    this.bench.line.send({ op: 'sample', sample: dataOf(sample, group), ...(layout && { layout }) });
  }

  /** Tells how the plant's driver is. */
  tell(state: DriverState): void {
    this.bench.line.send({ op: 'drivers', drivers: [state] });
  }

  /** Sends samples, the plant's next ones if nothing else is said, until the server has taken something. */
  async delivered(server = this.server, within = 30_000, next = () => this.plant.sample()): Promise<void> {
    const end = performance.now() + within;
    const before = server.taken;
    while (server.taken === before) {
      if (performance.now() > end) throw new Error('The server is sent nothing of the samples.');
      this.send(next());
      await sleep(50);
    }
  }

  /** Waits until what the app says by itself, such as the opening of a connection, has been said. */
  async quiet(): Promise<void> {
    for (let before = -1; before !== this.server.relay.asked; await sleep(200))
      before = this.server.relay.asked;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.bench[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
  }

  #subscriptions(): SubscriptionsData {
    const { layout } = this.plant;
    return {
      subscriptions: [{ id: 1, group, params: this.#params }],
      layouts: [{ group, layout }],
      drivers: [stateOf(this.plant)],
    };
  }
}
