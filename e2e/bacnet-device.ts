import { DeviceProcess } from './device-process.ts';

/** The BACnet device of peers/bacnet.ts. */
export class BacnetDevice extends DeviceProcess {
  static async start(): Promise<BacnetDevice> {
    const device = new BacnetDevice('peers/bacnet.ts');
    await device.start();
    return device;
  }

  /** Settings of a node that reads it. */
  get settings(): object {
    return { host: '127.0.0.1', port: this.port };
  }
}
