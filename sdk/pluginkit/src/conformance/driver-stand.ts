import type { Value } from '@tagway/sdk';
import type { Form, LineOptions } from '@tagway/sdk/internal';
import { Bench, type TestPoint } from '../bench.ts';
import type { Library } from '../library.ts';
import { PeerOnBench, type PeerOptions } from './peer.ts';

/** What the suite must know of a driver. */
export interface DriverConformance {
  readonly device: PeerOptions;
  /** Points that the device answers with values: two at least, of as many types as the driver has. */
  readonly points: readonly TestPoint[];
  /** A point whose address is good and that the device refuses. */
  readonly refused: TestPoint;
  /** A point whose address the driver's check, or the manifest's patterns, refuse. */
  readonly malformed: TestPoint;
  /** Writes that the device takes, and reads back as they were written. */
  readonly writes?: readonly (TestPoint & { readonly value: Value })[];
  /** Milliseconds after which values must flow, at first and once the device is back. Default 30 s. */
  readonly recovery?: number;
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
    const links = this.bench.line.received.filter((message) => message.op === 'link');
    return links.at(-1)?.link ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.bench[Symbol.asyncDispose]();
    await this.device[Symbol.asyncDispose]();
  }
}
