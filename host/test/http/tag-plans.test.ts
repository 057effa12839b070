import { Attribute, DataType, ErrorCode, Limits, type PlanTagsReply } from '@tagway/schemas';
import { expect } from 'chai';
import { startApi, type Fixture } from './fixture.ts';

const tag = (name: string, address = '1', rest: object = {}) => ({
  name,
  address,
  attribute: Attribute.READ,
  type: DataType.INT16,
  ...rest,
});

describe('many tags at once', function () {
  this.timeout(60_000);
  let api: Fixture;
  beforeEach(async () => {
    api = await startApi({ bodyLimit: 16 << 20 });
    await api.call('POST /api/v2/node', { name: 'd', plugin: 'Test Driver', params: { port: 1 } });
  });
  afterEach(() => api.close());

  const call = async (what: 'plan' | 'apply', body: object, headers?: Record<string, string>) => {
    const answer = await api.call(`POST /api/v2/tags/${what}`, { node: 'd', group: 'g', ...body }, headers);
    return { ...answer, reply: answer.body as PlanTagsReply };
  };
  const names = async (group = 'g') => {
    const { body } = await api.call(`GET /api/v2/tags?node=d&group=${group}`);
    return ((body as { tags?: { name: string }[] }).tags ?? []).map(({ name }) => name);
  };

  it('are counted before anything is changed, and done in one step', async () => {
    await call('apply', { tags: ['a', 'b', 'c', 'd'].map((name) => tag(name)), interval: 5000 });
    expect((await api.call('GET /api/v2/group?node=d')).body).to.deep.equal({
      groups: [{ name: 'g', interval: 5000, tag_count: 4 }],
    });
    const body = { tags: [tag('new'), tag('a'), tag('b', '2')], remove: ['c'] };
    const expected = {
      error: 0,
      add: 1,
      update: 1,
      unchanged: 1,
      remove: 1,
      rows: ['add', 'unchanged', 'update'],
      problems: [],
    };
    const before = await api.call('GET /api/v2/tags?node=d&group=g');
    expect((await call('plan', body)).reply).to.deep.equal(expected);
    expect((await api.call('GET /api/v2/tags?node=d&group=g')).text).to.equal(before.text);
    expect((await call('apply', body)).reply).to.deep.equal(expected);
    expect(await names()).to.deep.equal(['a', 'b', 'd', 'new']);
    // What was applied is no change any more.
    const { reply } = await call('plan', { tags: body.tags });
    expect([reply.add, reply.update, reply.unchanged]).to.deep.equal([0, 0, 3]);
  });

  it('are of several groups at once, all or nothing', async () => {
    await call('apply', { tags: [tag('a')], interval: 5000 });
    const rows = [
      { ...tag('a', '2'), group: 'g', interval: 700 },
      { ...tag('b'), group: 'h', interval: 700 },
      { ...tag('c'), group: 'h' },
      tag('d'),
    ];
    const bad = { ...tag('e'), group: 'i', interval: 1 };
    const refused = await call('apply', {
      tags: [...rows, bad, { ...bad, group: 'x'.repeat(200), interval: 700 }],
    });
    expect(refused.reply.problems.map(({ index, field, error }) => [index, field, error])).to.deep.equal([
      [4, 'interval', ErrorCode.GROUP_PARAM_INVALID],
      [5, 'group', ErrorCode.GROUP_NAME_TOO_LONG],
    ]);
    expect(await names()).to.deep.equal(['a']);
    const { reply } = await call('apply', { tags: rows });
    expect(reply).to.include({ error: 0, add: 3, update: 1 });
    expect((await api.call('GET /api/v2/group?node=d')).body).to.deep.equal({
      groups: [
        { name: 'g', interval: 5000, tag_count: 2 },
        { name: 'h', interval: 700, tag_count: 2 },
      ],
    });
    const replaced = await call('apply', { tags: [{ ...tag('c'), group: 'h' }, tag('d')], mode: 'replace' });
    expect(replaced.reply).to.include({ unchanged: 2, remove: 2 });
    expect([await names(), await names('h')]).to.deep.equal([['d'], ['c']]);
  });

  it('make groups with the pace that their first rows say, and leave groups that are there', async () => {
    const pace = { report: 'change', min_interval: 500, max_interval: 60_000 };
    const bad = { ...tag('b'), group: 'bad', min_interval: 9, max_interval: 8 };
    const refused = await call('apply', {
      tags: [
        bad,
        { ...tag('c'), group: 'c', report: 'sometimes' },
        { ...tag('d'), group: 'd', max_interval: 'x' },
      ],
    });
    expect(refused.reply.problems.map(({ index, field, error }) => [index, field, error])).to.deep.equal([
      [0, 'min_interval', ErrorCode.GROUP_PARAM_INVALID],
      [1, 'report', ErrorCode.GROUP_PARAM_INVALID],
      [2, 'max_interval', ErrorCode.GROUP_PARAM_INVALID],
    ]);
    const rows = [{ ...tag('a'), ...pace }, { ...tag('b'), group: 'h', interval: 700, ...pace }, tag('c')];
    expect((await call('apply', { tags: rows })).reply).to.include({ error: 0, add: 3 });
    expect((await call('apply', { tags: [{ ...tag('a'), report: 'always' }] })).reply).to.include({
      unchanged: 1,
    });
    const { groups } = (await api.call('GET /api/v2/group?node=d')).body as { groups: object[] };
    expect(groups).to.deep.equal([
      { name: 'g', interval: 1000, ...pace, tag_count: 2 },
      { name: 'h', interval: 700, ...pace, tag_count: 1 },
    ]);
  });

  it('get other names in their places, also those of each other', async () => {
    await call('apply', { tags: ['a', 'b', 'c', 'd'].map((name) => tag(name)) });
    const renamed = (from: string, to: string) => ({ ...tag(from), new_name: to });
    const conflicts = await call('plan', {
      tags: [renamed('a', 'd'), renamed('b', 'c2'), { ...tag('c2') }, renamed('gone', 'x'), renamed('c', '')],
    });
    expect(conflicts.reply.problems.map(({ index, field, error }) => [index, field, error])).to.deep.equal([
      [0, 'new_name', ErrorCode.TAG_NAME_CONFLICT],
      [2, 'name', ErrorCode.TAG_NAME_CONFLICT],
      [3, 'name', ErrorCode.TAG_NOT_FOUND],
      [4, 'new_name', ErrorCode.BODY_INVALID],
    ]);
    const long = await call('plan', { tags: [renamed('a', 'x'.repeat(Limits.tagName + 1))] });
    expect(long.reply.problems.map(({ field, error }) => [field, error])).to.deep.equal([
      ['new_name', ErrorCode.TAG_NAME_TOO_LONG],
    ]);
    const tags = [renamed('a', 'b'), renamed('b', 'a'), { ...renamed('c', 'd'), decimal: 2 }];
    const { reply } = await call('apply', { tags, remove: ['d'] });
    expect(reply).to.include({ error: 0, update: 3, remove: 1 });
    expect(await names()).to.deep.equal(['b', 'a', 'd']);
  });

  it('add, update or replace by mode', async () => {
    await call('apply', { tags: [tag('a'), tag('b')] });
    const tags = [tag('b', '2'), tag('c')];
    const added = await call('plan', { tags, mode: 'add' });
    expect(added.reply.problems.map(({ index, error }) => [index, error])).to.deep.equal([
      [0, ErrorCode.TAG_NAME_CONFLICT],
    ]);
    const updated = await call('plan', { tags, mode: 'update' });
    expect(updated.reply.problems.map(({ index, error }) => [index, error])).to.deep.equal([
      [1, ErrorCode.TAG_NOT_FOUND],
    ]);
    expect((await call('apply', { tags, mode: 'replace' })).reply).to.include({
      add: 1,
      update: 1,
      remove: 1,
    });
    expect(await names()).to.deep.equal(['b', 'c']);
  });

  it('name every bad row, with its field and its value, and change nothing', async () => {
    await call('apply', { tags: [tag('there')] });
    const long = 'x'.repeat(Limits.tagName + 1);
    const bad: readonly (readonly [row: object, field: string, value: unknown, error: number])[] = [
      [{ address: '1', attribute: 1, type: 3 }, 'name', undefined, ErrorCode.BODY_INVALID],
      [tag(''), 'name', '', ErrorCode.BODY_INVALID],
      [tag(long), 'name', long, ErrorCode.TAG_NAME_TOO_LONG],
      [tag('1', 'nonsense'), 'address', 'nonsense', ErrorCode.TAG_ADDRESS_INVALID],
      [tag('2', '1', { address: 7 }), 'address', 7, ErrorCode.BODY_INVALID],
      [tag('3', '1', { attribute: 'Read' }), 'attribute', 'Read', ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED],
      [tag('4', '1', { attribute: 64 }), 'attribute', 64, ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED],
      [tag('5', '1', { type: 'INT16' }), 'type', 'INT16', ErrorCode.TAG_TYPE_UNSUPPORTED],
      [tag('6', '1', { type: 99 }), 'type', 99, ErrorCode.TAG_TYPE_UNSUPPORTED],
      [tag('7', '1', { precision: 18 }), 'precision', 18, ErrorCode.TAG_PRECISION_INVALID],
      [tag('8', '1', { decimal: '0,1' }), 'decimal', '0,1', ErrorCode.TAG_DECIMAL_INVALID],
      [tag('9', '1', { bias: null }), 'bias', null, ErrorCode.TAG_BIAS_INVALID],
      [tag('9a', '1', { deadband: true }), 'deadband', true, ErrorCode.TAG_DEADBAND_INVALID],
      [tag('9b', '1', { unit: 7 }), 'unit', 7, ErrorCode.TAG_UNIT_INVALID],
      [tag('9c', '1', { low: '0', high: 1 }), 'low', '0', ErrorCode.TAG_SPAN_INVALID],
      [
        tag('10', '1', { description: 'x'.repeat(Limits.tagDescription + 1) }),
        'description',
        'x'.repeat(Math.min(200, Limits.tagDescription + 1)),
        ErrorCode.TAG_DESCRIPTION_TOO_LONG,
      ],
      [tag('11', '1', { value: 3 }), 'value', 3, ErrorCode.BODY_INVALID],
      [
        tag('12', '', { attribute: Attribute.STATIC | Attribute.READ, value: 70_000 }),
        'value',
        70_000,
        ErrorCode.BODY_INVALID,
      ],
      [tag('good'), 'name', 'good', ErrorCode.TAG_NAME_CONFLICT],
    ];
    // Every second row is a good one; the last bad row has the name of the first of them.
    const tags = bad.flatMap(([row], at) => [row, tag(at === 0 ? 'good' : `good ${at}`)]);
    const problems = bad.map(([, field, value, error], at) => ({
      index: 2 * at,
      field,
      ...(value !== undefined && { value }),
      error,
    }));
    const { reply } = await call('plan', { tags, remove: ['gone'] });
    expect(reply.problems.map(({ name: _, message: __, ...rest }) => rest)).to.deep.equal([
      ...problems,
      { index: 0, field: 'remove', value: 'gone', error: ErrorCode.TAG_NOT_FOUND },
    ]);
    for (const { message } of reply.problems) expect(message).to.match(/^[A-Z].*[.)]$/);
    expect(reply.rows.filter((row) => row === 'refused')).to.have.length(bad.length);

    const applied = await call('apply', { tags });
    expect(applied.status).to.equal(400);
    expect(applied.reply.error).to.equal(ErrorCode.BODY_INVALID);
    expect(applied.reply.problems).to.have.length(bad.length);
    expect(applied.text).to.include(
      `${bad.length} of ${tags.length} rows are refused, so nothing was changed.`,
    );
    expect(await names()).to.deep.equal(['there']);
  });

  it('are refused where there is no driver, and when the group has changed since it was looked at', async () => {
    const gone = await api.call('POST /api/v2/tags/plan', { node: 'x', group: 'g', tags: [] });
    expect([gone.status, gone.body]).to.deep.equal([404, { error: ErrorCode.NODE_NOT_FOUND }]);
    await call('apply', { tags: [tag('a')] });
    const stale = await call('apply', { tags: [tag('b')] }, { 'If-Match': '"of-before"' });
    expect(stale.status).to.equal(412);
    expect(await names()).to.deep.equal(['a']);
  });

  it('may be 20 000 with 37 faults, of which each is named, while the gateway goes on', async () => {
    const tags = Array.from({ length: 20_000 }, (_, at) => tag(`tag ${at}`, String(at)));
    const wrong = Array.from({ length: 37 }, (_, at) => at * 540 + 7);
    const seeded = tags.with(0, tag('tag 0'));
    for (const at of wrong) seeded[at] = tag(`tag ${at}`, `no ${at}`);
    let asked = 0;
    let isDone = false;
    const asking = (async () => {
      for (; !isDone; asked++) await api.call('GET /api/v2/node?type=1');
    })();
    const { reply } = await call('plan', { tags: seeded });
    isDone = true;
    await asking;
    expect(asked).to.be.above(2);
    expect(reply.problems.map(({ index }) => index)).to.deep.equal(wrong);
    expect(reply.add).to.equal(tags.length - wrong.length);
    expect((await call('apply', { tags })).reply).to.include({ add: tags.length, error: 0 });
    const again = await call('plan', { tags });
    expect(again.reply.unchanged).to.equal(tags.length);
  });
});
