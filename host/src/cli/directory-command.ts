import type {
  DirectoryJob,
  DirectoryJobBody,
  DirectorySearchReply,
  FoundPackage,
  OutdatedReply,
  PackageReply,
} from '@tagway/schemas';
import { ErrorCode } from '@tagway/schemas';
import type { ApiClient } from './api-client.ts';
import { outdatedProfilesText } from './profile-package-command.ts';
import { table } from './table.ts';
import { CommandError } from './with-gateway.ts';
import type { DirectoryAction, PluginCommand } from '../config/config.ts';
import type { Gateway } from '../core/gateway.ts';

/** The directory of a gateway, whichever way that can be reached. */
export interface DirectoryTarget {
  search(text: string, prerelease: boolean): Promise<DirectorySearchReply>;
  package(name: string, version: string | undefined, prerelease: boolean): Promise<PackageReply>;
  outdated(prerelease: boolean): Promise<OutdatedReply>;
  begin(body: DirectoryJobBody): Promise<string>;
  job(id: string): Promise<DirectoryJob>;
  cancel(id: string): Promise<void>;
}

/** Packages that a search prints. */
const mostShown = 50;
/** Milliseconds between two looks at a job, and between two lines about what takes long. */
const pollInterval = 200;
const lineInterval = 3000;

/** Performs those of `tagway plugin …` that are about registries. Returns what is to be printed. Rejects with `CommandError` or `ApiError`. */
export async function performInDirectory(
  target: DirectoryTarget,
  action: DirectoryAction,
  command: PluginCommand,
): Promise<string> {
  const { subject, version, prerelease } = command;
  switch (action) {
    case 'search':
      return searchText(await target.search(subject, prerelease));
    case 'info':
      return infoText(await target.package(subject, version, prerelease));
    case 'outdated':
      return outdatedText(await target.outdated(prerelease));
    case 'install-package':
      return run(
        target,
        { action: 'install', package: subject, ...(version !== undefined && { version }) },
        command,
      );
    case 'update':
      return subject === ''
        ? updateAll(target, command)
        : run(target, { action: 'update', plugin: subject }, command);
  }
}

async function updateAll(target: DirectoryTarget, command: PluginCommand): Promise<string> {
  const outdated = await target.outdated(command.prerelease);
  const newer = outdated.plugins.filter(({ fitting }) => fitting !== undefined);
  if (newer.length === 0) return outdatedText(outdated);
  const done: string[] = [];
  const failed: string[] = [];
  for (const { plugin } of newer) {
    try {
      done.push(await run(target, { action: 'update', plugin }, command));
    } catch (error) {
      failed.push(error instanceof Error ? error.message : String(error));
    }
  }
  if (failed.length > 0) throw new CommandError([...done, ...failed].join('\n'));
  return done.join('\n');
}

/** Runs a job to its end. Progress goes to standard error. */
async function run(target: DirectoryTarget, body: DirectoryJobBody, command: PluginCommand): Promise<string> {
  const { replaces, accepts, prerelease } = command;
  const id = await target.begin({
    ...body,
    ...(replaces !== undefined && { replaces }),
    ...(accepts.length > 0 && { accepts: [...accepts] }),
    ...(prerelease && { prerelease }),
  });
  const cancel = (): void => void target.cancel(id).catch(() => undefined);
  process.on('SIGINT', cancel);
  try {
    const job = await watched(target, id);
    if (job.state === 'done') return job.message ?? '';
    throw new CommandError(failure(job));
  } finally {
    process.off('SIGINT', cancel);
  }
}

async function watched(target: DirectoryTarget, id: string): Promise<DirectoryJob> {
  let last = performance.now();
  for (;;) {
    const job = await target.job(id);
    if (job.state === 'done' || job.state === 'failed' || job.state === 'cancelled') return job;
    if (performance.now() - last > lineInterval) {
      last = performance.now();
      process.stderr.write(`${progressText(job)}\n`);
    }
    await new Promise((resolve) => setTimeout(resolve, pollInterval));
  }
}

function progressText({ state, package: name, version, received, size }: DirectoryJob): string {
  const what = version === undefined ? name : `${name}@${version}`;
  if (state === 'waiting') return `${what} waits for others that are fetched.`;
  if (state === 'asking') return `The registry is asked for ${what}.`;
  if (state !== 'fetching') return `${what} is checked and installed.`;
  const of = size === undefined ? '' : ` of ${megabytes(size)}`;
  return `${what} is fetched: ${megabytes(received)}${of} MB.`;
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

function failure({ message = '', conflict, cautions = [], state }: DirectoryJob): string {
  if (state === 'cancelled') return message;
  if (conflict !== undefined) return `${message} Here that is --replaces ${conflict.plugin}.`;
  if (cautions.length > 0)
    return `${message} Here that is --accept ${cautions.map(({ kind }) => kind).join(',')}.`;
  return message;
}

function searchText({ packages, total, notices }: DirectorySearchReply): string {
  const rows = packages.map((one) => [
    one.package,
    one.version,
    one.kind ?? '',
    noteOf(one),
    one.description,
  ]);
  const found =
    packages.length === 0
      ? ['No plugin was found.']
      : [table([['PACKAGE', 'VERSION', 'TYPE', 'NOTE', 'DESCRIPTION'], ...rows])];
  const more =
    total > packages.length ? [`${total - packages.length} more were found. Search for more words.`] : [];
  return [...found, ...more, ...notices.map(({ message }) => message)].join('\n');
}

function noteOf({ fits, installed }: FoundPackage): string {
  if (installed !== undefined) return `installed ${installed}`;
  return fits ? '' : 'does not fit';
}

function infoText(reply: PackageReply): string {
  const { package: one, versions, conflict, cautions, license, homepage, repository, uses = [] } = reply;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Package', `${one.package}@${one.version}`],
    ['Registry', one.registry],
    ['Description', one.description],
    ['Plugin', one.plugin],
    ['Type', one.kind],
    ['Author', one.author],
    ['Published', one.time === undefined ? undefined : new Date(one.time).toISOString().slice(0, 10)],
    ['By', one.publisher],
    ['License', license],
    ['Page', homepage],
    ['Sources', repository === undefined ? undefined : `${repository} (as its author says)`],
    ['Uses', uses.length === 0 ? undefined : `${uses.join(', ')} (as its author says)`],
    ['Signed', one.signed ? 'by the registry, which was verified' : 'no'],
    ['Attested', one.attested ? `built from ${one.attested_repository}, which was verified` : 'no'],
    ['Installed', one.installed],
    ['Fits', one.fits ? 'yes' : `no. ${one.reason ?? ''}`],
  ];
  const lines = facts.flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`${`${name}:`.padEnd(13)}${value}`],
  );
  const rows = versions
    .slice(0, 20)
    .map(({ version, time, fits, reason, deprecated }) => [
      version,
      time === undefined ? '' : new Date(time).toISOString().slice(0, 10),
      deprecated === undefined ? (fits ? 'fits' : (reason ?? '')) : `withdrawn by its author: ${deprecated}`,
    ]);
  const warnings = [
    ...(conflict === undefined ? [] : [conflict.message]),
    ...cautions.map(({ message }) => message),
  ];
  return [...lines, ...warnings, '', table([['VERSION', 'DATE', 'FITS'], ...rows])].join('\n');
}

function outdatedText({ plugins, profiles }: OutdatedReply): string {
  const ofProfiles = profiles.length === 0 ? '' : `\n\n${outdatedProfilesText(profiles)}`;
  if (plugins.length === 0) return `No plugin from a registry has a newer version there.${ofProfiles}`;
  const rows = plugins.map(
    ({ plugin, package: name, installed, fitting = '', newest = '', message = '' }) => [
      plugin,
      name,
      installed,
      fitting,
      newest,
      message,
    ],
  );
  return table([['ID', 'PACKAGE', 'INSTALLED', 'FITTING', 'NEWEST', 'NOTE'], ...rows]) + ofProfiles;
}

/** On the folder of a gateway that does not run. */
export function localDirectory({ directory, audit }: Gateway): DirectoryTarget {
  const { jobs } = directory;
  const asker = {
    who: 'somebody with access to the data folder',
    audit: (text: string, error: number): void =>
      audit.add({
        time: Date.now(),
        user: '',
        kind: 'folder',
        text,
        error: error === 0 ? ErrorCode.SUCCESS : error,
      }),
  };
  const said = async <T>(work: () => T | Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw new CommandError(error instanceof Error ? error.message : String(error), { cause: error });
    }
  };
  return {
    search: (text, prerelease) =>
      said(() => directory.search({ text, page: 0, pageSize: mostShown, prerelease })),
    package: (name, version, prerelease) => said(() => directory.package(name, { version, prerelease })),
    outdated: (prerelease) => said(() => directory.look({ prerelease })),
    begin: (body) => said(() => jobs.begin(body, asker)),
    job: (id) =>
      said(() => {
        const { message, ...job } = jobs.job(id);
        return { ...job, ...(message !== undefined && { message: String(message) }) };
      }),
    cancel: (id) => said(() => jobs.cancel(id)),
  };
}

/** Over the API of a gateway that runs. */
export function remoteDirectory(api: ApiClient): DirectoryTarget {
  const get = (path: string, query: Readonly<Record<string, string | undefined>>): Promise<unknown> => {
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return api.call('GET', `directory/${path}?${new URLSearchParams(given).toString()}`);
  };
  return {
    search: async (text, prerelease) =>
      (await get('search', {
        text,
        page_size: String(mostShown),
        prerelease: String(prerelease),
      })) as DirectorySearchReply,
    package: async (name, version, prerelease) =>
      (await get('package', { package: name, version, prerelease: String(prerelease) })) as PackageReply,
    outdated: async (prerelease) =>
      (await get('outdated', { look: 'true', prerelease: String(prerelease) })) as OutdatedReply,
    begin: async (body) => String((await api.call('POST', 'directory/job', body))['job']),
    job: async (id) => (await get('job', { job: id })) as DirectoryJob,
    cancel: async (id) => {
      await api.call('DELETE', 'directory/job', { job: id });
    },
  };
}
