import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { groupsOf, tagsOf } from '../kit/configuration.ts';
import { addModbus, holding, readGroup, readValues, type TagBody } from '../kit/configure.ts';
import { words } from '../world/devices.ts';
import { usePlant } from '../world/plant.ts';
import { until } from '../kit/until.ts';

const rw = Attribute.READ | Attribute.WRITE;

interface Page {
  readonly meta: { readonly currentPage: number; readonly pageSize: number; readonly total: number };
  readonly items: {
    readonly name: string;
    readonly value?: unknown;
    readonly error?: number;
    readonly message?: string;
  }[];
}

/** One hour, in which nothing is read but once and on demand. */
const hour = 3_600_000;
const long = 9007199254740993n;

const tags: readonly TagBody[] = [
  { name: 'word', address: '1!400001', attribute: rw, type: DataType.UINT16, description: 'first' },
  {
    name: 'scaled',
    address: '1!400001',
    attribute: rw,
    type: DataType.UINT16,
    decimal: 0.1,
    bias: 5,
    precision: 1,
    description: 'the first one, scaled',
  },
  { name: 'swapped', address: '1!400002#BB', attribute: Attribute.READ, type: DataType.FLOAT },
  { name: 'long', address: '1!400004', attribute: Attribute.READ, type: DataType.INT64 },
  { name: 'text "quoted"', address: '1!400010.4', attribute: rw, type: DataType.STRING },
  { name: 'secret', address: '1!400001', attribute: Attribute.WRITE, type: DataType.UINT16 },
  { name: 'constant', address: '', attribute: Attribute.STATIC, type: DataType.BOOL, value: true },
  // The device has no registers 1001 to 1010.
  { name: 'beyond', address: '1!401001', attribute: Attribute.READ, type: DataType.UINT16 },
  { name: 'beyond too', address: '1!401003', attribute: Attribute.READ, type: DataType.UINT16 },
];
const readable = tags.filter(({ name }) => name !== 'secret').map(({ name }) => name);

describe('reading on demand', function () {
  this.timeout(60_000);

  const { device, gateway, client } = usePlant();

  before(async () => {
    await device.setRegisters(0, [100, ...words('Float', 2.5), ...words('BigInt64', long)]);
    await device.setRegisters(9, [0x6869, 0]);
    await addModbus(client, 'plant', { port: device.port, group: 'line', interval: hour, tags });
    await addModbus(client, 'stopped', { port: device.port, group: 'line', interval: hour, tags });
    await client.ok('POST', '/node/ctl', { node: 'stopped', cmd: 1 });
    await until('the group was read', async () => {
      return (await readGroup(client, 'plant', 'line', true)).get('word')?.value === 100;
    });
  });

  const page = (query?: object, node = 'plant'): Promise<Page> =>
    client.ok<Page>('POST', '/read/paginate', { node, group: 'line', ...(query && { query }) });
  const names = ({ items }: Page): string[] => items.map(({ name }) => name);

  describe('page by page', () => {
    it('shows all that is known of a tag, with exactly one of value and error', async () => {
      const { meta, items } = await page();
      expect(meta).to.deep.equal({ currentPage: 0, pageSize: 0, total: readable.length });
      expect(items.map(({ name }) => name)).to.deep.equal(readable);
      const { value: _, ...scaled } = tags[1] as TagBody;
      expect(items[1]).to.deep.equal({ ...scaled, value: 15 });
      const plain = { precision: 0, decimal: 0, bias: 0, description: '' };
      expect(items[3]).to.deep.equal({ ...plain, ...tags[3], value: long });
      expect(items[4]).to.deep.equal({ ...plain, ...tags[4], value: 'hi' });
      expect(items[5]).to.deep.equal({ ...plain, ...tags[6] });
      const { message, ...failing } = items[6] as Page['items'][number];
      expect(failing).to.deep.equal({ ...plain, ...tags[7], error: ErrorCode.READ_FAILED });
      expect(message).to.match(/exception 2 \(illegal data address\)/);
    });

    it('gives every tag once, in order, on pages that begin with 1', async () => {
      const seen: string[] = [];
      for (const currentPage of [1, 2, 3]) {
        const one = await page({ currentPage, pageSize: 3 });
        expect(one.meta).to.deep.equal({ currentPage, pageSize: 3, total: readable.length });
        seen.push(...names(one));
      }
      expect(seen).to.deep.equal(readable);
      const beyond = await page({ currentPage: 4, pageSize: 3 });
      expect(beyond.items).to.deep.equal([]);
      expect(beyond.meta).to.deep.equal({ currentPage: 4, pageSize: 3, total: readable.length });
    });

    it('gives all without a page or a size, and says what it was asked', async () => {
      for (const query of [
        { currentPage: 0, pageSize: 5 },
        { currentPage: 2, pageSize: 0 },
      ]) {
        const { meta, items } = await page(query);
        expect(items).to.have.length(readable.length);
        const total = readable.length;
        expect(meta).to.deep.equal({ ...query, total });
      }
    });

    it('filters before it counts and cuts', async () => {
      const failing = await page({ isError: true, currentPage: 2, pageSize: 1 });
      expect(failing.meta.total).to.equal(2);
      expect(names(failing)).to.deep.equal(['beyond too']);
      expect(names(await page({ isError: true, name: 'too' }))).to.deep.equal(['beyond too']);
      expect(names(await page({ isError: false, name: 'too' }))).to.deep.equal(['beyond too']);
      expect(names(await page({ name: 'o', description: 'first' }))).to.deep.equal(['word']);
      expect(names(await page({ description: 'first' }))).to.deep.equal(['word', 'scaled']);
      expect((await page({ name: 'nothing has this' })).meta.total).to.equal(0);
    });

    it('shows why a node that does not run has no values', async () => {
      const { meta, items } = await page({ currentPage: 1, pageSize: 100, isError: true }, 'stopped');
      expect(meta.total).to.equal(readable.length);
      expect(new Set(items.map(({ error }) => error))).to.deep.equal(new Set([ErrorCode.NOT_RUNNING]));
    });
  });

  describe('of a group', () => {
    it('gives the latest values, and with sync what the device has now', async () => {
      await device.setRegisters(0, [200]);
      expect((await readGroup(client, 'plant', 'line')).get('word')?.value).to.equal(100);
      expect((await readGroup(client, 'plant', 'line', true)).get('word')?.value).to.equal(200);
      expect((await readGroup(client, 'plant', 'line')).get('word')?.value).to.equal(200);
      await device.setRegisters(0, [100]);
      const sync = { node: 'plant', group: 'line', sync: true, query: { name: 'word' } };
      expect((await client.ok<Page>('POST', '/read/paginate', sync)).items[0]?.value).to.equal(100);
    });
  });

  describe('a test of a tag that need not exist', () => {
    const plain = { precision: 0, decimal: 0, bias: 0 };
    const tag = { tag: 'none', address: '1!400001', attribute: Attribute.READ, type: 4, ...plain };
    const test = async (more: object): Promise<{ value?: unknown; error?: number }> => {
      const data = { driver: 'plant', group: 'none', ...tag, ...more };
      const { status, body } = await client.call('POST', '/read/test', data);
      expect(status).to.equal(200);
      return body;
    };

    it('gives the value of the device: no decimal, no bias, no byte order', async () => {
      expect(await test({ decimal: 0.5, bias: 10, precision: 2 })).to.deep.equal({ value: 100 });
      const float = { type: DataType.FLOAT, decimal: 3 };
      expect(await test({ ...float, address: '1!400002' })).to.deep.equal({ value: 2.5 });
      expect(await test({ ...float, address: '1!400002#BB' })).to.deep.equal({ value: 2.5 });
      const swapped = (await readGroup(client, 'plant', 'line')).get('swapped')?.value;
      expect(swapped).to.be.a('number').and.not.equal(2.5);
    });

    it('gives values of all types', async () => {
      expect(await test({ address: '1!400004', type: DataType.INT64 })).to.deep.equal({ value: long });
      expect(await test({ address: '1!400010.4', type: DataType.STRING })).to.deep.equal({ value: 'hi' });
      const bytes = { address: '1!400010.4', type: DataType.BYTES };
      expect(await test(bytes)).to.deep.equal({ value: [0x68, 0x69, 0, 0] });
      await device.setCoil(3, true);
      expect(await test({ address: '1!000004', type: DataType.BIT })).to.deep.equal({ value: 1 });
      expect(await test({ type: 16 })).to.deep.equal({ value: 100 });
    });

    it('says what the device, the driver or the gateway has against it', async () => {
      const refused = [
        [{ address: '1!401001' }, ErrorCode.READ_FAILED, /exception 2/],
        [{ address: 'nonsense' }, ErrorCode.TAG_ADDRESS_INVALID, /nonsense|address/],
        [{ driver: 'stopped' }, ErrorCode.NOT_RUNNING, /"stopped"/],
      ] as const;
      for (const [change, error, reason] of refused) {
        const answer = (await test(change)) as { readonly message?: string };
        expect(answer).to.deep.include({ error });
        expect(answer.message).to.match(reason);
      }
    });

    it('leaves nothing behind', async () => {
      expect(await groupsOf(client, 'plant')).to.deep.equal([
        { name: 'line', interval: hour, tag_count: tags.length },
      ]);
    });
  });

  describe('a tag that is renamed', () => {
    it('keeps its place and its value', async () => {
      const before = await readGroup(client, 'plant', 'line', true);
      const names = { old_name: 'long', new_name: 'longer' };
      await client.ok('PUT', '/tag/rename', { node: 'plant', group: 'line', ...names });
      const after = await readGroup(client, 'plant', 'line');
      expect([...after.keys()]).to.deep.equal(readable.map((name) => (name === 'long' ? 'longer' : name)));
      expect(after.get('longer')?.value).to.equal(long);
      expect(after.get('word')).to.deep.equal(before.get('word'));
      await gateway.restart();
      const kept = await tagsOf(client, 'plant', 'line');
      expect(kept.map(({ name }) => name)).to.deep.equal(
        tags.map(({ name }) => (name === 'long' ? 'longer' : name)),
      );
    });
  });
});

describe('several groups at once', function () {
  this.timeout(60_000);

  const { device, gateway, client } = usePlant();

  before(async () => {
    await addModbus(client, 'plant', { port: device.port });
  });

  const word = (name: string, register: number): TagBody => ({
    name,
    address: holding(register),
    attribute: rw,
    type: DataType.UINT16,
  });

  it('are made with their tags, are polled and written', async () => {
    const groups = [
      { group: 'left', interval: 100, tags: [word('a', 21), word('b', 22)] },
      { group: 'right', interval: 200, tags: [word('a', 23)] },
    ];
    const added = await client.ok('POST', '/gtags', { node: 'plant', groups });
    expect(added).to.deep.equal({ index: 3, error: 0 });
    await readValues(client, 'plant', 'left');
    await client.ok('POST', '/write/gtags', {
      node: 'plant',
      groups: [
        {
          group: 'left',
          tags: [
            { tag: 'b', value: 2 },
            { tag: 'a', value: 1 },
          ],
        },
        { group: 'right', tags: [{ tag: 'a', value: 3 }] },
      ],
    });
    expect(await device.registers(20, 3)).to.deep.equal([1, 2, 3]);
  });

  it('are not written at all when one value is refused', async () => {
    const write = (value: unknown): object => ({
      node: 'plant',
      groups: [
        { group: 'left', tags: [{ tag: 'a', value: 9 }] },
        { group: 'right', tags: [{ tag: 'a', value }] },
      ],
    });
    const reply = await client.call('POST', '/write/gtags', { ...write(65536) });
    expect(reply.body.error).to.equal(ErrorCode.VALUE_OUT_OF_RANGE);
    expect(await device.registers(20, 3)).to.deep.equal([1, 2, 3]);
  });

  it('are there after a restart', async () => {
    await gateway.restart();
    expect((await groupsOf(client, 'plant')).slice(1)).to.deep.equal([
      { name: 'left', interval: 100, tag_count: 2 },
      { name: 'right', interval: 200, tag_count: 1 },
    ]);
    expect((await readValues(client, 'plant', 'right')).get('a')?.value).to.equal(3);
  });
});
