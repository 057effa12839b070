import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { pcapOf } from './pcap.ts';

export const hasTshark = spawnSync('tshark', ['--version'], { stdio: 'ignore' }).status === 0;

export type Packets = Parameters<typeof pcapOf>[0];

/** What tshark prints of packets. */
export function dissect(packets: Packets, ...args: string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'tagway-bacnet-'));
  try {
    const file = join(folder, 'bacnet.pcap');
    writeFileSync(file, pcapOf(packets));
    const { status, stdout, stderr } = spawnSync('tshark', ['-r', file, ...args], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`tshark failed: ${stderr}`);
    return stdout.split('\n').filter((line) => line !== '');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function expectSound(packets: Packets): void {
  expect(dissect(packets, '-Y', '_ws.malformed || _ws.expert.severity == 0x800000')).to.deep.equal([]);
  expect(dissect(packets, '-Y', 'bvlc')).to.have.length(packets.length);
}

/** Arguments that print fields, with tabs between them. */
export const fields = (...names: string[]): string[] => [
  '-T',
  'fields',
  ...names.flatMap((name) => ['-e', name]),
];
