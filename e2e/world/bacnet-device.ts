import { DeviceProcess } from './device-process.ts';

/** The BACnet device of peers/bacnet.ts. */
export class BacnetDevice extends DeviceProcess {
  static async start(): Promise<BacnetDevice> {
    const device = new BacnetDevice('peers/bacnet.ts');
    await device.start();
    return device;
  }
}
