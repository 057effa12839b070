import { DeviceProcess } from './device-process.ts';

/** The S7 PLC of peers/s7.ts. */
export class S7Plc extends DeviceProcess {
  static async start(): Promise<S7Plc> {
    const plc = new S7Plc('peers/s7.ts');
    await plc.start();
    return plc;
  }

  /** Settings of a node that reads it. */
  get settings(): object {
    return { host: '127.0.0.1', port: this.port, rack: 0, slot: 1, timeout: 1000 };
  }
}
