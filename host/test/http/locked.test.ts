import { ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import type { ConfigSource } from '../../src/core/ports/config-source.ts';
import { lockedEndpoints } from '../../src/http/guard/locked.ts';
import { startApi, type Fixture } from './fixture.ts';

/** What engineers change and no configuration folder has. */
const open = new Set([
  ...['POST /api/v2/snapshots', 'POST /api/v2/node/trace', 'DELETE /api/v2/node/trace'],
  ...['PUT /api/v2/log/level', 'PUT /api/v2/plugin/debug', 'PUT /live/separator'],
  ...['POST /api/v2/plugin', 'PUT /api/v2/plugin', 'DELETE /api/v2/plugin'],
  ...['POST /api/v2/directory/job', 'DELETE /api/v2/directory/job'],
  ...['POST /api/v2/profile', 'DELETE /api/v2/profile', 'POST /api/v2/profile/package'],
]);

const source: ConfigSource = {
  isLocking: true,
  called: () => Promise.resolve(),
  patch: () => Promise.resolve(''),
  status: () => ({
    url: '/srv/plant',
    applied: { commit: 'a'.repeat(40), time: 1 },
    lookedAt: 2,
    drift: { mode: 'revert', differences: 0, since: 1 },
    problem: undefined,
  }),
};

describe('a gateway whose configuration is put back where it is changed by hand', function () {
  this.timeout(30_000);
  let api: Fixture;
  before(async () => {
    api = await startApi({ source });
  });
  after(() => api.close());

  it('refuses every change of what a folder has, says who manages it, and no other change', async () => {
    const others: string[] = [];
    for (const { name, isAudited, role } of api.routes) {
      if (lockedEndpoints.has(name)) {
        const { status, body, text } = await api.call(name, name.startsWith('DELETE') ? undefined : {});
        expect([name, status]).to.deep.equal([name, 409]);
        expect(body).to.include({ error: ErrorCode.CONFIG_MANAGED });
        expect(text).to.include('/srv/plant, commit aaaaaaaaaaaa,');
      } else if (isAudited === true && role === 'engineer') others.push(name);
    }
    expect(others.filter((name) => !open.has(name))).to.deep.equal([]);
    const names = new Set(api.routes.map(({ name }) => name));
    expect([...lockedEndpoints].filter((name) => !names.has(name))).to.deep.equal([]);
  });

  it('says so in its status and metrics', async () => {
    const { body } = await api.call('GET /api/v2/status');
    expect((body as { source: object }).source).to.deep.equal({
      url: '/srv/plant',
      commit: 'a'.repeat(40),
      applied_at: 1,
      looked_at: 2,
      drift: { mode: 'revert', differences: 0, since: 1 },
      locked: true,
      problem: null,
    });
    const text = await (await fetch(`http://127.0.0.1:${api.port}/api/v2/metrics?category=global`)).text();
    expect(text)
      .to.match(/config_drift 0$/m)
      .and.to.match(/config_problem 0$/m);
  });
});
