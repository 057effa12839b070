import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { startApi, type Fixture } from './fixture.ts';

interface Snapshot {
  readonly id: string;
  readonly time: number;
  readonly reason: string;
  readonly size: number;
}

const tag = (name: string) => ({ name, address: '1', attribute: Attribute.READ, type: DataType.INT16 });

describe('snapshots', function () {
  this.timeout(30_000);
  let api: Fixture;
  beforeEach(async () => {
    api = await startApi();
    await api.call('POST /api/v2/node', { name: 'd', plugin: 'Test Driver', params: { port: 1 } });
    await api.call('POST /api/v2/node', { name: 'a', plugin: 'Test App', params: { port: 1 } });
    await api.call('POST /api/v2/tags', { node: 'd', group: 'g', tags: [tag('one'), tag('two')] });
    await api.call('POST /api/v2/subscribe', { app: 'a', driver: 'd', group: 'g', params: { topic: 'x' } });
    const group = { name: 'g', interval: 1000, tags: [tag('t')] };
    await api.call('POST /api/v2/template', { name: 't', plugin: 'Test Driver', groups: [group] });
    await api.call('POST /api/v2/node/ctl', { node: 'd', cmd: 1 });
  });
  afterEach(() => api.close());

  const list = async (): Promise<readonly Snapshot[]> =>
    ((await api.call('GET /api/v2/snapshots')).body as { snapshots: Snapshot[] }).snapshots;
  const config = async (): Promise<string> => (await api.call('GET /api/v2/global/config')).text;
  const nothing = { nodes: [], groups: [], tags: [], subscriptions: [], settings: [], templates: [] };

  it('are made before an import, and bring back what was there', async () => {
    expect(await list()).to.deep.equal([]);
    const before = await config();
    expect((await api.call('PUT /api/v2/global/config', nothing)).status).to.equal(200);
    const [snapshot] = await list();
    expect(snapshot?.reason).to.equal('import');
    expect(snapshot?.size).to.be.above(0);
    expect(snapshot?.time).to.be.closeTo(Date.now(), 10_000);

    const restored = await api.call('POST /api/v2/snapshots/restore', { id: snapshot?.id });
    expect(restored.body).to.have.keys('error', 'not_restored');
    expect(await config()).to.equal(before);
    // The nodes are there in earnest: a node can be started, and what it has be changed.
    expect((await api.call('POST /api/v2/node/ctl', { node: 'd', cmd: 0 })).body).to.deep.equal({ error: 0 });
    // A restore can be taken back like everything else.
    const [ofRestore] = await list();
    expect(ofRestore?.reason).to.equal('restore');
    await api.call('POST /api/v2/snapshots/restore', { id: ofRestore?.id });
    expect(JSON.parse(await config())).to.deep.equal(nothing);
  });

  it('say what a restore would change, also of what is secret, and change nothing by that', async () => {
    await api.call('POST /api/v2/snapshots', {});
    const [snapshot] = await list();
    const params = { port: 2 };
    await api.call('POST /api/v2/node/setting', { node: 'd', params });
    await api.call('DELETE /api/v2/tags', { node: 'd', group: 'g', tags: ['one'] });
    await api.call('DELETE /api/v2/template?name=t');
    const before = await config();
    const { body } = await api.call('POST /api/v2/snapshots/plan', { id: snapshot?.id });
    const none = { add: 0, update: 0, remove: 0 };
    expect(body).to.deep.include({
      nodes: { ...none, update: 1, unchanged: 1 },
      tags: { ...none, add: 1, unchanged: 1 },
      templates: { ...none, add: 1, unchanged: 0 },
      differences: [
        { kind: 'nodes', change: 'update', path: ['d'], fields: ['params.port'] },
        { kind: 'tags', change: 'add', path: ['d', 'g', 'one'] },
        { kind: 'templates', change: 'add', path: ['t'] },
      ],
    });
    expect(body).to.have.property('not_restored').that.has.length(3);
    expect(await config()).to.equal(before);
    expect(await list()).to.have.length(1);
    const gone = await api.call('POST /api/v2/snapshots/plan', { id: '1234567890123-import' });
    expect([gone.status, gone.body]).to.deep.equal([404, { error: ErrorCode.FILE_NOT_FOUND }]);
  });

  it('are made on request, before drivers are imported and before many tags are changed', async () => {
    const asked = await api.call('POST /api/v2/snapshots', {});
    expect(asked.body).to.deep.equal((await list())[0]);
    const rows = { node: 'd', group: 'g', tags: [tag('three'), tag('four')] };
    await api.call('POST /api/v2/tags/apply', rows);
    await api.call('PUT /api/v2/global/drivers', {
      nodes: [{ name: 'd', plugin: 'Test Driver', params: { port: 2 } }],
    });
    expect((await list()).map(({ reason }) => reason)).to.deep.equal(['import', 'tags', 'request']);
    // What changes nothing needs none.
    await api.call('POST /api/v2/tags/apply', { ...rows, tags: [] });
    // Nor does one tag, which somebody edits by hand.
    await api.call('POST /api/v2/tags/apply', { ...rows, tags: [tag('five')] });
    await api.call('PUT /api/v2/global/drivers', { nodes: [{ name: 'x', plugin: 'No Such Plugin' }] });
    expect(await list()).to.have.length(3);
  });

  it('are few, and for the gateway alone', async () => {
    for (let made = 0; made < 12; made++) await api.call('POST /api/v2/snapshots', {});
    const kept = await list();
    expect(kept).to.have.length(10);
    expect(kept.map(({ time }) => time)).to.deep.equal(kept.map(({ time }) => time).sort((a, b) => b - a));
    const folder = join(api.folder, 'snapshots');
    expect((await stat(folder)).mode & 0o777).to.equal(0o700);
    const files = await readdir(folder);
    expect(files.sort()).to.deep.equal(kept.map(({ id }) => `${id}.sqlite`).sort());
    for (const file of files) expect((await stat(join(folder, file))).mode & 0o777).to.equal(0o600);
  });

  it('are whole while tags are changed all the time', async () => {
    const changes = (async () => {
      for (let at = 0; at < 30; at++)
        await api.call('POST /api/v2/tags', { node: 'd', group: `g${at}`, tags: [tag('one'), tag('two')] });
    })();
    await api.call('POST /api/v2/snapshots', {});
    await changes;
    const [snapshot] = await list();
    await api.call('POST /api/v2/snapshots/restore', { id: snapshot?.id });
    const { body } = await api.call('GET /api/v2/group?node=d');
    const counts = (body as { groups: { tag_count: number }[] }).groups.map(({ tag_count }) => tag_count);
    expect(new Set(counts)).to.deep.equal(new Set([2]));
  });

  it('that are not there, or are no names of snapshots, are refused', async () => {
    const before = await config();
    for (const id of ['1234567890123-import', '../store', '']) {
      const { status, body } = await api.call('POST /api/v2/snapshots/restore', { id });
      expect([id, status, body]).to.deep.equal([id, 404, { error: ErrorCode.FILE_NOT_FOUND }]);
    }
    expect(await config()).to.equal(before);
    expect(await list()).to.deep.equal([]);
  });
});
