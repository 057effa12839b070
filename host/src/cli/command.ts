import { type App, startApp } from '../app.ts';
import { resetPassword } from '../app/without-gateway.ts';
import { backUp } from '../data/backup.ts';
import { buildInfo, systemPlugins } from '../build-info.ts';
import { type Config, ConfigError, readCommand, type ServiceCommand } from '../config/config.ts';
import { sentenceOf } from '../core/system/system-error.ts';
import { createProject } from './create-project.ts';
import { examine, reportOf } from '../doctor/doctor.ts';
import { runFleetCommand } from './fleet-command.ts';
import { runImportCommand } from './import-command.ts';
import { AgentChannel } from '../pair/agent/agent-channel.ts';
import { takeDeadlineFile } from '../pair/agent/agent-variable.ts';
import { etcdOf } from '../pair/etcd/etcd-files.ts';
import { FolderLock } from '../pair/agent/folder-lock.ts';
import { KernelGate } from '../pair/agent/kernel-gate.ts';
import { EtcdLease } from '../pair/etcd/lease.ts';
import { leavePair } from '../pair/pair-folder.ts';
import { runPairCommand } from './pair-command.ts';
import { runPluginCommand } from './plugin-command.ts';
import { runProfileCommand } from './profile-command.ts';
import { restore } from '../data/restore.ts';
import { installService, serviceStatus, uninstallService } from '../service/service.ts';
import { systemdNotifier } from '../service/systemd-notifier.ts';
import { usage } from './usage.ts';

/** For everything to end after a signal, in milliseconds; then the process ends regardless. */
const shutdownDeadline = 8000;

/** Does what the command line of this process asks for. Ends the process when that fails. */
export async function runCommand(): Promise<void> {
  try {
    await perform();
  } catch (error) {
    fail(error);
  }
}

async function perform(): Promise<void> {
  // The reader of a pipe may close it before the end, as in `tagway --help | head`.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', endOfReader);
  // Whatever this process or one that it starts makes, above all in the data folder, is for its own user.
  process.umask(0o077);
  const deadlineFile = takeDeadlineFile(process.env);
  const command = readCommand(process.argv.slice(2), process.env);
  if ('config' in command)
    for (const warning of command.config.warnings) process.stderr.write(`${warning}\n`);
  switch (command.run) {
    case 'help':
      process.stdout.write(usage);
      return;
    case 'version':
      process.stdout.write(`${buildInfo.version}\n`);
      return;
    case 'reset-password':
      await resetPassword(command.config);
      process.stdout.write('The password of admin is 0000 again. Change it after the next login.\n');
      // Timers of the runtime would keep the process alive.
      process.exit(0);
    case 'leave-pair': {
      const { data } = command.config;
      const pair = leavePair(data);
      const left = pair === undefined ? 'belongs to no pair' : `has left the pair "${pair}"`;
      process.stdout.write(`The data folder ${data} ${left}.\n`);
      return;
    }
    case 'backup':
      await backUp(command.config.data, command.file, command.force);
      process.stdout.write(`The data folder ${command.config.data} is backed up in ${command.file}.\n`);
      if (command.config.secretsKey !== undefined)
        process.stdout.write(
          `Its secrets need the key in ${command.config.secretsKey}, which is not in the backup. Keep it too.\n`,
        );
      return;
    case 'restore':
      await restore(command.file, command.config.data);
      process.stdout.write(`The backup ${command.file} is restored in ${command.config.data}.\n`);
      return;
    case 'create':
      await createProject(command.kind, command.folder);
      process.stdout.write(
        `The project of ${command.kind === 'app' ? 'an app' : 'a driver'} is in ${command.folder}. There: npm install, npm test, npm run pack.\n`,
      );
      return;
    case 'plugin':
      process.stdout.write(`${await runPluginCommand(command.config, command.plugin)}\n`);
      // Kept-alive connections would hold the process for a while.
      process.exit(0);
    case 'profile':
      process.stdout.write(`${await runProfileCommand(command.config, command.profile)}\n`);
      process.exit(0);
    case 'config': {
      // Loaded here alone: no gateway that runs reads such files.
      const { runFolderCommand } = await import('./folder-command.ts');
      const { text, exitCode } = await runFolderCommand(command.config, command.folder);
      // More than fits into a pipe has to be written before the end.
      await new Promise<void>((written) => void process.stdout.write(text, () => written()));
      process.exit(exitCode);
    }
    case 'fleet':
      process.stdout.write(`${await runFleetCommand(command.config, command.fleet)}\n`);
      process.exit(0);
    case 'pair':
      process.stdout.write(`${await runPairCommand(command.config, command.pair)}\n`);
      process.exit(0);
    case 'import':
      process.stdout.write(`${await runImportCommand(command.config, command.file, command.access)}\n`);
      process.exit(0);
    case 'doctor':
      await runDoctor(command.config);
      return;
    case 'service':
      await runService(command.service);
      return;
    case 'gateway':
      await run(command.config, deadlineFile);
  }
}

function endOfReader(error: NodeJS.ErrnoException): never {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
}

async function runDoctor({ data, host, port, runnerUser }: Config): Promise<void> {
  const { version, build_date: buildDate } = buildInfo;
  const findings = await examine({
    version,
    buildDate,
    data,
    host,
    port,
    runnerUser,
    plugins: systemPlugins,
  });
  process.stdout.write(reportOf(findings));
  process.exitCode = findings.some(({ level }) => level === 'wrong') ? 1 : 0;
}

async function runService(service: ServiceCommand): Promise<void> {
  if (process.platform !== 'linux')
    throw new Error('Services are those of systemd, which is on Linux alone.');
  const work = { install: installService, uninstall: uninstallService, status: serviceStatus }[
    service.action
  ];
  const { sentences, exitCode } = await work(service);
  process.stdout.write(sentences.map((sentence) => `${sentence}\n`).join(''));
  process.exitCode = exitCode;
}

/** The connection to the agent of a pair, which has started this process and named the file with the deadline of the lease. */
function agentOf({ pair, name, data }: Config, deadlineFile: string | undefined): AgentChannel | undefined {
  if (pair === undefined || deadlineFile === undefined) return undefined;
  return new AgentChannel({
    deadlineFile,
    name,
    lease: new EtcdLease(etcdOf(pair), pair.id),
    cleanUp: async () => {
      // The next agent may have begun already, and the gate is its own then.
      using lock = await FolderLock.take(data);
      if (lock !== undefined) KernelGate.remove(data);
    },
    report: (sentence) => process.stderr.write(`${sentence}\n`),
  });
}

async function run(config: Config, deadlineFile: string | undefined): Promise<void> {
  const systemd = systemdNotifier(process.env, (sentence) => process.stderr.write(`${sentence}\n`));
  // They may lead to a file on a full disk, or to a reader that is gone: the gateway goes on.
  for (const stream of [process.stdout, process.stderr])
    stream.removeListener('error', endOfReader).on('error', () => undefined);
  const agent = agentOf(config, deadlineFile);
  const starting = startApp(config, agent);
  let ending = false;
  const finish = (): void => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(1), shutdownDeadline).unref();
    // A start that fails is reported below.
    starting.then((app) => app.close().then(() => process.exit(0), fail)).catch(() => undefined);
  };
  const end = (): void => {
    if (!ending) systemd?.stopping();
    finish();
  };
  // From here on, so that a signal that comes early does not end the process with its files open.
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
  // The agent starts another host: the service as a whole goes on.
  agent?.on('demote', finish);
  const app = await starting;
  if (config.tls !== undefined) process.on('SIGHUP', () => void reload(app));
  const safe = config.safe ? ' It runs no node, because it was started with --safe.' : '';
  process.stdout.write(`Tagway listens on ${app.url}, with its data in ${config.data}.${safe}\n`);
  systemd?.ready(`It listens on ${app.url}.${safe}`);
  if (app.fingerprint !== undefined)
    process.stdout.write(`The SHA-256 fingerprint of its certificate is ${app.fingerprint}\n`);
}

/** A certificate that is not good must not end a gateway that has a good one. */
async function reload(app: App): Promise<void> {
  try {
    await app.reloadTls();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)} The old one stays.\n`);
  }
}

function fail(error: unknown): never {
  process.stderr.write(`${textOf(error)}\n`);
  process.exit(1);
}

/** Never a stack: who starts a gateway cannot do anything with one. */
function textOf(error: unknown): string {
  if (error instanceof ConfigError) return `${error.message} Try --help.`;
  return sentenceOf(error);
}
