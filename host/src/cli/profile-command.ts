import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import {
  type CheckProfileReply,
  type DriversReply,
  ErrorCode,
  type Profile,
  profileKeyword,
  type ProfileRecord,
} from '@tagway/schemas';
import type { Config, ProfileCommand } from '../config/config.ts';
import type { Gateway } from '../core/gateway.ts';
import type { TagBody } from '../core/model.ts';
import { systemReason } from '../core/system/system-error.ts';
import { readProfileFiles } from '../profiles/profile-folder.ts';
import type { ApiClient } from './api-client.ts';
import { draftProfile, type DraftSource, groupsInTable } from './profile-draft.ts';
import {
  localProfilePackages,
  performWithProfilePackages,
  remoteProfilePackages,
} from './profile-package-command.ts';
import { table } from './table.ts';
import { checkNoRegistry, CommandError, withGateway } from './with-gateway.ts';

/** Performs `tagway profile …` and returns what is to be printed. Rejects with `CommandError`, `ConfigError` or `ApiError`. */
export async function runProfileCommand(config: Config, command: ProfileCommand): Promise<string> {
  const { action, subject, source, plugin, registry } = command;
  const work = <T>(
    local: (gateway: Gateway) => Promise<T>,
    remote: (api: ApiClient) => Promise<T>,
  ): Promise<T> => withGateway(config, command, { local: (gateway) => local(gateway).catch(refuse), remote });
  switch (action) {
    case 'list':
      return listText(
        await work<ListRow[]>(
          async (gateway) =>
            (await gateway.profiles.list()).map(({ isSystem, ...one }) => ({ ...one, system: isSystem })),
          async (api) => (await api.call('GET', 'profile'))['profiles'] as ProfileRecord[],
        ),
      );
    case 'install': {
      const content = await readFile(subject).catch((cause: unknown) => unreadable(subject, cause));
      const signature = await readFile(`${subject}.sig`, 'utf8').catch(() => undefined);
      const installed = await work(
        async (gateway) => {
          const { id, version } = await gateway.profiles.install({ content, signature });
          note(gateway, `installed the device profile "${id}"`);
          return { profile: id, version };
        },
        (api) => api.call('POST', 'profile', { file: content.toString('base64'), signature }),
      );
      return `The device profile "${String(installed['profile'])}" is installed in version ${String(installed['version'])}.`;
    }
    case 'search':
    case 'outdated':
    case 'install-package':
      return await withGateway(config, command, {
        registry,
        local: (gateway) =>
          performWithProfilePackages(localProfilePackages(gateway), action, command).catch(refuse),
        remote: (api) => {
          checkNoRegistry(registry);
          return performWithProfilePackages(remoteProfilePackages(api), action, command);
        },
      });
    case 'remove':
      await work(
        async (gateway) => {
          await gateway.profiles.delete(subject);
          note(gateway, `deleted the device profile "${subject}"`);
          return {};
        },
        (api) => api.call('DELETE', 'profile', { profile: subject }),
      );
      return `The device profile "${subject}" is removed.`;
    case 'create': {
      const draft = source.endsWith('.csv')
        ? { plugin, name: basename(subject), params: {}, groups: await tableIn(source) }
        : await work(
            (gateway) => localNode(gateway, source),
            (api) => remoteNode(api, source),
          );
      return await writeDraft(subject, draft);
    }
    case 'check':
      return await check(config, command);
  }
}

async function check(config: Config, command: ProfileCommand): Promise<string> {
  const profile = await readProfileFiles(command.subject)
    .then(({ files }) => files.profile)
    .catch(refuse);
  const work = {
    local: async (gateway: Gateway): Promise<Pick<CheckProfileReply, 'problems' | 'plugins'>> => {
      const { problems, plugins } = await gateway.profiles.check(profile);
      return {
        problems: problems.map(({ error, message }) => ({ error, message: String(message) })),
        plugins: plugins.map(({ plugin: id, name, groups }) => ({
          id,
          plugin: name,
          groups: groups.map(({ requests, ...group }) => ({
            ...group,
            ...(requests !== undefined && { requests }),
          })),
        })),
      };
    },
    remote: async (api: ApiClient) =>
      (await api.call('POST', 'profile/check', { profile })) as unknown as CheckProfileReply,
  };
  // Authors have no gateway: the plugins that come with it are asked in a folder that is gone afterwards.
  const isKept = command.url !== undefined || (await stat(config.data).catch(() => undefined)) !== undefined;
  if (isKept) return reportOf(profile, await withGateway(config, command, work));
  const data = await mkdtemp(join(tmpdir(), 'tagway-profile-'));
  try {
    return reportOf(profile, await withGateway({ ...config, data }, command, work));
  } finally {
    await rm(data, { recursive: true, force: true });
  }
}

function reportOf(
  { id, version }: Profile,
  { problems, plugins }: Pick<CheckProfileReply, 'problems' | 'plugins'>,
): string {
  const rows = plugins.flatMap(({ plugin, groups }) =>
    groups.map(({ name, tags, requests }) => [
      plugin,
      name,
      String(tags),
      requests === undefined ? 'unknown' : String(requests),
    ]),
  );
  const costs = table([['PLUGIN', 'GROUP', 'TAGS', 'REQUESTS A CYCLE'], ...rows]);
  if (problems.length === 0) return `${costs}\nThe device profile "${id}" ${version} is good.`;
  const first = problems.slice(0, 50).map(({ message }) => `- ${message}`);
  const rest = problems.length > 50 ? [`- … and ${problems.length - 50} more.`] : [];
  throw new CommandError(
    [costs, `The device profile "${id}" ${version} has ${problems.length} problems:`, ...first, ...rest].join(
      '\n',
    ),
  );
}

type ListRow = Pick<ProfileRecord, 'id' | 'version' | 'name' | 'tags' | 'system' | 'tried'>;

function listText(rows: readonly ListRow[]): string {
  const cells = rows.map(({ id, version, name, tags, system, tried }) => [
    ...[id, version, name, String(tags), system ? 'system' : 'custom', tried === undefined ? 'no' : 'yes'],
  ]);
  return table([['ID', 'VERSION', 'NAME', 'TAGS', 'KIND', 'TRIED WITH A DEVICE'], ...cells]);
}

async function localNode(gateway: Gateway, name: string): Promise<DraftSource> {
  const { plugin, params = {}, groups } = gateway.nodes.get(name);
  return {
    plugin: plugin.id,
    name,
    params,
    groups: Array.from(groups.values(), (group) => ({ ...group, tags: [...group.tags.values()] })),
  };
}

async function remoteNode(api: ApiClient, name: string): Promise<DraftSource> {
  const query = new URLSearchParams({ name });
  const { nodes } = (await api.call('GET', `global/drivers?${query.toString()}`)) as unknown as DriversReply;
  const node = nodes.find((one) => one.name === name);
  if (node === undefined) throw new CommandError(`There is no driver "${name}".`);
  const { plugins } = (await api.call('GET', 'plugin')) as {
    readonly plugins?: readonly { readonly name: string; readonly schema: string }[];
  };
  const plugin = plugins?.find((one) => one.name === node.plugin)?.schema ?? '';
  const groups = (node.groups ?? []).map(({ group, interval, tags }) => ({
    name: group,
    interval,
    tags: tags as unknown as TagBody[],
  }));
  return { plugin, name, params: node.params ?? {}, groups };
}

async function tableIn(file: string): Promise<DraftSource['groups']> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => unreadable(file, cause));
  try {
    return groupsInTable(text);
  } catch (error) {
    throw new CommandError(
      `The file ${file} cannot be used. ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

async function writeDraft(folder: string, draft: DraftSource): Promise<string> {
  const id = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  const profile = draftProfile(id, draft);
  await mkdir(folder, { recursive: true });
  const manifest = {
    name: `tagway-profile-${id}`,
    version: profile.version,
    description: profile.description.en,
    keywords: [profileKeyword],
    license: 'UNLICENSED',
    tagway: { profile: id, format: 1, plugins: [draft.plugin] },
  };
  const files: Readonly<Record<string, string>> = {
    'profile.json': `${JSON.stringify(profile, undefined, 2)}\n`,
    'package.json': `${JSON.stringify(manifest, undefined, 2)}\n`,
    'README.md': `# ${profile.name}\n\nNot tried with a device.\n`,
  };
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder, name), content, { flag: 'wx' }).catch((cause: unknown) => {
      throw new CommandError(`${join(folder, name)} cannot be written: ${systemReason(cause)}.`, { cause });
    });
  const tags = profile.groups.reduce((sum, group) => sum + group.tags.length, 0);
  return `The device profile "${id}" with ${tags} tags is in ${folder}. Complete profile.json, and then: tagway profile check ${folder}`;
}

function note(gateway: Gateway, text: string): void {
  gateway.audit.add({ time: Date.now(), user: '', kind: 'folder', text, error: ErrorCode.SUCCESS });
}

function refuse(error: unknown): never {
  throw new CommandError(error instanceof Error ? error.message : String(error), { cause: error });
}

function unreadable(file: string, cause: unknown): never {
  throw new CommandError(`The file ${file} cannot be read: ${systemReason(cause)}.`, { cause });
}
