import { DeviceProcess } from './device-process.ts';

/** The S7 PLC of peers/s7.ts. */
export class S7Plc extends DeviceProcess {
  static async start(): Promise<S7Plc> {
    const plc = new S7Plc('peers/s7.ts');
    await plc.start();
    return plc;
  }

  override get settings(): object {
    return { ...super.settings, rack: 0, slot: 1, timeout: 1000 };
  }
}
