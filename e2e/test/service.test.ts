import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Child } from '../kit/child.ts';
import { Debugger } from '../kit/debugger.ts';
import { useFolder } from '../kit/folder.ts';
import { Gateway } from '../kit/gateway.ts';
import { ended, tagway } from '../kit/installed.ts';
import type { Ended } from '../kit/installed.ts';
import { NotifySocket } from '../kit/notify-socket.ts';
import { until } from '../kit/until.ts';

const has = (command: string, ...args: string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;

const hasSystemd = has('systemd-analyze', '--version') && has('systemd-notify', '--help');
const hasPython = has('python3', '--version');

describe('tagway service', function () {
  this.timeout(60_000);
  const at = useFolder('service', 'test');
  let root: string;
  beforeEach(async () => {
    root = at();
    await mkdir(at('etc'));
    await writeFile(at('etc/group'), 'root:x:0:\ndialout:x:20:\n');
  });

  const service = (args: readonly string[], env: Record<string, string> = {}): Promise<Ended> =>
    tagway(['service', ...args, '--root', root], env);
  const textOf = (path: string): Promise<string> => readFile(at(path), 'utf8');
  const unitPath = 'etc/systemd/system/tagway.service';

  it('install writes the unit, its user and the options, and says so', async () => {
    const given = '--port 7001 --tls auto --log-print'.split(' ');
    const { code, stdout, stderr } = await service(['install', ...given]);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    for (const path of [unitPath, 'etc/sysusers.d/tagway.conf', 'etc/tagway/config.json'])
      expect(stdout).to.include(at(path));
    expect(stdout).to.include('as a member of dialout');
    expect(stdout).to.include('may have ports below 1024, such as 443, or 502 of Modbus.');
    expect(stdout).to.match(/util-linux \(\/usr\/bin\/setpriv\) is not installed, without which all plugins/);
    expect(stdout).to.match(
      /systemd does not run in .*, so nothing was started\. .*systemctl enable --now tagway/,
    );
    const unit = await textOf(unitPath);
    const command =
      /^ExecStart="(.*?)"(?: --[a-z0-9-]+(?:=\d+)?)+ "(.*?)" --config \/etc\/tagway\/config.json /m;
    expect(command.exec(unit)?.slice(1)).to.deep.equal([process.execPath, Gateway.main]);
    const ownership = 'User=tagway StateDirectory=tagway SupplementaryGroups=dialout Restart=always';
    const limits =
      'ProtectSystem=strict NoNewPrivileges=yes CapabilityBoundingSet=CAP_NET_BIND_SERVICE AmbientCapabilities=CAP_NET_BIND_SERVICE';
    for (const line of `${ownership} ${limits} WatchdogSec=30 WatchdogSignal=SIGKILL`.split(' '))
      expect(unit).to.match(new RegExp(`^${line}$`, 'm'));
    expect(JSON.parse(await textOf('etc/tagway/config.json'))).to.deep.equal({
      port: '7001',
      tls: 'auto',
      'log-print': true,
    });
    expect(await textOf('etc/sysusers.d/tagway.conf')).to.match(/^u tagway - /m);
    expect((await stat(at(unitPath))).mode & 0o777).to.equal(0o644);
  });

  it('has a password that root alone reads, and says what is missing for serial lines', async () => {
    await writeFile(at('etc/group'), 'root:x:0:\n');
    const password = 'a "quoted" $word';
    const { code, stdout } = await service(['install', '--port', '443', '--admin-password', password]);
    expect(code).to.equal(0);
    expect(stdout).to.include('may use no serial line').and.not.to.include(password);
    const environment = 'etc/tagway/environment';
    expect(await textOf(environment)).to.equal('TAGWAY_ADMIN_PASSWORD="a \\"quoted\\" \\$word"\n');
    expect((await stat(at(environment))).mode & 0o777).to.equal(0o600);
    expect(await textOf('etc/tagway/config.json')).not.to.include('quoted');
    const unit = await textOf(unitPath);
    expect(unit).not.to.include('SupplementaryGroups');
  });

  it('has root run the gateway and another user its plugins, where they are to be apart', async () => {
    const { code, stdout } = await service(['install', '--runner-user', 'tagway-plugins']);
    expect(code).to.equal(0);
    expect(stdout).to.include('these run as the user tagway-plugins');
    const unit = await textOf(unitPath);
    const rights = 'CHOWN DAC_OVERRIDE FOWNER KILL SETGID SETUID SYS_PTRACE'.split(' ');
    const bounds = `CapabilityBoundingSet=${[...rights, 'NET_BIND_SERVICE'].map((right) => `CAP_${right}`).join(' ')}`;
    const ambient = 'AmbientCapabilities=CAP_NET_BIND_SERVICE';
    for (const line of ['User=root', bounds, ambient, 'SystemCallFilter=@setuid @chown'])
      expect(unit).to.match(new RegExp(`^${line}$`, 'm'));
    expect(await textOf('etc/sysusers.d/tagway.conf')).to.match(
      /^u tagway-plugins - "Plugins of Tagway"\nm tagway-plugins dialout$/m,
    );
  });

  it('may keep a gate in the kernel in a pair, and divide its control group', async () => {
    const pair = ['--pair', 'etcd://10.0.0.5:2379', '--pair-id', 'plant', '--pair-ca', 'ca.pem'];
    const { code, stdout } = await service(['install', ...pair, '--secrets-key', 'secrets.key']);
    expect(code).to.equal(0);
    expect(stdout).to.include('Attention: nftables is not installed');
    const unit = await textOf(unitPath);
    for (const line of [
      'AmbientCapabilities=CAP_NET_BIND_SERVICE CAP_NET_ADMIN',
      ...['CapabilityBoundingSet=CAP_NET_BIND_SERVICE CAP_NET_ADMIN', 'Delegate=yes'],
      ...['WatchdogSignal=SIGKILL', 'NotifyAccess=all'],
    ])
      expect(unit).to.match(new RegExp(`^${line}$`, 'm'));
    expect(unit).not.to.include('ProtectControlGroups');
    const options = JSON.parse(await textOf('etc/tagway/config.json')) as object;
    expect(options).to.include({ pair: 'etcd://10.0.0.5:2379', 'pair-id': 'plant' });
    expect(options).to.include({ 'pair-ca': join(process.cwd(), 'ca.pem') });
    await mkdir(at('usr/sbin'), { recursive: true });
    await writeFile(at('usr/sbin/nft'), '');
    expect((await service(['install'])).stdout).not.to.include('nftables');
    expect(await textOf(unitPath), 'the options that stand count').to.include('CAP_NET_ADMIN');
  });

  it('refuses what a service has no use for, and options that would be lost', async () => {
    for (const args of [['install', '--data', 'x'], ['status', '--port', '1'], ['restart'], []]) {
      const { code, stderr } = await service(args);
      expect(code).to.equal(1);
      expect(stderr).to.match(/^The (command|option).*\. Try --help\.\n$/);
    }
    expect((await service(['install', '--port', '7001'])).code).to.equal(0);
    const again = await service(['install', '--port', '7002']);
    expect(again.code).to.equal(1);
    expect(again.stderr).to.include('Change them there');
    expect((await service(['install'])).stdout).to.include('config.json stay');
  });

  it('uninstall removes what install made, keeps data and options, and says how to be rid of them', async () => {
    await service(['install']);
    expect((await service(['status'])).code).to.equal(3);
    const { code, stdout } = await service(['uninstall']);
    expect(code).to.equal(0);
    expect(stdout).to.include('stay').and.to.include('rm -r');
    await stat(at('etc/tagway/config.json'));
    for (const path of [unitPath, 'etc/sysusers.d/tagway.conf'])
      expect(await stat(at(path)).catch(() => 'gone')).to.equal('gone');
    const none = await service(['status']);
    expect(none.code).to.equal(4);
    expect(none.stdout).to.match(/^There is no service: .* tagway service install\n$/);
  });

  it('tells systemd where it runs, and what that said when it failed', async () => {
    await mkdir(at('run/systemd/system'), { recursive: true });
    const bin = at('bin');
    await mkdir(bin);
    // Stands for the programs of a systemd that runs, which a test may not have: it notes what it was told, and tells what it is to.
    const show =
      'ActiveState=active\nSubState=running\nMainPID=77\nActiveEnterTimestamp=Mon 2026-01-05 08:00:00 UTC\nNRestarts=2\nStatusText=It listens on http://127.0.0.1:7000.\nUnitFileState=enabled\n';
    const program = `#!/bin/sh\necho "$(basename "$0") $*" >> ${root}/calls\n[ "$1" = show ] && printf '${show.replaceAll('\n', '\\n')}'\n[ "$1" = restart ] && [ -e ${root}/broken ] && { echo 'Job failed.' >&2; exit 1; }\nexit 0\n`;
    for (const name of ['systemctl', 'systemd-sysusers']) {
      await writeFile(join(bin, name), program);
      await chmod(join(bin, name), 0o755);
    }
    const withPrograms = (...args: string[]): Promise<Ended> =>
      ended('/bin/sh', [
        ...['-c', `PATH=${bin}${delimiter}$PATH exec "$0" "$@"`],
        ...[process.execPath, Gateway.main, 'service', ...args, '--root', root],
      ]);
    const installed = await withPrograms('install');
    expect(installed.code, installed.stdout).to.equal(0);
    expect(installed.stdout).to.include('The service runs, and starts with the machine.');
    expect((await textOf('calls')).trim().split('\n')).to.deep.equal([
      `systemd-sysusers ${at('etc/sysusers.d/tagway.conf')}`,
      ...['systemctl daemon-reload', 'systemctl enable tagway', 'systemctl restart tagway'],
    ]);
    const status = await withPrograms('status');
    expect(status.code).to.equal(0);
    expect(status.stdout)
      .to.include('as process 77. It listens on')
      .and.to.include('started it again 2 times');
    await writeFile(at('broken'), '');
    const failed = await withPrograms('install');
    expect(failed.code).to.equal(1);
    expect(failed.stdout)
      .to.include('"systemctl restart tagway" failed: Job failed.')
      .and.to.include('journalctl -u tagway');
  });

  it(`has a unit that systemd accepts and finds well protected${hasSystemd ? '' : ' (systemd is not installed here)'}`, async function () {
    if (!hasSystemd) this.skip();
    await service(['install', '--port', '443']);
    const unit = at(unitPath);
    const verify = async (): Promise<void> => {
      const verified = await ended('systemd-analyze', ['verify', '--recursive-errors=no', unit]);
      expect(verified, verified.stderr).to.include({ code: 0, stderr: '' });
    };
    await verify();
    // The scale goes from 0, all that systemd can take away is taken away, to 100.
    const options = ['--offline=yes', '--no-pager', '--threshold=20'];
    const security = await ended('systemd-analyze', ['security', ...options, unit]);
    expect(security.code, security.stdout).to.equal(0);
    expect(security.stdout).to.match(/Overall exposure level for tagway\.service: (?:[01]\.\d|2\.0) OK/);
    await rm(at('etc/tagway'), { recursive: true });
    await service(['install', '--pair', 'a:1', '--pair-id', 'plant', '--secrets-key', 'key']);
    expect(await textOf(unitPath)).to.include('Delegate=yes');
    await verify();
  });
});

describe('a gateway with a supervisor', function () {
  this.timeout(60_000);
  const isPossible = hasSystemd && hasPython;
  const reason = isPossible ? '' : ' (systemd-notify or python3 is not installed here)';
  const folder = useFolder('notify', 'test');
  let socket: NotifySocket;
  let gateway: Child | undefined;

  beforeEach(async function () {
    if (!isPossible) this.skip();
    socket = await NotifySocket.listen(folder('notify'));
  });
  afterEach(async () => {
    if (!isPossible) return;
    await gateway?.stop('SIGKILL');
    gateway?.release();
    gateway = undefined;
    await socket.close();
  });

  const start = async (...flags: string[]): Promise<Child> => {
    const args = [...flags, Gateway.main, '--data', folder('data'), '--port', '0'];
    const env = { NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: '600000' };
    return (gateway = await Child.start(process.execPath, args, {
      ready: /Tagway listens on/,
      env,
      group: true,
    }));
  };
  const beats = (): number => socket.count('WATCHDOG=1');

  it(`says when it is ready and where, goes on beating, and says when it ends${reason}`, async () => {
    const child = await start();
    await until('it is ready', () => socket.count('READY=1') === 1);
    expect(socket.messages.find((one) => one.startsWith('STATUS='))).to.match(
      /^STATUS=It listens on http:\/\/127\.0\.0\.1:\d+\.$/,
    );
    await until('some beats have come', () => beats() >= 5);
    expect((await child.stop('SIGTERM', 10_000)).code).to.equal(0);
    await until('it has said that it ends', () => socket.count('STOPPING=1') === 1);
  });

  it(`stops beating when its event loop stands still, though the process lives${reason}`, async () => {
    const child = await start('--inspect=127.0.0.1:0');
    await until('beats come', () => beats() >= 2);
    const [, port = ''] = /Debugger listening on ws:\/\/127\.0\.0\.1:(\d+)\//.exec(child.output) ?? [];
    const busy = await Debugger.attach(Number(port));
    expect(busy, child.output).not.to.equal(undefined);
    const stalled = busy?.ask('Runtime.evaluate', {
      expression: 'for (const end = Date.now() + 2500; Date.now() < end; );',
    });
    // What was on its way is not what this is about.
    await sleep(700);
    const before = beats();
    await sleep(1200);
    expect(beats(), 'a timer of another thread would have beaten several times').to.equal(before);
    await stalled;
    await until('it beats again', () => beats() > before);
    await busy?.[Symbol.asyncDispose]();
  });
});
