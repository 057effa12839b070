import { LinkState, type Value } from '@tagway/sdk';
import type { Form, LineOptions, LinkData } from '@tagway/sdk/internal';
import { Bench, type TestPoint } from '../bench.ts';
import type { Library } from '../library.ts';
import { type Peer, PeerOnBench, type PeerOptions } from './peer.ts';

/** What the suite must know of a driver. */
export interface DriverConformance {
  readonly device: PeerOptions;
  /** Points that the device answers with values: two at least, of as many types as the driver has. */
  readonly points: readonly TestPoint[];
  /** A point whose address is good and that the device refuses. */
  readonly refused: TestPoint;
  /** A point whose address the driver's check, or the manifest's patterns, refuse. */
  readonly malformed: TestPoint;
  /** Addresses of the points of which the device tells when their values arose, or how good they are. */
  readonly stamped?: readonly string[];
  /** Writes that the device takes, and reads back as they were written. */
  readonly writes?: readonly (TestPoint & { readonly value: Value })[];
  /** Milliseconds after which values must flow, at first and once the device is back. Default 30 s. */
  readonly recovery?: number;
  /** Settings, put over those of the device, that the schema takes and `checkSettings` refuses. */
  readonly refusedSettings?: object;
  /** Settings, put over those of the device, with which `start` fails. */
  readonly failingSettings?: object;
  /** Of a driver with `watch`: how to make the device report something. */
  readonly pushes?: {
    /** A point that the driver pushes. */
    readonly point: TestPoint;
    /** What the device is made to report of it, in this order and at once. None equals the one before it. */
    readonly values: readonly Value[];
    /** Makes the device, the peer of the test, report the values. Resolves when it has; waits until it knows whom to tell. */
    readonly report: (device: Peer) => Promise<void>;
  };
}

/** A runner and a device for one test. */
export class Stand implements AsyncDisposable {
  readonly bench: Bench;
  readonly device: PeerOnBench;

  private constructor(bench: Bench, device: PeerOnBench) {
    this.bench = bench;
    this.device = device;
  }

  static async open(
    form: Form,
    library: Library,
    { device }: DriverConformance,
    line?: LineOptions,
  ): Promise<Stand> {
    const peer = await PeerOnBench.start(device);
    try {
      return new Stand(await Bench.open(form, library, line), peer);
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

  /** What the driver reported last of the link of its node. */
  get linkReport(): LinkData | undefined {
    return this.bench.line.received.findLast(
      (message) => message.op === 'link' && message.part === undefined,
    ) as LinkData | undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.bench[Symbol.asyncDispose]();
    await this.device[Symbol.asyncDispose]();
  }
}
