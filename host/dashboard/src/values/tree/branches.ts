import type { DriverGroupRecord } from '@tagway/schemas';
import { referenceText, type GroupReference } from '../references.ts';

/** What the tree has of a tag. */
export interface TreeTag {
  readonly name: string;
  readonly type: number;
  readonly unit?: string;
}

/** A place in the tree of tags: a part of the names of nodes, groups and tags. */
export interface Branch {
  /** Unique in the tree. */
  readonly key: string;
  readonly name: string;
  readonly depth: number;
  readonly children: Branch[];
  /** Tags below it. */
  count: number;
  /** The group that has this name, whose tags come when it is opened. */
  group?: GroupReference;
  /** The tag that has this name. */
  tag?: TreeTag;
}

/** Parts of a name; a name that begins or ends with the separator, or has two in a row, keeps it. */
export function partsOf(name: string, separator: string): readonly string[] {
  if (separator === '') return [name];
  const parts = name.split(separator);
  return parts.some((part) => part === '') ? [name] : parts;
}

const byName = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** The tree that the names of all drivers and their groups make. */
export function groupTree(groups: readonly DriverGroupRecord[], separator: string): readonly Branch[] {
  const roots = new Siblings('', 0);
  for (const { driver, group, tag_count: count } of groups) {
    const reference = { node: driver, group };
    const leaf = roots.at([...partsOf(driver, separator), ...partsOf(group, separator)], count, (branch) =>
      // Two groups whose parts are alike stay two places.
      branch.group === undefined ? undefined : referenceText(reference),
    );
    leaf.group = reference;
  }
  return roots.sorted();
}

/** The tree that the names of the tags of a group make, below its branch. */
export function tagTree(parent: Branch, tags: readonly TreeTag[], separator: string): readonly Branch[] {
  const roots = new Siblings(`${parent.key}\n`, parent.depth + 1);
  for (const tag of tags) {
    const leaf = roots.at(partsOf(tag.name, separator), 1, (branch) =>
      branch.tag === undefined ? undefined : tag.name,
    );
    leaf.tag = tag;
  }
  return roots.sorted();
}

/** Branches while they are made: found by their names. */
class Siblings {
  readonly #prefix: string;
  readonly #depth: number;
  readonly #found = new Map<string, { readonly branch: Branch; readonly below: Siblings }>();

  constructor(prefix: string, depth: number) {
    this.#prefix = prefix;
    this.#depth = depth;
  }

  /** The branch at a path, made where it is not there. `other`: another name for it, where the place is taken. */
  at(path: readonly string[], count: number, other: (taken: Branch) => string | undefined): Branch {
    const [name = '', ...rest] = path;
    let { branch, below } = this.#of(name, name);
    if (rest.length === 0) {
      const second = other(branch);
      if (second !== undefined) ({ branch, below } = this.#of(`\n${second}`, name));
    }
    branch.count += count;
    return rest.length === 0 ? branch : below.at(rest, count, other);
  }

  sorted(): Branch[] {
    const found = [...this.#found.values()];
    for (const { branch, below } of found) branch.children.push(...below.sorted());
    return found.map(({ branch }) => branch).sort((a, b) => byName.compare(a.name, b.name));
  }

  #of(id: string, name: string): { readonly branch: Branch; readonly below: Siblings } {
    const known = this.#found.get(id);
    if (known !== undefined) return known;
    const key = `${this.#prefix}/${id}`;
    const branch = { key, name, depth: this.#depth, children: [], count: 0 };
    const made = { branch, below: new Siblings(key, this.#depth + 1) };
    this.#found.set(id, made);
    return made;
  }
}
