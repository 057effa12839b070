import { ErrorCode, Attribute } from '@tagway/schemas';
import type { ApiTypes } from '@tagway/schemas';
import { checkOf } from '@tagway/schemas/validate';
import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { startApi, type Answer, type Fixture } from './fixture.ts';
import { overflowing } from './plugins/driver.ts';

const tag = { name: 't', address: '1', attribute: Attribute.READ | Attribute.WRITE, type: 3 };

/** Checks a reply of 200 against its schema, so that the schemas say what is really sent. */
function fits(answer: Answer, definition: keyof ApiTypes): unknown {
  expect(answer.status).to.equal(200);
  expect(answer.headers.get('content-type')).to.equal('application/json');
  expect(checkOf(definition)(answer.body), answer.text).to.equal(undefined);
  return answer.body;
}

describe('the endpoints', () => {
  let api: Fixture;
  before(async () => {
    api = await startApi();
  });
  after(async () => {
    await api.close();
    expect(api.errors).to.deep.equal([]);
  });

  async function refused(endpoint: string, body: unknown, status: number, error: number): Promise<void> {
    const answer = await api.call(endpoint, body);
    expect([endpoint, answer.status, answer.body]).to.deep.equal([endpoint, status, { error }]);
  }

  /** `unknown`: settings that the plugin does not know, which the reply names. */
  async function done(endpoint: string, body: unknown, unknown?: string, plugin?: string): Promise<void> {
    const answer = await api.call(endpoint, body);
    const warnings = [
      `The field params.${unknown} is no setting of the plugin "${plugin}" and has no effect.`,
    ];
    expect([endpoint, answer.status, answer.body]).to.deep.equal([
      endpoint,
      200,
      { error: 0, ...(unknown !== undefined && { warnings }) },
    ]);
  }

  it('manage nodes', async () => {
    await done('POST /api/v2/node', { name: 'd', plugin: 'Test Driver' });
    await done(
      'POST /api/v2/node',
      {
        name: 'a',
        plugin: 'Test App',
        params: { port: 1, deep: { er: [1] } },
      },
      'deep',
      'Test App',
    );
    await refused('POST /api/v2/node', { name: 'd', plugin: 'Test Driver' }, 409, ErrorCode.NODE_EXISTS);
    await refused('POST /api/v2/node', { name: 'e', plugin: 'None' }, 404, ErrorCode.LIBRARY_NOT_FOUND);
    await refused('POST /api/v2/node', { name: 'e' }, 400, ErrorCode.BODY_INVALID);
    await refused('POST /api/v2/node', { name: 'e', plugin: 1 }, 400, ErrorCode.BODY_INVALID);
    await refused('PUT /api/v2/node', { name: 'd', new_name: '' }, 400, ErrorCode.NODE_NAME_EMPTY);
    await refused('DELETE /api/v2/node', { name: 'none' }, 404, ErrorCode.NODE_NOT_FOUND);
    expect(fits(await api.call('GET /api/v2/node?type=1'), 'NodesReply')).to.deep.equal({
      nodes: [{ name: 'd', plugin: 'Test Driver' }],
    });
    expect((await api.call('GET /api/v2/node?type=2&plugin=Test+App&node=')).text).to.contain('"a"');
    expect((await api.call('GET /api/v2/node?type=2&node=zzz')).body).to.deep.equal({ nodes: [] });
    for (const query of ['', '?type=', '?type=3', '?type=1&type=2', '?type[]=1']) {
      await refused(`GET /api/v2/node${query}`, undefined, 400, ErrorCode.PARAM_INVALID);
    }
  });

  it('keep settings as they were sent', async () => {
    await refused('POST /api/v2/node/setting', { node: 'none', params: {} }, 400, ErrorCode.NODE_NOT_FOUND);
    await refused(
      'POST /api/v2/node/setting',
      { node: 'd', params: { port: 0 } },
      400,
      ErrorCode.NODE_SETTING_INVALID,
    );
    await refused('POST /api/v2/node/setting', { node: 'd', params: [] }, 400, ErrorCode.BODY_INVALID);
    await refused('GET /api/v2/node/setting?node=d', undefined, 200, ErrorCode.NODE_SETTING_NOT_FOUND);
    await refused('GET /api/v2/node/setting', undefined, 400, ErrorCode.PARAM_INVALID);
    await refused('GET /api/v2/node/setting?node=none', undefined, 404, ErrorCode.NODE_NOT_FOUND);
    const params = { port: 502, extra: 'x' };
    await done('POST /api/v2/node/setting', { node: 'd', params }, 'extra', 'Test Driver');
    expect(fits(await api.call('GET /api/v2/node/setting?node=d'), 'SettingReply')).to.deep.equal({
      node: 'd',
      params: { port: 502, extra: '********' },
    });
    const shown = await api.call('GET /api/v2/node/setting?node=d&secrets=true');
    expect(fits(shown, 'SettingReply')).to.deep.include({ params: { port: 502, extra: 'x' } });
  });

  it('control nodes and show their state, flat and as a list', async () => {
    await refused('POST /api/v2/node/ctl', { node: 'd', cmd: 0 }, 409, ErrorCode.NODE_IS_RUNNING);
    await refused('POST /api/v2/node/ctl', { node: 'd', cmd: 2 }, 400, ErrorCode.BODY_INVALID);
    await refused('POST /api/v2/node/ctl', { node: 'none', cmd: 1 }, 404, ErrorCode.NODE_NOT_FOUND);
    const linked = async () => (await api.call('GET /api/v2/node/state?node=d')).text.includes('"rtt":1,');
    for (let i = 0; i < 100 && !(await linked()); i++) await delay(20);
    const record = { node: 'd', running: 3, link: 2, rtt: 1, log_level: 'info' };
    expect(fits(await api.call('GET /api/v2/node/state?node=d'), 'StateReply')).to.deep.equal({
      ...record,
      states: [record],
      service_core: 'notice',
    });
    const all = fits(await api.call('GET /api/v2/node/state?node='), 'StatesReply');
    expect(all).to.have.nested.property('states[1].sub_group_count', 0);
    const params = { port: overflowing };
    expect(
      (await api.call('POST /api/v2/node', { name: 'o', plugin: 'Test Driver', params })).status,
    ).to.equal(200);
    const lost = async () => fits(await api.call('GET /api/v2/node/state?node=o'), 'StateReply') as object;
    for (let i = 0; i < 100 && !('dropped_events' in (await lost())); i++) await delay(20);
    expect(await lost()).to.include({ dropped_samples: 2, dropped_events: 7 });
    expect((await api.call('DELETE /api/v2/node', { name: 'o' })).status).to.equal(200);
    await refused('GET /api/v2/node/state?node=none', undefined, 404, ErrorCode.NODE_NOT_FOUND);
  });

  it('manage groups', async () => {
    await done('POST /api/v2/group', { node: 'd', name: 'g', interval: 100 });
    await done('POST /api/v2/group', { node: 'd', group: 'h', interval: 1000 });
    for (const [body, status, code] of [
      [{ node: 'd', name: 'g', interval: 100 }, 409, ErrorCode.GROUP_EXISTS],
      [{ node: 'd', name: 'i', interval: 99 }, 400, ErrorCode.GROUP_PARAM_INVALID],
      [{ node: 'd', name: 'i', interval: '100' }, 400, ErrorCode.BODY_INVALID],
      [{ node: 'd', name: '', interval: 100 }, 400, ErrorCode.BODY_INVALID],
      [{ node: 'a', name: 'i', interval: 100 }, 409, ErrorCode.GROUP_NOT_ALLOWED],
      [{ node: 'd', name: 'x'.repeat(128), interval: 100 }, 400, ErrorCode.GROUP_NAME_TOO_LONG],
    ] as const)
      await refused('POST /api/v2/group', body, status, code);
    await refused('PUT /api/v2/group', { node: 'd', group: 'g' }, 400, ErrorCode.BODY_INVALID);
    await refused(
      'PUT /api/v2/group',
      { node: 'd', group: 'none', interval: 100 },
      404,
      ErrorCode.GROUP_NOT_FOUND,
    );
    await done('PUT /api/v2/group', { node: 'd', group: 'h', new_name: 'k', interval: 2000 });
    expect(fits(await api.call('GET /api/v2/group?node=d'), 'GroupsReply')).to.deep.equal({
      groups: [
        { name: 'g', interval: 100, tag_count: 0 },
        { name: 'k', interval: 2000, tag_count: 0 },
      ],
    });
    expect(fits(await api.call('GET /api/v2/group'), 'AllGroupsReply')).to.have.nested.property(
      'groups[1].driver',
      'd',
    );
    await refused('GET /api/v2/group?node=a', undefined, 409, ErrorCode.GROUP_NOT_ALLOWED);
    await done('DELETE /api/v2/group', { node: 'd', group: 'k' });
  });

  it('manage tags', async () => {
    const added = await api.call('POST /api/v2/tags', {
      node: 'd',
      group: 'g',
      tags: [tag, { ...tag, name: 'u', address: '2' }],
    });
    expect(fits(added, 'TagsBatchReply')).to.deep.equal({ index: 2, error: 0 });
    const conflict = await api.call('POST /api/v2/tags', {
      node: 'd',
      group: 'g',
      tags: [{ ...tag, name: 'v' }, tag],
    });
    expect([conflict.status, conflict.body]).to.deep.equal([
      206,
      { index: 1, error: ErrorCode.TAG_NAME_CONFLICT },
    ]);
    const missing = await api.call('PUT /api/v2/tags', {
      node: 'd',
      group: 'g',
      tags: [{ ...tag, name: 'none' }],
    });
    expect([missing.status, missing.body]).to.deep.equal([206, { index: 0, error: ErrorCode.TAG_NOT_FOUND }]);
    await refused(
      'POST /api/v2/tags',
      { node: 'none', group: 'g', tags: [tag] },
      404,
      ErrorCode.NODE_NOT_FOUND,
    );
    await refused(
      'PUT /api/v2/tags',
      { node: 'd', group: 'none', tags: [tag] },
      404,
      ErrorCode.GROUP_NOT_FOUND,
    );
    await refused(
      'POST /api/v2/tags',
      { node: 'd', group: 'g', tags: [{ ...tag, value: 1 }] },
      400,
      ErrorCode.BODY_INVALID,
    );
    await refused(
      'POST /api/v2/tags',
      { node: 'd', group: 'g', tags: [{ ...tag, attribute: Attribute.STATIC }] },
      400,
      ErrorCode.BODY_INVALID,
    );
    await refused('DELETE /api/v2/tags', { node: 'd', group: 'g', tags: [] }, 400, ErrorCode.BODY_INVALID);
    await done('DELETE /api/v2/tags', { node: 'd', group: 'g', tags: ['v', 'none'] });
    const listed = await api.call('GET /api/v2/tags?node=d&group=g&name=u');
    expect(fits(listed, 'TagsReply')).to.deep.equal({
      tags: [
        {
          name: 'u',
          address: '2',
          attribute: Attribute.READ | Attribute.WRITE,
          type: 3,
          precision: 0,
          decimal: 0,
          bias: 0,
          description: '',
        },
      ],
    });
    await refused('GET /api/v2/tags?node=d', undefined, 400, ErrorCode.PARAM_INVALID);
    await refused('GET /api/v2/tags?node=d&group=none', undefined, 404, ErrorCode.GROUP_NOT_FOUND);
  });

  it('keep the digits of a static 64-bit integer', async () => {
    const body = `{"node":"d","group":"s","tags":[{"name":"big","address":"","attribute":8,"type":8,"value":18446744073709551615}]}`;
    expect((await api.call('POST /api/v2/tags', body)).body).to.deep.equal({ index: 1, error: 0 });
    expect((await api.call('GET /api/v2/tags?node=d&group=s')).text).to.contain(
      '"value":18446744073709551615}',
    );
    await refused('POST /api/v2/tags', body.replace('615', '616'), 400, ErrorCode.BODY_INVALID);
  });

  it('read values, all or some', async () => {
    const all = await api.call('POST /api/v2/read', { node: 'd', group: 'g', sync: true });
    expect(fits(all, 'ReadReply')).to.deep.include({
      tags: [
        { name: 't', value: 1 },
        { name: 'u', value: 2 },
      ],
    });
    const read = async (query: object) =>
      (
        (await api.call('POST /api/v2/read', { node: 'd', group: 'g', sync: true, query })).body as {
          readonly tags: unknown;
        }
      ).tags;
    expect(await read({ name: 'u' })).to.deep.equal([{ name: 'u', value: 2 }]);
    expect(await read({ name: 'u', description: 'x' })).to.deep.equal([]);
    expect(await read({})).to.deep.equal((all.body as { readonly tags: unknown }).tags);
    await refused('POST /api/v2/read', { node: 'd', group: 'none' }, 404, ErrorCode.GROUP_NOT_FOUND);
    await refused('POST /api/v2/read', { node: 'a', group: 'g' }, 409, ErrorCode.GROUP_NOT_ALLOWED);
    await refused('POST /api/v2/read', { node: 'd', group: 'g', sync: 1 }, 400, ErrorCode.BODY_INVALID);
  });

  it('answer a read with the tags as they are now', async () => {
    const names = async () =>
      (await api.call('POST /api/v2/read', { node: 'd', group: 'g', sync: true })).text.match(
        /"name":"\w+"/g,
      );
    expect(await names()).to.have.length(2);
    await api.call('POST /api/v2/tags', { node: 'd', group: 'g', tags: [{ ...tag, name: 'w' }] });
    expect(await names()).to.have.length(3);
  });

  it('write values', async () => {
    const write = (value: unknown, tag = 't') => ({ node: 'd', group: 'g', tag, value });
    await done('POST /api/v2/write', write(1));
    await refused('POST /api/v2/write', write('1'), 200, ErrorCode.TYPE_MISMATCH);
    await refused('POST /api/v2/write', write(40_000), 200, ErrorCode.VALUE_OUT_OF_RANGE);
    await refused('POST /api/v2/write', write(1, 'none'), 404, ErrorCode.TAG_NOT_FOUND);
    await refused('POST /api/v2/write', write(null), 400, ErrorCode.BODY_INVALID);
    await refused('POST /api/v2/write', write({}), 400, ErrorCode.BODY_INVALID);
    await refused('POST /api/v2/write', write('x'.repeat(128)), 200, ErrorCode.STRING_TOO_LONG);
    await refused(
      'POST /api/v2/write',
      `{"node":"d","group":"g","tag":"t","value":123456789012345678901234567890}`,
      200,
      ErrorCode.VALUE_OUT_OF_RANGE,
    );
    await done('POST /api/v2/write/tags', {
      node: 'd',
      group: 'g',
      tags: [
        { tag: 't', value: 1 },
        { tag: 'u', value: 2 },
      ],
    });
    await refused(
      'POST /api/v2/write/tags',
      { node: 'd', group: 'g', tags: [] },
      400,
      ErrorCode.BODY_INVALID,
    );
  });

  it('list plugins and show their schemas', async () => {
    const plugins = fits(await api.call('GET /api/v2/plugin'), 'PluginsReply');
    expect(plugins).to.have.nested.property('plugins[0].schema', 'test-driver');
    expect((await api.call('GET /api/v2/plugin?plugin=Test+App')).text).to.not.contain('test-driver');
    expect((await api.call('GET /api/v2/plugin?plugin=none')).body).to.deep.equal({ plugins: [] });
    const settings = await api.call('GET /api/v2/schema/settings?plugin=Test+Driver');
    expect(settings.body).to.have.nested.property('properties.port.type', 'integer');
    await refused('GET /api/v2/schema/settings?plugin=x', undefined, 404, ErrorCode.PLUGIN_NOT_FOUND);
    for (const query of ['schema_name=test-driver', 'plugin_name=test-driver', 'plugin_name=Test%20Driver']) {
      const schema = fits(await api.call(`GET /api/v2/schema?${query}`), 'SchemaReply');
      expect(schema).to.have.nested.property('port.type', 'int');
    }
    await refused(
      'GET /api/v2/schema?schema_name=../../etc/passwd',
      undefined,
      404,
      ErrorCode.PLUGIN_NOT_FOUND,
    );
    await refused('GET /api/v2/schema', undefined, 400, ErrorCode.PARAM_INVALID);
  });

  it('manage subscriptions', async () => {
    const one = { app: 'a', driver: 'd', group: 'g' };
    await refused('GET /api/v2/subscribe', undefined, 400, ErrorCode.PARAM_INVALID);
    await refused('PUT /api/v2/subscribe', { ...one, params: {} }, 404, ErrorCode.GROUP_NOT_FOUND);
    await done('POST /api/v2/subscribe', { ...one, params: { topic: 't' } });
    await refused('POST /api/v2/subscribe', one, 200, ErrorCode.GROUP_SUBSCRIBED);
    await refused('DELETE /api/v2/group', { node: 'd', group: 'g' }, 412, ErrorCode.GROUP_SUBSCRIBED);
    await done('PUT /api/v2/subscribe', { ...one, params: { topic: 'u' } });
    await refused('PUT /api/v2/subscribe', one, 400, ErrorCode.BODY_INVALID);
    await done('POST /api/v2/subscribes', { app: 'a', groups: [{ driver: 'd', group: 's' }] });
    await refused(
      'POST /api/v2/subscribes',
      { app: 'a', groups: [{ driver: 'd' }] },
      400,
      ErrorCode.BODY_INVALID,
    );
    expect(fits(await api.call('GET /api/v2/subscribe?app=a'), 'SubscriptionsReply')).to.deep.equal({
      groups: [
        { driver: 'd', group: 'g', params: { topic: 'u' } },
        { driver: 'd', group: 's' },
      ],
    });
    await done('DELETE /api/v2/subscribe', one);
    await refused('DELETE /api/v2/subscribe', one, 404, ErrorCode.GROUP_NOT_FOUND);
    expect((await api.call('GET /api/v2/subscribe?app=none')).body).to.deep.equal({ groups: [] });
  });

  it('tell the version', async () => {
    expect(fits(await api.call('GET /api/v2/version'), 'VersionReply')).to.deep.equal({
      version: '1.2.3',
      revision: 'abc',
      build_date: '2026-01-02',
    });
  });

  it('are exact in path and method', async () => {
    for (const path of [
      '/api/v2',
      '/api/v2/nodes',
      '/api/v2/node/',
      '/API/v2/node',
      '//api/v2/node',
      '/api/v2/%6eode',
    ]) {
      await refused(`GET ${path}?type=1`, undefined, 404, ErrorCode.PARAM_INVALID);
    }
    const root = await fetch(`http://127.0.0.1:${api.port}/`, { redirect: 'manual' });
    expect([root.status, root.headers.get('location')]).to.deep.equal([302, '/api']);
    const wrong = await api.call('PUT /api/v2/version', {});
    expect([wrong.status, wrong.body, wrong.headers.get('allow')]).to.deep.equal([
      405,
      { error: ErrorCode.PARAM_INVALID },
      'OPTIONS, HEAD, GET',
    ]);
    const head = await api.call('HEAD /api/v2/version');
    expect([head.status, head.text]).to.deep.equal([200, '']);
  });
});

describe('calls from web pages', () => {
  it('are allowed only when the gateway is told so', async () => {
    const closed = await startApi();
    const open = await startApi({ cors: true });
    try {
      const header = 'access-control-allow-origin';
      expect((await closed.call('OPTIONS /api/v2/node')).headers.get(header)).to.equal(null);
      expect((await open.call('OPTIONS /api/v2/node')).headers.get(header)).to.equal('*');
      expect((await open.call('GET /api/v2/version')).headers.get(header)).to.equal('*');
    } finally {
      await closed.close();
      await open.close();
    }
  });
});
