import {
  ErrorCode,
  type OutdatedReply,
  type ProfilePackageBody,
  type ProfilePackageReply,
  type ProfileSearchReply,
} from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import type { ProfileCommand, ProfilePackageAction } from '../config/config.ts';
import type { Gateway } from '../core/gateway.ts';
import { type ApiClient, ApiError } from './api-client.ts';
import { table } from './table.ts';
import { CommandError } from './with-gateway.ts';

/** Profiles in the registries of a gateway, whichever way that can be reached. */
interface Target {
  search(text: string): Promise<ProfileSearchReply['packages']>;
  outdated(): Promise<OutdatedReply['profiles']>;
  install(body: ProfilePackageBody): Promise<Pick<ProfilePackageReply, 'profile' | 'version' | 'missing'>>;
}

/** Performs those of `tagway profile …` that are about registries. Returns what is to be printed. */
export async function performWithProfilePackages(
  target: Target,
  action: ProfilePackageAction,
  { subject, version, replaces, accepts }: ProfileCommand,
): Promise<string> {
  switch (action) {
    case 'search':
      return searchText(await target.search(subject));
    case 'outdated':
      return outdatedProfilesText(await target.outdated());
    case 'install-package': {
      const installed = await target.install({
        package: subject,
        ...(version !== undefined && { version }),
        ...(replaces !== undefined && { replaces }),
        ...(accepts.includes('publisher') && { accepts: ['publisher'] }),
      });
      const done = `The device profile "${installed.profile}" is installed in version ${installed.version}.`;
      if (installed.missing.length === 0) return done;
      return `${done} No plugin that it is for is installed. Install one of these: ${installed.missing.join(', ')}.`;
    }
  }
}

/** What `outdated` prints of profiles. */
export function outdatedProfilesText(profiles: OutdatedReply['profiles']): string {
  if (profiles.length === 0) return 'No device profile from a registry has a newer version there.';
  const rows = profiles.map(({ profile, package: name, installed, newest = '', message = '' }) => [
    profile,
    name,
    installed,
    newest,
    message,
  ]);
  return table([['PROFILE', 'PACKAGE', 'INSTALLED', 'NEWEST', 'NOTE'], ...rows]);
}

function searchText(packages: ProfileSearchReply['packages']): string {
  if (packages.length === 0) return 'No device profile was found.';
  const rows = packages.map(({ package: name, version, profile, missing, description }) => [
    name,
    version,
    profile,
    missing.length === 0 ? '' : `needs ${missing.join(' or ')}`,
    description,
  ]);
  return table([['PACKAGE', 'VERSION', 'PROFILE', 'NOTE', 'DESCRIPTION'], ...rows]);
}

/** On the folder of a gateway that does not run. */
export function localProfilePackages({ registryProfiles, directory, audit }: Gateway): Target {
  return {
    search: (text) => registryProfiles.search(text),
    outdated: async () => (await directory.look({})).profiles,
    install: async ({ package: name, version, replaces, accepts = [] }) => {
      const acceptsPublisher = accepts.includes('publisher');
      const { id, ...rest } = await registryProfiles
        .install({ package: name, version, replaces, acceptsPublisher })
        .catch((error: unknown) => {
          throw withHint(error);
        });
      const text = `installed the device profile of the package "${name}"`;
      audit.add({ time: Date.now(), user: '', kind: 'folder', text, error: ErrorCode.SUCCESS });
      return { profile: id, ...rest };
    },
  };
}

/** Over the API of a gateway that runs. */
export function remoteProfilePackages(api: ApiClient): Target {
  return {
    search: async (text) => {
      const query = new URLSearchParams({ text });
      const reply = await api.call('GET', `profile/search?${query.toString()}`);
      return (reply as unknown as ProfileSearchReply).packages;
    },
    outdated: async () => {
      const reply = await api.call('GET', 'directory/outdated?look=true');
      return (reply as unknown as OutdatedReply).profiles;
    },
    install: async (body) =>
      (await api.call('POST', 'profile/package', body).catch((error: unknown) => {
        throw withHint(error);
      })) as unknown as ProfilePackageReply,
  };
}

/** A refusal that somebody may answer, with the option that answers it. */
function withHint(error: unknown): unknown {
  if (!isFault(error) && !(error instanceof ApiError)) return error;
  const option = hints[error.code];
  return option === undefined
    ? error
    : new CommandError(`${error.message} Here that is ${option}.`, { cause: error });
}

const hints: Readonly<Partial<Record<number, string>>> = {
  [ErrorCode.PLUGIN_FROM_ELSEWHERE]: '--replaces ID',
  [ErrorCode.PACKAGE_CAUTIONS]: '--accept publisher',
};
