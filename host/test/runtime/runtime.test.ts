import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  Attribute,
  DataType,
  ErrorCode,
  LinkState,
  NodeType,
  PluginKind,
  RunningState,
} from '@tagway/schemas';
import type { Log } from '@tagway/sdk';
import { expect } from 'chai';
import type { Group, Node, Plugin, Tag } from '../../src/core/model.ts';
import { inlineRunners } from '../../src/runtime/process/channel.ts';
import { PluginRuntime } from '../../src/runtime/runtime.ts';

const { RUNNING, STOPPED } = RunningState;
const { CONNECTED, DISCONNECTED } = LinkState;
const up = `${RUNNING}:${CONNECTED}`;

const pluginOf = (id: string, nodeType: NodeType, main: string): Plugin => ({
  id,
  name: id,
  nodeType,
  kind: PluginKind.SYSTEM,
  version: '1.0.0',
  library: id,
  description: '',
  descriptionZh: '',
  settingsSchema: {},
  groupInterval: 1000,
  addresses: [],
  writesMany: false,
  main: fileURLToPath(import.meta.resolve(main)),
});
const driverPlugin = pluginOf('device', NodeType.DRIVER, '../http/plugins/driver.ts');
const appPlugin = pluginOf('teller', NodeType.APP, './plugins/teller.ts');

let lastId = 0;

function tagOf(name: string, address: string, attribute: number): Tag {
  const plain = { type: DataType.INT16, precision: 0, decimal: 0, bias: 0, description: '' };
  return { id: ++lastId, name, address, attribute, ...plain };
}

/** A runtime with a driver node, whose device is always there, and an app node, and what the app got. */
class RuntimeFixture implements AsyncDisposable {
  readonly runtime: PluginRuntime;
  readonly driver = this.#node('plant', driverPlugin);
  readonly app: Node;
  readonly #settings: object;
  readonly #folder: string;
  readonly #said: string[] = [];
  readonly #sequences: string[] = [];
  /** Names of the other gateways of the pair; undefined: there is no pair. */
  others: string[] | undefined;

  private constructor(folder: string, settings: object) {
    this.#folder = folder;
    this.#settings = settings;
    this.app = this.#appNode('teller');
    const ignore = (): void => undefined;
    const log: Log = { debug: ignore, info: ignore, notice: ignore, warn: ignore, error: ignore };
    this.runtime = new PluginRuntime(
      {
        open: inlineRunners,
        log,
        nodeLog: () => ({ ...log, fatal: ignore, notice: (text) => void this.#said.push(text) }),
        withoutSecrets: (printed) => printed,
        levelOf: () => 'notice',
        nodesFolder: folder,
        gatewaysOfPair: () =>
          this.others && {
            name: 'west',
            others: this.others.map((name) => ({ name, url: `http://${name}:7000` })),
          },
      },
      {
        refused: ignore,
        read: () => Promise.reject(new Error('No test asks for this.')),
        write: () => Promise.reject(new Error('No test asks for this.')),
        activeAlarms: () => [],
        history: () => Promise.reject(new Error('No test asks for this.')),
        drivers: () => [],
        alarmsAfter: () => ({ events: [], last: 0 }),
        writeInputs: () => Promise.reject(new Error('No test asks for this.')),
        traceOf: () => undefined,
        traced: () => undefined,
        stored: () => new Map(),
        store: () => Promise.reject(new Error('No test asks for this.')),
        listens: ignore,
        refusedRequest: ignore,
        login: () => Promise.reject(new Error('No app of these tests has logins checked.')),
        sequence: (node, name, least) =>
          Promise.resolve(least + this.#sequences.push(`${node.name} ${name}`)),
      },
    );
  }

  static async open(settings: object = {}): Promise<RuntimeFixture> {
    return new RuntimeFixture(await mkdtemp(join(tmpdir(), 'tagway-runtime-')), settings);
  }

  #node(name: string, plugin: Plugin): Node {
    return {
      id: ++lastId,
      name,
      plugin,
      running: RUNNING,
      settings: {},
      params: {},
      groups: new Map<string, Group>(),
      subscriptions: new Map(),
    };
  }

  #appNode(name: string): Node {
    return { ...this.#node(name, appPlugin), settings: { ...this.#settings } };
  }

  /** Another app of the same plugin, which subscribes to the group too. */
  appFor(group: Group): Node {
    const app = this.#appNode('another teller');
    this.#subscribe(app, group);
    return app;
  }

  #subscribe(app: Node, group: Group): void {
    const subscription = { id: ++lastId, app, group, params: undefined };
    group.subscriptions.set(app, subscription);
    app.subscriptions.set(group, subscription);
  }

  /** Adds a group that the app subscribes to, with a tag of this address. */
  group(name: string, interval: number, address: string, attribute: number = Attribute.READ): Group {
    const tag = tagOf('a', address, attribute);
    const group: Group = {
      id: ++lastId,
      node: this.driver,
      name,
      interval,
      history: 0,
      tags: new Map([[tag.name, tag]]),
      subscriptions: new Map(),
    };
    this.driver.groups.set(name, group);
    this.#subscribe(this.app, group);
    return group;
  }

  /** Deletes a group. */
  ungroup(group: Group): void {
    this.driver.groups.delete(group.name);
    this.app.subscriptions.delete(group);
    group.subscriptions.clear();
    this.runtime.routed(this.app);
    this.runtime.removed(group);
  }

  /** Waits until the app got this; returns what it got since the last time, this included. */
  async until(line: string): Promise<string[]> {
    const end = performance.now() + 10_000;
    while (!this.#said.includes(line)) {
      if (performance.now() > end)
        throw new Error(`The app did not get "${line}" but: ${this.#said.join('; ')}`);
      await delay(5);
    }
    return this.#said.splice(0, this.#said.indexOf(line) + 1);
  }

  take(): string[] {
    return this.#said.splice(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.runtime.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

describe('an app at the runtime', () => {
  it('gets its subscriptions first, then its drivers, then what is known, before anything changes', async () => {
    await using fixture = await RuntimeFixture.open();
    const group = fixture.group('fast', 60_000, '7', Attribute.SUBSCRIBE);
    await fixture.runtime.start(fixture.driver);
    await fixture.runtime.poll(group);
    await fixture.runtime.start(fixture.app);
    expect(await fixture.until('sample of fast: 7')).to.deep.equal([
      ...['subscriptions fast', `drivers ${up}`, 'sample of fast: 7'],
    ]);
  });

  it('is given what is known also when its start succeeds late', async () => {
    await using fixture = await RuntimeFixture.open({ failsOnce: true });
    const group = fixture.group('fast', 60_000, '7', Attribute.SUBSCRIBE);
    await fixture.runtime.start(fixture.driver);
    await fixture.runtime.poll(group);
    await fixture.runtime.start(fixture.app);
    expect((await fixture.until('sample of fast: 7'))[0]).to.equal('subscriptions fast');
  });

  it('runs before the drivers when the gateway starts, so that it gets the first that they read', async () => {
    await using fixture = await RuntimeFixture.open({ start: 300 });
    fixture.group('fast', 100, '7');
    const started = fixture.runtime.start(fixture.app);
    fixture.runtime.startDriversAfter([fixture.app]);
    await Promise.all([started, fixture.runtime.start(fixture.driver)]);
    const said = await fixture.until('sample of fast: 7');
    expect(said.slice(0, 2)).to.deep.equal(['subscriptions fast', `drivers ${RUNNING}:${DISCONNECTED}`]);
  });

  it('is given the same sample as others of its plugin, which reached their process once, so that what it is turned into is shared', async () => {
    await using fixture = await RuntimeFixture.open({ numbersSamples: true });
    const group = fixture.group('fast', 60_000, '7');
    for (const app of [fixture.app, fixture.appFor(group)]) await fixture.runtime.start(app);
    await fixture.runtime.start(fixture.driver);
    await fixture.runtime.poll(group);
    await fixture.runtime.poll(group);
    const said = await fixture.until('sample number 2');
    const samples = said.filter((line) => line.startsWith('sample'));
    expect(samples).to.deep.equal(['sample number 1', 'sample number 1', 'sample number 2']);
  });

  it('gets a change of several groups at once, and once, whatever the driver does', async () => {
    await using fixture = await RuntimeFixture.open();
    const groups = ['one', 'two', 'three'].map((name) => fixture.group(name, 60_000, '7'));
    fixture.driver.running = STOPPED;
    await fixture.runtime.start(fixture.app);
    await fixture.until('subscriptions one,two,three');
    fixture.take();
    for (const group of groups) {
      group.name = `new ${group.name}`;
      fixture.runtime.changed(group);
    }
    expect(await fixture.until('subscriptions new one,new two,new three')).to.have.length(1);
  });

  it('gets a change of groups before the first sample that has it', async () => {
    await using fixture = await RuntimeFixture.open();
    const groups = ['one', 'two', 'three'].map((name) => fixture.group(name, 100, '7'));
    await fixture.runtime.start(fixture.driver);
    await fixture.runtime.start(fixture.app);
    await fixture.until('sample of three: 7');
    fixture.take();
    for (const round of [1, 2]) {
      for (const group of groups) {
        group.name = `${group.name}+`;
        // Another point is read at once.
        group.tags.set('a', tagOf('a', `${7 + round}`, Attribute.READ));
        fixture.runtime.changed(group);
      }
      const plus = '+'.repeat(round);
      const changed = `subscriptions one${plus},two${plus},three${plus}`;
      const said = await fixture.until(changed);
      expect(said.filter((line) => line.includes(`${plus}:`))).to.deep.equal([]);
      await fixture.until(`sample of three${plus}: ${7 + round}`);
    }
  });

  it('gets a change of a group in the moment in which its driver starts', async () => {
    await using fixture = await RuntimeFixture.open();
    const group = fixture.group('fast', 60_000, '7');
    await fixture.runtime.start(fixture.driver);
    await fixture.runtime.start(fixture.app);
    await fixture.until('subscriptions fast');
    group.name = 'slow';
    fixture.runtime.changed(group);
    await fixture.runtime.start(fixture.driver);
    await fixture.until('subscriptions slow');
  });

  it('gets to know at once that a driver of long intervals stops: its state, then one faulted sample a group', async () => {
    await using fixture = await RuntimeFixture.open();
    const group = fixture.group('slow', 60_000, '7');
    await fixture.runtime.start(fixture.driver);
    await fixture.runtime.start(fixture.app);
    await fixture.runtime.poll(group);
    await fixture.until('sample of slow: 7');
    fixture.take();
    fixture.driver.running = STOPPED;
    await fixture.runtime.stop(fixture.driver);
    const failed = `sample of slow: failed ${ErrorCode.NOT_RUNNING}`;
    expect(await fixture.until(failed)).to.deep.equal([`drivers ${STOPPED}:${DISCONNECTED}`, failed]);
    await delay(50);
    expect(fixture.take()).to.deep.equal([]);
  });
});

describe('an app with a number that outlives its runs', () => {
  it('is given the next one, as the node that it is', async () => {
    await using fixture = await RuntimeFixture.open({ counts: true });
    await fixture.runtime.start(fixture.app);
    await fixture.until('number 2');
    await fixture.runtime.start(fixture.app);
    await fixture.until('number 3');
  });
});

describe('the tail of an app', () => {
  it('ends by itself, and the app gets its subscriptions and samples once it is started', async () => {
    await using fixture = await RuntimeFixture.open();
    const group = fixture.group('fast', 60_000, '7', Attribute.SUBSCRIBE);
    fixture.runtime.startAtStandby(fixture.app);
    await fixture.until('tail');
    group.name = 'slow';
    fixture.runtime.changed(group);
    fixture.runtime.routed(fixture.app, [group]);
    await delay(50);
    expect(fixture.take()).to.deep.equal([]);
    await fixture.runtime.start(fixture.driver);
    await fixture.runtime.poll(group);
    await fixture.runtime.start(fixture.app);
    expect(await fixture.until('sample of slow: 7')).to.deep.equal([
      ...['subscriptions slow', `drivers ${up}`, 'sample of slow: 7'],
    ]);
  });

  it('is cut by a start, and takes no sample before that', async () => {
    await using fixture = await RuntimeFixture.open({ tail: 60_000 });
    const group = fixture.group('fast', 60_000, '7', Attribute.SUBSCRIBE);
    fixture.runtime.startAtStandby(fixture.app);
    await fixture.until('tail');
    await fixture.runtime.start(fixture.driver);
    await fixture.runtime.poll(group);
    fixture.runtime.routed(fixture.app, [group]);
    await delay(50);
    expect(fixture.take()).to.deep.equal([]);
    await fixture.runtime.start(fixture.app);
    expect((await fixture.until('sample of fast: 7'))[0]).to.equal('subscriptions fast');
  });
});

describe('an app that serves at the standby of a pair', () => {
  const serving = async (): Promise<RuntimeFixture> => {
    const fixture = await RuntimeFixture.open();
    Object.assign(fixture.app, { plugin: { ...appPlugin, servesAtStandby: true } });
    fixture.others = ['east'];
    return fixture;
  };

  it('is started there with its subscriptions, and goes on when that gateway becomes the active one', async () => {
    await using fixture = await serving();
    const group = fixture.group('fast', 60_000, '7', Attribute.SUBSCRIBE);
    fixture.runtime.startAtStandby(fixture.app);
    const down = `drivers ${RUNNING}:${DISCONNECTED}`;
    expect(await fixture.until(down)).to.deep.equal(['start as standby', 'subscriptions fast', down]);
    await fixture.runtime.start(fixture.app);
    await fixture.runtime.start(fixture.driver);
    await fixture.runtime.poll(group);
    const said = await fixture.until('sample of fast: 7');
    expect(said[0]).to.equal('active beside east');
    expect(said.filter((line) => line.startsWith('start'))).to.deep.equal([]);
  });

  it('gets changes of its groups and of the pair there, and is started anew for other settings alone', async () => {
    await using fixture = await serving();
    const group = fixture.group('fast', 60_000, '7');
    fixture.runtime.startAtStandby(fixture.app);
    await fixture.until('subscriptions fast');
    group.name = 'slow';
    fixture.runtime.changed(group);
    await fixture.until('subscriptions slow');
    fixture.others = [];
    fixture.runtime.pairChanged();
    await fixture.until('standby beside none');
    fixture.take();
    fixture.app.settings = { ...fixture.app.settings };
    fixture.runtime.startAtStandby(fixture.app);
    await delay(50);
    expect(fixture.take()).to.deep.equal([]);
    fixture.app.settings = { failsOnce: false };
    fixture.runtime.startAtStandby(fixture.app);
    await fixture.until('start as standby');
    await fixture.until('subscriptions slow');
    fixture.app.settings = { goesOn: true };
    fixture.runtime.startAtStandby(fixture.app);
    await fixture.until('goes on');
    fixture.app.name = 'other name';
    fixture.runtime.startAtStandby(fixture.app);
    expect(await fixture.until('start as standby')).to.deep.equal(['start as standby']);
  });
});

describe('a configuration that changes a thousand times', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  /** Megabytes. Gateway and runners are one process here. */
  const memory = async (): Promise<number> => {
    await delay(50);
    collect();
    return process.memoryUsage().heapUsed / 1e6;
  };

  it('leaves the memory of all that takes part as it was', async function () {
    this.timeout(60_000);
    await using fixture = await RuntimeFixture.open();
    await fixture.runtime.start(fixture.driver);
    await fixture.runtime.start(fixture.app);
    const kept = fixture.group('kept', 60_000, '7');
    const change = async (round: number): Promise<void> => {
      const group = fixture.group(`group ${round}`, 60_000, String(round));
      for (let index = 0; index < 300; index++) {
        const tag = tagOf(`tag ${index}`, String(index), Attribute.READ);
        group.tags.set(tag.name, tag);
      }
      fixture.runtime.changed(group);
      fixture.runtime.routed(fixture.app, [group]);
      // Of this one no sample ever comes.
      kept.tags.set('b', tagOf('b', String(round), Attribute.READ));
      fixture.runtime.changed(kept);
      await fixture.runtime.poll(group);
      fixture.ungroup(group);
      fixture.take();
    };
    for (let round = 0; round < 200; round++) await change(round);
    const before = await memory();
    for (let round = 200; round < 1200; round++) await change(round);
    expect((await memory()) - before, 'megabytes more than before').to.be.below(15);
  });
});

describe('a runtime whose drivers are halted', () => {
  it('ends them and lets none start, and its apps go on', async () => {
    await using fixture = await RuntimeFixture.open();
    const group = fixture.group('fast', 60_000, '7');
    await fixture.runtime.start(fixture.app);
    await fixture.runtime.start(fixture.driver);
    await fixture.runtime.poll(group);
    await fixture.runtime.haltDrivers(800);
    expect(fixture.runtime.pluginState(driverPlugin)).to.equal('idle');
    await fixture.runtime.start(fixture.driver);
    expect(fixture.runtime.pluginState(driverPlugin)).to.equal('idle');
    expect(fixture.runtime.link(fixture.driver)).to.equal(DISCONNECTED);
    expect(fixture.runtime.pluginState(appPlugin)).to.equal('running');
  });
});
