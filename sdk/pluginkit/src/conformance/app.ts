import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { isFault } from '@tagway/sdk';
import type { Form, LineOptions, RunnerRequest } from '@tagway/sdk/internal';
import { Bench } from '../bench.ts';
import { type Library, settingsOf } from '../library.ts';
import { type AppConformance, AppStand } from './app-stand.ts';
import { testFiles } from './files.ts';
import { stateOf } from './gateway-script.ts';
import { confined, withProbe } from './isolation.ts';
import { PeerOnBench } from './peer.ts';
import { resourcesOf, settled, soon } from './resources.ts';
import { showText } from './text.ts';

/** A run has five seconds to stop, its connections included; one more is for machines that are busy. */
const stopLimit = 6000;

export function testApp(library: Library, options: AppConformance): void {
  testFiles(library, options.server, () => options.server.settings(1));

  it('takes the parameters of a subscription of the tests', async () => {
    await using bench = await Bench.open('inline', library);
    await bench.line.ask(checkOf(options.params));
  });

  if (options.refusedParams !== undefined) {
    const { refusedParams } = options;
    it('refuses bad parameters of a subscription with a sentence', async function () {
      await using bench = await Bench.open('inline', library);
      showText(this.test, await refusalOf(bench.line.ask(checkOf(refusedParams))), 'Subscription: ');
    });
  }

  if (options.refusedSettings !== undefined) {
    const bad = { ...options.server.settings(1), ...options.refusedSettings };
    it('refuses settings that the schema cannot with a sentence', async function () {
      await using bench = await Bench.open('inline', library);
      const check = bench.line.ask({ op: 'checkSettings', settings: settingsOf(library, bad) });
      showText(this.test, await refusalOf(check), 'Settings: ');
    });
  }

  for (const form of ['inline', 'forked'] as const) {
    describe(form, () => testRuns(form, library, options));
  }

  it('needs to write nowhere but in its data folder', async () => {
    await using stand = await AppStand.open('forked', library, options, { execArgv: confined });
    await stand.start(1);
    await stand.quiet();
    await stand.delivered();
    await stand.bench.stop(1);
    const refused = ['warn', 'error'].flatMap((level) => stand.bench.logged(level));
    expect(refused.filter((line) => line.includes('ERR_ACCESS'))).to.deep.equal([]);
  });
}

function testRuns(form: Form, library: Library, options: AppConformance): void {
  const { recovery = 30_000, holdsData = (sent: Buffer) => sent.length > 0 } = options;
  const open = (line?: LineOptions): Promise<AppStand> => AppStand.open(form, library, options, line);

  it('delivers samples of every type, with faults and without', async () => {
    await using stand = await open();
    expect(await stand.start(1)).to.equal(true);
    await stand.quiet();
    await stand.delivered();
    stand.send(stand.plant.sample(true));
    await stand.delivered();
    expect(stand.bench.logged('error')).to.deep.equal([]);
  });

  it('has no tail where no earlier run has left anything, and connects to nothing for it', async () => {
    await using stand = await open();
    const { server, bench } = stand;
    await bench.tail(1, server.settings);
    expect(server.relay.connections, 'connections').to.equal(0);
    expect(bench.logged('error')).to.deep.equal([]);
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

  it('takes events, in which a tag comes several times', async () => {
    await using stand = await open();
    await stand.start(1);
    await stand.quiet();
    await stand.delivered();
    for (let count = 0; count < 10; count++) stand.send(stand.plant.events());
    await stand.delivered(stand.server, recovery, () => stand.plant.events());
    expect(stand.bench.logged('error')).to.deep.equal([]);
  });

  it('follows the states of drivers', async () => {
    await using stand = await open();
    await stand.start(1);
    await stand.quiet();
    await stand.delivered();
    for (let count = 0; count < 3; count++) {
      stand.tell(stateOf(stand.plant, 'The device does not answer.'));
      stand.send(stand.plant.sample(true));
      stand.tell(stateOf(stand.plant));
      stand.send();
    }
    await stand.delivered();
    expect(stand.bench.logged('error')).to.deep.equal([]);
  });

  it('follows a change of the group, and takes samples from before it', async () => {
    await using stand = await open();
    await stand.start(1);
    await stand.quiet();
    await stand.delivered();
    const late = [stand.plant.sample(), stand.plant.events()];
    const { layout } = stand.plant;
    stand.plant.change({ count: 3 });
    stand.subscribe();
    for (const sample of late) stand.send(sample, layout);
    await stand.delivered();
    expect(stand.bench.logged('error')).to.deep.equal([]);
  });

  it('follows new names of the group and its driver, and takes samples from before them', async () => {
    await using stand = await open();
    await stand.start(1);
    await stand.quiet();
    await stand.delivered();
    const late = stand.plant.sample();
    const { layout } = stand.plant;
    stand.plant.change({ name: 'another group' });
    stand.subscribe();
    stand.send(late, layout);
    await stand.delivered();
    stand.plant.change({ driver: 'another plant', name: 'another group' });
    stand.subscribe();
    stand.send(late, layout);
    await stand.delivered();
    expect(stand.bench.logged('error')).to.deep.equal([]);
  });

  it('sends no data without a subscription, and goes on with the next one', async () => {
    await using stand = await open();
    await stand.start(1);
    await stand.quiet();
    await stand.delivered();
    const late = stand.plant.sample();
    stand.unsubscribe();
    await stand.bench.line.ask({ op: 'ping' });
    await stand.quiet();
    const sent = stand.server.relay.record();
    stand.send(late);
    await stand.quiet();
    expect(holdsData(Buffer.concat(sent)), 'the server was sent values').to.equal(false);
    stand.subscribe();
    await stand.delivered();
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

type CheckSubscription = Extract<RunnerRequest, { op: 'checkSubscription' }>;

function checkOf(params: CheckSubscription['params']): CheckSubscription {
  return { op: 'checkSubscription', driver: 'plant', group: 'group', params };
}

/** The text that a check refuses with. */
async function refusalOf(check: Promise<unknown>): Promise<string> {
  const fault = await check.catch((error: unknown) => error);
  if (!isFault(fault)) throw new Error('The check refuses nothing.');
  return fault.message;
}
