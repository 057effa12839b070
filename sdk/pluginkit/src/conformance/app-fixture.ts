import { setTimeout as sleep } from 'node:timers/promises';
import { type DriverState, inputsOf, type Layout, type Sample } from '@tagway/sdk';
import type { Form, HarnessOptions } from '@tagway/sdk/harness';
import { dataOf, type SubscriptionsData } from '@tagway/sdk/internal';
import { PluginHarness } from '../plugin-harness.ts';
import type { Library } from '../library.ts';
import { answerOf, type GatewayScript, stateOf } from './gateway-script.ts';
import { type ClientOptions, RelayedPeer, type PeerOptions } from './peer.ts';
import { type InputRecord, InputSource } from './input-source.ts';
import { group, SampleSource } from './sample-source.ts';

/** What the suite has to know about an app. */
export interface AppConformance {
  /** The server that the app sends samples to, or a client where the app listens. */
  readonly server: PeerOptions | ClientOptions;
  /** Parameters of a subscription, when the app needs any. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** Parameters of a subscription that `checkSubscription` refuses. */
  readonly refusedParams?: Readonly<Record<string, unknown>>;
  /** Settings that replace some of the server's, which the schema accepts and `checkSettings` refuses. */
  readonly refusedSettings?: object;
  /** Of an app with inputs: what the settings of the server refer to, in their order. */
  readonly inputs?: {
    readonly values: InputRecord;
    /** Other values of the same tags. As these two come in turn, the app sends its server something. */
    readonly others: InputRecord;
    /** The app sends nothing of samples of groups: what the suite waits for is what it sends of its inputs. */
    readonly alone?: true;
  };
  /** The answers of the gateway to the app's own requests. */
  readonly gateway?: GatewayScript;
  /**
   * Whether the bytes that the app has sent its server since it lost its last subscription hold values of tags, which they must not.
   * Default: any byte counts. An app that sends something else without a subscription, such as a ping or a death certificate, recognizes it here.
   */
  readonly holdsData?: (sent: Buffer) => boolean;
  /** Milliseconds after which samples must flow again once the server is back. Default 30 s. */
  readonly recovery?: number;
}

/** A runner, a source of samples and a server for one test. */
export class AppFixture implements AsyncDisposable {
  readonly harness: PluginHarness;
  readonly server: RelayedPeer;
  readonly source: SampleSource;
  readonly #params: Readonly<Record<string, unknown>> | undefined;
  /** Of an app that sends what its inputs become, and nothing else. */
  readonly #inputs: { readonly source: InputSource; readonly reads: SubscriptionsData } | undefined;
  readonly #options: AppConformance;

  private constructor(
    harness: PluginHarness,
    server: RelayedPeer,
    source: SampleSource,
    options: AppConformance,
  ) {
    this.harness = harness;
    this.server = server;
    this.source = source;
    this.#params = options.params;
    this.#options = options;
    const { inputs } = options;
    if (inputs?.alone !== true) return;
    const inputSource = inputSourceOf(harness, inputs);
    this.#inputs = { source: inputSource, reads: inputSource.readsOf(inputs.values) };
  }

  static async open(
    form: Form,
    library: Library,
    options: AppConformance,
    harnessOptions: HarnessOptions = {},
  ): Promise<AppFixture> {
    const server = await RelayedPeer.start(options.server);
    const source = new SampleSource();
    const answer: HarnessOptions['answer'] = (request) => answerOf(request, options.gateway ?? {}, source);
    try {
      return new AppFixture(
        await PluginHarness.open(form, library, { ...harnessOptions, answer }),
        server,
        source,
        options,
      );
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Starts a node that is subscribed to the group of the source. */
  start(node: number, settings: object = this.server.settings): Promise<unknown> {
    return this.harness.start(node, settings, this.#subscriptions());
  }

  /** Subscribes a node to the group as it is now. */
  subscribe(node = 1): void {
    this.harness.runner.send({ op: 'subscriptions', node, ...this.#subscriptions() });
  }

  unsubscribe(node = 1): void {
    this.harness.runner.send({ op: 'subscriptions', node, subscriptions: [], layouts: [], drivers: [] });
  }

  /** Sends a sample to all nodes, by default the next one of the source. `layout`: the one it was made with, if that is not the latest. */
  send(sample: Sample = this.source.sample(), layout?: Layout): void {
    this.harness.runner.send({ op: 'sample', sample: dataOf(sample, group), ...(layout && { layout }) });
  }

  sendDriverState(state: DriverState): void {
    this.harness.runner.send({ op: 'drivers', drivers: [state] });
  }

  /** Sends samples, by default the next ones of the source, until the server has received something. */
  async untilDelivered(
    server = this.server,
    within = 30_000,
    next = () => this.source.sample(),
  ): Promise<void> {
    const end = performance.now() + within;
    const before = server.taken;
    while (server.taken === before) {
      if (performance.now() > end) throw new Error('The server is sent nothing of the samples.');
      if (this.#inputs === undefined) this.send(next());
      else this.#sendInputs(this.#inputs.source);
      await sleep(50);
    }
  }

  /** Waits until the app has sent everything that it sends without samples, such as when it opens a connection. */
  async untilQuiet(): Promise<void> {
    for (let before = -1; before !== this.server.relay.bytesReceived; await sleep(200))
      before = this.server.relay.bytesReceived;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.harness[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
  }

  #sendInputs(source: InputSource): void {
    const { values = {}, others = {} } = this.#options.inputs ?? {};
    source.send(values);
    source.send(others);
  }

  #subscriptions(): SubscriptionsData {
    const { layout } = this.source;
    return {
      subscriptions: [{ id: 1, group, params: this.#params }],
      layouts: [{ group, layout }, ...(this.#inputs?.reads.layouts ?? [])],
      drivers: [stateOf(this.source)],
      ...(this.#inputs?.reads.reads && { reads: this.#inputs.reads.reads }),
    };
  }
}

/** Plays the drivers of the tags that the settings of the app refer to. */
export function inputSourceOf(
  { runner }: PluginHarness,
  { values }: NonNullable<AppConformance['inputs']>,
): InputSource {
  return new InputSource(
    runner,
    inputsOf(Object.keys(values).map((text) => ({ address: `tag("${text}")` }))),
  );
}
