/** What a plugin can be. */
export type ProjectKind = 'driver' | 'app';

/** Contents of files by their paths from the folder of a project, with `/` between the parts. */
export type ProjectFiles = Map<string, Uint8Array>;

/** The name cannot be that of a project; the message is a sentence for the user. */
export class ProjectNameError extends Error {}

/** What a new project is made of. */
export interface ProjectOptions {
  readonly kind: ProjectKind;
  /** The id of the plugin, which is the name of the project's folder too. */
  readonly id: string;
  /** The files of the template of this kind. */
  readonly template: ReadonlyMap<string, Uint8Array>;
  /** Version of the SDK that the plugin is made with. */
  readonly sdk: string;
  /** Packages of ours that the project needs, and what its package.json asks for: a range of versions, or a file. */
  readonly packages: Readonly<Record<string, string>>;
}

/** What git is not to take in. The archives of the plugin lie in its folder, those that it is made with do not. */
const ignored = 'node_modules/\ndist/\n/*.tgz\n/*.tgz.sig\n/key.pem\n';

/** Makes the files of a plugin that builds, passes its tests and waits to be changed. Throws `ProjectNameError`. */
export function makeProject({ kind, id, template, sdk, packages }: ProjectOptions): ProjectFiles {
  checkId(id);
  const name = nameOf(id);
  const files: ProjectFiles = new Map(template);
  const edit = (path: string, change: (text: string) => string): void => {
    const text = new TextDecoder().decode(files.get(path));
    files.set(path, new TextEncoder().encode(change(text)));
  };
  edit('package.json', (text) => {
    const { private: _, ...rest } = JSON.parse(text) as { devDependencies?: object; private?: boolean };
    const devDependencies = { ...rest.devDependencies, ...packages };
    return print({
      ...rest,
      name: id,
      description: `${name}, ${kind === 'app' ? 'an app' : 'a driver'} for Tagway.`,
      devDependencies: Object.fromEntries(
        Object.entries(devDependencies).sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
    });
  });
  edit('plugin.json', (text) => print({ ...(JSON.parse(text) as object), id, name, sdk: `^${sdk}` }));
  edit('README.md', (text) => text.replace(/^# .*/, `# ${name}`));
  files.set('.gitignore', new TextEncoder().encode(ignored));
  return files;
}

function checkId(id: string): void {
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(id))
    throw new ProjectNameError(
      `"${id}" cannot be the id of a plugin: use up to 63 lower-case letters, digits and hyphens.`,
    );
}

/** The name that operators see: `Flow Meter` of `flow-meter`. */
function nameOf(id: string): string {
  return id
    .split('-')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join(' ')
    .slice(0, 31);
}

const print = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;
