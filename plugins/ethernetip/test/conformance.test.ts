import { driverConformance } from '@tagway/pluginkit';
import { DataType } from '@tagway/sdk';
import { stringType, structure, tag, textType } from './program.ts';
import { Simulator } from './simulator.ts';

const motor = structure('Motor', { On: 'BOOL', Speed: 'REAL', Total: 'LINT' });

async function controller(): Promise<Simulator> {
  const device = new Simulator();
  device.add(
    tag('Level', 'INT', { bytes: '0700' }),
    tag('Word', 'DINT', { bytes: '08000000' }),
    tag('Counts', 'UINT[20]'),
    tag('Motor', motor),
    tag('Energy', 'LREAL', { bytes: '0000000000000440' }),
    tag('Title', stringType, { bytes: '0500000048616c6c6f' }),
    tag('Long', textType('STRING_60000', 60_000)),
    tag('Bytes', 'SINT[8]'),
    tag('Bits', 'BOOL[64]'),
    tag('Big', 'ULINT'),
    tag('Closed', 'INT'),
  );
  device.addTo('Main', tag('Step', 'DINT'));
  device.refusals.set('Closed', [0x0f]);
  await device.listen();
  return device;
}

describe('the conformance suite', () => {
  driverConformance(new URL('../', import.meta.url), {
    device: {
      peer: controller,
      settings: (port) => ({ host: '127.0.0.1', port, timeout: 1000 }),
    },
    points: [
      { address: 'Level' },
      { address: 'Word.3', type: DataType.BIT },
      { address: 'Motor.On', type: DataType.BOOL },
      { address: 'Motor.Total', type: DataType.INT64 },
      { address: 'Big', type: DataType.UINT64 },
      { address: 'Motor.Speed', type: DataType.FLOAT },
      { address: 'Energy', type: DataType.DOUBLE },
      { address: 'Title', type: DataType.STRING },
      { address: 'Bytes', type: DataType.BYTES },
      { address: 'Program:Main.Step', type: DataType.UINT32 },
      { address: 'Counts[3]', type: DataType.UINT16 },
    ],
    browsed: [{ name: 'Level', description: 'INT' }],
    refused: { address: 'Closed' },
    malformed: { address: 'Level.' },
    writes: [
      { address: 'Level', value: -42 },
      { address: 'Word.5', type: DataType.BIT, value: 1 },
      { address: 'Motor.Total', type: DataType.INT64, value: -(2n ** 60n) },
      { address: 'Motor.On', type: DataType.BOOL, value: true },
      { address: 'Motor.Speed', type: DataType.FLOAT, value: 1.5 },
      { address: 'Title', type: DataType.STRING, value: 'grün' },
      { address: 'Long', type: DataType.STRING, value: '€'.repeat(20_000) },
      { address: 'Bits[37]', type: DataType.BIT, value: 1 },
    ],
  });
});
