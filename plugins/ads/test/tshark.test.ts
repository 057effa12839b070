import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataType } from '@tagway/sdk';
import { expect } from 'chai';
import { Command, IndexGroup } from '../src/protocol.ts';
import { callOf, pointsOf, Stand } from './stand.ts';
import { variable } from './program.ts';

const missing = ['tshark', 'text2pcap'].filter(
  (name) => spawnSync(name, ['-v'], { stdio: 'ignore' }).status !== 0,
);

/** What tshark makes of frames, each as a TCP segment of its own: one row of fields a frame. */
function dissect(frames: readonly Buffer[], ...fields: string[]): string[][] {
  const folder = mkdtempSync(join(tmpdir(), 'tagway-ads-'));
  try {
    const lines = frames.map((frame) => `000000 ${frame.toString('hex').replaceAll(/../g, '$& ')}\n`);
    writeFileSync(join(folder, 'frames.txt'), lines.join('\n'));
    const run = (command: string, ...args: string[]): string => {
      const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
      if (status !== 0) throw new Error(`${command} failed: ${stderr}`);
      return stdout;
    };
    run('text2pcap', '-q', '-T', '50000,48898', 'frames.txt', 'frames.pcap');
    const shown = fields.flatMap((field) => ['-e', field]);
    const text = run(
      'tshark',
      '-r',
      'frames.pcap',
      '-o',
      'tcp.desegment_tcp_streams:FALSE',
      '-T',
      'fields',
      ...shown,
    );
    return text
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const why = missing.length > 0 ? ` (skipped: ${missing.join(' and ')} not installed)` : '';

describe(`what tshark makes of the frames${why}`, function () {
  this.timeout(60_000);
  before(function () {
    if (missing.length > 0) this.skip();
  });

  it('is what was meant, and none is malformed', async () => {
    const stand = await Stand.open((device) => device.add(variable('MAIN.a', 'INT', '0100')));
    const points = pointsOf(
      ['MAIN.a', DataType.INT16],
      ['0x4020,100', DataType.DOUBLE],
      ['0x4020,108.20', DataType.STRING],
    );
    await stand.read(points);
    await stand.read(points.slice(1, 2), 'test');
    await stand.write(points, [7, 2.5, 'text']);
    await stand.write(points.slice(1, 2), [3.5]);
    await stand.driver.browse?.({ id: '' }, callOf('demand'));
    await stand[Symbol.asyncDispose]();
    const { frames } = stand.device;
    expect(frames.length).to.be.greaterThan(16);

    const rows = dissect(
      frames,
      ...['_ws.malformed', '_ws.expert.severity', 'ams.cmdid', 'ams.state_response', 'ams.invokeid'],
      ...['ams.ads_indexgroup', 'ams.ads_indexoffset', 'ams.targetnetid', 'ams.sendernetid'],
    );
    expect(rows).to.have.lengthOf(frames.length);
    const number = (text = ''): number => Number(text.split(',')[0]);
    const groups = new Set<number>();
    for (const [index, row] of rows.entries()) {
      const frame = frames[index] as Buffer;
      const [malformed, severity = '', command, response, id, group, offset, target, source] = row;
      const what = `frame ${index}: ${frame.toString('hex')}`;
      expect(malformed, what).to.equal('');
      expect(severity.includes('8388608'), what).to.equal(false);
      expect(number(command), what).to.equal(frame.readUInt16LE(22));
      expect(number(id), what).to.equal(frame.readUInt32LE(34));
      const isResponse = ['1', 'True'].includes(response ?? '');
      expect(isResponse, what).to.equal(frame.readUInt16LE(24) === 5);
      expect(isResponse ? source : target, what).to.equal('5.23.91.10.1.1');
      if (isResponse || frame.readUInt16LE(22) === Command.READ_STATE) continue;
      groups.add(number(group));
      expect(number(group), what).to.equal(frame.readUInt32LE(38));
      expect(number(offset), what).to.equal(frame.readUInt32LE(42));
    }
    const { SUM_READ, SUM_WRITE, SUM_READ_WRITE, SYMBOL_UPLOAD } = IndexGroup;
    expect([...groups]).to.include.members([SUM_READ, SUM_WRITE, SUM_READ_WRITE, SYMBOL_UPLOAD, 0x4020]);
  });
});
