import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validatePackageMember } from '@tagway/schemas/validate';
import { withTables } from './docs.ts';
import { Failure } from './failure.ts';
import type { Library } from './library.ts';
import { memberOf, pluginKeyword } from './package-member.ts';

/** A readme with fewer characters than this says nothing that the row of a list does not. */
const readmeLeast = 200;

/** What is missing or wrong of what people see before they install a plugin, in sentences. */
export function problemsOfListing(library: Library): string[] {
  const { manifest, packageJson } = library;
  const problems: string[] = [];
  const { name = '', description = '', keywords = [], os, cpu } = packageJson;
  if (packageJson.private === true)
    problems.push('package.json: "private" is true, and npm publishes no such package. Remove the member.');
  if (!/^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/.test(name) || name.length > 214)
    problems.push(
      `package.json: "${name}" cannot be the name of a package, such as @acme/tagway-flow-meter.`,
    );
  if (description.trim() === '' || description.length > 250 || description.includes('\n'))
    problems.push(
      'package.json: "description" is the line that a list shows of the plugin: one sentence of at most 250 characters.',
    );
  if (!keywords.some((word) => word !== pluginKeyword))
    problems.push(
      'package.json: "keywords" has no word of yours. Name the device, its maker and its protocol: people search for these.',
    );
  const flaw = validatePackageMember(memberOf(manifest, packageJson));
  if (flaw !== undefined) problems.push(`package.json and plugin.json: ${flaw}`);
  if (manifest.native === true && (os === undefined || cpu === undefined))
    problems.push(
      'package.json: the plugin carries native modules, and "os" and "cpu" do not say for which machines: ' +
        '"os": ["linux"], "cpu": ["x64", "arm64"], and "libc" where it matters.',
    );
  return [...problems, ...problemsOfLicence(library), ...problemsOfReadme(library)];
}

function problemsOfLicence({ folder, packageJson: { license = '' } }: Library): string[] {
  if (license === '')
    return ['package.json: "license" is missing. Name a licence such as "MIT", or say "UNLICENSED".'];
  const [, file] = /^SEE LICEN[CS]E IN (.+)$/.exec(license) ?? [];
  return file === undefined || existsSync(join(folder, file))
    ? []
    : [`package.json: "license" leads to the file ${file}, which is not there.`];
}

function problemsOfReadme(library: Library): string[] {
  const file = join(library.folder, 'README.md');
  if (!existsSync(file))
    return ['README.md is missing: it is what people read before they install the plugin.'];
  const readme = readFileSync(file, 'utf8');
  if (readme.trim().length < readmeLeast)
    return [
      `README.md has fewer than ${readmeLeast} characters: say what the plugin is for and how it is set up.`,
    ];
  if (!readme.includes('<!-- pluginkit: ')) return [];
  try {
    return withTables(readme, library) === readme
      ? []
      : ['README.md: its tables are not those of plugin.json and the settings. Run: pluginkit docs'];
  } catch (error) {
    if (error instanceof Failure) return [error.message];
    throw error;
  }
}

/** What would help people to choose the plugin, and keeps nobody from publishing it. */
export function hintsOfListing({ manifest, packageJson: { author, repository } }: Library): string[] {
  return [
    ...(manifest.description.zh === undefined
      ? ['plugin.json has no Chinese "description": Chinese pages show the English one.']
      : []),
    ...(manifest.uses === undefined
      ? ['plugin.json does not say what the plugin "uses", such as ["network"]: people ask for it.']
      : []),
    ...(author === undefined ? ['package.json names no "author".'] : []),
    ...(repository === undefined
      ? ['package.json names no "repository": without one, nothing shows where the package was built from.']
      : []),
  ];
}
