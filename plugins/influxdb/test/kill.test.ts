import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { killInTurns, turns } from '@tagway/store/test';
import { hasInfluxd, Influxd } from './servers.ts';

const title = hasInfluxd ? 'kills' : 'kills (skipped: influxdb is not installed)';

(hasInfluxd ? describe : describe.skip)(title, function () {
  this.timeout(60_000 + turns * 5000);

  it(`of the node and of InfluxDB, ${turns} in turns, lose nothing and leave no point twice`, async () => {
    await using server = await Influxd.start();
    const folder = await mkdtemp(join(tmpdir(), 'tagway-killed-'));
    try {
      const node = new URL('killed-node.ts', import.meta.url);
      const killed = { begin: () => server.begin(), kill: () => server.end('SIGKILL') };
      const delivered = await killInTurns({ node, args: [folder, server.url], server: killed, turns });
      const found = (await server.query('SELECT tag0 FROM "grp"')).map(({ tag0 }) => Number(tag0));
      const seen = new Set(found);
      expect(delivered.filter((number) => !seen.has(number))).to.deep.equal([]);
      expect(found.length).to.equal(seen.size);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
