import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { startApi, type Fixture } from './fixture.ts';

const attribute = Attribute.READ;
const tag = (name: string, address = '1') => ({ name, address, attribute, type: DataType.INT16 });

/** How an object is shown, what changes it, and what changes it again. */
interface Edited {
  readonly shown: string;
  readonly changes: readonly (readonly [endpoint: string, body?: object])[];
}

/** In an order in which each change can be made after the ones before it. */
const edited: readonly Edited[] = [
  {
    shown: 'GET /api/v2/node/setting?node=d',
    changes: [['POST /api/v2/node/setting', { node: 'd', params: { port: 2 } }]],
  },
  {
    shown: 'GET /api/v2/group?node=d',
    changes: [
      ['POST /api/v2/group', { node: 'd', name: 'h', interval: 1000 }],
      ['PUT /api/v2/group', { node: 'd', group: 'h', interval: 2000 }],
      ['DELETE /api/v2/group', { node: 'd', group: 'h' }],
    ],
  },
  {
    shown: 'GET /api/v2/tags?node=d&group=g',
    changes: [
      ['POST /api/v2/tags', { node: 'd', group: 'g', tags: [tag('b')] }],
      ['PUT /api/v2/tags', { node: 'd', group: 'g', tags: [tag('b', '2')] }],
      ['PUT /api/v2/tag/rename', { node: 'd', group: 'g', old_name: 'b', new_name: 'c' }],
      ['DELETE /api/v2/tags', { node: 'd', group: 'g', tags: ['c'] }],
      ['POST /api/v2/tags/apply', { node: 'd', group: 'g', tags: [tag('e')] }],
    ],
  },
  {
    shown: 'GET /api/v2/subscribe?app=a',
    changes: [
      ['POST /api/v2/subscribe', { app: 'a', driver: 'd', group: 'g' }],
      ['PUT /api/v2/subscribe', { app: 'a', driver: 'd', group: 'g', params: { x: 1 } }],
      ['DELETE /api/v2/subscribe', { app: 'a', driver: 'd', group: 'g' }],
      ['POST /api/v2/subscribes', { app: 'a', groups: [{ driver: 'd', group: 'g' }] }],
    ],
  },
  {
    shown: 'GET /api/v2/template/group?name=t',
    changes: [
      ['POST /api/v2/template/group', { template: 't', group: 'h', interval: 1000 }],
      ['PUT /api/v2/template/group', { template: 't', group: 'h', interval: 2000 }],
      ['DELETE /api/v2/template/group', { template: 't', group: 'h' }],
    ],
  },
  {
    shown: 'GET /api/v2/template/tag?template=t&group=g',
    changes: [
      ['POST /api/v2/template/tag', { template: 't', group: 'g', tags: [tag('b')] }],
      ['PUT /api/v2/template/tag', { template: 't', group: 'g', tags: [tag('b', '2')] }],
      ['DELETE /api/v2/template/tag', { template: 't', group: 'g', tags: ['b'] }],
    ],
  },
  { shown: 'GET /api/v2/template?name=t', changes: [['DELETE /api/v2/template?name=t']] },
];

describe('revisions', () => {
  let api: Fixture;
  beforeEach(async () => {
    api = await startApi();
    await api.call('POST /api/v2/node', { name: 'd', plugin: 'Test Driver', params: { port: 1 } });
    await api.call('POST /api/v2/node', { name: 'a', plugin: 'Test App', params: { port: 1 } });
    await api.call('POST /api/v2/tags', { node: 'd', group: 'g', tags: [tag('a')] });
    const group = { name: 'g', interval: 1000, tags: [tag('a')] };
    await api.call('POST /api/v2/template', { name: 't', plugin: 'Test Driver', groups: [group] });
  });
  afterEach(() => api.close());

  const revisionOf = async (shown: string): Promise<string> => {
    const { headers, status } = await api.call(shown);
    expect(status, shown).to.equal(200);
    const revision = headers.get('etag') ?? '';
    expect(revision, shown).to.match(/^"[\w-]{22}"$/);
    return revision;
  };

  it('are the ETag of everything that can be edited, and the same until it changes', async () => {
    for (const { shown } of edited) expect(await revisionOf(shown), shown).to.equal(await revisionOf(shown));
    expect((await api.call('GET /api/v2/node?type=1')).headers.get('etag')).to.equal(null);
  });

  it('let a change be made only to what was looked at, and show what is there otherwise', async () => {
    for (const { shown, changes } of edited) {
      for (const [endpoint, body] of changes) {
        const before = await api.call(shown);
        const refused = await api.call(endpoint, body, { 'If-Match': '"of-before"' });
        expect([endpoint, refused.status, refused.body]).to.deep.equal([
          endpoint,
          412,
          { error: ErrorCode.REVISION_STALE, current: before.body },
        ]);
        expect((await api.call(shown)).text, endpoint).to.equal(before.text);
        const revision = await revisionOf(shown);
        const made = await api.call(endpoint, body, { 'If-Match': `"of-before", W/${revision}` });
        expect([endpoint, made.status, (made.body as { error: number }).error]).to.deep.equal([
          endpoint,
          200,
          0,
        ]);
        const after = await api.call(shown);
        expect(after.text, endpoint).to.not.equal(before.text);
        // The next change needs no other look; of what is gone there is no revision.
        expect(made.headers.get('etag'), endpoint).to.equal(after.headers.get('etag'));
        expect(after.headers.get('etag'), endpoint).to.not.equal(revision);
      }
    }
  });

  it('let a driver be made of a template only as the template was shown', async () => {
    const shown = 'GET /api/v2/template?name=t';
    const make = (node: string, revision: string) =>
      api.call('POST /api/v2/template/inst', { name: 't', node }, { 'If-Match': revision });
    const revision = await revisionOf(shown);
    await api.call('POST /api/v2/template/tag', { template: 't', group: 'g', tags: [tag('b')] });
    const refused = await make('of t', revision);
    expect([refused.status, refused.body]).to.deep.equal([
      412,
      { error: ErrorCode.REVISION_STALE, current: (await api.call(shown)).body },
    ]);
    expect((await api.call('GET /api/v2/group?node=of%20t')).status, 'no node was made').to.equal(404);
    expect((await make('of t', await revisionOf(shown))).status).to.equal(200);
    expect((await api.call('GET /api/v2/tags?node=of%20t&group=g')).text).to.include('"b"');
  });

  it('of a plan let the whole configuration be replaced only while the plan is right', async () => {
    const { body: config } = await api.call('GET /api/v2/global/config');
    const planned = async (): Promise<string> =>
      (await api.call('POST /api/v2/global/config/plan', config)).headers.get('etag') ?? '';
    const old = await planned();
    expect(old).to.match(/^"[\w-]{22}"$/);
    expect(await planned()).to.equal(old);
    await api.call('POST /api/v2/node', { name: 'new', plugin: 'Test Driver', params: { port: 7 } });
    const refused = await api.call('PUT /api/v2/global/config', config, { 'If-Match': old });
    expect([refused.status, refused.body]).to.deep.equal([412, { error: ErrorCode.REVISION_STALE }]);
    const replace = (revision: string) =>
      api.call('PUT /api/v2/global/config', config, { 'If-Match': revision });
    expect((await api.call('GET /api/v2/node/setting?node=new')).status).to.equal(200);
    const fresh = await planned();
    // A change of a secret or a setting counts as well, although the plan does not show values.
    await api.call('POST /api/v2/node/setting', { node: 'new', params: { port: 8 } });
    expect((await replace(fresh)).status).to.equal(412);
    expect((await replace(await planned())).status).to.equal(200);
    expect((await api.call('GET /api/v2/node/setting?node=new')).status).to.equal(404);
  });

  it('of a plan for the tags of several groups are about all of them', async () => {
    await api.call('POST /api/v2/group', { node: 'd', name: 'h', interval: 1000 });
    const rows = [tag('x'), { ...tag('y'), group: 'h' }, { ...tag('z'), group: 'not yet' }];
    const body = { node: 'd', group: 'g', mode: 'replace', tags: rows };
    const planned = async (): Promise<string> =>
      (await api.call('POST /api/v2/tags/plan', body)).headers.get('etag') ?? '';
    const old = await planned();
    expect(old).to.match(/^"[\w-]{22}"$/);
    await api.call('POST /api/v2/tags', { node: 'd', group: 'h', tags: [tag('other')] });
    const apply = (revision: string) => api.call('POST /api/v2/tags/apply', body, { 'If-Match': revision });
    expect((await apply(old)).status).to.equal(412);
    expect((await apply(await planned())).status).to.equal(200);
  });

  it('say that what was to be changed is gone', async () => {
    const tags = { node: 'd', group: 'gone', tags: [tag('a')] };
    const gone = await api.call('POST /api/v2/tags', tags, { 'If-Match': '"of-before"' });
    expect([gone.status, gone.body]).to.deep.equal([412, { error: ErrorCode.REVISION_STALE, current: null }]);
    expect((await api.call('GET /api/v2/group?node=d&group=gone')).body).to.deep.equal({ groups: [] });
  });

  it('let one of two changes at the same moment through', async () => {
    const revision = await revisionOf('GET /api/v2/tags?node=d&group=g');
    const names = ['one', 'two', 'three', 'four'];
    const answers = await Promise.all(
      names.map((name) =>
        api.call('POST /api/v2/tags', { node: 'd', group: 'g', tags: [tag(name)] }, { 'If-Match': revision }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 412, 412, 412]);
  });

  it('hold at the moment of each change: of several at once that are of one revision, one is made', async () => {
    for (const { shown, changes } of edited) {
      for (const [endpoint, body] of changes) {
        const revision = await revisionOf(shown);
        // Another change is under way until all three have been looked at and wait for their turn.
        const other = api.gateway.groups.delete('d', 'none', () => delay(30)).catch(() => undefined);
        const sent = [1, 2, 3].map(() => api.call(endpoint, body, { 'If-Match': revision }));
        const answers = await Promise.all(sent);
        await other;
        expect([endpoint, ...answers.map(({ status }) => status).sort()]).to.deep.equal([
          endpoint,
          200,
          412,
          412,
        ]);
      }
    }
  });

  it('are of no concern to who does not ask, nor to writes of values', async () => {
    const body = { node: 'd', group: 'g', interval: 3000 };
    expect((await api.call('PUT /api/v2/group', body)).status).to.equal(200);
    const write = { node: 'd', group: 'g', tag: 'a', value: 1 };
    const written = await api.call('POST /api/v2/write', write, { 'If-Match': '"of-before"' });
    expect(written.status).to.not.equal(412);
    const control = await api.call('POST /api/v2/node/ctl', { node: 'd', cmd: 1 }, { 'If-Match': '"x"' });
    expect(control.body).to.deep.equal({
      error: 0,
      warnings: ['If-Match was not looked at: POST /api/v2/node/ctl knows no revisions.'],
    });
    expect((await api.call('PUT /api/v2/group', body, { 'If-Match': '*' })).status).to.equal(200);
  });
});
