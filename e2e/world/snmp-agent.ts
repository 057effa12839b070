import { DeviceProcess } from './device-process.ts';

/** The SNMP agent of peers/snmp.ts. */
export class SnmpAgent extends DeviceProcess {
  static async start(): Promise<SnmpAgent> {
    const agent = new SnmpAgent('peers/snmp.ts');
    await agent.start();
    return agent;
  }
}
