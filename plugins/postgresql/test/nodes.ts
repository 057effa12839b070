import { layoutOf, sampleWith, settingsBy, TestNode } from '@tagway/store/test';
import { DataType, type Layout, type Sample, type Subscription } from '@tagway/sdk';
import schema from '../settings.schema.json' with { type: 'json' };
import { PostgresqlApp } from '../src/postgresql.ts';
import type { Settings } from '../src/settings.ts';

export const settingsOf = settingsBy<Settings>(schema);

/** Two tags: `tag0` is a number, `tag1` the largest integer of 64 bits. */
export const layout: Layout = layoutOf([
  { name: 'tag0', type: DataType.INT32 },
  { name: 'tag1', type: DataType.INT64 },
]);

export const subscription: Subscription = { id: 1, driver: 'modbus', group: 'grp', layout };

export function sampleOf(tag0: number, more: Partial<Sample> = {}): Sample {
  return sampleWith(layout, [tag0, 0x7fff_ffff_ffff_ffffn], more);
}

export type PostgresNode = TestNode<Settings, Record<string, unknown>>;

/** Settings for a server of the tests. */
export function paramsFor(port: number, more: Record<string, unknown> = {}): Settings {
  return settingsOf({
    host: '127.0.0.1',
    port,
    database: 'plant',
    user: 'postgres',
    'batch-age': 20,
    timeout: 2000,
    ...more,
  });
}

const options = {
  node: 'store',
  create: (context: ConstructorParameters<typeof PostgresqlApp>[0]) => new PostgresqlApp(context),
};

export function startNode(settings: Settings, speed = 1): Promise<PostgresNode> {
  return TestNode.open<Settings, Record<string, unknown>>(settings, { ...options, speed });
}

/** A node that does not run yet, in a folder that is there. */
export function nodeIn(folder: string): Promise<PostgresNode> {
  return TestNode.idle<Settings, Record<string, unknown>>({ ...options, folder });
}
