import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Debian's modules are those of the system's Python. */
const python = '/usr/bin/python3';
const script = fileURLToPath(new URL('scapy-decode.py', import.meta.url));

export const hasScapy =
  spawnSync(python, ['-c', 'import scapy.contrib.scada.iec104'], { stdio: 'ignore' }).status === 0;

interface ScapyPart {
  /** Name of the class. */
  readonly kind: string;
  readonly fields: Readonly<Record<string, number>>;
}

/** A frame as scapy has decoded it. */
export interface ScapyFrame extends ScapyPart {
  readonly objects: readonly ScapyPart[];
  /** What its fields encode to, in hexadecimal digits. */
  readonly encoded: string;
}

/** Has scapy decode frames. */
export function decodeWithScapy(frames: readonly Buffer[]): ScapyFrame[] {
  const { status, stdout, stderr } = spawnSync(python, [script], {
    input: frames.map((frame) => `${frame.toString('hex')}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(`scapy failed: ${stderr}`);
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as ScapyFrame);
}
