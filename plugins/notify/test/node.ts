import type { AlarmEvent, AppContext, NodeStore, Subscription } from '@tagway/sdk';
import { settingsBy, TestNode } from '@tagway/store/test';
import { fakeStore } from '@tagway/testkit';
import schema from '../settings.schema.json' with { type: 'json' };
import { NotifyApp } from '../src/notify.ts';
import type { Settings } from '../src/settings.ts';

export const settingsOf = settingsBy<Settings>(schema);

/** Settings for a mail server without TLS, which send at once. */
export const paramsOf = (port: number, params: object = {}): Settings =>
  settingsOf({
    rules: 'duty = duty@example.com',
    smtp_host: '127.0.0.1',
    smtp_port: port,
    smtp_security: 2,
    from: 'gateway@example.com',
    gather: 0,
    timeout: 1000,
    ...params,
  });

export type NotifyTestNode = TestNode<Settings, Record<string, unknown>>;

const layout = {
  version: 1,
  driver: 'alarms',
  group: 'group',
  interval: 100,
  columns: ['high', 'low', 'other'].map((name) => ({ name })),
  writeOnly: [],
} as unknown as Subscription['layout'];

export const subscription: Subscription = { id: 1, driver: 'alarms', group: 'group', layout };

let last = 0;

/** The next transition of the alarm "high", as others are not given. */
export function transition(
  from: AlarmEvent['from'],
  to: AlarmEvent['to'],
  more: Partial<AlarmEvent> = {},
): AlarmEvent & { readonly group: string } {
  const now = Date.now();
  return {
    sequence: ++last,
    time: now,
    recorded: now,
    group: 'group',
    tag: 'high',
    from,
    to,
    cause: 'condition',
    priority: 'high',
    text: 'Boiler at 95 °C',
    value: 95,
    ...more,
  };
}

export interface Stand {
  readonly node: NotifyTestNode;
  readonly store: NodeStore;
  /** What the journal has. */
  readonly journal: (AlarmEvent & { readonly group: string })[];
  /** Has it happen: it is in the journal, and reaches the node. */
  happen(...events: (AlarmEvent & { readonly group: string })[]): void;
}

/** A node that subscribes to alarms, on a store that outlives its runs. */
export async function stand(settings: Settings, speed = 1): Promise<Stand> {
  const journal: (AlarmEvent & { readonly group: string })[] = [];
  const alarms: AppContext['alarms'] = (_driver, { after = 0 } = {}) => {
    const events = journal.filter(({ sequence }) => sequence > after).slice(0, 1000);
    return Promise.resolve({ events, last: journal.at(-1)?.sequence ?? last });
  };
  const store = fakeStore();
  const node = await TestNode.open<Settings, Record<string, unknown>>(settings, {
    node: 'notify',
    create: (context) => new NotifyApp(context),
    store,
    alarms,
    speed,
  });
  const result = {
    node,
    store,
    journal,
    happen: (...events: (AlarmEvent & { readonly group: string })[]): void => {
      journal.push(...events);
      node.app.deliverAlarms?.(events, subscription);
    },
  };
  await subscribe(result);
  return result;
}

/** Subscribes, and waits until the journal was read. */
export async function subscribe({ node, store }: Pick<Stand, 'node' | 'store'>): Promise<void> {
  node.app.subscriptionsChanged([subscription]);
  for (let tries = 0; tries < 100 && !(await store.read()).has('seen/1'); tries++)
    await new Promise((resolve) => setTimeout(resolve, 10));
  await new Promise((resolve) => setTimeout(resolve, 20));
}
