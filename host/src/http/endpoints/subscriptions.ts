import type { SubscribeBody, UnsubscribeBody } from '@tagway/schemas';
import type { Gateway } from '../../core/gateway.ts';
import type { SeenSettings } from '../audit/changed-settings.ts';
import { checkParams } from '../body/params.ts';
import type { Revised } from '../revisions.ts';
import { withBody, withQuery, type About, type Endpoints } from '../route.ts';
import { nameErrors } from './shared-errors.ts';

/** The app cannot subscribe to the group. */
const subscriptionErrors = [
  ...nameErrors,
  'NODE_NOT_FOUND',
  'NODE_NOT_SUBSCRIBABLE',
  'GROUP_PARAM_INVALID',
  'GROUP_NOT_FOUND',
  'LIBRARY_OPEN_FAILED',
] as const;

/** Where an app subscribes already, the family of this API answers at 200. */
const adding = {
  errors: ['GROUP_SUBSCRIBED', ...subscriptionErrors],
  statuses: { GROUP_SUBSCRIBED: 200 },
} satisfies Partial<About>;

/** Section 4.7. */
export function subscriptionEndpoints({ nodes, subscriptions }: Gateway): Endpoints {
  const list = (app: string, driver?: string, of?: string): object => ({
    groups: subscriptions.list(app, driver, of).map(({ group, params }) => ({
      driver: group.node.name,
      group: group.name,
      ...(params === undefined ? {} : { params }),
    })),
  });
  const settings = ({ app, driver, group }: SubscribeBody | UnsubscribeBody): SeenSettings => ({
    values: subscriptions.find(app, driver, group)?.params,
  });
  const ofApp = ({ app }: { readonly app: string }): Revised => ({ shown: list(app) });
  return {
    'GET /api/v2/subscribe': withQuery(
      'SubscriptionsQuery',
      {
        role: 'viewer',
        summary: 'Lists the groups that an app subscribes to.',
        reply: 'SubscriptionsReply',
        revision: ofApp,
      },
      ({ app, driver, group }) => list(app, driver, group),
    ),

    'GET /api/v2/subscribes': withQuery(
      'SubscribableQuery',
      {
        role: 'viewer',
        summary: 'Lists the groups of drivers, and whether an app subscribes to them.',
        reply: 'SubscribableReply',
        errors: ['NODE_NOT_FOUND', 'NODE_NOT_SUBSCRIBABLE'],
      },
      ({ app, name = '' }) => ({
        drivers: subscriptions.candidates(app, name).map(({ driver, groups }) => ({
          name: driver.name,
          groups: groups.map((group) => ({
            name: group.name,
            subscribed: group.subscriptions.has(nodes.get(app)),
          })),
        })),
      }),
    ),

    'POST /api/v2/subscribe': withBody(
      'SubscribeBody',
      {
        role: 'engineer',
        summary: 'Subscribes an app to a group.',
        audit: (body) => `subscribed ${routeOf(body)}`,
        settings,
        ...adding,
        revision: ofApp,
      },
      ({ app, driver, group, params }, _ctx, condition) => {
        checkParams(params);
        return subscriptions.add(app, [{ driver, group, params }], condition);
      },
    ),

    'POST /api/v2/subscribes': withBody(
      'SubscribeManyBody',
      {
        role: 'engineer',
        summary: 'Subscribes an app to groups, up to the first that is refused.',
        audit: ({ app, groups }) => `subscribed "${app}" to ${groups.length} groups`,
        ...adding,
        revision: ofApp,
      },
      ({ app, groups }, _ctx, condition) => {
        for (const { params } of groups) checkParams(params);
        return subscriptions.add(app, groups, condition);
      },
    ),

    'POST /api/v2/subscribe/preview': withBody(
      'SubscribeBody',
      {
        role: 'viewer',
        summary:
          'Shows what an app would send for the latest sample of a group with these parameters. Nothing is sent or changed.',
        audit: 'nothing',
        reply: 'PreviewReply',
        errors: ['NODE_NOT_READY', 'NOT_READY', 'PLUGIN_TYPE_UNSUPPORTED', ...subscriptionErrors],
      },
      ({ app, driver, group, params }) => {
        checkParams(params);
        return subscriptions.preview(app, { driver, group, params });
      },
    ),

    'PUT /api/v2/subscribe': withBody(
      'UpdateSubscriptionBody',
      {
        role: 'engineer',
        summary: 'Changes the parameters of a subscription.',
        audit: (body) => `changed the parameters with which ${routeOf(body)} is subscribed`,
        settings,
        errors: subscriptionErrors,
        revision: ofApp,
      },
      ({ app, driver, group, params }, _ctx, condition) => {
        checkParams(params);
        return subscriptions.update(app, { driver, group, params }, condition);
      },
    ),

    'DELETE /api/v2/subscribe': withBody(
      'UnsubscribeBody',
      {
        role: 'engineer',
        summary: 'Ends a subscription.',
        audit: (body) => `ended the subscription of ${routeOf(body)}`,
        settings,
        errors: [...nameErrors, 'NODE_NOT_FOUND', 'GROUP_NOT_FOUND'],
        revision: ofApp,
      },
      ({ app, driver, group }, _ctx, condition) => subscriptions.delete(app, driver, group, condition),
    ),
  };
}

/** Such as `"uplink" to the group "fast" of "boiler"`. */
function routeOf({ app, driver, group }: UnsubscribeBody): string {
  return `"${app}" to the group "${group}" of "${driver}"`;
}
