import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { killInTurns, turns } from '@tagway/store/test';
import { hasMockCluster, kafka, MockCluster } from '@tagway/testkit/kafka-cluster';

(hasMockCluster ? describe : describe.skip)(`kills, with ${kafka}`, function () {
  this.timeout(60_000 + turns * 10_000);

  it(`of the node, while the cluster is stopped and goes on, ${turns} in turns, lose nothing, keep the order, and repeat only records with their ids`, async () => {
    await using cluster = await MockCluster.start();
    const folder = await mkdtemp(join(tmpdir(), 'tagway-killed-'));
    try {
      // What it has does not outlive its process.
      const server = { kill: async () => cluster.pause(), begin: async () => cluster.goOn() };
      const node = new URL('killed-node.ts', import.meta.url);
      const args = [folder, String(cluster.port)];
      const delivered = await killInTurns({ node, args, server, turns });
      const records = await cluster.consume('tagway.modbus.grp');
      const values = new Map<string, string>();
      for (const { headers, value } of records) {
        expect(values.get(headers) ?? value, headers).to.equal(value);
        values.set(headers, value);
      }
      const numbers = [...values.values()].map(
        (value) => (JSON.parse(value) as { readonly values: { readonly tag0: number } }).values.tag0,
      );
      const seen = new Set(numbers);
      expect(delivered.filter((number) => !seen.has(number))).to.deep.equal([]);
      expect(numbers).to.deep.equal([...seen].sort((one, other) => one - other));
      console.info(
        `        ${delivered.length} delivered, ${records.length} records, ${records.length - values.size} repetitions`,
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
