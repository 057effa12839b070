import { mkdtemp, open, rm } from 'node:fs/promises';
import { openSync, closeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { extend, type FileIndex } from '../../src/log/block-index.ts';

describe('the index of a log file', () => {
  it('that is brought up to date after every line is as small as one that is made at once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tagway-block-index-'));
    const path = join(folder, 'tagway.log');
    const log = await open(path, 'a');
    const file = openSync(path, 'r');
    try {
      const buffer = Buffer.alloc(1 << 20);
      const grown: FileIndex = { blocks: [], end: 0 };
      let size = 0;
      for (let second = 0; second < 3000; second++) {
        const stamp = new Date(second * 1000).toISOString().replace('T', ' ').slice(0, -1);
        // One line is longer than a block.
        const text = 'x'.repeat(second === 1500 ? 150_000 : 100);
        const line = `${stamp} [${second % 2 === 0 ? 'INFO' : 'WARN'}] gateway: ${text}\n`;
        await log.write(line);
        size += line.length;
        await extend(grown, file, size, buffer);
      }
      const fresh: FileIndex = { blocks: [], end: 0 };
      await extend(fresh, file, size, buffer);
      expect(grown.end).to.equal(size);
      expect(grown.blocks.length).to.be.within(6, fresh.blocks.length + 2);
      let end = 0;
      for (const { offset, length } of grown.blocks) {
        expect(offset).to.equal(end);
        expect(length).to.be.at.most(buffer.length);
        end += length;
      }
      const lines = (blocks: FileIndex['blocks'], rank: number): number =>
        blocks.reduce((sum, { counts }) => sum + (counts[rank] ?? 0), 0);
      for (const rank of [1, 3]) expect(lines(grown.blocks, rank)).to.equal(1500);
    } finally {
      closeSync(file);
      await log.close();
      await rm(folder, { recursive: true });
    }
  });
});
