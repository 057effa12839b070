import type { Layout, Sample } from '@tagway/sdk';
import type { SubscriptionsData } from '@tagway/sdk/internal';
import type { Group, Node } from '../../core/model.ts';
import { getOrMake } from '../../core/system/get-or-make.ts';
import type { Outgoing, Supervisor } from '../runners/supervisor.ts';
import type { GroupCache } from './group-cache.ts';
import { project, type Projection, projectionOf } from './projections.ts';

/** What a group looks like to the drivers of one runner that read it. */
interface Entry {
  projection: Projection;
  /** What it was made of last. */
  layout: Layout;
  readers: Group['readers'];
}

export interface InputSources {
  cacheOf(group: Group): GroupCache;
  /** What a driver that reads the group has of it now. */
  presentOf(group: Group): Sample;
}

/** What drivers with inputs read: of each group only the columns that the nodes of a runner need. */
export class InputReads {
  readonly #sources: InputSources;
  readonly #entries = new WeakMap<Group, WeakMap<Supervisor, Entry>>();

  constructor(sources: InputSources) {
    this.#sources = sources;
  }

  /** All that a driver reads, with what is there now; the layouts in it count as sent from here on. */
  of(driver: Node, runner: Supervisor): SubscriptionsData {
    const groups = [...(driver.inputs?.keys() ?? [])];
    const read = groups.map((group) => ({ group, ...this.#entryOf(group, runner).projection }));
    return {
      subscriptions: groups.map(({ id }) => ({ id, group: id, params: undefined })),
      layouts: runner.layoutsToSend(
        driver.id,
        read.map(({ group, layout }) => ({ group: group.id, layout })),
      ),
      drivers: [],
      samples: groups.flatMap((group) => {
        const present = project(
          this.#sources.presentOf(group),
          group.id,
          this.#entryOf(group, runner).projection,
        );
        return present ?? [];
      }),
    };
  }

  /** A sample of a group as the drivers of a runner get it; undefined when nothing in it is for them. */
  project(group: Group, sample: Sample, runner: Supervisor): Outgoing | undefined {
    const { projection } = this.#entryOf(group, runner);
    const data = project(sample, group.id, projection);
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
