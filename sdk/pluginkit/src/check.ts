import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Manifest } from '@tagway/schemas';
import { validateManifest, validateSettingsSchema } from '@tagway/schemas/validate';
import { RunnerHarness } from '@tagway/sdk/harness';
import { isApp, isDriver, sdkVersion } from '@tagway/sdk/internal';
import semver from 'semver';
import { type Library, readLibrary } from './library.ts';

/** npm would run these on an installation, which a gateway never does; what they prepare would be missing there. */
export const installScripts = ['preinstall', 'install', 'postinstall'] as const;

/** What is wrong with the files that describe a library, in sentences. No code of it runs. */
export function problemsOfFiles(library: Library): string[] {
  const { manifest, schema, packageJson } = library;
  const problems: string[] = [];
  const flaw = validateManifest(manifest);
  if (flaw !== undefined) problems.push(`plugin.json: ${flaw}`);
  const wrong = validateSettingsSchema(schema);
  if (wrong !== undefined) problems.push(`${manifest.settings}: ${wrong}`);
  if (packageJson.type !== 'module') problems.push('package.json: "type" is not "module".');
  if (semver.valid(packageJson.version) === null)
    problems.push(`package.json: "${packageJson.version ?? ''}" is not a version such as 1.0.0.`);
  for (const script of installScripts) {
    if (packageJson.scripts?.[script] !== undefined)
      problems.push(
        `package.json: the script "${script}" would never run, because a gateway runs no install scripts.`,
      );
  }
  return [...problems, ...problemsOfRange(manifest)];
}

/**
 * Members of plugin.json that came after the first release, with the version of the SDK that brought them. A gateway refuses a manifest
 * with members that it does not know; the range of a plugin that has them leaves such gateways out, so that they name the version instead.
 */
const membersSince: Readonly<Record<string, string>> = { inputs: '0.3.0', uses: '0.3.0' };

function problemsOfRange(manifest: Manifest): string[] {
  const { sdk } = manifest;
  const least = semver.validRange(sdk) === null ? null : semver.minVersion(sdk);
  if (least === null) return [`plugin.json: "sdk": "${sdk}" is not a range of versions.`];
  if (!semver.satisfies(sdkVersion, sdk, { includePrerelease: true }))
    return [`plugin.json: "sdk" asks for ${sdk} and the SDK here is ${sdkVersion}.`];
  return Object.entries(membersSince)
    .filter(([member, since]) => member in manifest && semver.lt(least, knownSince(since)))
    .map(
      ([member, since]) =>
        `plugin.json: "${member}" is known to gateways from version ${knownSince(since)} of the SDK on, and "sdk" takes ${least.version} too. ` +
        `Ask for ^${sdkVersion}.`,
    );
}

/** A member of the next version is known to the SDK that is to become it, which has the number of the version before. */
const knownSince = (since: string): string => (semver.lt(sdkVersion, since) ? sdkVersion : since);

/** What is wrong with the built module, in sentences: it is loaded in a runner process as a gateway would load it. */
export async function problemsOfModule(folder: string, manifest: Manifest): Promise<string[]> {
  const main = join(folder, manifest.main);
  if (!existsSync(main)) return [`${manifest.main} does not exist. Run: pluginkit build`];
  await using runner = new RunnerHarness('forked', main);
  const answer = await runner
    .next((message) => message.op === 'loaded' || message.op === 'unloadable')
    .catch(() => undefined);
  if (answer === undefined) return [`${manifest.main} does not finish loading.`];
  if (answer.op === 'unloadable')
    return [`${manifest.main} cannot be loaded: ${answer.message.split('\n').slice(0, 3).join(' ')}`];
  const { default: plugin } = (await import(pathToFileURL(main).href)) as { default: unknown };
  const isOfKind = manifest.kind === 'driver' ? isDriver(plugin) : isApp(plugin);
  return isOfKind
    ? []
    : [
        `plugin.json says that it is a ${manifest.kind}, and ${manifest.main} exports another kind of plugin.`,
      ];
}

/** All problems of a plugin's folder. */
export async function check(folder: string): Promise<string[]> {
  const library = readLibrary(folder);
  const problems = problemsOfFiles(library);
  return problems.length > 0 ? problems : problemsOfModule(folder, library.manifest);
}
