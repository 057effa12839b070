import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { captureOf, type Packet, type Transport } from './capture.ts';

export const hasTshark = spawnSync('tshark', ['--version'], { stdio: 'ignore' }).status === 0;

/** Tests that need tshark. */
export function withTshark(title: string, tests: () => void): void {
  describe(hasTshark ? title : `${title} (skipped: tshark is not installed)`, function () {
    this.timeout(60_000);
    before(function () {
      if (!hasTshark) this.skip();
    });
    tests();
  });
}

/** tshark's dissection of packets to and from a port, by which tshark recognizes the protocol. */
export class Dissection {
  readonly #packets: readonly Packet[];
  readonly #port: number;
  readonly #transport: Transport;

  constructor(packets: readonly Packet[], port: number, transport: Transport = 'tcp') {
    this.#packets = packets;
    this.#port = port;
    this.#transport = transport;
  }

  /** The fields of each packet that passes the filter: one list for each packet. */
  fields(names: readonly string[], filter = ''): string[][] {
    const shown = names.flatMap((name) => ['-e', name]);
    return this.#run(['-Y', filter, '-T', 'fields', ...shown]).map((line) => line.split('\t'));
  }

  /** The packets that tshark calls malformed or warns of. */
  malformed(): string[] {
    return this.#run(['-Y', '_ws.malformed || _ws.expert.severity >= 0x600000']);
  }

  #run(options: readonly string[]): string[] {
    const folder = mkdtempSync(join(tmpdir(), 'tagway-tshark-'));
    try {
      const file = join(folder, 'frames.pcap');
      writeFileSync(file, captureOf(this.#packets, this.#port, this.#transport));
      const { status, stdout, stderr } = spawnSync('tshark', ['-n', '-r', file, ...options], {
        encoding: 'utf8',
        maxBuffer: 2 ** 26,
      });
      if (status !== 0) throw new Error(`tshark failed: ${stderr}`);
      return stdout.split('\n').slice(0, -1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
}
