import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { layoutOf, sampleWith } from '@tagway/store/test';
import { expect } from 'chai';
import { DataType, LinkState } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import { hasPostgres, postgres, PostgresServer } from '@tagway/testkit/postgres-server';
import { paramsFor, type PostgresNode, startNode } from './nodes.ts';

/** Samples of 2000 tags; 6000 are ten minutes at 100 ms. */
const samples = Number(process.env['OUTAGE_SAMPLES'] ?? 30);
const tags = 2000;
const at = Date.UTC(2025, 4, 1);

const types = [DataType.INT16, DataType.FLOAT, DataType.UINT16, DataType.BOOL] as const;
const layout = layoutOf(
  Array.from({ length: tags }, (_, index) => ({ name: `line1_tag${index}`, type: types[index % 4]! })),
);
const subscription = { id: 1, driver: 'modbus', group: 'grp', layout };

/** Bytes of the files in which samples wait. */
async function waiting(run: PostgresNode): Promise<number> {
  const folder = join(run.folder, 'cache');
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function deliver(run: PostgresNode, from: number, to: number): Promise<void> {
  for (let count = from; count < to; count++) {
    const values = layout.columns.map(({ type }) => (type === DataType.BOOL ? count % 2 : count % 30_000));
    await run.app.deliver(sampleWith(layout, values, { timestamp: at + count * 100 }), subscription);
  }
}

(hasPostgres ? describe : describe.skip)(`an outage: ${postgres}`, () => {
  it(`of ${samples} samples of ${tags} tags loses nothing, over a restart of the node`, async function () {
    this.timeout(60_000 + samples * 300);
    await using server = await PostgresServer.start();
    const settings = paramsFor(server.port, { 'batch-age': 500, timeout: 60_000 });
    await using run = await startNode(settings);
    await until('it is connected', () => run.link === LinkState.CONNECTED);
    await server.kill('SIGINT');
    await deliver(run, 0, samples / 2);
    await run.restart(settings);
    await deliver(run, samples / 2, samples);
    await until('all that does not fit into memory is on disk', async () => (await waiting(run)) > 0);
    const bytes = await waiting(run);
    await server.resume();
    const stored = (): Promise<number> =>
      server.count(`SELECT count(*) FROM tag_values WHERE tag = 'line1_tag0'`);
    const begun = performance.now();
    await until('all is stored', async () => (await stored()) === samples, 60_000 + samples * 250);
    const seconds = (performance.now() - begun) / 1000;
    expect(await server.count('SELECT count(*) FROM tag_values')).to.equal(samples * tags);
    expect(
      await server.count(
        'SELECT count(*) FROM (SELECT time FROM tag_values GROUP BY time HAVING count(DISTINCT tag) = 2000) AS whole',
      ),
    ).to.equal(samples);
    expect(run.count('dropped_msgs_total')).to.equal(0);
    const perValue = (bytes / samples / tags).toFixed(1);
    this.test!.title += `: ${perValue} bytes a value on disk, ${Math.round((samples * tags) / seconds)} rows a second stored`;
  });

  it('longer than the disk has room for loses the oldest, counts them and keeps its bound', async () => {
    await using server = await PostgresServer.start();
    const settings = paramsFor(server.port, { 'cache-mem-size': 1, 'cache-disk-size': 1 });
    await using run = await startNode(settings);
    await server.kill('SIGINT');
    await deliver(run, 0, 60);
    await until('what has no room is dropped', () => run.count('dropped_msgs_total') > 0);
    expect(await waiting(run)).to.be.lessThan(1_050_000);
    await server.resume();
    const dropped = run.count('dropped_msgs_total');
    await until(
      'the rest is stored',
      async () =>
        (await server.count('SELECT count(*) FROM tag_values').catch(() => 0)) === (60 - dropped) * tags,
    );
    expect(await server.count('SELECT count(*) FROM tag_values')).to.equal(
      (60 - run.count('dropped_msgs_total')) * tags,
    );
    const [[first = ''] = []] = await server.sql('SELECT extract(epoch FROM min(time)) * 10 FROM tag_values');
    expect(Number(first)).to.equal(at / 100 + dropped);
  });
});
