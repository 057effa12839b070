import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const hasTshark = spawnSync('tshark', ['-v'], { stdio: 'ignore' }).status === 0;

/** What tshark finds in a capture file: the fields of every frame that passes the filter. */
export function dissected(capture: Buffer, names: readonly string[], filter = ''): string[][] {
  const folder = mkdtempSync(join(tmpdir(), 'tagway-capture-'));
  try {
    const file = join(folder, 'frames.pcapng');
    writeFileSync(file, capture);
    const fields = names.flatMap((name) => ['-e', name]);
    const args = ['-n', '-r', file, '-Y', filter, '-T', 'fields', ...fields];
    const { status, stdout, stderr } = spawnSync('tshark', args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
    if (status !== 0) throw new Error(`tshark failed: ${stderr}`);
    return stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split('\t'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
