import seeds from '@sigstore/tuf/seeds.json' with { type: 'json' };
import { isObject } from '../../core/system/shapes.ts';
import type { Renewed } from '../messages.ts';

const [[address, { 'root.json': packedRoot, targets }]] = Object.entries(seeds) as unknown as [
  [string, { readonly 'root.json': string; readonly targets: Readonly<Record<string, string>> }],
];

/** The repository of keys that npm's library asks. */
export const defaultRepository = address;
/** Its root, as it comes with npm's library: the keys of sigstore vouch for everything else. */
export const seedRoot = textOf(packedRoot);
/** The files with which packages are verified, as the repository names them. */
export const targetNames: readonly string[] = Object.keys(targets).map((name) => decodeURIComponent(name));

const seedTargets = new Map(
  Object.entries(targets).map(([name, packed]) => [decodeURIComponent(name), textOf(packed)]),
);

/** The file of that name: as it was renewed, or as it comes with npm's library. */
export function trustFile(name: string, renewed?: Renewed): string {
  const key = targetNames.find((one) => one.endsWith(name)) ?? name;
  const text =
    (renewed !== undefined && holds(renewed) ? renewed.targets[key] : undefined) ?? seedTargets.get(key);
  if (text === undefined) throw new Error(`There is no ${name} among what comes with the gateway.`);
  return text;
}

/** What was renewed before a gateway came with a newer root does not: what comes with it is newer as well. */
function holds({ root, metadata }: Renewed): boolean {
  return root !== '' || versionOf(metadata['root.json']) >= versionOf(seedRoot);
}

/** Of metadata of a repository of keys; 0 for what is none. */
export function versionOf(text = ''): number {
  try {
    const { signed } = JSON.parse(text) as { readonly signed?: unknown };
    return isObject(signed) ? Number(signed['version']) : 0;
  } catch {
    return 0;
  }
}

function textOf(packed: string): string {
  return Buffer.from(packed, 'base64').toString();
}
