import { NodeType, type SearchReply, type TrendsReply } from '@tagway/schemas';
import { until } from '@tagway/testkit';
import { expect } from 'chai';
import { Trends } from '../../src/http/live/trends.ts';
import { startApi, type Fixture } from './fixture.ts';
import { localMachine } from './machine.ts';

describe('the trends and the search of the page', () => {
  let api: Fixture;
  before(async () => {
    api = await startApi({ name: 'gw-03' });
    const post = async (path: string, body: unknown): Promise<void> => {
      const { status, text } = await api.call(`POST /api/v2/${path}`, body);
      expect(status, text).to.equal(200);
    };
    await post('node', { name: 'boiler', plugin: 'Test Driver', params: { port: 502 } });
    await post('node', { name: 'cloud', plugin: 'Test App', params: { port: 1883 } });
    await post('group', { node: 'boiler', name: 'fast', interval: 100 });
    await post('tags', {
      node: 'boiler',
      group: 'fast',
      tags: [
        { name: 'drum level', address: '1', attribute: 1, type: 3, description: 'Upper drum, mm' },
        { name: 'level of the drum', address: '2', attribute: 1, type: 3 },
        { name: 'feed', address: '3', attribute: 1, type: 3, description: 'Water for the drum' },
      ],
    });
    await post('subscribe', { app: 'cloud', driver: 'boiler', group: 'fast' });
  });
  after(() => api.close());

  it('count what a driver reads a second, and begin with nothing', async () => {
    const trends = new Trends(api.gateway, localMachine(api.folder), 'gw-03');
    expect(trends.reply('').gateway.values).to.deep.equal([]);
    await trends.take();
    const reads = (): number =>
      api.gateway.nodes.meters(api.gateway.nodes.get('boiler')).own.get('tag_reads_total')?.value ?? 0;
    const before = reads();
    await until('the group is read again', () => reads() > before);
    await trends.take();
    const { name, step, gateway, nodes } = trends.reply('boiler');
    expect({ name, step }).to.deep.equal({ name: 'gw-03', step: 10_000 });
    const [node] = nodes;
    expect(node).to.include({ node: 'boiler', plugin: 'Test Driver', type: NodeType.DRIVER });
    // Of the first point nobody knows what came before it.
    expect(node?.values[0]).to.equal(null);
    expect(node?.values[1]).to.be.greaterThan(0);
    expect(gateway.values[1]).to.equal(node?.values[1]);
    expect(node?.groups[0]?.cycle).to.have.lengthOf(2);
    expect(gateway.cpu).to.have.lengthOf(2);
  });

  it('keep a quarter of an hour and no more, and nothing of a node that is gone', async () => {
    const trends = new Trends(api.gateway, localMachine(api.folder), '');
    for (let point = 0; point < 95; point += 1) await trends.take();
    expect(trends.reply('').gateway.errors).to.have.lengthOf(90);
    await api.gateway.nodes.add({ name: 'passing', plugin: 'Test Driver' });
    await trends.take();
    await api.gateway.nodes.delete('passing');
    await trends.take();
    expect(trends.reply('').nodes.map(({ node }) => node)).to.deep.equal(['boiler', 'cloud']);
  });

  it('say over HTTP which group goes to which app, and refuse a node that is not there', async () => {
    const { nodes } = (await api.call('GET /live/trends')).body as TrendsReply;
    expect(nodes.find(({ node }) => node === 'cloud')?.flows).to.deep.equal([
      { driver: 'boiler', group: 'fast' },
    ]);
    expect((await api.call('GET /live/trends?node=none')).body).to.deep.equal({ error: 2003 });
  });

  it('find tags by words in any order, those whose names begin with them first', async () => {
    const search = async (text: string): Promise<SearchReply> =>
      (await api.call(`GET /live/search?text=${encodeURIComponent(text)}`)).body as SearchReply;
    const { searched, found, tags } = await search('DRUM');
    expect({ searched, found }).to.deep.equal({ searched: 3, found: 3 });
    expect(tags.map(({ name }) => name)).to.deep.equal(['drum level', 'level of the drum', 'feed']);
    expect((await search('water boiler')).tags.map(({ name }) => name)).to.deep.equal(['feed']);
    expect(await search('  ')).to.deep.equal({ searched: 0, found: 0, tags: [] });
    expect((await search('no such words')).found).to.equal(0);
    expect((await api.call(`GET /live/search?text=${'x'.repeat(201)}`)).body).to.deep.equal({ error: 1003 });
  });
});
