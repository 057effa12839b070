import { DeviceProcess } from './device-process.ts';

/** The Logix controller of peers/ethernetip.ts. */
export class EtherNetIpPlc extends DeviceProcess {
  static async start(): Promise<EtherNetIpPlc> {
    const plc = new EtherNetIpPlc('peers/ethernetip.ts');
    await plc.start();
    return plc;
  }

  override get settings(): object {
    return { ...super.settings, timeout: 1000 };
  }
}
