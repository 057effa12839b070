import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { NodeType, PluginKind } from '@tagway/schemas';
import type { Log } from '@tagway/sdk';
import { expect } from 'chai';
import type { Plugin } from '../../src/core/model.ts';
import { inlineRunners, type OpenChannel } from '../../src/runtime/channel.ts';
import { Supervisor, supervisorTimes } from '../../src/runtime/supervisor.ts';

const plugin: Plugin = {
  ...{ id: 'device', name: 'device', nodeType: NodeType.DRIVER, kind: PluginKind.SYSTEM, version: '1.0.0' },
  ...{ library: 'device', description: '', descriptionZh: '', settingsSchema: {}, groupInterval: 1000 },
  ...{ addresses: [], writesMany: false },
  main: fileURLToPath(import.meta.resolve('../http/plugins/driver.ts')),
};
const ignore = (): void => undefined;
const log: Log = { debug: ignore, info: ignore, notice: ignore, warn: ignore, error: ignore };

/** As a process, a runner that is ended is gone a little later. */
const open: OpenChannel = (name, kind, events) =>
  inlineRunners(name, kind, { ...events, gone: (reason) => void setTimeout(() => events.gone(reason), 3) });

describe('a runner that nobody needs any more', () => {
  it('ends, and whoever asks in that moment is answered by the next one', async () => {
    const supervisor = new Supervisor(
      plugin,
      open,
      {
        ...{ up: ignore, down: ignore, dropped: ignore, message: () => true, needed: () => false },
        ...{ withoutSecrets: (line) => line, debugPort: () => undefined, debugPortTaken: ignore },
      },
      log,
      { ...supervisorTimes, idle: 60_000, deleted: 3 },
    );
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
