import { expect } from 'chai';
import { DataType, ErrorCode } from '@tagway/sdk';
import { areas, Property } from '../src/properties.ts';
import { BacnetJs, serveBacnetJs, serveBacstack } from './peer-servers.ts';
import { callOf, until } from '@tagway/testkit';
import { fixtureAt, pointsOf } from './fixture.ts';
import { real, Simulator, text } from './simulator.ts';

const tags = [
  ['AI1', DataType.FLOAT, 21.5],
  ['AI1.Description', DataType.STRING, 'Vorlauf Süd'],
  ['AI1.Units', DataType.UINT16, 62],
  ['AO2', DataType.DOUBLE, -0.25],
  ['BI3', DataType.BIT, 1],
  ['AI77', DataType.FLOAT, { fault: ErrorCode.READ_FAILED }],
  ['MSV4', DataType.UINT32, 70_000],
  ['AV5.custom.512', DataType.INT16, -129],
  ['AV5.custom.513', DataType.DOUBLE, Math.PI],
  ['AV5.Out_Of_Service', DataType.BOOL, 1],
  ['AV5.custom.514', DataType.BYTES, Uint8Array.of(1, 2, 255)],
] as const;
const points = pointsOf(...tags.map(([address, type]) => [address, type] as const));

for (const [name, open] of [
  ['@bacnet-js/client', serveBacnetJs],
  ['bacstack', serveBacstack],
] as const) {
  describe(`${name} as a server`, () => {
    it('is read, its values being its own', async () => {
      await using server = await open();
      await using fixture = await fixtureAt(server.port);
      expect(await fixture.readings(points)).to.deep.equal(tags.map(([, , value]) => value));
    });

    it('is written, with the priority that was meant', async () => {
      await using server = await open();
      await using fixture = await fixtureAt(server.port);
      const faults = await fixture.write(
        pointsOf('AO2@8', ['MSV4', DataType.UINT8], ['AI1.Description', DataType.STRING], 'AV9'),
        [3.5, 9, 'Süden', 1],
      );
      expect(faults.map((fault) => fault?.code)).to.deep.equal([
        ...[undefined, undefined, ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED],
        ErrorCode.WRITE_FAILED,
      ]);
      expect(server.values.get('1:2:85')?.map(({ type, value }) => ({ type, value }))).to.deep.equal([
        { type: 4, value: 3.5 },
      ]);
      expect(server.values.get('19:4:85')?.map(({ type, value }) => ({ type, value }))).to.deep.equal([
        { type: 2, value: 9 },
      ]);
      expect(server.priorities).to.deep.equal([8, 16]);
    });

    it('lists its objects with name, description and unit', async () => {
      await using server = await open();
      await using fixture = await fixtureAt(server.port);
      const page = await fixture.driver.browse?.({ id: '' }, callOf('demand'));
      expect(page?.entries.slice(1)).to.deep.equal([
        { name: 'plant', id: 'DEV1234', readable: false, type: 0 },
        {
          name: 'supply',
          id: 'AI1',
          readable: true,
          type: DataType.FLOAT,
          description: 'Vorlauf Süd',
          unit: '°C',
        },
        { name: 'MSV4', id: 'MSV4', readable: true, type: DataType.UINT16 },
      ]);
    });
  });
}

describe('@bacnet-js/client as a client', () => {
  it('finds in the scripted device of the tests what a device would answer', async () => {
    await using device = new Simulator();
    const object = { type: areas.AV as number, instance: 5 };
    device.object(object.type, object.instance, {
      [Property.PRESENT_VALUE]: real(2.5),
      [Property.OBJECT_NAME]: text('name'),
    });
    await device.listen();
    const client = new BacnetJs({ port: 0, interface: '127.0.0.1', apduTimeout: 2000 });
    try {
      let isListening = false;
      client.on('listening', () => void (isListening = true));
      await until('it listens', () => isListening);
      const to = { address: `127.0.0.1:${device.port}` };
      const one = await client.readProperty(to, object, Property.PRESENT_VALUE);
      expect(one.values.map(({ value }) => value)).to.deep.equal([2.5]);
      const many = await client.readPropertyMultiple(to, [
        { objectId: object, properties: [{ id: Property.OBJECT_NAME }, { id: Property.PRESENT_VALUE }] },
      ]);
      const values = many.values[0]?.values.map(({ value }) => value[0]?.value);
      expect(values).to.deep.equal(['name', 2.5]);
    } finally {
      client.close();
    }
  });
});
