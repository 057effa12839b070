import { DeviceProcess } from './device-process.ts';

/** The simulated device of a plugin's tests: see its script. Values of PLCs and meters, such as D1, D2 …, change ten times a second; the first is a clock. */
export class WordPlc extends DeviceProcess {
  static async start(plugin: 'bacnet' | 'dlt645' | 'fins' | 'iec104' | 'nona11' | 'qna3e'): Promise<WordPlc> {
    const plc = new WordPlc(`../plugins/${plugin}/test/simulator-process.ts`);
    await plc.start();
    return plc;
  }
}
