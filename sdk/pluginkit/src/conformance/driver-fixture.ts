import { type BrowseEntry, LinkState, type Value } from '@tagway/sdk';
import type { Form, HarnessOptions } from '@tagway/sdk/harness';
import type { LinkData } from '@tagway/sdk/internal';
import { PluginHarness, type TestPoint } from '../plugin-harness.ts';
import type { Library } from '../library.ts';
import { type Peer, RelayedPeer, type PeerOptions } from './peer.ts';

/** What the suite has to know about a driver. */
export interface DriverConformance {
  readonly device: PeerOptions;
  /** Points that the device answers with values: two at least, of as many types as the driver has. */
  readonly points: readonly TestPoint[];
  /** A point whose address is good and that the device refuses. */
  readonly refused: TestPoint;
  /** A point whose address the driver's check, or the manifest's patterns, refuse. */
  readonly malformed: TestPoint;
  /** Addresses of the points for which the device reports the source time or the quality. */
  readonly stamped?: readonly string[];
  /** Writes that the device accepts and whose values it then returns. */
  readonly writes?: readonly (TestPoint & { readonly value: Value })[];
  /** Of a driver with `browse`: what is to be among the entries that it lists, at whatever place. */
  readonly browsed?: readonly Partial<BrowseEntry>[];
  /** Milliseconds after which values must flow, at first and once the device is back. Default 30 s. */
  readonly recovery?: number;
  /** Settings that replace some of the device's, which the schema accepts and `checkSettings` refuses. */
  readonly refusedSettings?: object;
  /** Settings that replace some of the device's, with which `start` fails. */
  readonly failingSettings?: object;
  /** Of a driver with `watch`: how to make the device report something. */
  readonly pushes?: {
    /** A point that the driver pushes. */
    readonly point: TestPoint;
    /** The values that the device reports of it, in this order and at once. None equals the one before it. */
    readonly values: readonly Value[];
    /** Makes the device, the peer of the test, report the values. Resolves when it has; waits until somebody has subscribed to them. */
    readonly report: (device: Peer) => Promise<void>;
  };
}

/** A runner and a device for one test. */
export class DriverFixture implements AsyncDisposable {
  readonly harness: PluginHarness;
  readonly device: RelayedPeer;

  private constructor(harness: PluginHarness, device: RelayedPeer) {
    this.harness = harness;
    this.device = device;
  }

  static async open(
    form: Form,
    library: Library,
    { device }: DriverConformance,
    options?: HarnessOptions,
  ): Promise<DriverFixture> {
    const peer = await RelayedPeer.start(device);
    try {
      return new DriverFixture(await PluginHarness.open(form, library, options), peer);
    } catch (error) {
      await peer[Symbol.asyncDispose]();
      throw error;
    }
  }

  get settings(): object {
    return this.device.settings;
  }

  get link(): number {
    return this.linkReport?.link ?? LinkState.DISCONNECTED;
  }

  /** What the driver last reported about the link of its node. */
  get linkReport(): LinkData | undefined {
    return this.harness.runner.received.findLast(
      (message) => message.op === 'link' && message.part === undefined,
    ) as LinkData | undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.harness[Symbol.asyncDispose]();
    await this.device[Symbol.asyncDispose]();
  }
}
