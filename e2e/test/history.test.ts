import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Attribute, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import type { Client } from '../kit/client.ts';
import { addBoiler, readValues, registerTags } from '../kit/configure.ts';
import { Gateway } from '../kit/gateway.ts';
import { SmallDisk } from '../kit/small-disk.ts';
import { until } from '../kit/until.ts';
import { Device } from '../world/devices.ts';
import { usePlant } from '../world/plant.ts';

interface History {
  readonly from: number;
  readonly to: number;
  readonly oldest?: number;
  readonly problem?: string;
  readonly before?: { readonly time: number; readonly value: number | null; readonly error?: number };
  readonly times: readonly number[];
  readonly values?: readonly (number | null)[];
  readonly min?: readonly (number | null)[];
  readonly max?: readonly (number | null)[];
  readonly mean?: readonly (number | null)[];
  readonly count?: readonly number[];
  readonly errors?: readonly number[];
  readonly next?: number;
}

/** Values a second by which a block of the least history is full after some seconds. */
const many = registerTags(1000, Attribute.READ | Attribute.WRITE);

/** What a tag of `boiler/fast` was since a time. */
const read = (client: Client, tag: string, query: object = {}): Promise<History> =>
  client.ok<History>('GET', '/history', { node: 'boiler', group: 'fast', tag, ...query });

describe('the short history', function () {
  this.timeout(120_000);
  const { gateway, client, device } = usePlant();

  const groups = (): Promise<string[]> => readdir(join(gateway.data, 'history')).catch(() => []);

  before(async () => {
    await addBoiler({ gateway, client, device }, 'fast', many);
    await readValues(client, 'boiler', 'fast');
  });

  it('is kept of no group that does not ask for it', async () => {
    const { status, body } = await client.call('GET', '/history', {
      node: 'boiler',
      group: 'fast',
      tag: 'tag0',
    });
    expect(status).to.equal(409);
    expect(body).to.deep.equal({
      error: ErrorCode.HISTORY_NOT_KEPT,
      message: 'The group "fast" of "boiler" keeps no history: give it some megabytes for one.',
    });
    expect(await groups()).to.deep.equal([]);
  });

  it('has what was written to the device, from memory at first', async () => {
    await client.ok('PUT', '/group', { node: 'boiler', group: 'fast', history: 1 });
    for (const value of [11, 22, 33]) {
      await client.ok('POST', '/write', { node: 'boiler', group: 'fast', tag: 'tag0', value });
      await until(
        `${value} is in the history`,
        async () => (await read(client, 'tag0')).values?.at(-1) === value,
      );
    }
    const { values = [], times, errors, from, to } = await read(client, 'tag0');
    expect(values.filter((value, at) => value !== values[at - 1] && value !== 0)).to.deep.equal([11, 22, 33]);
    expect(times).to.have.lengthOf(values.length);
    expect(times.toSorted((one, other) => one - other)).to.deep.equal(times);
    expect(errors).to.equal(undefined);
    expect(to - from).to.equal(86_400_000);
    const since = times[values.indexOf(22)] ?? 0;
    const range = { from: since, to: since + 60_000, buckets: 2 };
    const { min, max, count, before } = await read(client, 'tag0', range);
    expect([min?.[0], max?.[0], before?.value]).to.deep.equal([22, 33, 11]);
    expect([min?.[1], count?.[1]]).to.deep.equal([null, 0]);
  });

  it('outlives a killed gateway but for what was in memory, and the gap is marked', async () => {
    // A block has some thirty readings of that number of tags.
    await until('the block with the latest value is on the disk', async () => {
      const { values = [] } = await read(client, 'tag0');
      return values.length - values.indexOf(33) > 45;
    });
    const { times } = await read(client, 'tag0');
    await gateway.kill();
    await gateway.start();
    await readValues(client, 'boiler', 'fast');
    const after = await until('values come again', async () => {
      const reading = await read(client, 'tag0');
      return reading.values?.at(-1) === 33 ? reading : undefined;
    });
    expect(after.oldest).to.equal(times[0]);
    const gap = after.errors?.indexOf(ErrorCode.HISTORY_GAP) ?? -1;
    expect(gap).to.be.greaterThan(0);
    expect(after.values?.[gap]).to.equal(null);
    // What came before is what was there before, as far as it goes.
    expect(after.times.slice(0, gap)).to.deep.equal(times.slice(0, gap));
    expect(after.values?.slice(0, gap)).to.include.members([11, 22, 33]);
  });

  it('outlives a restart whole, with the time in which the node did not run', async () => {
    const { times } = await read(client, 'tag0');
    await gateway.restart();
    await readValues(client, 'boiler', 'fast');
    const after = await read(client, 'tag0', { from: times[0] });
    expect(after.times.slice(0, times.length)).to.deep.equal(times);
    expect(after.errors).to.include(ErrorCode.NOT_RUNNING);
  });

  it('follows names, and is gone with a tag, a group or the wish for it', async () => {
    const { times } = await read(client, 'tag1');
    await client.ok('PUT', '/tag/rename', {
      node: 'boiler',
      group: 'fast',
      old_name: 'tag1',
      new_name: 'level',
    });
    expect((await read(client, 'level')).times.slice(0, times.length)).to.deep.equal(times);
    await client.ok('PUT', '/group', { node: 'boiler', group: 'fast', new_name: 'quick' });
    await client.ok('PUT', '/node', { name: 'boiler', new_name: 'kettle' });
    const kettle = { node: 'kettle', group: 'quick' };
    const renamed = await client.ok<History>('GET', '/history', { ...kettle, tag: 'level' });
    expect(renamed.times.slice(0, times.length)).to.deep.equal(times);
    await client.ok('PUT', '/node', { name: 'kettle', new_name: 'boiler' });
    await client.ok('PUT', '/group', { node: 'boiler', group: 'quick', new_name: 'fast' });

    const [old] = (await read(client, 'tag2')).times;
    await client.ok('DELETE', '/tags', { node: 'boiler', group: 'fast', tags: ['tag2'] });
    await client.ok('POST', '/tags', { node: 'boiler', group: 'fast', tags: many.slice(2, 3) });
    const anew = await until('the new tag has values', async () => {
      const reading = await read(client, 'tag2');
      return reading.values?.includes(2) === true ? reading : undefined;
    });
    expect(anew.times[0]).to.be.greaterThan(old ?? Infinity);

    await client.ok('PUT', '/group', { node: 'boiler', group: 'fast', history: 0 });
    await until('the files are gone', async () => (await groups()).length === 0);
    await client.ok('PUT', '/group', { node: 'boiler', group: 'fast', history: 1 });
    await until('a block is on the disk', async () => (await groups()).length > 0);
    expect((await read(client, 'tag0')).oldest).to.be.greaterThan(times.at(-1) ?? Infinity);
    await client.ok('DELETE', '/group', { node: 'boiler', group: 'fast' });
    await until('the files of the deleted group are gone', async () => (await groups()).length === 0);
  });

  it('is a setting of groups in lists, exports, imports, templates and copies', async () => {
    const groupOf = async (node: string): Promise<unknown> => {
      const { groups: list } = await client.ok<{ groups: unknown[] }>('GET', '/group', { node });
      return list[0];
    };
    const shown = { name: 'slow', interval: 1000, history: 5, tag_count: 0 };
    await client.ok('POST', '/group', { node: 'boiler', name: 'slow', interval: 1000, history: 5 });
    expect(await groupOf('boiler')).to.deep.equal(shown);
    await client.ok('PUT', '/group', { node: 'boiler', group: 'slow', interval: 1000 });
    expect(await groupOf('boiler')).to.deep.equal(shown);
    await gateway.restart();
    expect(await groupOf('boiler')).to.deep.equal(shown);

    await client.ok('POST', '/node/clone', { name: 'boiler', new_name: 'copy' });
    expect(await groupOf('copy')).to.deep.equal(shown);
    const config = await client.ok<Record<string, unknown>>('GET', '/global/config');
    await client.ok('DELETE', '/node', { name: 'copy' });
    await client.ok('PUT', '/group', { node: 'boiler', group: 'slow', history: 0 });
    expect(await groupOf('boiler')).to.deep.equal({ name: 'slow', interval: 1000, tag_count: 0 });
    await client.ok('PUT', '/global/config', config);
    expect([await groupOf('boiler'), await groupOf('copy')]).to.deep.equal([shown, shown]);

    const drivers = await client.ok<Record<string, unknown>>('GET', '/global/drivers', { name: 'copy' });
    await client.ok('DELETE', '/node', { name: 'copy' });
    await client.ok('PUT', '/global/drivers', drivers);
    expect(await groupOf('copy')).to.deep.equal(shown);

    const template = { name: 'line', plugin: 'Modbus TCP', groups: [{ ...shown, tags: [] }] };
    await client.ok('POST', '/template', template);
    await client.ok('POST', '/template/inst', { name: 'line', node: 'made' });
    expect(await groupOf('made')).to.deep.equal(shown);
    await client.ok('PUT', '/template/group', { template: 'line', group: 'slow', history: 6 });
    const { groups: made } = await client.ok<{ groups: unknown[] }>('GET', '/template/group', {
      name: 'line',
    });
    expect(made).to.deep.equal([{ ...shown, history: 6 }]);

    for (const history of [-1, 1001, 1.5, '5']) {
      const { status } = await client.call('PUT', '/group', { node: 'boiler', group: 'slow', history });
      expect(status, String(history)).to.equal(400);
    }
    expect(await groupOf('boiler')).to.deep.equal(shown);
  });
});

const title = `the short history on a full disk${SmallDisk.isPossible ? '' : ' (skipped: only root may mount the small disk that it fills)'}`;

describe(title, function () {
  this.timeout(60_000);

  it('says so once and where it is read, keeps what there is, and goes on with room', async function () {
    if (!SmallDisk.isPossible) this.skip();
    await using stack = new AsyncDisposableStack();
    const device = await Device.start();
    stack.defer(() => device.stop());
    const disk = await SmallDisk.make(32);
    stack.defer(() => disk.dispose());
    const gateway = await Gateway.start({ parent: disk.folder });
    stack.defer(() => gateway.dispose());
    const client = await gateway.client();
    await addBoiler({ gateway, client, device }, 'fast', many);
    await client.ok('PUT', '/group', { node: 'boiler', group: 'fast', history: 1 });
    const folder = join(gateway.data, 'history');
    await until('a block is on the disk', async () => (await readdir(folder).catch(() => [])).length > 0);
    await disk.fill();
    const full = await until('it says that the disk is full', async () => {
      const reading = await read(client, 'tag0');
      return reading.problem === undefined ? undefined : reading;
    });
    expect(full.problem).to.match(
      /^The history of the group "fast" of "boiler" cannot be stored: the disk is full\..* Make room on the disk of .*history/,
    );
    expect(full.oldest).to.be.a('number');
    await disk.free();
    const after = await until('it is stored again', async () => {
      const reading = await read(client, 'tag0');
      return reading.problem === undefined ? reading : undefined;
    });
    expect(after.oldest).to.equal(full.oldest);
    expect(after.errors).to.include(ErrorCode.HISTORY_GAP);
    const log = await gateway.log();
    expect(log.match(/cannot be stored: the disk is full/g) ?? []).to.have.length.at.most(1);
  });
});
