import { Attribute, type ConfigBody, DataType, ErrorCode, type PlanConfigReply } from '@tagway/schemas';
import { expect } from 'chai';
import { startApi, type Fixture } from './fixture.ts';

const tag = (name: string, address = '1') => ({
  name,
  address,
  attribute: Attribute.READ,
  type: DataType.INT16,
});

describe('a configuration that is applied', () => {
  let api: Fixture;
  let present: ConfigBody;
  const get = async () => (await api.call('GET /api/v2/global/config')).body as ConfigBody;
  before(async () => {
    api = await startApi();
    await api.call('POST /api/v2/node', { name: 'd', plugin: 'Test Driver', params: { port: 1 } });
    await api.call('POST /api/v2/node', { name: 'a', plugin: 'Test App', params: { port: 1 } });
    await api.call('POST /api/v2/tags', { node: 'd', group: 'g', tags: [tag('one'), tag('two')] });
    await api.call('POST /api/v2/subscribe', { app: 'a', driver: 'd', group: 'g' });
    present = await get();
  });
  after(() => api.close());

  const plan = async (body: object) =>
    (await api.call('POST /api/v2/global/config/apply/plan', body)).body as PlanConfigReply;
  const withTags = (...tags: object[]) => ({ ...present, tags: [{ driver: 'd', group: 'g', tags }] });

  it('is planned first, and made under the condition that its plan gives', async () => {
    const body = withTags(tag('one', '2'), tag('three'));
    const planned = await api.call('POST /api/v2/global/config/apply/plan', body);
    expect((planned.body as PlanConfigReply).tags).to.deep.equal({
      add: 1,
      update: 1,
      unchanged: 0,
      remove: 1,
    });
    expect(await get(), 'a plan changes nothing').to.deep.equal(present);
    const revision = planned.headers.get('etag') ?? '';
    const headers = { 'If-Match': revision };
    expect((await api.call('POST /api/v2/global/config/apply', body, headers)).status).to.equal(200);
    const names = (await get()).tags[0]?.tags.map(({ name, address }) => [name, address]);
    expect(names).to.deep.equal([
      ['one', '2'],
      ['three', '1'],
    ]);
    const late = await api.call('POST /api/v2/global/config/apply', present, headers);
    expect((late.body as { error: number }).error).to.equal(ErrorCode.REVISION_STALE);
    expect((await api.call('POST /api/v2/global/config/apply', present)).status).to.equal(200);
    expect(await get()).to.deep.equal(present);
  });

  it('is refused where a plugin is unknown, so that no node goes because of that', async () => {
    const body = {
      ...present,
      nodes: present.nodes.map((node) => (node.name === 'd' ? { ...node, plugin: 'Nothing' } : node)),
    };
    const { problems } = await plan(body);
    expect(problems.map(({ error }) => error)).to.deep.equal([ErrorCode.LIBRARY_NOT_FOUND]);
    const { status } = await api.call('POST /api/v2/global/config/apply', body);
    expect([status, await get()]).to.deep.equal([404, present]);
  });

  it('is compared with its secrets, for which masks may stand', async () => {
    const params = (secret: string) => ({ port: 1, token: secret });
    const of = (secret: string): object => ({
      ...present,
      settings: present.settings.map((one) => (one.node === 'd' ? { ...one, params: params(secret) } : one)),
    });
    expect((await api.call('POST /api/v2/global/config/apply', of('swordfish'))).status).to.equal(200);
    for (const same of ['swordfish', '********'])
      expect((await plan(of(same))).differences, same).to.deep.equal([]);
    const other = await api.call('POST /api/v2/global/config/apply/plan', of('other'));
    expect((other.body as PlanConfigReply).differences).to.deep.equal([
      { kind: 'nodes', change: 'update', path: ['d'], fields: ['params.token'] },
    ]);
    expect(other.text).not.to.include('swordfish');
  });
});
