import { settingsBy, TestNode } from '@tagway/store/test';
import schema from '../settings.schema.json' with { type: 'json' };
import { KafkaApp } from '../src/kafka.ts';
import type { Settings } from '../src/settings.ts';

export const settingsOf = settingsBy<Settings>(schema);

export { layout, sampleOf, subscription } from '@tagway/store/test/two-tags';

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

const create = (context: ConstructorParameters<typeof KafkaApp>[0]): KafkaApp => new KafkaApp(context);

export function startNode(settings: Settings): Promise<KafkaNode> {
  return TestNode.open<Settings, Record<string, unknown>>(settings, { node: 'stream', create });
}

export function nodeIn(folder: string): Promise<KafkaNode> {
  return TestNode.idle<Settings, Record<string, unknown>>({ node: 'stream', create, folder });
}
