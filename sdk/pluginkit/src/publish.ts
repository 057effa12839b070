import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import semver from 'semver';
import { build } from './build.ts';
import { problemsOfFiles } from './check.ts';
import { type Outcome, outcomeVariable } from './conformance/outcome.ts';
import { Failure, failOn } from './failure.ts';
import { type Library, type PackageJson, readLibrary } from './library.ts';
import { hintsOfListing, problemsOfListing } from './listing.ts';
import { npm } from './npm.ts';
import { pack } from './pack.ts';
import { readKey } from './signing.ts';
import { test } from './test.ts';

export interface PublishOptions {
  /** PEM file with an Ed25519 private key to sign the package with. */
  readonly key: string | undefined;
  /** Further arguments for `npm publish`, such as `--access public`. */
  readonly npm: readonly string[];
}

/**
 * Publishes a plugin with npm: all that can be refused is looked at first, then the plugin is built, tested and packed, and npm is given the
 * archive, so that what is published is what was tested, and not what npm would take of the folder.
 */
export async function publish(
  folder: string,
  options: PublishOptions,
  print: (line: string) => void,
): Promise<void> {
  const stray = options.npm.find((arg, index) => index === 0 && !arg.startsWith('-'));
  if (stray !== undefined)
    throw new Failure(
      `"${stray}" is nothing to publish. The plugin is that of --folder; arguments for npm follow --.`,
    );
  const library = readLibrary(folder);
  failOn([...problemsOfFiles(library), ...problemsOfListing(library)]);
  if (options.key !== undefined) readKey(options.key);
  for (const hint of hintsOfListing(library)) print(`Note: ${hint}`);

  await build(folder);
  const work = mkdtempSync(join(tmpdir(), 'tagway-publish-'));
  try {
    await testConformance(library, join(work, 'outcome.json'));
    const { file, size, unpacked } = await pack(folder, {
      out: work,
      ...(options.key !== undefined && { key: options.key, signed: 'inside' }),
    });
    const { name = '', version = '' } = library.packageJson;
    print(`Packed ${name}@${version}: ${size} bytes, ${unpacked} unpacked.`);
    await npm(
      folder,
      ['publish', file, ...argumentsFor(library.packageJson, options.npm, process.env)],
      `npm did not publish ${name}@${version}; what it says is above. Nothing was changed here.`,
    );
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function testConformance({ folder, manifest }: Library, file: string): Promise<void> {
  if ((await test(folder, [], { [outcomeVariable]: file })) !== 0)
    throw new Failure('A test of the plugin failed, so it is not published.');
  const outcome = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Outcome) : undefined;
  if (outcome?.id !== manifest.id || outcome.passed === 0)
    throw new Failure(
      `The tests do not run the conformance suite of ${manifest.id}: call driverConformance or appConformance in one of test/**/*.test.ts.`,
    );
  if (outcome.others > 0)
    throw new Failure(
      `${outcome.others} of ${outcome.passed + outcome.others} tests of the conformance suite were left out. Run all of them.`,
    );
}

/**
 * What npm gets beside the archive: a tag of its own for a pre-release, which nobody gets who does not ask for it, and a statement of
 * provenance where the place can make one. What the author says goes before both.
 */
export function argumentsFor(
  { version = '', publishConfig }: PackageJson,
  given: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  const says = (name: string): boolean => given.some((arg) => arg === name || arg.startsWith(`${name}=`));
  const isTagged = says('--tag') || publishConfig?.tag !== undefined;
  const isProven = says('--provenance') || says('--no-provenance') || publishConfig?.provenance !== undefined;
  return [
    ...(!isTagged && semver.prerelease(version) !== null ? ['--tag', 'next'] : []),
    ...(!isProven && canProve(env) ? ['--provenance'] : []),
    ...given,
  ];
}

/** GitHub and GitLab give a job what npm makes a statement of provenance with, if the job asks for it. */
function canProve(env: Readonly<Record<string, string | undefined>>): boolean {
  return env['ACTIONS_ID_TOKEN_REQUEST_URL'] !== undefined || env['SIGSTORE_ID_TOKEN'] !== undefined;
}
