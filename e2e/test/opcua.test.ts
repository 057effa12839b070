import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { DataType, ErrorCode, Attribute } from '@tagway/schemas';
import { expect } from 'chai';
import {
  addDriver,
  addMqtt,
  connected,
  hasValue,
  readGroup,
  stateOf,
  type TagBody,
} from '../kit/configure.ts';
import { useNorth } from '../world/plant.ts';
import { OpcUaServer } from '../world/opcua-server.ts';
import { parseExact } from '../kit/json.ts';
import type { Upload } from '../world/subscriber.ts';
import { until } from '../kit/until.ts';

interface ScanPage {
  readonly total: number;
  readonly type: number;
  readonly is_array: boolean;
  readonly ctx: string;
  readonly load_index: number;
  readonly completed: boolean;
  readonly tags: readonly { name: string; id: string; tag: number; type: number }[];
}

/** The flag of a value that its source does not vouch for, as POST /read describes it. */
const Quality = { UNCERTAIN: 1 };

describe('OPC UA', function () {
  this.timeout(90_000);
  const { gateway, client, broker, subscriber } = useNorth();
  let server: OpcUaServer;

  const ownFolder = join(homedir(), '.config', 'node-opcua-default-nodejs');
  const hadOwnFolder = existsSync(ownFolder);

  before(async () => void (server = await OpcUaServer.start({ secured: true, counting: 600 })));
  after(() => server?.stop());

  const rw = Attribute.READ | Attribute.WRITE;
  const tags = [
    { name: 'small', address: '1!Int16', attribute: rw, type: DataType.INT16 },
    { name: 'huge', address: '1!UInt64', attribute: rw, type: DataType.UINT64 },
    { name: 'text', address: '1!String', attribute: rw, type: DataType.STRING },
    { name: 'time', address: '1!DateTime', attribute: rw, type: DataType.UINT32 },
    { name: 'element', address: '1[1]!Int32Array', attribute: rw, type: DataType.INT32 },
    { name: 'wrong', address: '1!Int32', attribute: Attribute.READ, type: DataType.INT16 },
  ];
  /** A tag that is only reported when it changes. */
  const eventful = (name: string, address: string): TagBody => ({
    name,
    address,
    attribute: Attribute.READ | Attribute.SUBSCRIBE,
    type: DataType.INT16,
  });

  const add = (node: string, params: object): Promise<void> =>
    addDriver(client, node, { plugin: 'OPC UA', tags, settings: { url: server.url, ...params } });

  it('values read and values monitored reach a subscriber, signed and encrypted too', async () => {
    await addMqtt(client, 'uplink', broker.port);
    for (const [node, params] of [
      ['read', {}],
      ['monitored', { update_mode: 1, publishing_interval: 50 }],
      ['secured', { security_mode: 2, trust: 1, username: 'ada', password: 'secret', update_mode: 2 }],
    ] as const) {
      await add(node, params);
      await client.ok('POST', '/subscribe', { app: 'uplink', driver: node, group: 'group' });
      const { values, errors } = await subscriber.upload(
        `/neuron/uplink/${node}/group`,
        (upload) => upload.values?.['small'] !== undefined,
      );
      expect(values, node).to.deep.include({
        small: -32_768,
        huge: 0xffff_ffff_ffff_ffffn,
        text: 'zwölf',
        time: 1_700_000_000,
        element: 20,
      });
      expect(errors, node).to.deep.equal({ wrong: ErrorCode.TYPE_MISMATCH });
      await until(
        `${node} knows its round trip time`,
        async () => (await connected(client, node)).rtt < 9999,
      );
    }
    await server.set('Int16', 4711);
    for (const node of ['read', 'monitored', 'secured'])
      await subscriber.upload(`/neuron/uplink/${node}/group`, ({ values }) => values?.['small'] === 4711);
  });

  it('writes one tag and several, in the node that monitors as well', async () => {
    const huge = { node: 'read', group: 'group', tag: 'huge', value: 18_446_744_073_709_551_614n };
    await client.ok('POST', '/write', huge);
    expect(await server.get('UInt64')).to.deep.equal([0xffff_ffff, 0xffff_fffe]);
    await client.ok('POST', '/write/tags', {
      node: 'monitored',
      group: 'group',
      tags: [
        { tag: 'text', value: 'new' },
        { tag: 'time', value: 1_600_000_000 },
        { tag: 'element', value: 21 },
      ],
    });
    expect(await server.get('DateTime')).to.deep.equal(new Date(1_600_000_000_000));
    await hasValue(client, 'monitored', 'group', 'element', 21);
    await hasValue(client, 'monitored', 'group', 'text', 'new');
    const body = { node: 'read', group: 'group', tag: 'none', value: 1 };
    expect((await client.call('POST', '/write', body)).body).to.deep.equal({
      error: ErrorCode.TAG_NOT_FOUND,
      message: 'The group "group" has no tag "none".',
    });
  });

  it('reads in step with the device when it is asked to, in the node that monitors as well', async () => {
    await server.set('Int16', 12);
    for (const node of ['read', 'monitored'])
      expect((await readGroup(client, node, 'group', true)).get('small'), node).to.include({ value: 12 });
  });

  it('scans the server page by page; drivers that cannot and nodes that do not run say so', async () => {
    const scan = (body: Record<string, unknown>): Promise<ScanPage> => client.ok('POST', '/scan/tags', body);
    const top = await scan({ node: 'read' });
    const id = top.tags.find(({ name }) => name === 'Machines')?.id;
    const first = await scan({ node: 'read', id });
    expect(first.tags).to.have.length(500);
    expect(first.completed).to.equal(false);
    const second = await scan({ node: 'read', id, ctx: first.ctx, load_index: first.load_index });
    expect(second.completed).to.equal(true);
    const all = [...first.tags, ...second.tags];
    expect(all).to.have.length(first.total);
    expect(all).to.deep.include({ name: 'UInt64', id: '1!UInt64', tag: 1, type: DataType.UINT64 });
    expect(all.find(({ name }) => name === 'Int16')).to.include({ description: 'Speed of the belt' });
    const array = await scan({ node: 'read', id: '1!Int32Array' });
    expect(array).to.include({ is_array: true, type: 5, total: 3 });

    await client.ok('POST', '/node', { name: 'modbus', plugin: 'Modbus TCP' });
    await client.ok('POST', '/node', { name: 'idle', plugin: 'OPC UA' });
    const refusal = (node: string): Promise<number> =>
      client.errorOf('POST', '/scan/tags', { node, id: '', ctx: '', load_index: 0 });
    expect(await refusal('modbus')).to.equal(ErrorCode.SCAN_UNSUPPORTED);
    expect(await refusal('idle')).to.equal(ErrorCode.NOT_RUNNING);
    expect(await refusal('uplink')).to.equal(ErrorCode.GROUP_NOT_ALLOWED);
    expect(await refusal('nobody')).to.equal(ErrorCode.NODE_NOT_FOUND);
  });

  it('adds and reads what a scan lists, node ids that look like something else and opaque ones too', async () => {
    const top = await client.ok<ScanPage>('POST', '/scan/tags', { node: 'read' });
    const id = top.tags.find(({ name }) => name === 'Machines')?.id;
    const { tags: entries } = await client.ok<ScanPage>('POST', '/scan/tags', { node: 'read', id });
    const expected = new Map([
      ['LooksNumeric', 101],
      ['LooksQualified', 102],
      ['Digits', 103],
      ['LooksLikeGuid', 104],
      ['Opaque', 105],
    ]);
    const odd = entries.filter(({ name }) => expected.has(name));
    expect(odd).to.have.length(expected.size);
    const attribute = Attribute.READ;
    const tags = odd.map(({ name, id: address, type }) => ({ name, address, type, attribute }));
    await client.ok('POST', '/group', { name: 'odd', node: 'read', interval: 100 });
    await client.ok('POST', '/tags', { node: 'read', group: 'odd', tags });
    await until('all are read', async () => {
      const values = await readGroup(client, 'read', 'odd');
      return [...expected].every(([name, value]) => values.get(name)?.value === value);
    });
  });

  it('every change between two publications reaches a subscriber, in order', async () => {
    await client.ok('POST', '/node', { name: 'events', plugin: 'OPC UA' });
    await client.ok('POST', '/group', { name: 'group', node: 'events', interval: 1000 });
    const tag = eventful('eventful', '1!Eventful');
    await client.ok('POST', '/tags', { node: 'events', group: 'group', tags: [tag] });
    const params = { url: server.url, update_mode: 1, publishing_interval: 500 };
    await client.ok('POST', '/node/setting', { node: 'events', params });
    await hasValue(client, 'events', 'group', 'eventful', 3);
    await client.ok('POST', '/subscribe', { app: 'uplink', driver: 'events', group: 'group' });
    const seen = (): unknown[] =>
      subscriber.messages
        .filter(({ topic }) => topic === '/neuron/uplink/events/group')
        .flatMap(({ text }) => (parseExact(text) as Upload).values?.['eventful'] ?? []);
    await until('the first value is there', () => seen().includes(3));
    subscriber.clear();
    const values = Array.from({ length: 80 }, (_, index) => (index % 2 === 0 ? 0 : index + 10));
    await server.pulse('Eventful', values);
    await until('the last one is there', () => seen().includes(values.at(-1)));
    expect(seen()).to.deep.equal(values);
  });

  it('writes texts as long as the driver takes, and the zero that is negative', async () => {
    const text = 'ü'.repeat(32_000);
    const body = { node: 'read', group: 'group', tag: 'text' };
    await client.ok('POST', '/write', { ...body, value: text });
    expect(await server.get('String')).to.equal(text);
    const tooLong = await client.call('POST', '/write', { ...body, value: 'x'.repeat(65_536) });
    expect(tooLong.body.error).to.equal(ErrorCode.STRING_TOO_LONG);
    await client.ok('POST', '/tags', {
      node: 'read',
      group: 'group',
      tags: [{ name: 'real', address: '1!Float', attribute: rw, type: DataType.FLOAT }],
    });
    await server.set('Float', -0);
    await until('-0.0 is read', async () => {
      const answer = await client.call('POST', '/read', {
        node: 'read',
        group: 'group',
        query: { name: 'real' },
      });
      return answer.text.includes('"value":-0.0');
    });
  });

  it('an app that subscribes before the driver has settings gets the first value', async () => {
    await client.ok('POST', '/node', { name: 'late', plugin: 'OPC UA' });
    // Another group, so that the first tick of the one that counts is not at once.
    await client.ok('POST', '/group', { name: 'before', node: 'read', interval: 1000 });
    await client.ok('POST', '/group', { name: 'group', node: 'late', interval: 1000 });
    const tag = eventful('small', '1!Int16');
    await client.ok('POST', '/tags', { node: 'late', group: 'group', tags: [tag] });
    await client.ok('POST', '/subscribe', { app: 'uplink', driver: 'late', group: 'group' });
    const params = { url: server.url, update_mode: 1, publishing_interval: 100 };
    await client.ok('POST', '/node/setting', { node: 'late', params });
    await subscriber.upload('/neuron/uplink/late/group', ({ values }) => values?.['small'] !== undefined);
  });

  it('source times and qualities reach the API and a subscriber that ask for them', async () => {
    interface Meta {
      readonly timestamp?: number;
      readonly quality?: number;
    }
    await addMqtt(client, 'detailed', broker.port, { upload_meta: true });
    await client.ok('POST', '/subscribe', { app: 'detailed', driver: 'read', group: 'group' });
    const begin = Date.now();
    await server.set('Int16', 77, 'UncertainLastUsableValue');
    const isUncertain = ({ quality = 0 }: Meta): boolean => (quality & Quality.UNCERTAIN) !== 0;
    const { metas } = await subscriber.upload(
      '/neuron/detailed/read/group',
      ({ values, metas: all }) => values?.['small'] === 77 && isUncertain(all?.['small'] ?? {}),
    );
    const { timestamp } = metas?.['small'] as Meta;
    expect(timestamp, 'the time of the server').to.be.within(begin - 1000, Date.now() + 1000);
    const read = async (meta: boolean): Promise<Meta & { value?: unknown }> => {
      const body = { node: 'read', group: 'group', meta };
      const { tags: all } = await client.ok<{ tags: ({ name: string } & Meta)[] }>('POST', '/read', body);
      return all.find(({ name }) => name === 'small') ?? {};
    };
    const detailed = await read(true);
    expect(detailed).to.include({ value: 77, timestamp });
    expect(isUncertain(detailed), 'an uncertain value is a value').to.equal(true);
    expect(await read(false)).to.deep.equal({ name: 'small', value: 77 });
  });

  it('goes on after the server was killed and started again, with error 3002 in between', async () => {
    await server.kill();
    for (const node of ['read', 'monitored']) {
      await until(`every tag of ${node} says so`, async () =>
        [...(await readGroup(client, node, 'group')).values()].every(
          ({ error }) => error === ErrorCode.DISCONNECTED,
        ),
      );
      expect(await stateOf(client, node)).to.include({ running: 3 });
      expect((await stateOf(client, node)).link).not.to.equal(2);
    }
    await server.start();
    for (const node of ['read', 'monitored', 'secured']) {
      await connected(client, node, 30_000);
      await until(`${node} has values`, async () => {
        const values = await readGroup(client, node, 'group');
        return (
          values.get('small')?.value === -32_768 && values.get('wrong')?.error === ErrorCode.TYPE_MISMATCH
        );
      });
    }
  });

  it('keeps its certificates in the folder of its node and nothing elsewhere, and prints nothing', async () => {
    const nodes = join(gateway.data, 'nodes');
    const folders = await readdir(nodes);
    const withPki = folders.filter((folder) =>
      existsSync(join(nodes, folder, 'pki', 'own', 'certificate.der')),
    );
    expect(withPki).to.have.length(5);
    expect(existsSync(ownFolder), 'the folder of the library').to.equal(hadOwnFolder);
    expect(gateway.output).not.to.match(/OPC UA printed/);
  });

  it('deletes a node while it monitors', async () => {
    await client.ok('DELETE', '/node', { name: 'monitored' });
    await client.ok('DELETE', '/node', { name: 'secured' });
    expect((await stateOf(client, 'read')).link).to.equal(2);
  });
});
