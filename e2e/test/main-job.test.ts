import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { brokerKind } from '../world/brokers.ts';
import { addModbus, addMqtt, connected, hasValue, readValues } from '../kit/configure.ts';
import type { TagBody } from '../kit/configure.ts';
import type { Device } from '../world/devices.ts';
import { deviceKinds, words } from '../world/devices.ts';
import { useNorthPlant } from '../world/plant.ts';
import { parseExact } from '../kit/json.ts';
import { until } from '../kit/until.ts';

const rw = Attribute.READ | Attribute.WRITE;

const scaled = { decimal: 0.1, bias: 1000, precision: 1 };

const tags: TagBody[] = [
  { name: 'int16', address: '1!400001', attribute: rw, type: DataType.INT16 },
  { name: 'uint16', address: '1!400002', attribute: rw, type: DataType.UINT16 },
  { name: 'int32', address: '1!400003', attribute: rw, type: DataType.INT32 },
  { name: 'uint32', address: '1!400005', attribute: rw, type: DataType.UINT32 },
  { name: 'int64', address: '1!400007', attribute: rw, type: DataType.INT64 },
  { name: 'uint64', address: '1!400011', attribute: rw, type: DataType.UINT64 },
  { name: 'float', address: '1!400015', attribute: rw, type: DataType.FLOAT },
  { name: 'double', address: '1!400017', attribute: rw, type: DataType.DOUBLE },
  { name: 'string', address: '1!400022.10', attribute: rw, type: DataType.STRING },
  { name: 'bytes', address: '1!400030.4', attribute: rw, type: DataType.BYTES },
  { name: 'coil', address: '1!000001', attribute: rw, type: DataType.BIT },
  { name: 'bit', address: '1!400021.3', attribute: Attribute.READ, type: DataType.BIT },
  { name: 'swapped', address: '1!400040#LB', attribute: rw, type: DataType.UINT32 },
  { ...scaled, name: 'scaled', address: '1!400001', attribute: rw, type: DataType.INT16 },
  { name: 'write only', address: '1!400050', attribute: Attribute.WRITE, type: DataType.UINT16 },
  { name: 'fixed', address: '', attribute: Attribute.STATIC, type: DataType.STRING, value: 'a constant' },
];

/** What the tags show once `fill` has set the device. */
const shown: Record<string, unknown> = {
  int16: -12345,
  uint16: 54321,
  int32: -2000000000,
  uint32: 4000000000,
  int64: -9007199254740993n,
  uint64: 18446744073709551615n,
  float: 13.4121,
  double: 0.1,
  string: 'Tagway ok',
  bytes: [1, 2, 253, 254],
  coil: 1,
  bit: 1,
  swapped: 0x01020304,
  scaled: -234.5,
  fixed: 'a constant',
};

async function fill(device: Device): Promise<void> {
  await device.setRegisters(0, [
    ...words('Int16', -12345),
    ...words('UInt16', 54321),
    ...words('Int32', -2000000000),
    ...words('UInt32', 4000000000),
    ...words('BigInt64', -9007199254740993n),
    ...words('BigUInt64', 18446744073709551615n),
    ...words('Float', 13.4121),
    ...words('Double', 0.1),
  ]);
  await device.setRegisters(20, [1 << 3]);
  await device.setRegisters(21, [0x5461, 0x6777, 0x6179, 0x206f, 0x6b00]);
  await device.setRegisters(29, [0x0102, 0xfdfe]);
  await device.setRegisters(39, [0x0201, 0x0403]);
  await device.setCoil(0, true);
}

type Request = Readonly<Record<string, unknown>> & { readonly uuid: string };

/** An answer over MQTT. */
interface Answer {
  readonly uuid?: string;
  readonly error?: number;
  readonly message?: string;
  readonly tags?: readonly { readonly name: string; readonly value: unknown }[];
}

/** What each write must leave in the device's registers, from the address of the wire. */
const writes: readonly { tag: string; value: unknown; at: number; registers: readonly number[] }[] = [
  { tag: 'int16', value: -1, at: 0, registers: [0xffff] },
  { tag: 'uint16', value: 65535, at: 1, registers: [0xffff] },
  { tag: 'int32', value: -2147483648, at: 2, registers: [0x8000, 0] },
  { tag: 'uint32', value: 4294967295, at: 4, registers: [0xffff, 0xffff] },
  { tag: 'int64', value: -9223372036854775808n, at: 6, registers: [0x8000, 0, 0, 0] },
  { tag: 'uint64', value: 18446744073709551614n, at: 10, registers: [0xffff, 0xffff, 0xffff, 0xfffe] },
  { tag: 'float', value: -2.5, at: 14, registers: [0xc020, 0] },
  { tag: 'double', value: 2.5, at: 16, registers: [0x4004, 0, 0, 0] },
  { tag: 'string', value: 'hello', at: 21, registers: [0x6865, 0x6c6c, 0x6f00] },
  { tag: 'bytes', value: [9, 8, 7, 6], at: 29, registers: [0x0908, 0x0706] },
  { tag: 'swapped', value: 0x0a0b0c0d, at: 39, registers: [0x0b0a, 0x0d0c] },
  { tag: 'scaled', value: 1012.3, at: 0, registers: [123] },
  { tag: 'write only', value: 77, at: 49, registers: [77] },
];

for (const kind of deviceKinds) {
  describe(`the main job with a ${kind} device and ${brokerKind}`, function () {
    this.timeout(60_000);

    const { device, broker, client, subscriber } = useNorthPlant({ device: { kind } });

    before(() => fill(device));

    /** A subscription of the app `west`. */
    const west = (topic: string) => ({ app: 'west', driver: 'plant', group: 'line', params: { topic } });

    /** Publishes a request to the app `north`, and returns the answer to it. */
    async function ask(action: 'read' | 'write', request: Request): Promise<Answer> {
      const place = { node: 'plant', group: 'line' };
      await subscriber.publish(`/neuron/north/${action}/req`, JSON.stringify({ ...place, ...request }));
      const topic = `/neuron/north/${action}/resp`;
      const { text } = await subscriber.next(topic, (one) => one.text.includes(`"${request.uuid}"`));
      return parseExact(text) as Answer;
    }

    it('reads tags of every type from the device', async () => {
      await addModbus(client, 'plant', { port: device.port, group: 'line', interval: 100, tags });
      const values = await readValues(client, 'plant', 'line');
      expect(Object.fromEntries([...values].map(([name, { value }]) => [name, value]))).to.deep.equal(shown);
      expect([...values.keys()], 'write-only tags are left out, the order is that of creation').to.deep.equal(
        tags.filter(({ name }) => name !== 'write only').map(({ name }) => name),
      );
      expect(await connected(client, 'plant')).to.include({ running: 3, link: 2 });
    });

    it('reads on demand what the device holds now', async () => {
      await device.setRegisters(1, [4321]);
      const { tags: read } = await client.ok<{ tags: { name: string; value: unknown }[] }>('POST', '/read', {
        node: 'plant',
        group: 'line',
        sync: true,
        query: { name: 'uint16' },
      });
      expect(read).to.deep.equal([{ name: 'uint16', value: 4321 }]);
      await device.setRegisters(1, [54321]);
    });

    it('publishes every sample as values to the default topic', async () => {
      await addMqtt(client, 'north', broker.port, { format: 0, 'client-id': 'north' });
      await client.ok('POST', '/subscribe', { app: 'north', driver: 'plant', group: 'line' });
      const upload = await subscriber.upload(
        '/neuron/north/plant/line',
        ({ errors }) => Object.keys(errors ?? {}).length === 0,
      );
      expect(upload).to.have.all.keys('node', 'group', 'timestamp', 'values', 'errors', 'metas');
      expect(upload).to.include({ node: 'plant', group: 'line' });
      expect(upload.timestamp).to.be.closeTo(Date.now(), 10_000);
      expect(upload.values).to.deep.equal(shown);
      expect(upload.errors).to.deep.equal({});
      expect(upload.metas).to.deep.equal({});
      expect(await connected(client, 'north')).to.include({ running: 3, link: 2 });
    });

    it('publishes every sample as tags to the topic of the subscription', async () => {
      await addMqtt(client, 'west', broker.port, { format: 1, 'client-id': 'west' });
      await client.ok('POST', '/subscribe', west('plant/line'));
      const upload = await subscriber.upload('plant/line', (each) =>
        (each.tags ?? []).every(({ error }) => error === undefined),
      );
      expect(upload).to.have.all.keys('node', 'group', 'timestamp', 'tags');
      expect(upload.tags).to.deep.equal(Object.entries(shown).map(([name, value]) => ({ name, value })));
    });

    it('keeps publishing, one message per interval', async () => {
      const topic = '/neuron/north/plant/line';
      await until(
        'ten messages have come',
        () => subscriber.messages.filter((message) => message.topic === topic).length >= 10,
      );
      const times = subscriber.messages
        .filter((message) => message.topic === topic)
        .map(({ text }) => (parseExact(text) as { timestamp: number }).timestamp);
      expect(times, 'timestamps ascend').to.deep.equal([...times].sort((a, b) => a - b));
    });

    it('moves the upload when the topic of the subscription changes', async () => {
      await client.ok('PUT', '/subscribe', west('moved'));
      await subscriber.upload('moved');
    });

    for (const { tag, value, at, registers } of writes) {
      it(`writes ${tag} to the device`, async () => {
        await client.ok('POST', '/write', { node: 'plant', group: 'line', tag, value });
        expect(await device.registers(at, registers.length)).to.deep.equal(registers);
      });
    }

    it('writes a coil to the device', async () => {
      await client.ok('POST', '/write', { node: 'plant', group: 'line', tag: 'coil', value: 0 });
      expect(await device.coil(0)).to.equal(false);
    });

    it('shows a written value in the next reading and upload', async () => {
      await client.ok('POST', '/write', { node: 'plant', group: 'line', tag: 'uint16', value: 4242 });
      await hasValue(client, 'plant', 'line', 'uint16', 4242);
      await subscriber.upload('/neuron/north/plant/line', ({ values }) => values?.['uint16'] === 4242);
    });

    it('writes several tags in one call', async () => {
      await client.ok('POST', '/write/tags', {
        node: 'plant',
        group: 'line',
        tags: [
          { tag: 'int16', value: 1 },
          { tag: 'uint16', value: 2 },
          { tag: 'int32', value: 0x30004 },
          { tag: 'string', value: 'several' },
        ],
      });
      expect(await device.registers(0, 4)).to.deep.equal([1, 2, 3, 4]);
      expect(await device.registers(21, 4)).to.deep.equal([0x7365, 0x7665, 0x7261, 0x6c00]);
    });

    it('answers a read request over MQTT with its uuid', async () => {
      const { uuid, tags: read = [] } = await ask('read', { uuid: 'read 1', sync: true });
      expect(uuid).to.equal('read 1');
      expect(read.map(({ name }) => name)).to.deep.equal(Object.keys(shown));
      expect(read.find(({ name }) => name === 'uint16')?.value).to.equal(2);
    });

    it('carries out write requests over MQTT and confirms them with their uuid', async () => {
      const one = await ask('write', { uuid: 'write 1', tag: 'uint16', value: 1111 });
      expect(one).to.deep.equal({ uuid: 'write 1', error: 0 });
      expect(await device.registers(1, 1)).to.deep.equal([1111]);

      const tags = [
        { tag: 'int16', value: -7 },
        { tag: 'uint16', value: 2222 },
      ];
      expect(await ask('write', { uuid: 'write 2', tags })).to.deep.equal({ uuid: 'write 2', error: 0 });
      expect(await device.registers(0, 2)).to.deep.equal([0xfff9, 2222]);
    });

    it('answers a write request over MQTT that cannot be carried out with its error', async () => {
      const { message, ...reply } = await ask('write', { uuid: 'write 3', tag: 'absent', value: 1 });
      expect(reply).to.deep.equal({ uuid: 'write 3', error: ErrorCode.TAG_NOT_FOUND });
      expect(message).to.match(/"absent"/);
    });

    it('names the tag of a value that does not fit, in a write of one or of several, over MQTT and HTTP', async () => {
      const several = {
        tags: [
          { tag: 'int16', value: 1 },
          { tag: 'uint16', value: 'much' },
        ],
      };
      const { TYPE_MISMATCH, VALUE_OUT_OF_RANGE } = ErrorCode;
      const much = { tag: 'uint16', value: 'much' };
      const large = { tag: 'uint16', value: 70_000 };
      const cases = [
        [much, TYPE_MISMATCH, /^The tag "uint16" of type UINT16: "much" /],
        [large, VALUE_OUT_OF_RANGE, /^The tag "uint16" of type UINT16: 70000 /],
        [several, TYPE_MISMATCH, /^The tag "uint16" \(tags\[1\]\) of type UINT16: "much" /],
      ] as const;
      for (const [index, [write, error, reason]] of cases.entries()) {
        const body = { node: 'plant', group: 'line', ...write };
        const overMqtt = await ask('write', { uuid: `misfit ${index}`, ...write });
        const overHttp = await client.call('POST', 'tags' in write ? '/write/tags' : '/write', body);
        for (const reply of [overMqtt, overHttp.body]) {
          expect(reply).to.deep.include({ error });
          expect(reply).to.have.property('message').that.matches(reason);
        }
      }
    });

    it('survives requests over MQTT that are not requests', async () => {
      for (const text of ['', 'no JSON', '[]', '{}', 'null', '{"uuid":1}', '\u0000\u0001']) {
        await subscriber.publish('/neuron/north/write/req', text);
        await subscriber.publish('/neuron/north/read/req', text);
      }
      await ask('read', { uuid: 'after' });
    });

    it('stops publishing once the subscription is gone', async () => {
      const topic = '/neuron/north/plant/line';
      await client.ok('DELETE', '/subscribe', { app: 'north', driver: 'plant', group: 'line' });
      subscriber.clear();
      await subscriber.upload('moved', ({ timestamp }) => timestamp > 0);
      await until(
        'five more samples went to the other app',
        () => subscriber.messages.filter((message) => message.topic === 'moved').length >= 5,
      );
      // One message may have been on its way.
      expect(subscriber.messages.filter((message) => message.topic === topic).length).to.be.at.most(1);
    });
  });
}
