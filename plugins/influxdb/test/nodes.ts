import { DataType, type Layout, type Sample, type Subscription } from '@tagway/sdk';
import { layoutOf, sampleWith, settingsBy, TestNode } from '@tagway/store/test';
import schema from '../settings.schema.json' with { type: 'json' };
import { InfluxApp } from '../src/influxdb.ts';
import type { Settings } from '../src/settings.ts';

export const settingsOf = settingsBy<Settings>(schema);

export const layout = layoutOf([{ name: 'tag0', type: DataType.INT32 }]);

export const sampleOf = (tag0: number, timestamp = 1_650_006_388_943): Sample =>
  sampleWith(layout, [tag0], { timestamp });

export const subscriptionOf = (to: Layout): Subscription => ({
  id: 1,
  driver: to.driver,
  group: to.group,
  layout: to,
});

export type InfluxTestNode = TestNode<Settings, Record<string, unknown>>;

/** Settings for InfluxDB 1 unless others are given. */
export const paramsOf = (params: Record<string, unknown>): Settings =>
  settingsOf({
    store: 0,
    ...((params['store'] ?? 0) === 0 && { database: 'plant' }),
    'batch-age': 20,
    timeout: 2000,
    ...params,
  });

export function startNode(params: Record<string, unknown>, speed = 1): Promise<InfluxTestNode> {
  return TestNode.open<Settings, Record<string, unknown>>(paramsOf(params), {
    node: 'history',
    create: (context) => new InfluxApp(context),
    speed,
  });
}

export function nodeIn(folder: string): Promise<InfluxTestNode> {
  return TestNode.idle<Settings, Record<string, unknown>>({
    node: 'history',
    create: (context) => new InfluxApp(context),
    folder,
  });
}
