import { driverConformance } from '@tagway/pluginkit';
import { Attribute, DataType } from '@tagway/sdk';
import { areas, objectOf, Property } from '../src/properties.ts';
import { until } from '@tagway/testkit';
import { enumerated, real, Simulator, text, unsigned } from './simulator.ts';

const area = (name: string): number => areas[name] as number;
const pushed = objectOf(area('AV'), 9);

describe('as a driver', () => {
  driverConformance(new URL('../', import.meta.url), {
    device: {
      peer: async () => {
        const device = new Simulator();
        device.value(area('AI'), 1, real(21.5));
        device.value(area('BI'), 1, enumerated(1));
        device.value(area('MSV'), 1, unsigned(3));
        device.value(area('AV'), 9, real(0));
        device.object(area('AO'), 1, {
          [Property.PRESENT_VALUE]: real(1),
          [Property.OBJECT_NAME]: text('valve'),
          [Property.DESCRIPTION]: text('north'),
          512: unsigned(0),
        });
        device.object(area('AI'), 2, {
          [Property.PRESENT_VALUE]: real(4),
          [Property.OBJECT_NAME]: text('supply'),
          [Property.DESCRIPTION]: text('air'),
          [Property.UNITS]: enumerated(62),
        });
        return device.listen();
      },
      transport: 'udp',
      settings: (port) => ({ host: '127.0.0.1', port, timeout: 300, retries: 1, discovery_port: 0 }),
    },
    points: [
      { address: 'AI1', type: DataType.FLOAT, attribute: Attribute.READ },
      { address: 'AI1', type: DataType.DOUBLE, attribute: Attribute.READ },
      { address: 'BI1', type: DataType.BIT, attribute: Attribute.READ },
      { address: 'BI1', type: DataType.BOOL, attribute: Attribute.READ },
      { address: 'MSV1', type: DataType.UINT8 },
      { address: 'MSV1', type: DataType.INT64 },
      { address: 'AO1.Object_Name', type: DataType.STRING },
    ],
    browsed: [{ name: 'supply', description: 'air', unit: '°C' }],
    refused: { address: 'AO99', type: DataType.FLOAT },
    malformed: { address: 'AX1', type: DataType.FLOAT },
    writes: [
      { address: 'AO1', type: DataType.FLOAT, value: -42.5 },
      { address: 'MSV1', type: DataType.UINT8, value: 7 },
      { address: 'AO1.Description', type: DataType.STRING, value: 'ü'.repeat(200) },
    ],
    pushes: {
      point: { address: 'AV9', type: DataType.FLOAT },
      values: [1, 2, 3, 4, 5],
      report: async (peer) => {
        if (!(peer instanceof Simulator))
          throw new Error('The peer of the test is not the one it was given.');
        await until('the device has a subscriber', () => peer.acknowledged > 0);
        for (const value of [1, 2, 3, 4, 5]) peer.change(pushed, real(value));
      },
    },
    refusedSettings: { network: 5 },
  });
});
