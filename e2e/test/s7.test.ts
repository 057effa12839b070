import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { startBroker } from '../brokers.ts';
import type { Broker } from '../brokers.ts';
import type { Client } from '../client.ts';
import { addMqtt, connected, readGroup, readValues, stateOf } from '../configure.ts';
import { Gateway } from '../gateway.ts';
import { S7Plc } from '../s7-plc.ts';
import { Subscriber } from '../subscriber.ts';
import { until } from '../until.ts';

describe('Siemens S7', function () {
  this.timeout(60_000);
  let gateway: Gateway;
  let client: Client;
  let plc: S7Plc;
  let broker: Broker;

  before(async () => {
    [gateway, plc, broker] = await Promise.all([Gateway.start(), S7Plc.start(), startBroker()]);
    client = await gateway.client();
    const both = Attribute.READ | Attribute.WRITE;
    const tags = [
      { name: 'clock', address: 'DB1.DBW0', attribute: Attribute.READ, type: DataType.UINT16 },
      { name: 'level', address: 'DB1.DBW50000', attribute: both, type: DataType.INT16 },
      { name: 'rate', address: 'DB1.DBW50010', attribute: both, type: DataType.FLOAT },
      { name: 'pump', address: 'DB1.DBW50020.3', attribute: both, type: DataType.BIT },
      { name: 'name', address: 'DB1.DBW50030.20', attribute: both, type: DataType.STRING },
      { name: 'last', address: 'DB1.DBW65534', attribute: Attribute.READ, type: DataType.INT16 },
    ];
    // Under a name of older exports.
    await client.ok('POST', '/node', { name: 's7', plugin: 'Siemens S7 ISOTCP for 300/400' });
    await client.ok('POST', '/group', { name: 'group', node: 's7', interval: 100 });
    await client.ok('POST', '/tags', { node: 's7', group: 'group', tags });
    await client.ok('POST', '/node/setting', { node: 's7', params: plc.settings });
    await connected(client, 's7');
  });
  after(async () => {
    await gateway?.dispose();
    await plc?.stop();
    await broker?.stop();
  });

  it('writes many tags at once, reads them back and publishes them', async () => {
    const values = { level: -7, rate: 2.5, pump: 1, name: 'kiln' };
    const tags = Object.entries(values).map(([tag, value]) => ({ tag, value }));
    await client.ok('POST', '/write/tags', { node: 's7', group: 'group', tags });
    const read = await readGroup(client, 's7', 'group', true);
    for (const [name, value] of Object.entries(values)) expect(read.get(name)?.value, name).to.equal(value);

    const subscriber = await Subscriber.connect(broker.port, 's7-values');
    try {
      await addMqtt(client, 'uplink', broker.port);
      const params = { topic: 's7-values' };
      await client.ok('POST', '/subscribe', { app: 'uplink', driver: 's7', group: 'group', params });
      const { text } = await subscriber.next('s7-values', (message) => message.text.includes('kiln'));
      expect((JSON.parse(text) as { values: object }).values).to.include(values);
    } finally {
      await subscriber.close();
    }
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
