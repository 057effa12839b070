import { DataType, LinkState } from '@tagway/schemas';
import type { Column, Layout, Sample } from '@tagway/sdk';
import type { Group } from '../../src/core/model.ts';
import type { Runtime } from '../../src/core/ports.ts';

/** A runtime whose plugins take any tag and whose devices hold the number of each tag's place. */
export function idleRuntime(): Runtime {
  const samples = new Map<Group, { layout: Layout; sample: Sample }>();
  return {
    start: async () => undefined,
    stop: async () => undefined,
    forget: async () => undefined,
    changed: (group) => void samples.delete(group),
    removed: (group) => void samples.delete(group),
    routed: () => undefined,
    checkTags: async (_plugin, tags) => tags.map(() => 0),
    checkSettings: async () => undefined,
    checkParams: async () => undefined,
    poll: async (group) => void samples.delete(group),
    reading(group) {
      const tags = [...group.tags.values()];
      const reading = samples.get(group) ?? readingOf(group);
      samples.set(group, reading);
      return { tags, ...reading };
    },
    test: async () => 0,
    write: async (_node, writes) => writes.map(() => undefined),
    link: () => LinkState.CONNECTED,
    rtt: () => 1.4,
    counters: () => new Map(),
  };
}

/** Every tag must be of a type that fits a number. */
function readingOf(group: Group): { layout: Layout; sample: Sample } {
  const columns: Column[] = Array.from(group.tags.values(), ({ name }) => ({
    name,
    type: DataType.INT16,
    precision: 0,
    scaled: false,
    onChange: false,
  }));
  return {
    layout: { version: 1, node: group.node.name, group: group.name, columns },
    sample: {
      group: group.id,
      version: 1,
      time: 1_700_000_000_000,
      numbers: Float64Array.from(columns, (_, column) => column),
      integers: new BigInt64Array(0),
      objects: [],
      faults: new Int32Array(0),
    },
  };
}
