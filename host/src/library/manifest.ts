import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Manifest } from '@tagway/schemas';
import { ErrorCode, Limits, NodeType, PluginKind } from '@tagway/schemas';
import { validateManifest, validateSettingsSchema } from '@tagway/schemas/validate';
import { Fault } from '@tagway/sdk';
import type { Plugin } from '../core/model.ts';
import { isRange, sdkProblem } from '../core/nodes/sdk-range.ts';
import { readOrigin } from './origin.ts';
import { systemReason } from '../core/system/system-error.ts';
import { Refusal } from '../core/system/sentence.ts';

/**
 * The plugin that the library in a folder holds, from its files alone: no code of it runs. Rejects with a fault that says what is
 * wrong with the library: LIBRARY_INFO_INVALID, MODULE_VERSION_MISMATCH when it is for an SDK that is not compatible, or LIBRARY_MODULE_INVALID when
 * its module is missing. The manifests of system plugins are checked by tests instead: here that would cost 100 ms at every start.
 */
export async function readLibrary(folder: string, library: string, kind: PluginKind): Promise<Plugin> {
  const manifest = await readJson(folder, 'plugin.json');
  const isOurs = kind === PluginKind.SYSTEM;
  // Before all else: a plugin for a later SDK may have members that this one does not know, and another version of it is what helps.
  if (hasRange(manifest)) checkSdk(manifest.sdk);
  const problem = isOurs ? undefined : validateManifest(manifest);
  if (problem !== undefined) throw invalid(`its plugin.json is invalid: ${problem}`);
  const {
    id,
    name,
    kind: type,
    main,
    settings,
    description,
    tags,
    features,
    aliases,
    inputs,
  } = manifest as Manifest;
  const settingsSchema = await readJson(folder, settings);
  const flaw = isOurs ? undefined : validateSettingsSchema(settingsSchema);
  if (flaw !== undefined) throw invalid(`its ${settings} is invalid: ${flaw}`);

  const module = join(folder, main);
  await access(module).catch((cause: unknown) => {
    const message = `its module ${main} is missing; a library must be built before it is used`;
    throw new Fault(ErrorCode.LIBRARY_MODULE_INVALID, message, { cause });
  });
  const origin = isOurs ? undefined : await readOrigin(folder);
  return {
    id,
    name,
    ...(origin !== undefined && { origin }),
    nodeType: type === 'driver' ? NodeType.DRIVER : NodeType.APP,
    kind,
    version: versionOf(await readJson(folder, 'package.json')),
    library,
    description: description.en,
    descriptionZh: description.zh ?? description.en,
    main: module,
    settingsSchema: settingsSchema as object,
    groupInterval: tags?.groupInterval ?? Limits.intervalDefault,
    addresses: tags?.addresses ?? [],
    writesMany: features?.includes('write-many') ?? false,
    ...(tags?.longestText !== undefined && { longestText: tags.longestText }),
    ...(tags?.longestAddress !== undefined && { longestAddress: tags.longestAddress }),
    ...(inputs === true && { inputs }),
    ...(aliases && { aliases }),
    ...(features?.includes('browse') && { browses: true }),
    ...(features?.includes('logins') && { asksLogins: true }),
    ...(features?.includes('clients') && { listsClients: true }),
    ...(features?.includes('certificates') && { keepsCertificates: true }),
    ...(features?.includes('listens') && { listens: true }),
    ...(features?.includes('standby') && { servesAtStandby: true }),
  };
}

function hasRange(manifest: unknown): manifest is { readonly sdk: string } {
  const isObject = typeof manifest === 'object' && manifest !== null;
  return isObject && 'sdk' in manifest && typeof manifest.sdk === 'string';
}

function checkSdk(range: string): void {
  if (!isRange(range))
    throw invalid(`its plugin.json asks for the SDK "${range}", which is not a range of versions`);
  const problem = sdkProblem(range);
  if (problem !== undefined) throw new Refusal(ErrorCode.MODULE_VERSION_MISMATCH, problem);
}

function versionOf(packageJson: unknown): string {
  const isObject = typeof packageJson === 'object' && packageJson !== null;
  if (isObject && 'version' in packageJson && typeof packageJson.version === 'string')
    return packageJson.version;
  throw invalid('its package.json has no version');
}

async function readJson(folder: string, file: string): Promise<unknown> {
  const text = await readFile(join(folder, file), 'utf8').catch((cause: unknown) => {
    throw invalid(`its ${file} cannot be read: ${systemReason(cause)}`, cause);
  });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(`its ${file} is not JSON`, cause);
  }
}

function invalid(message: string, cause?: unknown): Fault {
  return new Fault(ErrorCode.LIBRARY_INFO_INVALID, message, { cause });
}
