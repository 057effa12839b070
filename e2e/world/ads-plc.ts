import { DeviceProcess } from './device-process.ts';

/** The TwinCAT controller of peers/ads.ts. */
export class AdsPlc extends DeviceProcess {
  static async start(): Promise<AdsPlc> {
    const plc = new AdsPlc('peers/ads.ts');
    await plc.start();
    return plc;
  }

  override get settings(): object {
    return { ...super.settings, src_ams_net_id: '10.0.0.1.1.1', dst_ams_net_id: '5.23.91.10.1.1' };
  }
}
