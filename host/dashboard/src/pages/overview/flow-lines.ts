import { NodeType, type TrendsReply } from '@tagway/schemas';
import { latestOf } from '../../api/trends.ts';

/** What flows from a driver to an app. */
export interface Flow {
  readonly driver: string;
  readonly app: string;
  /** Values a second. */
  readonly rate: number;
}

/**
 * What flows from drivers to apps. A driver's rate is known as a whole; its groups have the shares of it that their tags and intervals
 * give them.
 */
export function flowsOf({ nodes }: TrendsReply): Flow[] {
  const shares = new Map<string, Map<string, number>>();
  for (const { node, type, groups, values } of nodes) {
    if (type !== NodeType.DRIVER) continue;
    const expected = groups.map(({ tags, interval }) => tags / interval);
    const all = expected.reduce((sum, one) => sum + one, 0);
    const rate = latestOf(values.slice(-1)) ?? 0;
    shares.set(
      node,
      new Map(groups.map(({ name }, index) => [name, all === 0 ? 0 : (rate * expected[index]!) / all])),
    );
  }
  const rates = new Map<string, Flow>();
  for (const { node: app, flows } of nodes)
    for (const { driver, group } of flows) {
      const key = JSON.stringify([driver, app]);
      const before = rates.get(key)?.rate ?? 0;
      rates.set(key, { driver, app, rate: before + (shares.get(driver)?.get(group) ?? 0) });
    }
  return [...rates.values()];
}
