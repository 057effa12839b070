import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setpriv, unitFile } from '../core/system/low-ports.ts';
import { systemReason } from '../core/system/system-error.ts';
import { configFile, environmentFile, serviceName, stateFolder, sysusersOf, unitOf } from './unit.ts';

/** What `tagway service` is asked for. */
export interface ServiceRequest {
  /** Folder that stands for `/`: that of an image, or of a test. */
  readonly root: string;
  /** Options of the gateway, as they are to stand in its configuration file. */
  readonly options: Readonly<Record<string, string | number | boolean>>;
  /** Written where the user of the service cannot read it. */
  readonly adminPassword?: string;
}

/** What was done or found, in sentences, and the exit code. */
export interface ServiceReport {
  readonly sentences: readonly string[];
  readonly exitCode: number;
}

const sysusersFile = `/etc/sysusers.d/${serviceName}.conf`;

/** Groups that own serial lines: of Debian and its relatives, Fedora and SUSE, and of Arch. */
const serialGroups = ['dialout', 'uucp'];

/** Folders that the service cannot see, or that are empty at each start: `ProtectHome` and `PrivateTmp` of the unit. */
const unseen = /^\/(?:home|root|run\/user|tmp|var\/tmp)\//;

const lowPorts =
  'The API, and plugins that take connections, may have ports below 1024, such as 443, or 502 of Modbus.';

/** Where distributions have nftables. */
const nftPaths = ['usr/sbin/nft', 'sbin/nft', 'usr/bin/nft'];

/** Exit codes of `systemctl status`: the service does not run; there is no such service. */
const notRunning = 3;
const notInstalled = 4;

/** Whether systemd runs this machine, as sd_booted(3) finds out. */
const isBooted = (root: string): boolean => existsSync(join(root, 'run/systemd/system'));

/** Runs a program of systemd. `said` is what it wrote when it failed. */
function run(
  command: string,
  ...args: string[]
): { readonly ok: boolean; readonly out: string; readonly said: string } {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  const said = error === undefined ? stderr.trim() : systemReason(error);
  return { ok: status === 0, out: stdout ?? '', said };
}

/** Replaces a file. Rejects with a sentence. */
async function write(file: string, content: string, mode = 0o644): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o755 }).catch(cannot(file));
  // The mode of a file that is there stays.
  await rm(file, { force: true }).catch(cannot(file));
  await writeFile(file, content, { mode, flag: 'wx' }).catch(cannot(file));
}

const cannot =
  (file: string) =>
  (cause: unknown): never => {
    throw new Error(
      `${file} cannot be changed: ${systemReason(cause)}. The command needs root: sudo tagway service …`,
      {
        cause,
      },
    );
  };

async function serialGroupOf(root: string): Promise<string | undefined> {
  const groups = await readFile(join(root, 'etc/group'), 'utf8').catch(() => '');
  return serialGroups.find((name) => new RegExp(`^${name}:`, 'm').test(groups));
}

/** A value as systemd reads it in a file of variables. */
const quoted = (value: string): string => `"${value.replaceAll(/[\\"`$]/g, '\\$&')}"`;

/** Installs the service, or renews it. Rejects with a sentence when that is not possible. */
export async function installService({
  root,
  options,
  adminPassword,
}: ServiceRequest): Promise<ServiceReport> {
  // Files of systemd are for everybody to read; the process as a whole makes files for its own user.
  process.umask(0o022);
  // The command is a link into the package, which npm may lay elsewhere.
  const main = realpathSync(process.argv[1] ?? '');
  const sentences: string[] = [];
  const config = join(root, configFile);
  const stands = await readFile(config, 'utf8').catch(() => undefined);
  if (stands === undefined) {
    await write(config, `${JSON.stringify(options, undefined, 2)}\n`);
    sentences.push(`The options of the gateway are in ${config}.`);
  } else {
    if (Object.keys(options).length > 0)
      throw new Error(
        `The options of the service stand in ${config} already. Change them there, and install again without options.`,
      );
    sentences.push(`The options of the gateway in ${config} stay.`);
  }
  if (adminPassword !== undefined) {
    const file = join(root, environmentFile);
    await write(file, `TAGWAY_ADMIN_PASSWORD=${quoted(adminPassword)}\n`, 0o600);
    sentences.push(
      `The first password of admin is in ${file}, which root alone reads. Delete it after the first start.`,
    );
  }
  const standing = JSON.parse(stands ?? JSON.stringify(options)) as Record<string, unknown>;
  const { pair } = standing;
  const { 'runner-user': named } = standing;
  const runnerUser = typeof named === 'string' ? named : undefined;
  const serialGroup = await serialGroupOf(root);
  const unit = join(root, unitFile);
  await write(
    unit,
    unitOf({
      node: process.execPath,
      main,
      serialGroup,
      isPaired: pair !== undefined,
      hasRunnerUser: runnerUser !== undefined,
    }),
  );
  const users = join(root, sysusersFile);
  await write(users, sysusersOf({ serialGroup, runnerUser }));
  sentences.push(
    runnerUser === undefined
      ? `The unit is ${unit}; the service runs as the user ${serviceName}, which ${users} makes, and keeps its data in ${stateFolder}. Its plugins run as the same user, so they can read its keys.`
      : `The unit is ${unit}; root runs the gateway, with the rights that it needs for its plugins, and these run as the user ${runnerUser}, which ${users} makes. The data are in ${stateFolder}.`,
    serialGroup === undefined
      ? `This machine has none of the groups ${serialGroups.join(' and ')}: the service may use no serial line until "systemctl edit ${serviceName}" names one in SupplementaryGroups.`
      : `It may use serial lines, as a member of ${serialGroup}.`,
  );
  sentences.push(
    existsSync(join(root, setpriv))
      ? lowPorts
      : `${lowPorts} Attention: util-linux (${setpriv}) is not installed, without which ${runnerUser === undefined ? 'all plugins have that right' : 'no plugin has that right'}.`,
  );
  for (const path of [process.execPath, main])
    if (unseen.test(path))
      sentences.push(
        `Attention: ${path} is in a folder that the service cannot see, so it cannot start. Install Node.js and Tagway for all users, such as below /usr/local, and install the service again.`,
      );
  if (pair !== undefined && !nftPaths.some((path) => existsSync(join(root, path))))
    sentences.push(
      'Attention: nftables is not installed, without which the pair goes without a gate in the kernel for what a driver that was stopped sends late. Install it, and start the service again.',
    );
  if (!isBooted(root)) {
    sentences.push(
      `systemd does not run ${root === '/' ? 'here' : `in ${root}`}, so nothing was started. Where it does: systemctl enable --now ${serviceName}`,
    );
    return { sentences, exitCode: 0 };
  }
  for (const [command, ...args] of [
    ['systemd-sysusers', users],
    ['systemctl', 'daemon-reload'],
    ['systemctl', 'enable', serviceName],
    ['systemctl', 'restart', serviceName],
  ] as const) {
    const { ok, said } = run(command, ...args);
    if (ok) continue;
    sentences.push(
      `"${[command, ...args].join(' ')}" failed: ${said} Look at "journalctl -u ${serviceName}", and run "tagway doctor".`,
    );
    return { sentences, exitCode: 1 };
  }
  sentences.push(
    `The service runs, and starts with the machine. See "tagway service status" and "journalctl -u ${serviceName}".`,
  );
  return { sentences, exitCode: 0 };
}

/** Ends and removes the service. What it keeps stays. */
export async function uninstallService({ root }: ServiceRequest): Promise<ServiceReport> {
  const unit = join(root, unitFile);
  if (!existsSync(unit))
    return { sentences: [`There is no service: ${unit} does not exist.`], exitCode: notInstalled };
  const sentences: string[] = [];
  if (isBooted(root)) {
    const { ok, said } = run('systemctl', 'disable', '--now', serviceName);
    sentences.push(
      ok ? 'The service has ended, and does not start again.' : `The service could not be ended: ${said}`,
    );
    if (!ok) return { sentences, exitCode: 1 };
  }
  for (const file of [unit, join(root, sysusersFile)]) await rm(file, { force: true }).catch(cannot(file));
  if (isBooted(root)) run('systemctl', 'daemon-reload');
  sentences.push(
    `${unit} is removed.`,
    `The data in ${join(root, stateFolder)}, the options in ${join(root, dirname(configFile))} and the user ${serviceName} stay. To be rid of them too: rm -r ${join(root, stateFolder)} ${join(root, dirname(configFile))} && userdel ${serviceName}`,
  );
  return { sentences, exitCode: 0 };
}

/** Properties of the unit that the status is made of. */
const properties =
  'ActiveState,SubState,MainPID,ActiveEnterTimestamp,NRestarts,StatusText,UnitFileState,Result';

/** State of the service, as systemd reports it. */
export function serviceStatus({ root }: ServiceRequest): ServiceReport {
  const unit = join(root, unitFile);
  if (!existsSync(unit))
    return {
      sentences: [`There is no service: ${unit} does not exist. Make it with: tagway service install`],
      exitCode: notInstalled,
    };
  if (!isBooted(root))
    return {
      sentences: [
        `The unit ${unit} is there, and systemd does not run ${root === '/' ? 'here' : `in ${root}`}.`,
      ],
      exitCode: notRunning,
    };
  const { ok, out, said } = run('systemctl', 'show', serviceName, `--property=${properties}`);
  if (!ok) throw new Error(`systemd does not tell how the service is: ${said}`);
  const facts = new Map(Array.from(out.matchAll(/^(\w+)=(.*)$/gm), ([, name, value]) => [name, value]));
  const fact = (name: string): string => facts.get(name) ?? '';
  const isActive = fact('ActiveState') === 'active';
  const boot =
    fact('UnitFileState') === 'enabled'
      ? 'It starts with the machine.'
      : 'It does not start with the machine: systemctl enable tagway';
  const restarts = facts.get('NRestarts') ?? '0';
  const sentences = isActive
    ? [
        `The service runs since ${fact('ActiveEnterTimestamp')} as process ${fact('MainPID')}. ${fact('StatusText')}`.trim(),
      ]
    : [
        `The service does not run: it is ${facts.get('ActiveState') ?? 'unknown'} (${fact('SubState')}, result ${fact('Result')}). Look at "journalctl -u ${serviceName}", and start it with "systemctl start ${serviceName}".`,
      ];
  if (restarts !== '0')
    sentences.push(
      `systemd has started it again ${restarts} times. "journalctl -u ${serviceName}" says why.`,
    );
  return { sentences: [...sentences, boot], exitCode: isActive ? 0 : notRunning };
}
