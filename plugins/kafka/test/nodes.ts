import { layoutOf, sampleWith, settingsBy, TestNode } from '@tagway/store/test';
import { DataType, type Layout, type Sample, type Subscription } from '@tagway/sdk';
import schema from '../settings.schema.json' with { type: 'json' };
import { KafkaApp } from '../src/kafka.ts';
import type { Settings } from '../src/settings.ts';

export const settingsOf = settingsBy<Settings>(schema);

export const layout: Layout = layoutOf([
  { name: 'tag0', type: DataType.INT32 },
  { name: 'tag1', type: DataType.INT64 },
]);

export const subscription: Subscription = { id: 1, driver: 'modbus', group: 'grp', layout };

export function sampleOf(tag0: number, more: Partial<Sample> = {}): Sample {
  return sampleWith(layout, [tag0, 0x7fff_ffff_ffff_ffffn], more);
}

export type KafkaNode = TestNode<Settings, Record<string, unknown>>;

export function paramsFor(port: number, more: Record<string, unknown> = {}): Settings {
  return settingsOf({
    brokers: `127.0.0.1:${port}`,
    'batch-age': 20,
    timeout: 2000,
    create_topics: true,
    ...more,
  });
}

export function startNode(settings: Settings): Promise<KafkaNode> {
  return TestNode.open<Settings, Record<string, unknown>>(settings, {
    node: 'stream',
    create: (context) => new KafkaApp(context),
  });
}
