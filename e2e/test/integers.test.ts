import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { addModbus, addMqtt, hasValue, holding, readValues } from '../kit/configure.ts';
import { words } from '../world/devices.ts';
import { useNorthPlant } from '../world/plant.ts';
import { until } from '../kit/until.ts';

const rw = Attribute.READ | Attribute.WRITE;

const signed = [
  9223372036854775807n,
  -9223372036854775808n,
  9007199254740993n,
  -9007199254740993n,
  -1n,
  0n,
  1234567890123456789n,
];
const unsigned = [
  18446744073709551615n,
  9223372036854775808n,
  9007199254740993n,
  0n,
  1n,
  12345678901234567890n,
];

const cases = [
  { name: 'INT64', type: DataType.INT64, coding: 'BigInt64', values: signed },
  { name: 'UINT64', type: DataType.UINT64, coding: 'BigUInt64', values: unsigned },
] as const;

// The digits themselves are compared, in the text of replies and messages: a parser must not round on either side.
describe('64-bit integers', function () {
  this.timeout(60_000);

  const { device, broker, gateway, client, subscriber } = useNorthPlant();

  before(async () => {
    const tags = cases.flatMap(({ name, type, values }, kind) =>
      values.map((_, index) => ({
        name: `${name} ${index}`,
        address: holding(1 + kind * 40 + index * 4),
        attribute: rw,
        type,
      })),
    );
    const fixed = { address: '', attribute: Attribute.STATIC | Attribute.WRITE };
    await addModbus(client, 'plant', {
      port: device.port,
      group: 'line',
      tags: [
        ...tags,
        { name: 'swapped', address: '1!400101#BB', attribute: rw, type: DataType.UINT64 },
        { name: 'fixed', ...fixed, type: DataType.UINT64, value: 18446744073709551615n },
      ],
    });
    await addMqtt(client, 'values', broker.port, { format: 0 });
    await addMqtt(client, 'tags', broker.port, { format: 1 });
    for (const app of ['values', 'tags']) {
      await client.ok('POST', '/subscribe', { app, driver: 'plant', group: 'line', params: { topic: app } });
    }
  });

  for (const [kind, { name, coding, values }] of cases.entries()) {
    for (const [index, value] of values.entries()) {
      const tag = `${name} ${index}`;
      const at = kind * 40 + index * 4;

      it(`carries ${name} ${value} from the device to HTTP and MQTT`, async () => {
        await device.setRegisters(at, words(coding, value));
        const inTags = new RegExp(`"name":\\s*"${tag}",\\s*"value":\\s*${value}\\s*}`);
        const inValues = new RegExp(`"${tag}":\\s*${value}\\s*[,}]`);
        await until('the reading shows every digit', async () => {
          const { text } = await client.call('POST', '/read', { node: 'plant', group: 'line' });
          return inTags.test(text);
        });
        await subscriber.next('values', ({ text }) => inValues.test(text));
        await subscriber.next('tags', ({ text }) => inTags.test(text));
      });

      it(`carries ${name} ${value} from HTTP and from MQTT to the device`, async () => {
        await device.setRegisters(at, [1, 2, 3, 4]);
        await client.ok('POST', '/write', `{"node":"plant","group":"line","tag":"${tag}","value":${value}}`);
        expect(await device.registers(at, 4)).to.deep.equal(words(coding, value));

        await device.setRegisters(at, [1, 2, 3, 4]);
        await subscriber.publish(
          '/neuron/values/write/req',
          `{"uuid":"${tag}","node":"plant","group":"line","tag":"${tag}","value":${value}}`,
        );
        await subscriber.next('/neuron/values/write/resp', ({ text }) => text.includes(`"${tag}"`));
        expect(await device.registers(at, 4)).to.deep.equal(words(coding, value));
      });
    }
  }

  it('refuses values beyond 64 bits and of the other sign', async () => {
    const write = async (tag: string, value: string): Promise<number | undefined> =>
      (await client.call('POST', '/write', `{"node":"plant","group":"line","tag":"${tag}","value":${value}}`))
        .body.error;
    expect(await write('INT64 0', '9223372036854775808')).to.equal(ErrorCode.VALUE_OUT_OF_RANGE);
    expect(await write('INT64 0', '-9223372036854775809')).to.equal(ErrorCode.VALUE_OUT_OF_RANGE);
    expect(await write('UINT64 0', '18446744073709551616')).to.equal(ErrorCode.VALUE_OUT_OF_RANGE);
    expect(await write('UINT64 0', '-1')).to.equal(ErrorCode.VALUE_OUT_OF_RANGE);
    expect(await write('UINT64 0', '1.5')).to.equal(ErrorCode.TYPE_MISMATCH);
  });

  it('respects another byte order', async () => {
    await client.ok(
      'POST',
      '/write',
      '{"node":"plant","group":"line","tag":"swapped","value":9007199254740993}',
    );
    expect(await device.registers(100, 4)).to.deep.equal([0x0100, 0, 0, 0x2000]);
    const values = await readValues(client, 'plant', 'line');
    await hasValue(client, 'plant', 'line', 'swapped', 9007199254740993n);
    expect(values.get('fixed')?.value).to.equal(18446744073709551615n);
  });

  it('keeps a static value exact over a write and a restart', async () => {
    await client.ok(
      'POST',
      '/write',
      '{"node":"plant","group":"line","tag":"fixed","value":9223372036854775809}',
    );
    await gateway.restart();
    const { text } = await client.call('GET', '/tags', { node: 'plant', group: 'line', name: 'fixed' });
    expect(text).to.match(/"value":\s*9223372036854775809[,}]/);
  });
});
