import { fileURLToPath } from 'node:url';
import { ErrorCode, NodeType, PluginKind } from '@tagway/schemas';
import type { Log } from '@tagway/sdk';
import { expect } from 'chai';
import type { Plugin } from '../../src/core/model.ts';
import { VersionTrials } from '../../src/runtime/checks/version-trials.ts';
import { inlineRunners } from '../../src/runtime/process/channel.ts';
import { Supervisor } from '../../src/runtime/runners/supervisor.ts';

const ignore = (): void => undefined;
const log: Log = { debug: ignore, info: ignore, notice: ignore, warn: ignore, error: ignore };

const plugin: Plugin = {
  id: 'device',
  name: 'device',
  nodeType: NodeType.DRIVER,
  kind: PluginKind.CUSTOM,
  version: '2.0.0',
  library: 'device',
  description: '',
  descriptionZh: '',
  settingsSchema: {},
  groupInterval: 1000,
  addresses: [],
  writesMany: false,
  main: fileURLToPath(import.meta.resolve('../http/plugins/driver.ts')),
};

describe('the probation of a version', () => {
  let runner: Supervisor;
  beforeEach(() => {
    const events = {
      up: ignore,
      down: ignore,
      dropped: ignore,
      message: () => true,
      needed: () => true,
      withoutSecrets: (line: string) => line,
      debugPort: () => undefined,
      debugPortTaken: ignore,
    };
    runner = new Supervisor(plugin, inlineRunners, events, log);
  });
  afterEach(() => runner.close());

  it('ends with a fault when its process ends', async () => {
    const trials = new VersionTrials();
    const { over } = await trials.hold(runner, [], new Set());
    trials.end(plugin, 'ended with code 3');
    const fault = await over;
    expect(fault?.code).to.equal(ErrorCode.LIBRARY_UPDATE_FAILED);
    expect(fault?.message).to.match(
      /^Version 2\.0\.0 of the plugin "device" was taken back: its runner ended with code 3, \d+ s after its start\.$/,
    );
  });

  it('ends without one after its time, counted from the start', async () => {
    const trials = new VersionTrials(1);
    const { over } = await trials.hold(runner, [], new Set());
    expect(await over).to.equal(undefined);
    trials.end(plugin, 'ended with code 3');
  });

  it('ends without one when the version is not watched any more', async () => {
    const trials = new VersionTrials();
    const { over } = await trials.hold(runner, [], new Set());
    trials.end(plugin);
    expect(await over).to.equal(undefined);
  });
});
