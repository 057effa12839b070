import { TestNode, settingsBy, type TestNodeOptions } from '@tagway/mqtt-client/test';
import { LinkState, RunningState } from '@tagway/sdk';
import type { DriverState, Layout, Sample, Subscription } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import schema from '../settings.schema.json' with { type: 'json' };
import type { Settings } from '../src/settings.ts';
import { SparkplugApp } from '../src/sparkplug.ts';

export const settingsOf = settingsBy<Settings>(schema);

export type SparkplugTestNode = TestNode<Settings, Record<string, unknown>>;

/** Starts the edge node `plant/edge` on the broker at this port, and waits until it is connected. */
export async function startNode(
  port: number,
  params: Record<string, unknown> = {},
): Promise<SparkplugTestNode> {
  const run = await launchNode(port, params);
  await until('the node is connected', () => run.link === LinkState.CONNECTED);
  return run;
}

/** Starts the edge node `plant/edge`, which need not find its broker. */
export function launchNode(
  port: number,
  params: Record<string, unknown> = {},
  more: Partial<TestNodeOptions<Settings, Record<string, unknown>>> = {},
): Promise<SparkplugTestNode> {
  return TestNode.open<Settings, Record<string, unknown>>(settingsAt(port, params), {
    node: 'spark',
    create: (context) => new SparkplugApp(context),
    ...more,
  });
}

export function settingsAt(port: number, params: Record<string, unknown> = {}): Settings {
  return settingsOf({
    host: '127.0.0.1',
    port,
    'group-id': 'plant',
    'node-id': 'edge',
    'group-path': false,
    'rebirth-debounce': 100,
    ...params,
  });
}

/** The subscription to the group of a layout. */
export function subscriptionTo(layout: Layout, id = 1): Subscription {
  return { id, driver: layout.driver, group: layout.group, layout };
}

export function stateOf(driver: string, link: LinkState): DriverState {
  return { driver, running: RunningState.RUNNING, link };
}

/** Tells a run of one group of a driver that has its link, and delivers a first sample. */
export function feed(run: SparkplugTestNode, sample: Sample): Subscription {
  const subscription = subscriptionTo(sample.layout);
  run.app.subscriptionsChanged([subscription]);
  run.app.driversChanged?.([stateOf(sample.layout.driver, LinkState.CONNECTED)]);
  run.deliver(sample, subscription);
  return subscription;
}
