import { NodeType } from '@tagway/schemas';
import type { Layout, Sample } from '@tagway/sdk';
import type { ReadsData } from '@tagway/sdk/internal';
import type { Group, Node } from '../../core/model.ts';
import { settingReferences } from '../../core/nodes/setting-references.ts';
import { getOrMake } from '../../core/system/get-or-make.ts';
import type { Outgoing, Supervisor } from '../runners/supervisor.ts';
import type { GroupCache } from './group-cache.ts';
import { project, type Projection, projectionOf } from './projections.ts';

/** What a group looks like to the nodes of one runner that read it. */
interface Entry {
  projection: Projection;
  /** What it was made of last. */
  layout: Layout;
  readers: Group['readers'];
}

export interface InputSources {
  cacheOf(group: Group): GroupCache;
  /** What a node that reads the group has of it now. */
  presentOf(group: Group): Sample;
}

/** A layout that a runner needs, with its number. */
interface ReadLayout {
  readonly group: number;
  readonly layout: Layout;
}

/** What nodes with inputs read: of each group only the columns that the nodes of a runner need. */
export class InputReads {
  readonly #sources: InputSources;
  readonly #entries = new WeakMap<Group, WeakMap<Supervisor, Entry>>();

  constructor(sources: InputSources) {
    this.#sources = sources;
  }

  /** All that a node reads, with what is there now, and the layouts of that. */
  of(node: Node, runner: Supervisor): { readonly reads: ReadsData; readonly layouts: readonly ReadLayout[] } {
    const groups = [...(node.inputs?.keys() ?? [])];
    const isApp = node.plugin.nodeType === NodeType.APP;
    const layouts = groups.map((group) => ({
      group: numberOf(group),
      layout: this.#entryOf(group, runner).projection.layout,
    }));
    const samples = groups.flatMap((group) => {
      const { projection } = this.#entryOf(group, runner);
      return project(this.#sources.presentOf(group), numberOf(group), projection) ?? [];
    });
    const references = isApp && { references: settingReferences(node.plugin, node.params).reads };
    return { layouts, reads: { groups: groups.map(numberOf), samples, ...references } };
  }

  /** A sample of a group as the nodes of a runner that read it get it; undefined when nothing in it is for them. */
  project(group: Group, sample: Sample, runner: Supervisor): Outgoing | undefined {
    const { projection } = this.#entryOf(group, runner);
    const data = project(sample, numberOf(group), projection);
    return data && { ...data, layout: projection.layout };
  }

  #entryOf(group: Group, runner: Supervisor): Entry {
    const entries = getOrMake(this.#entries, group, () => new WeakMap<Supervisor, Entry>());
    const known = entries.get(runner);
    const { layout } = this.#sources.cacheOf(group);
    const { readers } = group;
    if (known?.layout === layout && known.readers === readers) return known;
    const names = new Set<string>();
    for (const { plugin, inputs } of readers ?? [])
      if (plugin.id === runner.plugin.id) for (const name of inputs?.get(group) ?? []) names.add(name);
    const entry = { projection: projectionOf(layout, names, known?.projection), layout, readers };
    entries.set(runner, entry);
    return entry;
  }
}

/** The number of what is read of a group, and no number of any group: an app may subscribe to the group beside. */
function numberOf({ id }: Group): number {
  return -id;
}
