import { resolve } from 'node:path';
import { ConfigError } from './config-error.ts';
import {
  type GatewayAccess,
  isFile,
  packageOf,
  pluginChoices,
  type PluginChoices,
  type Scalar,
} from './sub-commands.ts';

/** What is to be done with device profiles. */
export interface ProfileCommand extends GatewayAccess, ProfileWork, PluginChoices {}

/** What a command asks for. */
export interface ProfileWork {
  readonly action: FolderAction | ProfilePackageAction;
  /** A folder, a file, the id of a profile, the name of a package, or words; empty for a list. */
  readonly subject: string;
  /** Of a package. */
  readonly version?: string;
  /** Of a new profile: the name of a node, or a table. */
  readonly source: string;
  /** Of a new profile from a table: the id of its plugin. */
  readonly plugin: string;
}

type FolderAction = 'check' | 'create' | 'install' | 'list' | 'remove';
export type ProfilePackageAction = 'search' | 'install-package' | 'outdated';

export function profileCommand(
  words: readonly string[],
  given: Readonly<Partial<Record<string, Scalar>>>,
): ProfileWork & PluginChoices {
  return { ...workOf(words), ...pluginChoices(given) };
}

function workOf([, action, ...rest]: readonly string[]): ProfileWork {
  const [subject = '', source = '', plugin = ''] = rest;
  const work = { subject, source, plugin };
  if ((action === 'list' || action === 'outdated') && rest.length === 0) return { action, ...work };
  if (action === 'search' && rest.length > 0) return { action, ...work, subject: rest.join(' '), source: '' };
  if (action === 'remove' && rest.length === 1) return { action, ...work };
  if (action === 'install' && rest.length === 1 && !isFile(subject) && !subject.endsWith('.json'))
    return { action: 'install-package', ...work, ...packageOf(subject) };
  if ((action === 'check' || action === 'install') && rest.length === 1)
    return { action, ...work, subject: resolve(subject) };
  if (action === 'create' && rest.length === (source.endsWith('.csv') ? 3 : 2))
    return { action, ...work, subject: resolve(subject) };
  throw new ConfigError(
    'The command is profile search WORDS, install FILE|NAME[@VERSION], outdated, list, remove ID, check FOLDER|FILE, create FOLDER NODE or ' +
      'create FOLDER FILE.csv PLUGIN.',
  );
}
