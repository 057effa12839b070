import type { Layout, Sample } from '../../sample.ts';
import type { ReadsData, RunnerRequest, SubscriptionsData } from '../channel/protocol.ts';
import { sampleOf } from '../samples/sample-builder.ts';

/** What a node with inputs reads. */
export interface Reads {
  /** By the number of the group. */
  readonly layouts: ReadonlyMap<number, Layout>;
  /** What is there of the groups now. */
  readonly present: ReadonlyMap<number, Sample>;
}

/** Layouts of the groups to which the apps of a runner subscribe, or which its drivers read, by the number of the group. */
export class KnownLayouts {
  readonly #layouts = new Map<number, Layout>();

  get(group: number): Layout | undefined {
    return this.#layouts.get(group);
  }

  take({ layouts }: SubscriptionsData): void {
    for (const { group, layout } of layouts) this.#layouts.set(group, layout);
  }

  /** What a node with inputs reads; the layouts were taken. */
  readsOf({ reads = nothing }: SubscriptionsData): Reads {
    const layouts = new Map<number, Layout>();
    for (const group of reads.groups) {
      const layout = this.#layouts.get(group);
      if (layout !== undefined) layouts.set(group, layout);
    }
    const present = new Map<number, Sample>();
    for (const sample of reads.samples) {
      const layout = layouts.get(sample.group);
      if (layout?.version === sample.version) present.set(sample.group, sampleOf(sample, layout));
    }
    return { layouts, present };
  }

  /** Forgets the layouts of groups that none of these nodes wants any more, as the host does. */
  keep(nodes: Iterable<{ readonly wanted: Iterable<number> }>): void {
    const known = new Set(Array.from(nodes, ({ wanted }) => [...wanted]).flat());
    for (const group of this.#layouts.keys()) if (!known.has(group)) this.#layouts.delete(group);
  }
}

const nothing: ReadsData = { groups: [], samples: [] };

/** What a tag that need not exist refers to. */
export function readsOfTest(inputs: Extract<RunnerRequest, { op: 'test' }>['inputs'] = []): Reads {
  return {
    layouts: new Map(inputs.map(({ sample, layout }) => [sample.group, layout])),
    present: new Map(inputs.map(({ sample, layout }) => [sample.group, sampleOf(sample, layout)])),
  };
}
