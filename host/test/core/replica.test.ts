import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { NodeCommand } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import { parseJson, stringifyJson } from '@tagway/sdk/json';
import { expect } from 'chai';
import type { Follower } from '../../src/core/records/follower.ts';
import { Gateway } from '../../src/core/gateway.ts';
import type { Group, TagGroup } from '../../src/core/model.ts';
import type { RuntimeEvents, SnapshotStore, Store, StoreChanges } from '../../src/core/ports/ports.ts';
import { type SqliteStore, openSqliteStore } from '../../src/store/store.ts';
import { longestTurn } from '../longest-turn.ts';
import { portsIn, RecordingRuntime, tag } from './harness.ts';

/** Changes as they travel: gone through once, and as text. */
function packed({ set = [], delete: deleted = [] }: StoreChanges): string {
  return stringifyJson({ set: [...set], delete: [...deleted] });
}

/** Keeps every change that is made. */
class RecordedStore implements Store {
  readonly changes: string[] = [];
  readonly #store: SqliteStore;

  constructor(store: SqliteStore) {
    this.#store = store;
  }

  load(): Promise<[key: string, record: unknown][]> {
    return this.#store.load();
  }

  async commit(changes: StoreChanges): Promise<void> {
    const text = packed(changes);
    await this.#store.commit(parseJson(text) as StoreChanges);
    this.changes.push(text);
  }
}

/** Three gateways: one that is changed, one that follows it, and again and again one that has just read what is stored. */
class Trio implements AsyncDisposable {
  readonly folder: string;
  readonly store: SqliteStore;
  readonly recorded: RecordedStore;
  readonly active: Gateway;
  readonly standby: Gateway;
  follower!: Follower;
  /** What apps of the active gateway ask. */
  asked!: RuntimeEvents;

  private constructor(folder: string) {
    this.folder = folder;
    this.store = openSqliteStore(join(folder, 'tagway.db'));
    this.recorded = new RecordedStore(this.store);
    const past = new Map<string, [string, unknown][]>();
    const snapshots: SnapshotStore = {
      list: () =>
        Promise.resolve(Array.from(past.keys(), (id) => ({ id, time: 0, reason: 'request', size: 0 }))),
      make: async (reason) => {
        past.set(String(past.size), await this.store.load());
        return { id: String(past.size - 1), time: 0, reason, size: 0 };
      },
      read: (id) => Promise.resolve(structuredClone(past.get(id) ?? [])),
    };
    const runtime = (events: RuntimeEvents): RecordingRuntime => {
      this.asked = events;
      return new RecordingRuntime(events);
    };
    this.active = new Gateway({ ...portsIn(folder, this.recorded), snapshots, runtime });
    this.standby = new Gateway(portsIn(folder, { load: async () => [], commit: refuse }));
  }

  static async open(): Promise<Trio> {
    const trio = new Trio(await mkdtemp(join(tmpdir(), 'tagway-replica-')));
    await trio.active.load();
    trio.follower = await trio.standby.follow();
    await trio.catchUp();
    return trio;
  }

  async catchUp(): Promise<void> {
    for (const text of this.recorded.changes.splice(0))
      await this.follower.apply(parseJson(text) as StoreChanges);
  }

  async fresh(): Promise<Gateway> {
    const gateway = new Gateway(portsIn(this.folder, { load: () => this.store.load(), commit: refuse }));
    await gateway.follow();
    return gateway;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

function refuse(): Promise<void> {
  return Promise.reject(new Error('Nothing may be changed here.'));
}

function pictureOf(gateway: Gateway): unknown {
  const groups = (all: Iterable<TagGroup>): unknown[] =>
    Array.from(all, ({ id, name, interval, pace, tags }) => ({
      id,
      name,
      interval,
      pace,
      tags: [...tags],
    }));
  const subscribers = (all: Iterable<Group>): unknown[] =>
    Array.from(all, ({ subscriptions }) => Array.from(subscriptions, ([app, { id }]) => [app.name, id]));
  return {
    nodes: gateway.nodes.all().map((node) => ({
      id: node.id,
      name: node.name,
      running: node.running,
      plugin: node.plugin,
      params: node.params,
      settings: node.settings,
      problem: node.problem,
      profile: node.profile,
      groups: groups(node.groups.values()),
      names: [...node.groups.keys()],
      counters: [...(node.counters ?? [])].sort(([one], [other]) => (one < other ? -1 : 1)),
      subscribers: subscribers(node.groups.values()),
      subscriptions: Array.from(node.subscriptions, ([group, { id, params }]) => [group.id, id, params]),
    })),
    found: gateway.nodes.all().map(({ name }) => gateway.nodes.get(name).id),
    templates: gateway.templates.list().map(({ id, name, plugin, pluginName, groups: own }) => ({
      id,
      name,
      plugin,
      pluginName,
      groups: groups(own.values()),
      names: [...own.keys()],
    })),
    users: gateway.users.list(),
    tokens: gateway.machineTokens.list(),
  };
}

/** What a driver remembers of a device profile. */
const profileOf = (unit: number) => ({
  id: 'meter',
  version: `1.${unit}.0`,
  parameters: { unit },
  settings: { port: unit },
  groups: [{ name: 'g1', interval: 1000, tags: [tag(`t${unit}`)] }],
});

/** Numbers from a seed, so that a failure can be had again. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const asking = { manages: true };

/** One of the changes that clients can make, which may be refused. */
async function changeSomething({ active, asked }: Trio, roll: (below: number) => number): Promise<void> {
  const of = <T>(...choices: readonly T[]): T => choices[roll(choices.length)] as T;
  const driver = (): string => of('d1', 'd2', 'd3');
  const app = (): string => of('a1', 'a2');
  const group = (): string => of('g1', 'g2', 'g3');
  const tagNames = (): string[] => ['t1', 't2', 't3', 't4', 't5'].filter(() => roll(2) === 1);
  const tags = () => tagNames().map((name) => tag(name, { description: String(roll(9)), bias: roll(3) }));
  const groupDraft = (name: string) => ({ name, interval: 100 + roll(900), tags: tags() });
  const nodeDraft = (name: string, plugin: string) => ({
    name,
    plugin,
    isStopped: roll(2) === 1,
    params: roll(3) > 0 ? { port: 1 + roll(9) } : undefined,
    groups: plugin === 'Uplink' ? [] : [groupDraft('g1'), groupDraft('g2')],
    profile: plugin !== 'Uplink' && roll(2) === 1 ? profileOf(roll(9)) : undefined,
  });
  const template = (name: string) => ({
    name,
    plugin: 'Probe',
    groups: [groupDraft('g1'), groupDraft('g2')],
  });
  const { nodes, groups, subscriptions, templates, templateGroups, templateTags, users, transfer } = active;
  const params = { port: 1 + roll(9), ...(roll(2) === 1 && { host: 'here' }) };
  const regroup = (driverName: string, name: string, newName: string, interval: number): Promise<void> =>
    groups.update(driverName, name, {
      newName,
      interval,
      pace: { report: interval % 2 === 0 ? 'change' : 'default', min_interval: (interval % 3) * 500 },
    });
  const changes: (() => Promise<unknown>)[] = [
    () => nodes.add({ name: driver(), plugin: of('Probe', 'Slow'), ...(roll(2) === 1 && { params }) }),
    () => nodes.add({ name: app(), plugin: 'Uplink', params }),
    () => nodes.rename(driver(), driver()),
    async () => asked.sequence(nodes.get(roll(2) === 1 ? driver() : app()), of('a', 'b', '7'), roll(5)),
    () => nodes.delete(roll(2) === 1 ? driver() : app()),
    () => nodes.setSetting(driver(), params),
    () => nodes.control(driver(), of(NodeCommand.START, NodeCommand.STOP)),
    () => groups.add(driver(), group(), 100 + roll(900)),
    () => regroup(driver(), group(), group(), 100 + roll(900)),
    () => groups.delete(driver(), group()),
    () => active.tags.add(driver(), group(), tags()),
    () => active.tags.add(driver(), group(), tags()),
    () => active.tags.update(driver(), group(), tags()),
    () => active.tags.rename(driver(), group(), of('t1', 't2', 't3'), of('t1', 't4', 't6')),
    () => active.tags.delete(driver(), group(), tagNames()),
    () => active.tags.addGrouped(driver(), [{ group: 'g4', interval: 500, tags: [tag(`x${roll(99)}`)] }]),
    () =>
      active.tags.apply({
        node: driver(),
        group: group(),
        interval: 300,
        problems: [],
        remove: [],
        mode: of('merge', 'replace'),
        rows: tags().map((body) => ({
          body,
          newName: roll(4) === 0 ? `${body.name}n` : undefined,
          group: undefined,
          interval: undefined,
        })),
      }),
    () =>
      subscriptions.add(app(), [{ driver: driver(), group: group(), params: { topic: String(roll(9)) } }]),
    () =>
      subscriptions.update(app(), { driver: driver(), group: group(), params: { topic: String(roll(9)) } }),
    () => subscriptions.delete(app(), driver(), group()),
    () => templates.add(template(of('p1', 'p2'))),
    () => templates.delete(of('p1', 'p2')),
    () => templates.instantiate([{ template: of('p1', 'p2'), node: driver() }]),
    () => templateGroups.update(of('p1', 'p2'), group(), { newName: group() }),
    () => templateGroups.delete(of('p1', 'p2'), group()),
    () => templateTags.add(of('p1', 'p2'), group(), tags()),
    () => users.delete(asking, 'evan'),
    () => users.update(asking, 'evan', { role: of('admin', 'viewer', 'engineer') }),
    () => active.machineTokens.add(asking, of('m1', 'm2'), 'viewer', 1 + roll(9)),
    () => active.machineTokens.delete(asking, of('m1', 'm2')),
    () =>
      transfer.replaceAll(
        [nodeDraft('d1', 'Probe'), nodeDraft('d2', 'Slow'), nodeDraft('a1', 'Uplink')],
        [{ app: 'a1', driver: 'd1', group: 'g2', params: undefined }],
        roll(2) === 1 ? [template('p1')] : undefined,
      ),
    () => transfer.replaceDrivers([nodeDraft('d2', 'Probe')]),
    async () => active.snapshots.restore((await active.snapshots.make()).id),
    async () => active.snapshots.restore((await active.snapshots.list())[0]?.id ?? ''),
  ];
  try {
    await changes[roll(changes.length)]?.();
  } catch (error) {
    if (!isFault(error)) throw error;
  }
}

describe('a gateway that follows another one', () => {
  for (const seed of [1, 2, 3]) {
    it(`shows after every change what one that has just read it shows, seed ${seed}`, async () => {
      await using trio = await Trio.open();
      const roll = dice(seed);
      await trio.active.users.add(asking, 'evan', 'a long password');
      let made = 0;
      for (let step = 0; step < 250; step++) {
        await changeSomething(trio, roll);
        if (trio.recorded.changes.length === 0) continue;
        made++;
        await trio.catchUp();
        expect(pictureOf(trio.standby), `step ${step}`).to.deep.equal(pictureOf(await trio.fresh()));
      }
      expect(made).to.be.above(80);
    });
  }

  it('knows what drivers were given by their device profiles, as they are and after each change of them', async () => {
    await using trio = await Trio.open();
    const given = (gateway: Gateway) => gateway.nodes.get('d').profile;
    const draft = { name: 'd', plugin: 'Probe', isStopped: true, params: { port: 1 }, groups: [] };
    await trio.active.transfer.replaceDrivers([{ ...draft, profile: profileOf(1) }]);
    await trio.catchUp();
    expect(given(trio.active)).to.deep.equal(profileOf(1));
    expect(given(trio.standby)).to.deep.equal(profileOf(1));
    await trio.active.nodes.setSetting('d', { port: 2 });
    await trio.catchUp();
    expect(given(trio.standby)).to.deep.equal(profileOf(1));
    expect(given(await trio.fresh())).to.deep.equal(profileOf(1));
    await trio.active.transfer.replaceDrivers([draft]);
    await trio.catchUp();
    expect(given(trio.standby)).to.equal(undefined);
  });

  it('lets tags exchange names, and a new one take a name that is given up, in one change', async () => {
    await using trio = await Trio.open();
    await trio.active.nodes.add({ name: 'd', plugin: 'Probe' });
    await trio.active.tags.add(
      'd',
      'g',
      ['a', 'b', 'c'].map((name) => tag(name)),
    );
    await trio.catchUp();
    const [a, b, c] = (await trio.store.load()).filter(([key]) => key.startsWith('tag/'));
    if (a === undefined || b === undefined || c === undefined) throw new Error('There are three tags.');
    const changes: StoreChanges = {
      set: [
        [c[0].replace(/\d+$/, '000000000999'), tag('d')],
        [c[0].replace(/\d+$/, '000000000998'), tag('c')],
        [a[0], tag('b')],
        [b[0], tag('a')],
        [c[0], tag('e')],
      ],
    };
    await trio.store.commit(changes);
    await trio.follower.apply(changes);
    expect(trio.standby.tags.list('d', 'g').map(({ name }) => name)).to.deep.equal(['b', 'a', 'e', 'c', 'd']);
    expect(pictureOf(trio.standby)).to.deep.equal(pictureOf(await trio.fresh()));
  });

  it('stops a node that was deleted, and forgets what belonged to it', async () => {
    await using trio = await Trio.open();
    await trio.active.nodes.add({ name: 'd', plugin: 'Probe', params: { port: 1 } });
    await trio.catchUp();
    trio.standby.logLevels.set('d', 'debug');
    await trio.active.nodes.delete('d');
    await trio.catchUp();
    expect(trio.standby.nodes.all()).to.deep.equal([]);
    expect(trio.standby.logLevels.of('d')).to.equal('notice');
  });

  it('takes 10 000 tags in pieces, between which others have their turns', async () => {
    await using trio = await Trio.open();
    await trio.active.nodes.add({ name: 'd', plugin: 'Probe' });
    await trio.active.tags.add(
      'd',
      'g',
      Array.from({ length: 10_000 }, (_, index) => tag(`t${index}`)),
    );
    const changes = trio.recorded.changes.splice(0).map((text) => parseJson(text) as StoreChanges);
    const longest = await longestTurn(async () => {
      await delay(5);
      for (const change of changes) await trio.follower.apply(change);
      await delay(5);
    });
    expect(trio.standby.tags.list('d', 'g')).to.have.length(10_000);
    // 4 ms are meant, and the rest is for a busy machine.
    expect(longest).to.be.below(50);
  });
});
