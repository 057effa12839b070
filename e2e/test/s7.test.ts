import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { addDriver, addMqtt, connected, readGroup, readValues, stateOf } from '../kit/configure.ts';
import { useNorth } from '../world/plant.ts';
import { S7Plc } from '../world/s7-plc.ts';
import { until } from '../kit/until.ts';

describe('Siemens S7', function () {
  this.timeout(60_000);
  const { client, broker, subscriber } = useNorth();
  let plc: S7Plc;

  before(async () => {
    plc = await S7Plc.start();
    const both = Attribute.READ | Attribute.WRITE;
    const tags = [
      { name: 'clock', address: 'DB1.DBW0', attribute: Attribute.READ, type: DataType.UINT16 },
      { name: 'level', address: 'DB1.DBW50000', attribute: both, type: DataType.INT16 },
      { name: 'rate', address: 'DB1.DBW50010', attribute: both, type: DataType.FLOAT },
      { name: 'pump', address: 'DB1.DBW50020.3', attribute: both, type: DataType.BIT },
      { name: 'name', address: 'DB1.DBW50030.20', attribute: both, type: DataType.STRING },
      { name: 'title', address: 'DB1.DBW40000.2000D', attribute: both, type: DataType.STRING },
      { name: 'last', address: 'DB1.DBW65534', attribute: Attribute.READ, type: DataType.INT16 },
    ];
    // Under a name of older exports.
    const plugin = 'Siemens S7 ISOTCP for 300/400';
    await addDriver(client, 's7', { plugin, tags, settings: plc.settings });
    await connected(client, 's7');
  });
  after(() => plc?.stop());

  it('writes many tags at once, reads them back and publishes them', async () => {
    const values = { level: -7, rate: 2.5, pump: 1, name: 'kiln', title: '炉'.repeat(2000) };
    const tags = Object.entries(values).map(([tag, value]) => ({ tag, value }));
    await client.ok('POST', '/write/tags', { node: 's7', group: 'group', tags });
    const read = await readGroup(client, 's7', 'group', true);
    for (const [name, value] of Object.entries(values)) expect(read.get(name)?.value, name).to.equal(value);

    await addMqtt(client, 'uplink', broker.port);
    const params = { topic: 's7-values' };
    await client.ok('POST', '/subscribe', { app: 'uplink', driver: 's7', group: 'group', params });
    const { text } = await subscriber.next('s7-values', (message) => message.text.includes('kiln'));
    expect((JSON.parse(text) as { values: object }).values).to.include(values);
  });

  it('says of a lost PLC that it is lost, and reads it again when it is back', async () => {
    await readValues(client, 's7', 'group');
    await plc.stop();
    await until('every tag is disconnected', async () =>
      [...(await readGroup(client, 's7', 'group')).values()].every(
        ({ error }) => error === ErrorCode.DISCONNECTED,
      ),
    );
    expect((await stateOf(client, 's7')).link).to.not.equal(2);
    await plc.start();
    await readValues(client, 's7', 'group');
  });
});
