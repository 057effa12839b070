import type { PluginFacts, VersionFacts } from '../ports/registries.ts';
import { compatibleSince, sdkVersion } from '@tagway/sdk/internal';
import { isRange, sdkProblem } from '../nodes/sdk-range.ts';
import { sentence, type Sentence } from '../system/sentence.ts';

/** The machine that a native plugin has to be for. */
export interface Platform {
  readonly os: string;
  readonly cpu: string;
  /** Absent where the system has none of several. */
  readonly libc?: string;
}

/** Of this process. */
export function thisPlatform(): Platform {
  const { platform: os, arch: cpu } = process;
  if (os !== 'linux') return { os, cpu };
  const { header } = process.report.getReport() as {
    readonly header?: { readonly glibcVersionRuntime?: string };
  };
  return { os, cpu, libc: header?.glibcVersionRuntime === undefined ? 'musl' : 'glibc' };
}

/** A sentence that says why a version cannot be installed here; undefined for one that can. */
export function unfitness(
  { plugin, archive, integrity }: VersionFacts,
  platform: Platform,
): Sentence | undefined {
  if (plugin === undefined)
    return sentence`Its package.json does not say which plugin is in it (member "tagway"), as pluginkit publish writes it.`;
  if (!isRange(plugin.sdk))
    return sentence`It asks for the SDK "${plugin.sdk}", which is not a range of versions.`;
  if (sdkProblem(plugin.sdk) !== undefined)
    return sentence`It was built for version ${plugin.sdk} of the SDK and this gateway has ${sdkVersion}; it needs a new release, because plugins for ${compatibleSince} to ${sdkVersion} run here.`;
  const foreign = platformProblem(plugin, platform);
  if (foreign !== undefined) return foreign;
  if (archive === undefined || integrity === undefined)
    return sentence`The registry gives no SHA-512 of it, so that nobody can say whether what comes is what was published.`;
  return undefined;
}

function platformProblem({ os, cpu, libc }: PluginFacts, platform: Platform): Sentence | undefined {
  for (const [what, list, own] of [
    [sentence`operating system`, os, platform.os],
    [sentence`processor`, cpu, platform.cpu],
    [sentence`C library`, libc, platform.libc],
  ] as const)
    if (own !== undefined && list !== undefined && !includes(list, own))
      return sentence`It is for another ${what}: for ${list.join(', ')}, and this machine has ${own}.`;
  return undefined;
}

/** As npm reads such a list: `!win32` leaves one out. */
function includes(list: readonly string[], own: string): boolean {
  if (list.includes(`!${own}`)) return false;
  const wanted = list.filter((one) => !one.startsWith('!'));
  return wanted.length === 0 || wanted.includes(own) || wanted.includes('any');
}
