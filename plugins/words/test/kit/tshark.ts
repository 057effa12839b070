import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const hasTshark = ['tshark', 'text2pcap'].every(
  (command) => spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0,
);

/** Frames of one direction of a connection over TCP, and the port of the device. */
export interface Conversation {
  readonly frames: readonly Buffer[];
  /** The port that the frames go to, if they are requests, or come from. */
  readonly port: number;
  readonly from: 'gateway' | 'device';
}

/** The fields of each frame as tshark dissects it: a list of those of the first frame, and so on. */
export function tsharkFields(conversation: Conversation, fields: readonly string[]): string[][] {
  return dissect(conversation, ['-T', 'fields', ...fields.flatMap((field) => ['-e', field])]);
}

/** The frames in which tshark finds something malformed or a warning. */
export function malformedFrames(conversation: Conversation): string[][] {
  return dissect(conversation, ['-Y', '_ws.malformed || _ws.expert.severity >= 0x600000']);
}

function dissect({ frames, port, from }: Conversation, options: readonly string[]): string[][] {
  const folder = mkdtempSync(join(tmpdir(), 'tagway-tshark-'));
  try {
    const [text, capture] = [join(folder, 'frames.txt'), join(folder, 'frames.pcap')];
    writeFileSync(text, frames.map(dumpOf).join(''));
    const ports = from === 'gateway' ? `50000,${port}` : `${port},50000`;
    execFileSync('text2pcap', ['-q', '-T', ports, text, capture], { stdio: 'ignore' });
    const output = execFileSync('tshark', ['-n', '-r', capture, ...options], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return output
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split('\t'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A frame as text2pcap reads it. */
function dumpOf(frame: Buffer): string {
  const lines: string[] = [];
  for (let at = 0; at < frame.length; at += 16) {
    const bytes = frame
      .subarray(at, at + 16)
      .toString('hex')
      .replace(/../g, '$& ');
    lines.push(`${at.toString(16).padStart(6, '0')} ${bytes}\n`);
  }
  return lines.join('');
}
