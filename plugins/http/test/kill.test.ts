import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { killInTurns, turns } from '@tagway/store/test';
import { Collector, hasPython } from './collector.ts';

const title = hasPython ? 'kills' : 'kills (skipped: /usr/bin/python3 is not installed)';

(hasPython ? describe : describe.skip)(title, function () {
  this.timeout(60_000 + turns * 5000);

  it(`of the node and of its server, ${turns} in turns, lose nothing, keep the order, and repeat only batches with their keys`, async () => {
    await using collector = await Collector.start();
    const folder = await mkdtemp(join(tmpdir(), 'tagway-killed-'));
    try {
      const node = new URL('killed-node.ts', import.meta.url);
      const delivered = await killInTurns({ node, args: [folder, collector.url], server: collector, turns });
      const taken = await collector.taken();
      const bodies = new Map<string, string>();
      const numbers: number[] = [];
      for (const { headers, body } of taken) {
        const key = headers['idempotency-key'] ?? '';
        const text = body.toString();
        const before = bodies.get(key);
        // A killed node may have lost the end of a batch that it has sent: what comes again is a part of it.
        if (before !== undefined) expect(before.startsWith(text.slice(0, -1)), key).to.equal(true);
        else {
          bodies.set(key, text);
          const samples = JSON.parse(text) as { readonly values: { readonly tag0: number } }[];
          numbers.push(...samples.map(({ values }) => values.tag0));
        }
      }
      const seen = new Set(numbers);
      expect(delivered.filter((number) => !seen.has(number))).to.deep.equal([]);
      expect(numbers).to.deep.equal([...seen].sort((one, other) => one - other));
      console.info(
        `        ${delivered.length} delivered, ${taken.length} requests, ${taken.length - bodies.size} repetitions`,
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
