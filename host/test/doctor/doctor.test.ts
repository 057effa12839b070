import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { reportOf } from '../../src/doctor/doctor.ts';
import { ok, wrong } from '../../src/doctor/finding.ts';
import { dataFolderFinding } from '../../src/doctor/folder.ts';
import { lowPortFinding } from '../../src/doctor/low-ports.ts';
import { clockFinding } from '../../src/doctor/machine.ts';
import { nativeFinding, serialFindings } from '../../src/doctor/serial.ts';

describe('the doctor', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tagway-doctor-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('finds a clock wrong that is before the build, or before what lies in the data folder', async () => {
    const now = Date.parse('2030-01-01');
    expect(await clockFinding('2030-01-02', folder, now)).to.deep.include({ level: 'wrong' });
    expect((await clockFinding('2029-01-01', folder, now)).level).not.to.equal('wrong');
    const database = join(folder, 'tagway.sqlite');
    await writeFile(database, '');
    await utimes(database, now / 1000 + 3600, now / 1000 + 3600);
    const late = await clockFinding('2029-01-01', folder, now);
    expect(late.level).to.equal('wrong');
    expect(late.sentence).to.include('was written later').and.to.include('timedatectl');
    await utimes(database, now / 1000 + 60, now / 1000 + 60);
    expect((await clockFinding('2029-01-01', folder, now)).level).not.to.equal('wrong');
  });

  it('names the serial lines, those that the user may not use, and the group that may', async () => {
    for (const name of ['ttyUSB0', 'ttyACM1', 'ttyS0', 'tty1', 'ttyprintk'])
      await writeFile(join(folder, name), '');
    const all = await serialFindings(folder);
    expect(all).to.have.length(1);
    expect(all[0]).to.deep.include({ level: 'ok', sentence: 'This user may use ttyACM1, ttyS0, ttyUSB0.' });
    const some = await serialFindings(folder, async (path) => path.endsWith('ttyS0'));
    expect(some.map(({ level }) => level)).to.deep.equal(['ok', 'wrong']);
    expect(some[1]?.sentence).to.match(/may not use ttyACM1, ttyUSB0\. .*usermod -aG \S+ \S+$/);
    const boards = await serialFindings(folder, async (path) => !path.endsWith('ttyS0'));
    expect(
      boards.map(({ level }) => level),
      'a board has lines that nothing is plugged into',
    ).to.deep.equal(['ok', 'note']);
    expect((await serialFindings(join(folder, 'none')))[0]).to.deep.include({ level: 'ok' });
  });

  it('says whether plugins may have ports below 1024, and how they get to', async () => {
    const facts = {
      runnerUser: undefined,
      right: { isHeld: false, isInherited: false },
      canHandOn: true,
      unit: undefined,
      first: 1024,
    };
    const held = { isHeld: true, isInherited: true };
    const unit = 'AmbientCapabilities=CAP_NET_BIND_SERVICE\n';
    const user = await lowPortFinding(facts);
    expect(user.level).to.equal('note');
    expect(user.sentence).to.include('tagway service install').and.to.include('ip_unprivileged_port_start');
    const old = await lowPortFinding({ ...facts, right: held, unit: 'AmbientCapabilities=\n' });
    expect(old.level).to.equal('note');
    expect(old.sentence).to.include('of an earlier version. Renew it: tagway service install');
    const other = { ...facts, runnerUser: 'plugins', right: held, unit };
    expect((await lowPortFinding({ ...other, canHandOn: false })).sentence).to.include('Install util-linux');
    for (const good of [{ ...facts, first: 80 }, { ...facts, right: held }, { ...facts, unit }, other])
      expect((await lowPortFinding(good)).level, JSON.stringify(good)).to.equal('ok');
  });

  it('finds a native module that is missing or does not load', async () => {
    const missing = nativeFinding(folder);
    expect(missing.level).to.equal('wrong');
    expect(missing.sentence).to.match(/does not load here: Cannot find module/);
    const native = join(folder, 'node_modules/@serialport/bindings-cpp');
    await mkdir(native, { recursive: true });
    await writeFile(
      join(native, 'index.js'),
      'throw new Error("No native build was found for platform=linux arch=riscv64")',
    );
    expect(nativeFinding(folder).sentence)
      .to.include('arch=riscv64')
      .and.to.include('a device server over TCP can');
  });

  it('makes no data folder', async () => {
    const data = join(folder, 'a/b');
    expect(await dataFolderFinding(data)).to.deep.include({
      level: 'ok',
      sentence: `${data} is not there yet, and can be made.`,
    });
    expect((await dataFolderFinding(folder)).sentence).to.include('holds no configuration yet');
    await writeFile(join(folder, 'file'), '');
    expect((await dataFolderFinding(join(folder, 'file'))).level).to.equal('wrong');
  });

  it('sums up what is wrong', () => {
    const good = ok('Port', 'Nobody listens there.');
    expect(reportOf([good])).to.equal(
      'ok     Port:           Nobody listens there.\nA gateway can run here.\n',
    );
    expect(reportOf([good, wrong('Disk', 'It is full.')])).to.match(
      /\nwrong  Disk: +It is full\.\nOne thing is wrong\.\n$/,
    );
  });
});
