import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { isFault } from '@tagway/sdk';
import type { Form, HarnessOptions } from '@tagway/sdk/harness';
import type { RunnerAnswers, RunnerRequest } from '@tagway/sdk/internal';
import { PluginHarness } from '../plugin-harness.ts';
import { type Library, settingsOf } from '../library.ts';
import { type AppConformance, AppFixture } from './app-fixture.ts';
import { testInputs } from './app-inputs.ts';
import { expectSettingOf, testFiles } from './files.ts';
import { stateOf } from './gateway-script.ts';
import { confined, withProbe } from './isolation.ts';
import { RelayedPeer } from './peer.ts';
import { testPeers } from './peers.ts';
import { resourcesOf, settled, soon } from './resources.ts';
import { showText } from './text.ts';

/** A run has five seconds to stop, its connections included; one more is for machines that are busy. */
const stopLimit = 6000;

export function testApp(library: Library, options: AppConformance): void {
  testFiles(library, options.server, () => options.server.settings(1));

  it('takes the parameters of a subscription of the tests', async () => {
    await using harness = await PluginHarness.open('inline', library);
    await harness.runner.ask(checkOf(options.params));
  });

  if (options.refusedParams !== undefined) {
    const { refusedParams } = options;
    it('refuses bad parameters of a subscription with a sentence', async function () {
      await using harness = await PluginHarness.open('inline', library);
      showText(this.test, await refusalOf(harness.runner.ask(checkOf(refusedParams))), 'Subscription: ');
    });
  }

  if (options.refusedSettings !== undefined) {
    const bad = { ...options.server.settings(1), ...options.refusedSettings };
    it('refuses settings that the schema cannot with a sentence', async function () {
      await using harness = await PluginHarness.open('inline', library);
      const check = harness.runner.ask({ op: 'checkSettings', settings: settingsOf(library, bad) });
      showText(this.test, await refusalOf(check), 'Settings: ');
    });
  }

  for (const form of ['inline', 'forked'] as const) {
    describe(form, () => testRuns(form, library, options));
  }

  testPeers(library, async () => {
    const fixture = await AppFixture.open('forked', library, options);
    await fixture.start(1);
    await fixture.untilQuiet();
    await fixture.untilDelivered();
    return fixture;
  });

  it('needs to write nowhere but in its data folder', async () => {
    await using fixture = await AppFixture.open('forked', library, options, { execArgv: confined });
    await fixture.start(1);
    await fixture.untilQuiet();
    await fixture.untilDelivered();
    await fixture.harness.stop(1);
    const refused = ['warn', 'error'].flatMap((level) => fixture.harness.logged(level));
    expect(refused.filter((line) => line.includes('ERR_ACCESS'))).to.deep.equal([]);
  });
}

function testRuns(form: Form, library: Library, options: AppConformance): void {
  const { recovery = 30_000, holdsData = (sent: Buffer) => sent.length > 0 } = options;
  const open = (harnessOptions?: HarnessOptions): Promise<AppFixture> =>
    AppFixture.open(form, library, options, harnessOptions);

  it('delivers samples of every type, with faults and without', async () => {
    await using fixture = await open();
    expect(await fixture.start(1)).to.equal(true);
    await fixture.untilQuiet();
    await fixture.untilDelivered();
    fixture.send(fixture.source.sample(true));
    await fixture.untilDelivered();
    expect(fixture.harness.logged('error')).to.deep.equal([]);
  });

  it('tries a connection, if it can, and says what is wrong where there is no server', async function () {
    await using fixture = await open();
    const { server, harness } = fixture;
    const request = {
      op: 'tryConnection',
      name: 'a test',
      settings: settingsOf(library, server.settings),
    } as const;
    const ask = async (): Promise<RunnerAnswers['tryConnection']> =>
      (await harness.runner.ask(request)) as RunnerAnswers['tryConnection'];
    const steps = await ask();
    if (steps === undefined) return;
    expect(
      steps.filter(({ fault }) => fault !== undefined),
      'with a server',
    ).to.deep.equal([]);
    expect(steps.length, 'steps').to.be.greaterThan(1);
    await soon(() => server.relay.open === 0);
    expect(server.relay.open, 'connections that are left').to.equal(0);
    await server.relay.shutDown();
    const failed = (await ask())?.at(-1);
    showText(this.test, failed?.fault?.message ?? '', 'Connection test: ');
    expectSettingOf(library, failed?.step ?? 'connect');
  });

  it('has no tail where no earlier run has left anything, and connects to nothing for it', async () => {
    await using fixture = await open();
    const { server, harness } = fixture;
    await harness.tail(1, server.settings);
    // The client of an app that listens tries to connect all the time, and is answered nothing.
    const isServed = 'client' in options.server;
    expect(isServed ? server.relay.bytesReceived : server.relay.connections, 'connections').to.equal(0);
    expect(harness.logged('error')).to.deep.equal([]);
  });

  it('starts again after a stop', async () => {
    await using fixture = await open();
    for (let run = 0; run < 2; run++) {
      expect(await fixture.start(1)).to.equal(true);
      await fixture.untilQuiet();
      await fixture.untilDelivered();
      await fixture.harness.stop(1);
    }
  });

  it('can be stopped while it starts, and before', async () => {
    await using fixture = await open();
    await fixture.harness.stop(1);
    const start = fixture.start(1);
    await fixture.harness.stop(1);
    await start;
    expect(await fixture.start(1)).to.equal(true);
    await fixture.untilQuiet();
    await fixture.untilDelivered();
    expect(fixture.harness.logged('error')).to.deep.equal([]);
  });

  it('takes events, in which a tag comes several times', async () => {
    await using fixture = await open();
    await fixture.start(1);
    await fixture.untilQuiet();
    await fixture.untilDelivered();
    for (let count = 0; count < 10; count++) fixture.send(fixture.source.events());
    await fixture.untilDelivered(fixture.server, recovery, () => fixture.source.events());
    expect(fixture.harness.logged('error')).to.deep.equal([]);
  });

  it('follows the states of drivers', async () => {
    await using fixture = await open();
    await fixture.start(1);
    await fixture.untilQuiet();
    await fixture.untilDelivered();
    for (let count = 0; count < 3; count++) {
      fixture.sendDriverState(stateOf(fixture.source, 'The device does not answer.'));
      fixture.send(fixture.source.sample(true));
      fixture.sendDriverState(stateOf(fixture.source));
      fixture.send();
    }
    await fixture.untilDelivered();
    expect(fixture.harness.logged('error')).to.deep.equal([]);
  });

  if (options.inputs !== undefined) testInputs(options.inputs, open);

  it('follows a change of the group, and takes samples from before it', async () => {
    await using fixture = await open();
    await fixture.start(1);
    await fixture.untilQuiet();
    await fixture.untilDelivered();
    const late = [fixture.source.sample(), fixture.source.events()];
    const { layout } = fixture.source;
    fixture.source.change({ count: 3 });
    fixture.subscribe();
    for (const sample of late) fixture.send(sample, layout);
    await fixture.untilDelivered();
    expect(fixture.harness.logged('error')).to.deep.equal([]);
  });

  it('follows new names of the group and its driver, and takes samples from before them', async () => {
    await using fixture = await open();
    await fixture.start(1);
    await fixture.untilQuiet();
    await fixture.untilDelivered();
    const late = fixture.source.sample();
    const { layout } = fixture.source;
    fixture.source.change({ name: 'another group' });
    fixture.subscribe();
    fixture.send(late, layout);
    await fixture.untilDelivered();
    fixture.source.change({ driver: 'another plant', name: 'another group' });
    fixture.subscribe();
    fixture.send(late, layout);
    await fixture.untilDelivered();
    expect(fixture.harness.logged('error')).to.deep.equal([]);
  });

  it('follows a group that begins and ceases to keep a history', async () => {
    await using fixture = await open();
    await fixture.start(1);
    await fixture.untilQuiet();
    await fixture.untilDelivered();
    for (const keepsHistory of [true, false]) {
      fixture.source.change({ keepsHistory });
      fixture.subscribe();
      await fixture.untilDelivered();
    }
    expect(fixture.harness.logged('error')).to.deep.equal([]);
  });

  it('sends no data without a subscription, and goes on with the next one', async () => {
    await using fixture = await open();
    await fixture.start(1);
    await fixture.untilQuiet();
    await fixture.untilDelivered();
    const late = fixture.source.sample();
    fixture.unsubscribe();
    await fixture.harness.runner.ask({ op: 'ping' });
    await fixture.untilQuiet();
    const sent = fixture.server.relay.record();
    fixture.send(late);
    await fixture.untilQuiet();
    expect(holdsData(Buffer.concat(sent)), 'the server was sent values').to.equal(false);
    fixture.subscribe();
    await fixture.untilDelivered();
    expect(fixture.harness.logged('error')).to.deep.equal([]);
  });

  it('starts without its server, takes samples, and delivers when the server comes', async () => {
    await using fixture = await open();
    await fixture.server.relay.shutDown();
    expect(await fixture.start(1), 'an absent server is not a failed start').to.equal(true);
    for (let count = 0; count < 20; count++) fixture.send();
    await fixture.harness.runner.ask({ op: 'ping' });
    await fixture.server.relay.listen();
    await fixture.untilDelivered(fixture.server, recovery);
  });

  for (const weather of ['dying', 'silent', 'garbage'] as const) {
    it(`survives a server that is ${weather === 'garbage' ? 'mad' : weather}, and delivers again after it`, async () => {
      await using fixture = await open();
      await fixture.start(1);
      await fixture.untilQuiet();
      await fixture.untilDelivered();
      fixture.server.relay.condition = weather;
      for (let count = 0; count < 5; count++) {
        fixture.send();
        await sleep(50);
      }
      fixture.server.relay.condition = 'pass';
      await fixture.server.relay.listen();
      await fixture.untilDelivered(fixture.server, recovery);
    });
  }

  for (const weather of ['absent', 'silent'] as const) {
    it(`stops in time while its server is ${weather}`, async () => {
      await using fixture = await open();
      if (weather === 'absent') await fixture.server.relay.shutDown();
      await fixture.start(1);
      if (weather === 'silent') {
        await fixture.untilQuiet();
        await fixture.untilDelivered();
        fixture.server.relay.condition = 'silent';
      }
      fixture.send();
      const from = performance.now();
      await fixture.harness.stop(1);
      expect(performance.now() - from, 'milliseconds').to.be.lessThan(stopLimit);
      expect(fixture.harness.logged('error')).to.deep.equal([]);
    });
  }

  it('keeps two nodes apart', async () => {
    await using fixture = await open();
    await using second = await RelayedPeer.start(options.server);
    await fixture.start(1);
    await fixture.start(2, second.settings);
    await fixture.untilQuiet();
    await fixture.untilDelivered(second);
    await fixture.server.relay.shutDown();
    await fixture.untilDelivered(second);
    await fixture.harness.stop(1);
    await fixture.untilDelivered(second);
  });

  it('leaves nothing behind after a stop', async () => {
    const line = form === 'forked' ? { execArgv: withProbe } : {};
    await using fixture = await open(line);
    const runner = form === 'forked' ? fixture.harness.runner : undefined;
    await fixture.server.relay.shutDown();
    const before = await resourcesOf(runner);
    for (let run = 0; run < 2; run++) {
      await fixture.server.relay.listen();
      await fixture.start(1);
      await fixture.untilQuiet();
      await fixture.untilDelivered();
      await fixture.harness.stop(1);
      expect(await soon(() => fixture.server.relay.open === 0), 'the connections are closed').to.equal(true);
      await fixture.server.relay.shutDown();
    }
    await settled(before, runner);
  });
}

type CheckSubscription = Extract<RunnerRequest, { op: 'checkSubscription' }>;

function checkOf(params: CheckSubscription['params']): CheckSubscription {
  return { op: 'checkSubscription', driver: 'plant', group: 'group', params };
}

/** The text with which a check refuses. */
async function refusalOf(check: Promise<unknown>): Promise<string> {
  const fault = await check.catch((error: unknown) => error);
  if (!isFault(fault)) throw new Error('The check refuses nothing.');
  return fault.message;
}
