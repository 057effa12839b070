import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { Client } from '../kit/client.ts';
import { freePort } from '../kit/free-port.ts';
import { modbusSettings } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { useGateway } from '../world/plant.ts';
import { memoryOf } from './figures.ts';

interface Demand {
  readonly node: string;
  readonly group: string;
}

/** An open stream of live values, which is read only once that is asked for. */
interface Stream {
  readonly status: number;
  /** Reads from now on, and gives what has come so far. */
  readonly text: () => string;
  readonly hasEnded: () => boolean;
  readonly close: () => void;
}

describe('streams of live values', function () {
  this.timeout(120_000);
  const { gateway, client } = useGateway();
  const streams: Stream[] = [];
  /** 60 groups of 500 texts of 120 characters: 5 MB as JSON. */
  const demands = Array.from({ length: 60 }, (_, group) => ({ node: 'texts', group: `g${group}` }));

  async function open(who: Client, values: readonly Demand[]): Promise<Stream> {
    const asked = request(new URL('/live/events', gateway.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${who.token ?? ''}`, 'content-type': 'application/json' },
    });
    asked.on('error', () => undefined);
    asked.end(JSON.stringify({ values }));
    const [reply] = (await once(asked, 'response')) as [IncomingMessage];
    let text = '';
    let ended = false;
    let isRead = false;
    reply.on('error', () => undefined).on('close', () => (ended = true));
    const stream: Stream = {
      status: reply.statusCode ?? 0,
      text: () => {
        if (!isRead) reply.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        isRead = true;
        return text;
      },
      hasEnded: () => ended,
      close: () => asked.destroy(),
    };
    streams.push(stream);
    return stream;
  }

  const groupsIn = (stream: Stream): Set<string> =>
    new Set(
      Array.from(
        stream.text().matchAll(/^data: \{"node":"texts","group":"(g\d+)"/gm),
        ([, name = '']) => name,
      ),
    );

  /** Another user. */
  async function user(name: string): Promise<Client> {
    await client.ok('POST', '/users', { name, password: `${name}-1` });
    return new Client(gateway.url).login(name, `${name}-1`);
  }

  before(async () => {
    await client.ok('POST', '/node', { name: 'texts', plugin: 'Modbus TCP' });
    await client.ok('POST', '/node/setting', { node: 'texts', params: modbusSettings(await freePort()) });
    const attribute = Attribute.READ | Attribute.STATIC;
    for (const { node, group } of demands) {
      const tags = Array.from({ length: 500 }, (_, index) => ({
        name: `t${index}`,
        address: '',
        attribute,
        type: DataType.STRING,
        value: `text of ${group} `.repeat(12).slice(0, 120),
      }));
      await client.ok('POST', '/tags', { node, group, tags });
    }
    await until('the values are there', async () => {
      const { body } = await client.call<{ tags: { value?: string }[] }>('POST', '/read', demands.at(-1));
      return body.tags.every(({ value }) => value !== undefined);
    });
  });

  afterEach(async () => {
    for (const stream of streams.splice(0)) stream.close();
    await client.ok('POST', '/ping');
  });

  it('that ask a thousand times for one group get it once, and no memory of the host', async () => {
    const before = await memoryOf(gateway);
    const group = { node: 'texts', group: 'g0' };
    const stream = await open(client, Array<Demand>(1000).fill(group));
    await until('the group has come', () => groupsIn(stream).size === 1);
    expect(stream.text().split('event: values').length - 1).to.equal(1);
    expect((await memoryOf(gateway)) - before, 'MB more').to.be.below(50);
  });

  it('that nobody reads hold no more than their caller may leave unread; others get everything', async () => {
    const other = await user('other');
    const before = await memoryOf(gateway);
    for (let count = 0; count < 40; count += 1) await open(client, demands);
    const read = await open(other, demands);
    await until('another caller has all groups', () => groupsIn(read).size === demands.length);
    expect((await memoryOf(gateway)) - before, 'MB more').to.be.below(100);
  });

  it('leave every caller a place: the one with the most loses his oldest', async () => {
    const oldest = await open(client, []);
    const others: Stream[] = [];
    for (let count = 1; count < 64; count += 1) others.push(await open(client, []));
    expect(others.map(({ status }) => status)).to.deep.equal(others.map(() => 200));
    const refused = await open(client, []);
    await until('the 65th of one caller is refused', () =>
      refused.text().includes(`"error":${ErrorCode.BUSY}`),
    );

    const late = await user('late');
    expect((await open(late, [])).status).to.equal(200);
    await until('the oldest has ended', () => oldest.text().includes('event: end'));
    expect(oldest.text())
      .to.include(`"error":${ErrorCode.BUSY}`)
      .and.to.include('Another caller needs a place');
    expect(others.every(({ hasEnded }) => !hasEnded())).to.equal(true);
  });
});
