import { expect } from 'chai';
import { DataType, ErrorCode } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import type { StoredTransition } from '@tagway/sdk/internal';
import type { AlarmList, Entry, JournalFilter } from '../../src/core/alarms/alarms.ts';
import { Gateway } from '../../src/core/gateway.ts';
import type { StoreChanges } from '../../src/core/ports/ports.ts';
import { alarmTable } from '../../src/http/endpoints/alarm-table.ts';
import { Bench, plugins, portsIn } from './harness.ts';

const everything: JournalFilter = {
  node: '',
  group: '',
  tag: '',
  priority: '',
  state: '',
  since: 0,
  until: Infinity,
};

const tag = (name: string): { name: string; address: string; type: DataType; attribute: number } => ({
  name,
  address: 'a',
  type: DataType.INT16,
  attribute: 1,
});

async function all(gateway: Gateway, filter: Partial<JournalFilter> = {}): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of gateway.alarms.transitions({ ...everything, ...filter })) entries.push(entry);
  return entries;
}

const list = (gateway: Gateway): AlarmList =>
  gateway.alarms.list({ node: '', priority: '', state: '' }, { page: 0, pageSize: 100 }, Date.now());

describe('alarms of a node', () => {
  let bench: Bench;

  const happens = (
    name: string,
    from: StoredTransition['from'],
    to: StoredTransition['to'],
    more: Partial<StoredTransition> = {},
  ): StoredTransition => {
    const { id } = bench.gateway.nodes.get('n').groups.get('g')!.tags.get(name)!;
    return {
      tag: { id, name },
      time: 1_700_000_000_000,
      from,
      to,
      cause: 'condition',
      priority: 'medium',
      text: '',
      ...more,
    };
  };
  const store = (...transitions: StoredTransition[]): Promise<void> =>
    bench.runtime.events.store(bench.gateway.nodes.get('n'), [], transitions);
  const keysOf = async (): Promise<string[]> =>
    (await bench.store.load()).map(([key]) => key).filter((key) => /^(journal|alarm)\//.test(key));

  beforeEach(async () => {
    bench = await Bench.open();
    await bench.gateway.nodes.add({ name: 'n', plugin: 'Probe', params: { port: 1 } });
    await bench.gateway.tags.add('n', 'g', [tag('a'), tag('b')]);
  });

  afterEach(() => bench[Symbol.asyncDispose]());

  it('are in the journal once each, in order, with all members, also after a restart', async () => {
    const by = { kind: 'user', name: 'eva' } as const;
    await store(
      happens('a', 'normal', 'unacknowledged', { value: 9_007_199_254_740_993n, limit: 5, text: 'hot' }),
      happens('b', 'normal', 'unacknowledged', { priority: 'high' }),
    );
    await store(
      happens('a', 'unacknowledged', 'acknowledged', { cause: 'acknowledge', by, comment: 'seen, "now"' }),
    );
    expect(bench.runtime.take()).to.include.members(['alarmed n 1 2', 'alarmed n 3']);
    const before = await all(bench.gateway);
    expect(before.map(({ record }) => [record.sequence, record.tag, record.to])).to.deep.equal([
      [3, 'a', 'acknowledged'],
      [2, 'b', 'unacknowledged'],
      [1, 'a', 'unacknowledged'],
    ]);
    expect(before[2]?.record).to.include({
      value: 9_007_199_254_740_993n,
      limit: 5,
      text: 'hot',
      group: 'g',
    });
    expect(before[0]?.record).to.deep.include({ by, comment: 'seen, "now"' });
    const shown = list(bench.gateway);
    await bench.restart();
    expect(await all(bench.gateway)).to.deep.equal(before);
    expect(list(bench.gateway)).to.deep.equal(shown);
    await store(happens('b', 'unacknowledged', 'returned'));
    expect((await all(bench.gateway))[0]?.record.sequence).to.equal(4);
  });

  it('are listed while they are not normal: those that nobody has acknowledged first, then by priority', async () => {
    await store(
      happens('a', 'normal', 'unacknowledged'),
      happens('a', 'unacknowledged', 'acknowledged', { priority: 'high' }),
      happens('b', 'normal', 'unacknowledged', { priority: 'low' }),
    );
    const { entries, counts, lastHour, isFlood } = list(bench.gateway);
    expect(entries.map(({ record }) => record.tag)).to.deep.equal(['b', 'a']);
    expect(counts).to.deep.equal({ unacknowledged: 1, acknowledged: 1 });
    expect([lastHour, isFlood]).to.deep.equal([2, false]);
    await store(happens('b', 'unacknowledged', 'normal'));
    expect(list(bench.gateway).entries.map(({ record }) => record.tag)).to.deep.equal(['a']);
    await bench.gateway.tags.delete('n', 'g', ['a']);
    expect(list(bench.gateway).entries).to.deep.equal([]);
  });

  it('are given to apps by group under the names of now, with the end of a shelf, also after a restart', async () => {
    const shelf = { until: 1_800_000_000_000, once: true };
    await store(
      happens('a', 'normal', 'unacknowledged'),
      happens('b', 'normal', 'shelved', { cause: 'shelve', shelf }),
      happens('a', 'unacknowledged', 'unacknowledged', { cause: 'comment', comment: 'seen' }),
    );
    expect(list(bench.gateway).lastHour, 'a comment is no occurrence').to.equal(1);
    await bench.gateway.tags.rename('n', 'g', 'b', 'c');
    const { events } = bench.runtime;
    const given = events.activeAlarms('n', 'g');
    expect(given).to.have.length(2);
    expect(given[0]).to.include({ sequence: 3, tag: 'a', to: 'unacknowledged', comment: 'seen' });
    expect(given[1]).to.deep.include({ sequence: 2, tag: 'c', to: 'shelved', shelf });
    expect(given[1]).not.to.have.any.keys('id', 'group');
    await bench.restart();
    expect(bench.runtime.events.activeAlarms('n', 'g')).to.deep.equal(given);
    expect(() => events.activeAlarms('n', 'none')).to.throw('none');
  });

  it('are a flood from more than ten within ten minutes on', async () => {
    const round = [happens('a', 'normal', 'unacknowledged'), happens('a', 'unacknowledged', 'normal')];
    for (let count = 0; count < 10; count++) await store(...round);
    expect(list(bench.gateway)).to.include({ lastTenMinutes: 10, isFlood: false });
    await store(...round);
    expect(list(bench.gateway)).to.include({ lastTenMinutes: 11, isFlood: true });
    const later = Date.now() + 700_000;
    const { isFlood, lastHour } = bench.gateway.alarms.list(
      { node: '', priority: '', state: '' },
      { page: 0, pageSize: 1 },
      later,
    );
    expect([isFlood, lastHour]).to.deep.equal([false, 11]);
  });

  it('are found by time, node, group, tag, priority and state', async () => {
    await store(
      happens('a', 'normal', 'unacknowledged', { priority: 'high' }),
      happens('b', 'normal', 'unacknowledged'),
      happens('b', 'unacknowledged', 'normal'),
    );
    const found = async (filter: Partial<JournalFilter>): Promise<number[]> =>
      (await all(bench.gateway, filter)).map(({ record }) => record.sequence);
    expect(await found({ tag: 'b' })).to.deep.equal([3, 2]);
    expect(await found({ priority: 'high' })).to.deep.equal([1]);
    expect(await found({ state: 'unacknowledged' })).to.deep.equal([2, 1]);
    expect(await found({ group: 'other' })).to.deep.equal([]);
    expect(await found({ node: 'other' })).to.deep.equal([]);
    const [newest] = await all(bench.gateway);
    expect(await found({ since: newest!.record.recorded + 1 })).to.deep.equal([]);
    expect(await found({ until: newest!.record.recorded + 1 })).to.deep.equal([3, 2, 1]);
    const page = await bench.gateway.alarms.journal(everything, { page: 1, pageSize: 2 });
    expect(page.entries.map(({ record }) => record.sequence)).to.deep.equal([1]);
    expect(page.pageCount).to.equal(2);
  });

  it('the journal has a bound: the oldest goes first, the one that is left says how many are gone, and numbers go on', async function () {
    this.timeout(30_000);
    const text = 'x'.repeat(2000);
    const many = Array.from({ length: 250 }, (_, index) =>
      happens(
        'a',
        index % 2 === 0 ? 'normal' : 'unacknowledged',
        index % 2 === 0 ? 'unacknowledged' : 'normal',
        {
          text,
        },
      ),
    );
    for (let round = 0; round < 20; round++) await store(...many);
    const entries = await all(bench.gateway);
    const oldest = entries.at(-1);
    expect(entries[0]?.record.sequence).to.equal(5000);
    expect(oldest?.record.sequence).to.be.within(1001, 1500);
    expect(oldest?.gone).to.equal(oldest!.record.sequence - 1);
    expect(entries).to.have.length(5000 - oldest!.gone!);
    expect(entries.filter(({ gone }) => gone !== undefined)).to.have.length(1);
    await bench.restart();
    expect(await all(bench.gateway)).to.deep.equal(entries);
  });

  it('what is too long is refused, and nothing is stored with it', async () => {
    const one = happens('a', 'normal', 'unacknowledged', { text: 'x'.repeat(4097) });
    let refused: unknown;
    await bench.runtime.events
      .store(bench.gateway.nodes.get('n'), [['key', 'text']], [one])
      .catch((error: unknown) => (refused = error));
    expect(isFault(refused) && refused.code).to.equal(ErrorCode.PARAM_INVALID);
    expect(await keysOf()).to.deep.equal([]);
    expect([...bench.runtime.events.stored(bench.gateway.nodes.get('n'))]).to.deep.equal([]);
  });

  it('are gone with their node', async () => {
    await store(happens('a', 'normal', 'unacknowledged'));
    expect(await keysOf()).to.have.length(2);
    await bench.gateway.nodes.delete('n');
    expect(await keysOf()).to.deep.equal([]);
  });

  it('are the same at a gateway that follows', async () => {
    const changes: StoreChanges[] = [];
    const commit = bench.store.commit.bind(bench.store);
    bench.store.commit = async ({ set = [], delete: deleted = [] }) => {
      const change = { set: [...set], delete: [...deleted] };
      changes.push(structuredClone(change));
      await commit(change);
    };
    const empty = { load: () => Promise.resolve([]), commit: () => Promise.resolve() };
    const standby = new Gateway(portsIn(bench.folder, empty, plugins));
    const follower = await standby.follow();
    await follower.apply({ set: await bench.store.load() });
    await store(happens('a', 'normal', 'unacknowledged'), happens('b', 'normal', 'unacknowledged'));
    await store(happens('a', 'unacknowledged', 'normal'));
    for (const change of changes) await follower.apply(change);
    expect(await all(standby)).to.deep.equal(await all(bench.gateway));
    expect(list(standby)).to.deep.equal(list(bench.gateway));
    expect(list(standby).entries).to.have.length(1);
  });

  it('stored records that make no sense are skipped, and the rest is there', async () => {
    await store(happens('a', 'normal', 'unacknowledged'));
    const [journal = '', alarm = ''] = (await keysOf()).sort().reverse();
    await bench.store.commit({
      set: [
        [journal.replace(/\d+$/, '000000000007'), '[["no"]]'],
        [alarm.replace(/\d+$/, '000000000009'), { sequence: 1, text: '[]' }],
        ['journal/000000000999/t000000000001', '[]'],
      ],
    });
    await bench.restart();
    expect(bench.errors).to.have.length(3);
    expect(await all(bench.gateway)).to.have.length(1);
  });

  it('a CSV file has what spreadsheets take for formulas as text', async () => {
    await store(
      happens('a', 'normal', 'unacknowledged', { text: '=1+1', value: 'a "b", c', limit: 5 }),
      happens('a', 'unacknowledged', 'acknowledged', { by: { kind: 'app', name: 'mqtt' }, comment: 'x\ny' }),
      happens('a', 'acknowledged', 'shelved', {
        cause: 'shelve',
        shelf: { until: 1_800_000_000_000, once: false },
      }),
    );
    const [head, shelved, second, third, ...rest] = (
      await alarmTable(bench.gateway.alarms.transitions(everything))
    ).split('\r\n');
    expect(head).to.equal(
      '\ufeffrecorded,time,node,group,tag,from,to,cause,value,limit,priority,text,user,kind,comment,sequence,until,once',
    );
    expect(shelved).to.match(
      /,a,acknowledged,shelved,shelve,,,medium,,,,,3,2027-01-15T08:00:00\.000Z,false$/,
    );
    expect(second).to.match(
      /^[\d-]+T[\d:.]+Z,2023-11-14T22:13:20\.000Z,n,g,a,unacknowledged,acknowledged,condition,,,medium,,mqtt,app,"x\ny",2,,$/,
    );
    expect(third).to.include(`,n,g,a,normal,unacknowledged,condition,"a ""b"", c",5,medium,'=1+1,,,,1,,`);
    expect(rest).to.deep.equal(['']);
  });
});
