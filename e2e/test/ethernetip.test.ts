import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { addDriver, addMqtt, connected, readGroup, readValues, stateOf } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { EtherNetIpPlc } from '../world/ethernetip-plc.ts';
import { useNorth } from '../world/plant.ts';

describe('EtherNet/IP', function () {
  this.timeout(60_000);
  const { client, broker, subscriber } = useNorth();
  let plc: EtherNetIpPlc;

  before(async () => {
    plc = await EtherNetIpPlc.start();
    const both = Attribute.READ | Attribute.WRITE;
    const tags = [
      { name: 'clock', address: 'Words[0]', attribute: Attribute.READ, type: DataType.UINT16 },
      { name: 'level', address: 'Level', attribute: both, type: DataType.INT16 },
      { name: 'rate', address: 'Rate', attribute: both, type: DataType.FLOAT },
      { name: 'pump', address: 'Pump', attribute: both, type: DataType.BOOL },
      { name: 'bit', address: 'Word.9', attribute: both, type: DataType.BIT },
      { name: 'setpoint', address: 'Setpoints[999]', attribute: both, type: DataType.FLOAT },
    ];
    await addDriver(client, 'press', { plugin: 'EtherNet/IP', tags, settings: plc.settings });
    await connected(client, 'press');
  });
  after(() => plc?.stop());

  it('writes many tags at once, reads them back and publishes them', async () => {
    const values = { level: -7, rate: 2.5, pump: true, bit: 1, setpoint: 80.25 };
    const tags = Object.entries(values).map(([tag, value]) => ({ tag, value }));
    await client.ok('POST', '/write/tags', { node: 'press', group: 'group', tags });
    const read = await readGroup(client, 'press', 'group', true);
    for (const [name, value] of Object.entries(values)) expect(read.get(name)?.value, name).to.equal(value);

    await addMqtt(client, 'uplink', broker.port);
    const params = { topic: 'press-values' };
    await client.ok('POST', '/subscribe', { app: 'uplink', driver: 'press', group: 'group', params });
    const { text } = await subscriber.next('press-values', (message) => message.text.includes('80.25'));
    expect((JSON.parse(text) as { values: object }).values).to.include(values);
  });

  it('says of a lost controller that it is lost, and reads it again when it is back', async () => {
    await readValues(client, 'press', 'group');
    await plc.stop();
    await until('every tag is disconnected', async () =>
      [...(await readGroup(client, 'press', 'group')).values()].every(
        ({ error }) => error === ErrorCode.DISCONNECTED,
      ),
    );
    expect((await stateOf(client, 'press')).link).to.not.equal(2);
    await plc.start();
    await readValues(client, 'press', 'group');
  });
});
