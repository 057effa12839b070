import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withTshark } from '@tagway/testkit';
import { expect } from 'chai';
import type { TracedFrame } from '../../src/core/ports/ports.ts';
import { pcapngOf } from '../../src/http/capture/pcapng.ts';
import { textOfFrame } from '../../src/http/capture/text.ts';

const read = '00010000000601030000000a';

function frame(
  peer: string,
  hex: string,
  more: Partial<Omit<TracedFrame, 'of'>> & { readonly of?: Partial<TracedFrame['connection']> } = {},
): TracedFrame {
  const { of, ...rest } = more;
  const data = Buffer.from(hex, 'hex');
  const connection = { id: 1, peer, datagrams: false, port: 502, ...of };
  return { at: 1_800_000_000_123.456, direction: 'sent', size: data.length, data, connection, ...rest };
}

describe('a trace as text', () => {
  it('has a line for each frame, and its bytes below', () => {
    const text = textOfFrame(frame('10.0.0.5:1502', read + '41'.repeat(8), { unit: '1', text: 'Read' }));
    expect(text).to.equal(
      [
        '2027-01-15T08:00:00.123456Z  ->  10.0.0.5:1502  unit 1  20 bytes  Read',
        '    0000  00 01 00 00 00 06 01 03 00 00 00 0a 41 41 41 41  ............AAAA',
        '    0010  41 41 41 41                                      AAAA',
        '',
      ].join('\n'),
    );
  });
});

withTshark('a trace as pcapng', () => {
  /** Fields of every frame as tshark finds them, with all checksums checked. */
  function fields(frames: readonly TracedFrame[], ...names: readonly string[]): string[][] {
    const folder = mkdtempSync(join(tmpdir(), 'tagway-pcapng-'));
    try {
      const file = join(folder, 'frames.pcapng');
      writeFileSync(file, pcapngOf(frames, 'Tagway test', 'A comment.'));
      const checks = ['tcp', 'udp', 'ip'].flatMap((name) => ['-o', `${name}.check_checksum:TRUE`]);
      const shown = names.flatMap((name) => ['-e', name]);
      const args = ['-n', ...checks, '-r', file, '-T', 'fields', ...shown];
      const { status, stdout, stderr } = spawnSync('tshark', args, { encoding: 'utf8' });
      expect(status, stderr).to.equal(0);
      const lines = stdout.split('\n').slice(0, -1);
      return lines.map((line) => line.split('\t'));
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  it('has times to the microsecond, directions, comments and sound checksums', () => {
    const answer = { direction: 'received', at: 1_800_000_000_123.999 } as const;
    const frames = [
      frame('10.0.0.5:1502', read, { text: 'Read — 读' }),
      frame('10.0.0.5:1502', '00010000000501030200ff', answer),
      frame('10.0.0.5:1502', read),
    ];
    const found = fields(
      frames,
      ...['frame.time_epoch', 'frame.packet_flags_direction', 'frame.comment', 'ip.checksum.status'],
      ...['tcp.checksum.status', 'ip.src', 'tcp.dstport', 'tcp.seq_raw', 'tcp.ack_raw', 'modbus.func_code'],
      '_ws.expert.message',
    );
    const gateway = '192.0.2.1';
    expect(found.map((row) => row.slice(0, 10))).to.deep.equal([
      ['1800000000.123456000', '0x00000002', 'Read — 读', '1', '1', gateway, '502', '1', '1', '3'],
      ['1800000000.123999000', '0x00000001', '', '1', '1', '10.0.0.5', '49153', '1', '13', '3'],
      ['1800000000.123456000', '0x00000002', '', '1', '1', gateway, '502', '13', '12', '3'],
    ]);
  });

  it('has IPv6, names, datagrams, lines, and frames that are cut', () => {
    const cut = Buffer.from(read + '00'.repeat(50), 'hex');
    const frames = [
      frame('[fe80::1:2]:1502', read),
      frame('plc.local:1502', read, { of: { id: 2 } }),
      frame('127.0.0.1:1502', read, { of: { id: 3, datagrams: true } }),
      frame('[::1]:1502', read, { of: { id: 4, datagrams: true } }),
      frame('/dev/ttyS0', '01', { of: { id: 5 } }),
      frame('/dev/ttyS0', '010300000001840a', { of: { id: 6, dissector: 'mbrtu' } }),
      frame('127.0.0.1:1502', read, { data: cut, size: 70_000, of: { id: 7 } }),
    ];
    const found = fields(
      frames,
      ...['frame.protocols', 'frame.len', 'frame.cap_len', 'tcp.checksum.status', 'udp.checksum.status'],
    );
    expect(found).to.deep.equal([
      ['raw:ipv6:tcp:mbtcp:modbus', '72', '72', '1', ''],
      ['raw:ip:tcp:mbtcp:modbus', '52', '52', '1', ''],
      ['raw:ip:udp:mbudp:modbus', '40', '40', '', '1'],
      ['raw:ipv6:udp:mbudp:modbus', '60', '60', '', '1'],
      ['user_dlt:data', '1', '1', '', ''],
      ['exported_pdu:mbrtu:modbus', '32', '32', '', ''],
      ['raw:ip:tcp:mbtcp:modbus', '70040', '102', '1', ''],
    ]);
  });
});
