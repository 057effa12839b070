import { Attribute, DataType, RunningState } from '@tagway/schemas';
import type { Log, Sample } from '@tagway/sdk';
import { layoutOf } from '@tagway/sdk/internal';
import type { Group, Node, Plugin, Tag } from '../../src/core/model.ts';

export const silent: Log = Object.assign(() => undefined, {
  debug: () => undefined,
  info: () => undefined,
  notice: () => undefined,
  warn: () => undefined,
  error: () => undefined,
});

export function tagOf(id: number, type: DataType = DataType.DOUBLE, name = `t${id}`): Tag {
  const attribute = Attribute.READ;
  return { id, name, address: `${id}`, attribute, type, precision: 0, decimal: 0, bias: 0, description: '' };
}

/** A group with a history of `megabytes`. */
export function groupOf(id: number, tags: readonly Tag[], megabytes = 10): Group {
  const node: Node = {
    id: 1,
    name: 'boiler',
    plugin: {} as Plugin,
    running: RunningState.RUNNING,
    settings: {},
    params: {},
    groups: new Map<string, Group>(),
    subscriptions: new Map(),
  };
  const byName = new Map(tags.map((tag) => [tag.name, tag]));
  return {
    id,
    node,
    name: 'fast',
    interval: 1000,
    history: megabytes,
    tags: byName,
    subscriptions: new Map(),
  };
}

/** Makes samples of a group. */
export function sampler({ tags: byName }: Group): {
  readonly tags: readonly Tag[];
  sample(timestamp: number, numbers: ArrayLike<number>, more?: Partial<Sample>): Sample;
} {
  const tags = [...byName.values()];
  const layout = layoutOf(1, { driver: 'boiler', group: 'fast', interval: 1000 }, tags, []);
  return {
    tags,
    sample: (timestamp, numbers, more = {}) => ({
      layout,
      timestamp,
      numbers: Float64Array.from(numbers),
      integers: new BigInt64Array(0),
      objects: [],
      faults: new Int32Array(0),
      ...more,
    }),
  };
}
