import { Attribute, DataType, ErrorCode, type ConfigBody, type PlanConfigReply } from '@tagway/schemas';
import { expect } from 'chai';
import { startApi, type Fixture } from './fixture.ts';

const tag = (name: string, address = '1') => ({
  name,
  address,
  attribute: Attribute.READ,
  type: DataType.INT16,
});
const none = { add: 0, update: 0, unchanged: 0, remove: 0 };

describe('the plan of an import', () => {
  let api: Fixture;
  let present: ConfigBody;
  before(async () => {
    api = await startApi();
    await api.call('POST /api/v2/node', { name: 'd', plugin: 'Test Driver', params: { port: 1 } });
    await api.call('POST /api/v2/node', { name: 'a', plugin: 'Test App', params: { port: 1 } });
    await api.call('POST /api/v2/tags', { node: 'd', group: 'g', tags: [tag('one'), tag('two')] });
    await api.call('POST /api/v2/subscribe', { app: 'a', driver: 'd', group: 'g' });
    present = (await api.call('GET /api/v2/global/config')).body as ConfigBody;
  });
  after(() => api.close());

  const plan = async (body: object) =>
    (await api.call('POST /api/v2/global/config/plan', body)).body as PlanConfigReply;

  it('of what was exported is no change', async () => {
    const { nodes, groups, tags, subscriptions, differences, problems } = await plan(present);
    expect([nodes, groups, tags, subscriptions]).to.deep.equal([
      { ...none, unchanged: 2 },
      { ...none, unchanged: 1 },
      { ...none, unchanged: 2 },
      { ...none, unchanged: 1 },
    ]);
    expect([differences, problems]).to.deep.equal([[], []]);
  });

  it('of a tag whose members say what none says is no change', async () => {
    const tags = [
      { ...tag('one'), deadband: 0, unit: '', bias: 0 },
      { ...tag('two'), deadband: 0.5 },
    ];
    const reply = await plan({ ...present, tags: [{ driver: 'd', group: 'g', tags }] });
    expect(reply.differences).to.deep.equal([
      { kind: 'tags', change: 'update', path: ['d', 'g', 'two'], fields: ['deadband'] },
    ]);
  });

  it('of a group whose pace says what none says is no change, and names what is another', async () => {
    const group = (more: object) =>
      plan({ ...present, groups: present.groups.map((one) => ({ ...one, ...more })) });
    const same = await group({ report: 'default', min_interval: 0, max_interval: 0 });
    expect(same.differences).to.deep.equal([]);
    const other = await group({ report: 'change', max_interval: 5000 });
    expect(other.differences).to.deep.equal([
      { kind: 'groups', change: 'update', path: ['d', 'g'], fields: ['report', 'max_interval'] },
    ]);
    const { problems } = await group({ min_interval: 5001, max_interval: 5000 });
    expect(problems.map(({ error }) => error)).to.deep.equal([ErrorCode.GROUP_PARAM_INVALID]);
  });

  it('tells what would be added, changed and removed, and changes nothing', async () => {
    const before = (await api.call('GET /api/v2/global/config')).text;
    const reply = await plan({
      ...present,
      tags: [{ driver: 'd', group: 'g', tags: [tag('one', '2'), tag('three')] }],
      subscriptions: [],
      settings: present.settings.map((one) => (one.node === 'd' ? { ...one, params: { port: 2 } } : one)),
    });
    expect(reply.problems).to.deep.equal([]);
    expect(reply.differences).to.deep.equal([
      { kind: 'nodes', change: 'update', path: ['d'], fields: ['params.port'] },
      { kind: 'tags', change: 'update', path: ['d', 'g', 'one'], fields: ['address'] },
      { kind: 'tags', change: 'add', path: ['d', 'g', 'three'] },
      { kind: 'tags', change: 'remove', path: ['d', 'g', 'two'] },
      { kind: 'subscriptions', change: 'remove', path: ['a', 'd', 'g'] },
    ]);
    expect(reply.tags).to.deep.equal({ add: 1, update: 1, unchanged: 0, remove: 1 });
    expect((await api.call('GET /api/v2/global/config')).text).to.equal(before);
  });

  it('names everything for which the import would be refused', async () => {
    const { problems } = await plan({
      ...present,
      tags: [{ driver: 'd', group: 'g', tags: [tag('one', 'bad'), tag('two'), tag('three', 'worse')] }],
      settings: present.settings.map((one) => (one.node === 'a' ? { ...one, params: { port: 0 } } : one)),
    });
    expect(problems.map(({ error }) => error)).to.deep.equal([
      ErrorCode.TAG_ADDRESS_INVALID,
      ErrorCode.TAG_ADDRESS_INVALID,
      ErrorCode.NODE_SETTING_INVALID,
    ]);
    for (const { message } of problems) expect(message).to.match(/"(d|a)"/);
  });
});
