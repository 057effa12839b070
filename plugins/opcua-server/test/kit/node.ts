import { settingsBy, TestNode, type TestNodeOptions } from '@tagway/store/test';
import { freePort } from '@tagway/testkit';
import type { Layout, Subscription } from '@tagway/sdk';
import schema from '../../settings.schema.json' with { type: 'json' };
import { OpcUaServerApp } from '../../src/server-app.ts';
import type { Params, Settings } from '../../src/settings.ts';

export const settingsOf = settingsBy<Settings>(schema);

export type ServerNode = TestNode<Settings, Params> & { readonly port: number };

/** Starts a server on a free port of 127.0.0.1. Without settings it is open to everybody who reads. */
export async function startServer(
  params: Record<string, unknown> = { unsecured: true, anonymous: true },
  more: Partial<TestNodeOptions<Settings, Params>> = {},
): Promise<ServerNode> {
  const port = Number(params['port'] ?? (await freePort()));
  const settings = settingsOf({ host: '127.0.0.1', port, ...params });
  const node = await TestNode.open<Settings, Params>(settings, {
    node: 'opc',
    create: (context) => new OpcUaServerApp(context),
    ...more,
  });
  return Object.assign(node, { port });
}

/** The subscription to the group of a layout. */
export function subscriptionTo(layout: Layout, params?: Params, id = 1): Subscription<Params> {
  return { id, driver: layout.driver, group: layout.group, layout, ...(params !== undefined && { params }) };
}
