import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { useFolder } from '../kit/folder.ts';
import { Gateway } from '../kit/gateway.ts';
import { tagway } from '../kit/installed.ts';
import type { Ended } from '../kit/installed.ts';
import { SmallDisk } from '../kit/small-disk.ts';

describe('tagway doctor', function () {
  this.timeout(30_000);
  const folder = useFolder('doctor', 'test');

  const doctor = (data: string, port: number | string): Promise<Ended> =>
    tagway(['doctor', '--data', data, '--port', `${port}`]);
  const lineOf = ({ stdout }: Ended, about: string): string =>
    stdout.split('\n').find((line) => line.slice(7).startsWith(`${about}:`)) ?? stdout;

  it('says of everything how it is, changes nothing, and ends with 0 when a gateway can run', async () => {
    const data = folder('data');
    const report = await doctor(data, 0);
    expect(report.code, report.stdout).to.equal(0);
    for (const about of 'Node.js,User,Data folder,Disk,Port,Clock,Serial module,Serial lines'.split(','))
      expect(lineOf(report, about)).to.match(/^(ok|note) .*\.$/);
    expect(report.stdout).to.match(/\nA gateway can run here\.\n$/);
    expect(existsSync(data)).to.equal(false);
  });

  it('ends with 1 and says what to do where a gateway cannot run', async () => {
    const data = folder('data');
    await writeFile(data, '');
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const report = await doctor(data, (server.address() as AddressInfo).port);
      expect(report.code).to.equal(1);
      expect(lineOf(report, 'Data folder')).to.match(
        /^wrong .* is a file and no folder\. Name another folder with --data\.$/,
      );
      expect(lineOf(report, 'Port')).to.match(
        /^wrong .*another program listens there\. See which with "ss .* --port\.$/,
      );
      expect(report.stdout).to.match(/\n2 things are wrong\.\n$/);
    } finally {
      server.close();
    }
  });

  it('knows the gateway that runs on the data folder', async () => {
    const gateway = await Gateway.start();
    try {
      const { port } = new URL(gateway.url);
      expect(lineOf(await doctor(gateway.data, port), 'Port')).to.match(
        /^ok .*The gateway of this data folder listens at http/,
      );
      expect(lineOf(await doctor(folder(), port), 'Port')).to.match(/^wrong /);
    } finally {
      await gateway.dispose();
    }
  });

  it('refuses an option that cannot be what it is, as the gateway does', async () => {
    const { code, stderr } = await doctor(folder(), 'many');
    expect(code).to.equal(1);
    expect(stderr).to.match(/^The option --port must be a whole number/);
  });

  it(`says what to do where the file system is read-only${SmallDisk.isPossible ? '' : ' (only root may mount the small disk that it needs)'}`, async function () {
    if (!SmallDisk.isPossible) this.skip();
    const disk = await SmallDisk.make(64);
    try {
      disk.protect(true);
      expect(lineOf(await doctor(join(disk.folder, 'data'), 0), 'Data folder')).to.match(
        /^wrong .* its file system is read-only\. Mount it for writing, or name a folder on another one with --data\.$/,
      );
    } finally {
      await disk.dispose();
    }
  });

  it(`finds a disk with little space${SmallDisk.isPossible ? '' : ' (only root may mount the small disk that it needs)'}`, async function () {
    if (!SmallDisk.isPossible) this.skip();
    const disk = await SmallDisk.make(4);
    try {
      const report = await doctor(join(disk.folder, 'data'), 0);
      expect(report.code).to.equal(1);
      expect(lineOf(report, 'Disk')).to.match(/^wrong .*free space, or take another disk\.$/);
    } finally {
      await disk.dispose();
    }
  });
});
