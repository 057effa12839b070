import { DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startApi, type Fixture } from './fixture.ts';

describe('a connection test', () => {
  let api: Fixture;
  before(async () => (api = await startApi()));
  after(() => api.close());

  const test = (body: object) => api.call('POST /api/v2/node/test', body);
  const driver = { plugin: 'Test Driver', params: { port: 1 } };
  const withoutTimes = (body: unknown) =>
    (body as { steps: { ms: number }[] }).steps.map(({ ms, ...step }) => {
      expect(ms).to.be.within(0, 10_000);
      return step;
    });

  it('says which steps were taken, with the value at the end, and leaves nothing', async () => {
    const reached = await test(driver);
    expect(withoutTimes(reached.body)).to.deep.equal([{ step: 'connect', ok: true }]);
    const read = await test({ ...driver, tag: { address: '42', type: DataType.INT16 } });
    expect(withoutTimes(read.body)).to.deep.equal([
      { step: 'connect', ok: true },
      { step: 'answer', ok: true },
      { step: 'read', ok: true, value: 42 },
    ]);
    expect((await api.call('GET /api/v2/node?type=1')).body).to.deep.equal({ nodes: [] });
    expect((await api.call('GET /api/v2/node/state')).body).to.have.property('states').that.is.empty;
    expect(await readdir(join(api.folder, 'nodes'))).to.deep.equal([]);
  });

  it('names a tag that the plugin does not take', async () => {
    const { body } = await test({ ...driver, tag: { address: '42', type: DataType.STRING } });
    const [connect, read] = (body as { steps: { step: string; ok: boolean; error?: number }[] }).steps;
    expect(connect).to.include({ step: 'connect', ok: true });
    expect(read).to.include({ step: 'read', ok: false, error: ErrorCode.TAG_TYPE_UNSUPPORTED });
  });

  it('is refused for settings that do not fit, plugins that are not there, and apps', async () => {
    const refusals = [
      [{ ...driver, params: { port: 0 } }, 400, ErrorCode.NODE_SETTING_INVALID],
      [{ ...driver, plugin: 'None' }, 404, ErrorCode.LIBRARY_NOT_FOUND],
      [{ ...driver, plugin: 'Test App' }, 400, ErrorCode.PLUGIN_TYPE_UNSUPPORTED],
      [{ ...driver, node: 'none' }, 404, ErrorCode.NODE_NOT_FOUND],
    ] as const;
    for (const [sent, status, error] of refusals) {
      const answer = await test(sent);
      expect([answer.status, answer.body]).to.deep.equal([status, { error }]);
    }
  });
});
