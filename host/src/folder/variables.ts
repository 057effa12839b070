import { checkOf } from '@tagway/schemas/validate';
import type { VarsFile } from '@tagway/schemas';
import { FileNames, nameOfFile } from './file-names.ts';
import { FolderError, type FolderFiles } from './folder-files.ts';
import { valueOf, yamlDocument } from './yaml-text.ts';

/** The folder of the files of variables. */
const folder = 'vars';

/** Values that variables and loops put into the files of a folder, with all that is in them. */
const mostValues = 1_000_000;
/** Files of variables that take over from one another. */
const mostFiles = 20;

/** Members in which `each` is a setting of a plugin and no loop. */
export const ofPlugins: ReadonlySet<string> = new Set(['settings', 'params']);

type Fields = Readonly<Record<string, unknown>>;

/** The variable that a value is; undefined for any other value. */
export function variableOf(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const [[member, name] = [], ...more] = Object.entries(value);
  return member === 'var' && typeof name === 'string' && more.length === 0 ? name : undefined;
}

/** Whether a value is there once for each item of a list. */
export function isLoop(value: unknown): boolean {
  return isRecord(value) && Object.hasOwn(value, 'each');
}

/** What variables stand for, in one gateway. */
export class Variables {
  readonly #values: ReadonlyMap<string, unknown>;
  /** Where they are from, to end a sentence with. */
  readonly #place: string;
  #left = mostValues;

  private constructor(values: ReadonlyMap<string, unknown>, place: string) {
    this.#values = values;
    this.#place = place;
  }

  /** The variables of a gateway by the name of their file; without a name there are none. Throws `FolderError`. */
  static async read(files: FolderFiles, name: string | undefined): Promise<Variables> {
    if (name === undefined)
      return new Variables(new Map(), `: no file of the folder ${folder} is chosen, see --vars`);
    const chain = await fileChain(files, name);
    const raw = new Map(chain.flatMap(({ values }) => Object.entries(values)));
    raw.delete('from');
    return new Variables(withoutReferences(raw, pathOf(name)), ` in ${pathOf(name)}`);
  }

  /** The names of the files from which no other one takes over: those of gateways. Throws `FolderError`. */
  static async names(files: FolderFiles): Promise<string[]> {
    const names: string[] = [];
    const taken = new Set<string>();
    for (const file of await files.list(folder)) {
      if (!file.endsWith('.yaml')) continue;
      const name = nameOfFile(file.slice(0, -'.yaml'.length));
      const values = await readOne(files, `${folder}/${file}`);
      if (values?.from !== undefined) taken.add(values.from);
      if (name !== undefined) names.push(name);
    }
    return names.filter((name) => !taken.has(name));
  }

  /** Whether a gateway has a file of variables. */
  static async has(files: FolderFiles, name: string): Promise<boolean> {
    return (await files.list(folder)).includes(pathOf(name).slice(folder.length + 1));
  }

  /** The value of a file without variables: once, or for each item of its loop. Throws `FolderError` with the path before the sentence. */
  ofFile(value: unknown, file: string): unknown[] {
    try {
      return this.#entries(value, [], true);
    } catch (error) {
      if (!(error instanceof FolderError)) throw error;
      throw new FolderError(`${file}: ${error.message}`, { cause: error });
    }
  }

  /** A part of a file without variables; an entry of a list may become several, or none, where loops are looked for. */
  ofPart(value: unknown, hasLoops: boolean): unknown {
    this.#left = mostValues;
    return this.#replaced(value, [], hasLoops);
  }

  /** `scope`: the items of the loops around a value, the innermost first. */
  #entries(value: unknown, scope: readonly Fields[], hasLoops: boolean): unknown[] {
    if (!hasLoops || !isLoop(value)) return [this.#replaced(value, scope, hasLoops)];
    const { each, ...rest } = value as { readonly each: unknown };
    if (typeof each !== 'string') throw new FolderError('"each" is the name of a list of vars/.');
    const list = this.#find(each, scope);
    if (!Array.isArray(list) || !list.every(isRecord))
      throw new FolderError(
        `the variable "${each}" is to be a list whose items have fields, such as { name: press 1 }, because a loop goes through it.`,
      );
    return list.map((item: Fields) => this.#replaced(rest, [item, ...scope], true));
  }

  #replaced(value: unknown, scope: readonly Fields[], hasLoops: boolean): unknown {
    // What is in a file itself is bounded by its bytes.
    if (scope.length > 0) this.#spend(1);
    const variable = variableOf(value);
    if (variable !== undefined) {
      const found = this.#find(variable, scope);
      this.#spend(sizeOf(found));
      return found;
    }
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.flatMap((one) => this.#entries(one, scope, hasLoops));
    return Object.fromEntries(
      Object.entries(value).map(([name, one]: [string, unknown]) => [
        name,
        this.#replaced(one, scope, hasLoops && !ofPlugins.has(name)),
      ]),
    );
  }

  #find(name: string, scope: readonly Fields[]): unknown {
    const item = scope.find((fields) => Object.hasOwn(fields, name));
    if (item !== undefined) return item[name];
    if (this.#values.has(name)) return this.#values.get(name);
    throw new FolderError(`there is no variable "${name}"${this.#place}.`);
  }

  #spend(count: number): void {
    this.#left -= count;
    if (this.#left < 0)
      throw new FolderError(
        `variables and loops put more than ${mostValues} values into the files of the folder.`,
      );
  }
}

function pathOf(name: string): string {
  return `${folder}/${new FileNames().of(name)}.yaml`;
}

/** The file of a gateway after those from which it takes over, which its own values go before. */
async function fileChain(
  files: FolderFiles,
  name: string,
): Promise<{ readonly name: string; readonly values: VarsFile }[]> {
  const chain: { readonly name: string; readonly values: VarsFile }[] = [];
  for (let next: string | undefined = name; next !== undefined;) {
    const file = pathOf(next);
    if (chain.some((one) => one.name === next) || chain.length === mostFiles)
      throw new FolderError(
        `${file}: files of variables take over from one another without an end: ${[...chain.map((one) => one.name), next].join(', ')}.`,
      );
    const values: VarsFile | undefined = await readOne(files, file);
    if (values === undefined) {
      const by = chain.at(-1);
      throw new FolderError(
        by === undefined
          ? `There is no file ${file} with the variables of "${name}".`
          : `${pathOf(by.name)}: there is no file ${file} to take over from.`,
      );
    }
    chain.push({ name: next, values });
    next = values.from;
  }
  return chain.reverse();
}

async function readOne(files: FolderFiles, file: string): Promise<VarsFile | undefined> {
  const text = await files.readText(file);
  if (text === undefined) return undefined;
  const value = valueOf(yamlDocument(text, file), file) ?? {};
  const problem = checkOf('VarsFile')(value);
  if (problem !== undefined) throw new FolderError(`${file}: ${problem}`);
  return value as VarsFile;
}

/** Variables whose values have no variables in them. Throws `FolderError`. */
function withoutReferences(raw: ReadonlyMap<string, unknown>, file: string): Map<string, unknown> {
  const done = new Map<string, unknown>();
  let left = mostValues;
  const spend = (count: number): void => {
    left -= count;
    if (left < 0) throw new FolderError(`${file}: its variables have more than ${mostValues} values.`);
  };
  const valueNamed = (name: string, path: readonly string[]): unknown => {
    if (path.includes(name))
      throw new FolderError(
        `${file}: the variable "${name}" refers to itself: ${[...path, name].join(', ')}.`,
      );
    if (!raw.has(name)) throw new FolderError(`${file}: there is no variable "${name}".`);
    if (!done.has(name)) done.set(name, replaced(raw.get(name), [...path, name]));
    return done.get(name);
  };
  const replaced = (value: unknown, path: readonly string[]): unknown => {
    spend(1);
    const variable = variableOf(value);
    if (variable !== undefined) {
      const found = valueNamed(variable, path);
      spend(sizeOf(found));
      return found;
    }
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((one: unknown) => replaced(one, path));
    return Object.fromEntries(
      Object.entries(value).map(([name, one]: [string, unknown]) => [name, replaced(one, path)]),
    );
  };
  for (const name of raw.keys()) valueNamed(name, []);
  return done;
}

/** How many values are in a value; it ends early where they are too many. */
function sizeOf(value: unknown): number {
  let size = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && size <= mostValues) {
    const one = open.pop();
    size++;
    if (typeof one === 'object' && one !== null)
      for (const part of Object.values(one) as unknown[]) open.push(part);
  }
  return size;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
