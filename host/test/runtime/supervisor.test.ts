import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { NodeType, PluginKind } from '@tagway/schemas';
import type { Log } from '@tagway/sdk';
import { expect } from 'chai';
import type { Plugin } from '../../src/core/model.ts';
import { inlineRunners, type OpenChannel } from '../../src/runtime/process/channel.ts';
import { Supervisor, supervisorTimes } from '../../src/runtime/runners/supervisor.ts';
import type { SupervisorEvents, SupervisorTimes } from '../../src/runtime/runners/supervisor.ts';

const plugin: Plugin = {
  id: 'device',
  name: 'device',
  nodeType: NodeType.DRIVER,
  kind: PluginKind.SYSTEM,
  version: '1.0.0',
  library: 'device',
  description: '',
  descriptionZh: '',
  settingsSchema: {},
  groupInterval: 1000,
  addresses: [],
  writesMany: false,
  main: fileURLToPath(import.meta.resolve('../http/plugins/driver.ts')),
};
const ignore = (): void => undefined;
const log: Log = { debug: ignore, info: ignore, notice: ignore, warn: ignore, error: ignore };

/** As a process, a runner that is ended is gone a little later. */
const open: OpenChannel = (name, kind, events) =>
  inlineRunners(name, kind, { ...events, gone: (reason) => void setTimeout(() => events.gone(reason), 3) });

/** One whose runner is needed when `isNeeded`. */
function supervisorOf(
  opened: OpenChannel,
  isNeeded: boolean,
  times: Partial<SupervisorTimes>,
  more: Partial<SupervisorEvents> = {},
): Supervisor {
  const events: SupervisorEvents = {
    up: ignore,
    down: ignore,
    dropped: ignore,
    message: () => true,
    needed: () => isNeeded,
    withoutSecrets: (line) => line,
    debugPort: () => undefined,
    debugPortTaken: ignore,
    ...more,
  };
  return new Supervisor(plugin, opened, events, log, { ...supervisorTimes, ...times });
}

describe('a runner', () => {
  it('is asked whether it is there only while it says nothing, and ended when it does not answer either', async () => {
    let pings = 0;
    let reason = '';
    let say: (message: unknown) => void = ignore;
    const supervisor = supervisorOf(
      (_plugin, _kind, events) => {
        say = (message) => events.message(message);
        const kill = (why = ''): void => {
          reason ||= why;
          events.gone(why);
        };
        return { pid: undefined, kill, send: ({ op }) => void (pings += op === 'request' ? 1 : 0) };
      },
      true,
      { ping: 50, silence: 600 },
    );
    supervisor.ensure();
    say({ op: 'loaded', kind: 'driver' });
    for (let turn = 0; turn < 40; turn++) {
      say({ op: 'meters', names: [], rows: new Float64Array() });
      await delay(5);
    }
    const whileTalking = pings;
    while (reason === '') await delay(5);
    expect(reason).to.contain('has not answered');
    // A machine that is held up makes the runner silent for a check now and then.
    expect(pings - whileTalking).to.be.above(3 * whileTalking + 3);
    await supervisor.close();
  });

  for (const port of [undefined, 9229])
    it(`that is silent is ended ${port === undefined ? 'in time' : 'never while a debugger may have stopped it'}`, async () => {
      let reason = '';
      let say: (message: unknown) => void = ignore;
      const supervisor = supervisorOf(
        (_plugin, _kind, events) => {
          say = (message) => events.message(message);
          const kill = (why = ''): void => {
            reason ||= why;
            events.gone(why);
          };
          return { pid: undefined, kill, send: ignore };
        },
        true,
        { ping: 20, silence: 100 },
        { debugPort: () => port },
      );
      supervisor.ensure();
      say({ op: 'loaded', kind: 'driver' });
      for (let wait = 0; wait < 100 && reason === ''; wait++) await delay(10);
      expect(reason).to.contain(port === undefined ? 'has not answered' : '');
      expect(reason === '').to.equal(port !== undefined);
      await supervisor.close();
    });
});

describe('a runner that nobody needs any more', () => {
  it('ends, and whoever asks in that moment is answered by the next one', async () => {
    const supervisor = supervisorOf(open, false, { idle: 60_000, deleted: 3 });
    for (let turn = 0; turn < 100; turn++) {
      expect(await supervisor.whenUp(5000)).to.equal(true);
      supervisor.release('deleted');
      await delay(turn % 6);
      expect(await supervisor.whenUp(5000), `turn ${turn}`).to.equal(true);
      expect(await supervisor.ask<'checkTags'>({ op: 'checkTags', tags: [] }, 5000)).to.deep.equal([]);
    }
    await supervisor.close();
  });
});
