import { settingsBy, TestNode } from '@tagway/store/test';
import schema from '../settings.schema.json' with { type: 'json' };
import { PostgresqlApp } from '../src/postgresql.ts';
import type { Settings } from '../src/settings.ts';

export const settingsOf = settingsBy<Settings>(schema);

export { layout, sampleOf, subscription } from '@tagway/store/test/two-tags';

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
