import { ErrorCode, NodeType } from '@tagway/schemas';
import type { StagedLibrary } from '../ports/ports.ts';
import { Refusal, sentence } from '../system/sentence.ts';
import { isObject, isText } from '../system/shapes.ts';
import type { FittingVersion } from './versions.ts';

/** Bytes of a package.json or plugin.json: more than any plugin needs. */
const longestJson = 1 << 20;

const installScripts = ['preinstall', 'install', 'postinstall', 'preuninstall', 'uninstall', 'postuninstall'];

/**
 * Checks that what is in an archive is what its registry says that it is. What the archive has counts: a difference is refused with
 * PACKAGE_UNTRUSTED, and what needs npm to install something with LIBRARY_INFO_INVALID.
 */
export async function checkPackage(
  staged: StagedLibrary,
  name: string,
  { version, plugin: said }: FittingVersion,
): Promise<void> {
  const { plugin } = staged;
  const packageJson = await objectIn(staged, 'package.json');
  const manifest = await objectIn(staged, 'plugin.json');
  const kind = plugin.nodeType === NodeType.DRIVER ? 'driver' : 'app';
  for (const [what, inArchive, inRegistry] of [
    [sentence`name of the package`, packageJson['name'], name],
    [sentence`version`, plugin.version, version],
    [sentence`id of the plugin`, plugin.id, said.id],
    [sentence`kind of the plugin`, kind, said.kind],
    [sentence`range of SDK versions`, manifest['sdk'], said.sdk],
  ] as const)
    if (inArchive !== inRegistry)
      throw new Refusal(
        ErrorCode.PACKAGE_UNTRUSTED,
        sentence`The archive of version ${version} of the package ${name} has another ${what} than its registry says. It is not installed.`,
      );
  const { scripts, dependencies } = packageJson;
  const script = isObject(scripts) ? installScripts.find((one) => isText(scripts[one])) : undefined;
  if (script !== undefined)
    throw new Refusal(
      ErrorCode.LIBRARY_INFO_INVALID,
      sentence`The package ${name} has a script "${script}" for its installation, and a gateway runs no such script. Its author has to pack it with pluginkit, which puts into the archive what the script would make.`,
    );
  for (const needed of Object.keys(isObject(dependencies) ? dependencies : {}))
    if (/^(?:@[\w.~-]+\/)?[\w.~-]+$/.test(needed) && !(await staged.has(`node_modules/${needed}`)))
      throw new Refusal(
        ErrorCode.LIBRARY_INFO_INVALID,
        sentence`The package ${name} needs the package ${needed}, which is not in its archive, and a gateway fetches none. Its author has to pack it with pluginkit, which bundles what a plugin needs.`,
      );
}

/** The unpacker has found both to be JSON. */
async function objectIn(staged: StagedLibrary, file: string): Promise<Readonly<Record<string, unknown>>> {
  const content: unknown = JSON.parse((await staged.text(file, longestJson)) ?? '{}');
  return isObject(content) ? content : {};
}
