import { DataType, type Sample, type Subscription } from '@tagway/sdk';
import { layoutOf, sampleWith, settingsBy, TestNode } from '@tagway/store/test';
import schema from '../settings.schema.json' with { type: 'json' };
import { HttpApp } from '../src/http.ts';
import type { Settings } from '../src/settings.ts';

export const settingsOf = settingsBy<Settings>(schema);

export const layout = layoutOf([
  { name: 'tag0', type: DataType.INT32 },
  { name: 'say "hi"', type: DataType.STRING },
]);

export const subscription: Subscription = { id: 1, driver: 'modbus', group: 'grp', layout };

export const sampleOf = (tag0: number, more: Partial<Sample> = {}): Sample =>
  sampleWith(layout, [tag0, 'a\n"b"'], more);

export type HttpTestNode = TestNode<Settings, Record<string, unknown>>;

const create = (context: ConstructorParameters<typeof HttpApp>[0]): HttpApp => new HttpApp(context);

export function startNode(params: Record<string, unknown>, speed = 1): Promise<HttpTestNode> {
  return TestNode.open<Settings, Record<string, unknown>>(
    settingsOf({ 'batch-age': 20, timeout: 2000, ...params }),
    {
      node: 'hook',
      create,
      speed,
    },
  );
}

export function nodeIn(folder: string): Promise<HttpTestNode> {
  return TestNode.idle<Settings, Record<string, unknown>>({ node: 'hook', create, folder });
}
