import { DeviceProcess } from '../world/device-process.ts';

export interface FastDeviceOptions {
  /** Default 0: a free one. */
  readonly port?: number;
  /** Units that never answer. */
  readonly silent?: readonly number[];
  /** Units for which it closes the connection. */
  readonly absent?: readonly number[];
  /** A register for which it closes the connection. */
  readonly trap?: number;
  /** Closes all connections so often, in milliseconds, whatever they are doing. */
  readonly cutEvery?: number;
  /** Milliseconds until it answers. Default 0. */
  readonly delay?: number;
  /** Number of registers; one beyond is refused with exception 2. Default 65536. */
  readonly size?: number;
  /** Registers below this address change by themselves. Default: all. */
  readonly changing?: number;
}

/** A register that was written. */
export interface SeenWrite {
  readonly address: number;
  readonly value: number;
  /** Milliseconds of the system's monotonic clock, which all processes share. */
  readonly at: number;
}

/** The fast Modbus device in a process of its own. */
export class FastDevice extends DeviceProcess {
  onWrite: ((write: SeenWrite) => void) | undefined;

  static async start(options: FastDeviceOptions = {}): Promise<FastDevice> {
    const device = new FastDevice('bench/fast-device-process.ts', options);
    await device.start();
    return device;
  }

  protected override heard(write: SeenWrite): void {
    this.onWrite?.(write);
  }
}
