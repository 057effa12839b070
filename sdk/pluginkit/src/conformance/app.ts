import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { DataType, type Layout, type Sample, Store, storeOf } from '@tagway/sdk';
import { type Form, layoutOf, type LineOptions } from '@tagway/sdk/internal';
import { Bench, tagOf } from '../bench.ts';
import type { Library } from '../library.ts';
import { testFiles } from './files.ts';
import { confined, withProbe } from './isolation.ts';
import { PeerOnBench, type PeerOptions } from './peer.ts';
import { resourcesOf, settled, soon } from './resources.ts';

/** What the suite must know of an app. */
export interface AppConformance {
  /** The server that the app sends samples to. */
  readonly server: PeerOptions;
  /** Parameters of a subscription, when the app needs any. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** Milliseconds after which samples must flow again once the server is back. Default 30 s. */
  readonly recovery?: number;
}

/** A run has five seconds to stop, its connections included; one more is for machines that are busy. */
const stopLimit = 6000;

const group = 1;
const types = Object.values(DataType);

function layoutWith(version: number, count: number): Layout {
  const tags = Array.from({ length: count }, (_, index) =>
    tagOf({ address: String(index), type: types[index % types.length] ?? DataType.INT16 }, index),
  );
  return layoutOf(version, 'plant', 'group', tags);
}

/** A sample with a value of every type, and, when `isFailing`, a fault in every second column. */
function sampleOf({ version, columns }: Layout, isFailing = false): Sample {
  const count = (store: Store): number => columns.filter((column) => storeOf(column) === store).length;
  const bytes = columns.filter((column) => storeOf(column) === Store.OBJECT);
  return {
    group,
    version,
    time: Date.now(),
    numbers: new Float64Array(count(Store.NUMBER)).fill(1),
    integers: new BigInt64Array(count(Store.INTEGER)).fill(2n ** 60n),
    objects: bytes.map(({ type }) => (type === DataType.BYTES ? Uint8Array.of(1, 2, 255) : 'text')),
    faults: Int32Array.from(
      isFailing ? columns.flatMap((_, index) => (index % 2 === 0 ? [index, 3002] : [])) : [],
    ),
  };
}

/** A runner and a server for one test. */
class Stand implements AsyncDisposable {
  readonly bench: Bench;
  readonly server: PeerOnBench;
  readonly #params: Readonly<Record<string, unknown>> | undefined;
  layout = layoutWith(1, types.length);

  private constructor(bench: Bench, server: PeerOnBench, options: AppConformance) {
    this.bench = bench;
    this.server = server;
    this.#params = options.params;
  }

  static async open(
    form: Form,
    library: Library,
    options: AppConformance,
    line: LineOptions = {},
  ): Promise<Stand> {
    const server = await PeerOnBench.start(options.server);
    const answer: LineOptions['answer'] = ({ op }) => (op === 'drivers' ? [] : undefined);
    try {
      return new Stand(await Bench.open(form, library, { ...line, answer }), server, options);
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Starts a node that is subscribed to the group. */
  async start(node: number, settings: object = this.server.settings): Promise<unknown> {
    this.bench.line.send({ op: 'layout', group, layout: this.layout });
    const started = this.bench.start(node, settings);
    this.bench.line.send({ op: 'routes', node, routes: [{ group, params: this.#params }] });
    return started;
  }

  send(isFailing = false): void {
    this.bench.line.send({ op: 'sample', sample: sampleOf(this.layout, isFailing) });
  }

  /** Sends samples until the server has taken something. */
  async delivered(server = this.server, within = 30_000): Promise<void> {
    const end = performance.now() + within;
    const before = server.taken;
    while (server.taken === before) {
      if (performance.now() > end) throw new Error('The server is sent nothing of the samples.');
      this.send();
      await sleep(50);
    }
  }

  /** Waits until what the app says by itself, such as the opening of a connection, has been said. */
  async quiet(): Promise<void> {
    for (let before = -1; before !== this.server.relay.asked; await sleep(200))
      before = this.server.relay.asked;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.bench[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
  }
}

export function testApp(library: Library, options: AppConformance): void {
  testFiles(library, options.server, () => options.server.settings(1));

  it('takes the parameters of a subscription of the tests', async () => {
    await using bench = await Bench.open('inline', library);
    await bench.line.ask({ op: 'checkParams', params: options.params });
  });

  for (const form of ['inline', 'forked'] as const) {
    describe(form, () => testRuns(form, library, options));
  }

  it('needs to write nowhere but in its data folder', async () => {
    await using stand = await Stand.open('forked', library, options, { execArgv: confined });
    await stand.start(1);
    await stand.quiet();
    await stand.delivered();
    await stand.bench.stop(1);
    const refused = ['warn', 'error'].flatMap((level) => stand.bench.logged(level));
    expect(refused.filter((line) => line.includes('ERR_ACCESS'))).to.deep.equal([]);
  });
}

function testRuns(form: Form, library: Library, options: AppConformance): void {
  const { recovery = 30_000 } = options;
  const open = (line?: LineOptions): Promise<Stand> => Stand.open(form, library, options, line);

  it('delivers samples of every type, with faults and without', async () => {
    await using stand = await open();
    expect(await stand.start(1)).to.equal(true);
    await stand.quiet();
    await stand.delivered();
    stand.send(true);
    await stand.delivered();
    expect(stand.bench.logged('error')).to.deep.equal([]);
  });

  it('starts again after a stop', async () => {
    await using stand = await open();
    for (let run = 0; run < 2; run++) {
      expect(await stand.start(1)).to.equal(true);
      await stand.quiet();
      await stand.delivered();
      await stand.bench.stop(1);
    }
  });

  it('can be stopped while it starts, and before', async () => {
    await using stand = await open();
    await stand.bench.stop(1);
    const start = stand.start(1);
    await stand.bench.stop(1);
    await start;
    expect(await stand.start(1)).to.equal(true);
    await stand.quiet();
    await stand.delivered();
    expect(stand.bench.logged('error')).to.deep.equal([]);
  });

  it('follows a change of the group', async () => {
    await using stand = await open();
    await stand.start(1);
    await stand.quiet();
    await stand.delivered();
    stand.layout = layoutWith(2, 3);
    stand.bench.line.send({ op: 'layout', group, layout: stand.layout });
    await stand.delivered();
    expect(stand.bench.logged('error')).to.deep.equal([]);
  });

  it('sends nothing without a subscription', async () => {
    await using stand = await open();
    await stand.start(1);
    await stand.quiet();
    stand.bench.line.send({ op: 'routes', node: 1, routes: [] });
    const before = stand.server.relay.asked;
    stand.send();
    await stand.quiet();
    expect(stand.server.relay.asked, 'bytes that the server was sent').to.equal(before);
    expect(stand.bench.logged('error')).to.deep.equal([]);
  });

  it('starts without its server, takes samples, and delivers when the server comes', async () => {
    await using stand = await open();
    await stand.server.relay.vanish();
    expect(await stand.start(1), 'an absent server is not a failed start').to.equal(true);
    for (let count = 0; count < 20; count++) stand.send();
    await stand.bench.line.ask({ op: 'ping' });
    await stand.server.relay.appear();
    await stand.delivered(stand.server, recovery);
  });

  for (const weather of ['dying', 'silent', 'garbage'] as const) {
    it(`survives a server that is ${weather === 'garbage' ? 'mad' : weather}, and delivers again after it`, async () => {
      await using stand = await open();
      await stand.start(1);
      await stand.quiet();
      await stand.delivered();
      stand.server.relay.weather = weather;
      for (let count = 0; count < 5; count++) {
        stand.send();
        await sleep(50);
      }
      stand.server.relay.weather = 'pass';
      await stand.server.relay.appear();
      await stand.delivered(stand.server, recovery);
    });
  }

  for (const weather of ['absent', 'silent'] as const) {
    it(`stops in time while its server is ${weather}`, async () => {
      await using stand = await open();
      if (weather === 'absent') await stand.server.relay.vanish();
      await stand.start(1);
      if (weather === 'silent') {
        await stand.quiet();
        await stand.delivered();
        stand.server.relay.weather = 'silent';
      }
      stand.send();
      const from = performance.now();
      await stand.bench.stop(1);
      expect(performance.now() - from, 'milliseconds').to.be.lessThan(stopLimit);
      expect(stand.bench.logged('error')).to.deep.equal([]);
    });
  }

  it('keeps two nodes apart', async () => {
    await using stand = await open();
    await using second = await PeerOnBench.start(options.server);
    await stand.start(1);
    await stand.start(2, second.settings);
    await stand.quiet();
    await stand.delivered(second);
    await stand.server.relay.vanish();
    await stand.delivered(second);
    await stand.bench.stop(1);
    await stand.delivered(second);
  });

  it('leaves nothing behind after a stop', async () => {
    const line = form === 'forked' ? { execArgv: withProbe } : {};
    await using stand = await open(line);
    const runner = form === 'forked' ? stand.bench.line : undefined;
    await stand.server.relay.vanish();
    const before = await resourcesOf(runner);
    for (let run = 0; run < 2; run++) {
      await stand.server.relay.appear();
      await stand.start(1);
      await stand.quiet();
      await stand.delivered();
      await stand.bench.stop(1);
      expect(await soon(() => stand.server.relay.open === 0), 'the connections are closed').to.equal(true);
      await stand.server.relay.vanish();
    }
    await settled(before, runner);
  });
}
