import type { Gateway } from '../core/gateway.ts';
import { checkParams } from './params.ts';
import type { Revised } from './revisions.ts';
import { withBody, withQuery, type About, type Endpoints } from './route.ts';
import { nameErrors } from './shared-errors.ts';

/** Where an app subscribes already, the family of this API answers at 200. */
const adding = {
  errors: [
    ...nameErrors,
    'NODE_NOT_FOUND',
    'NODE_NOT_SUBSCRIBABLE',
    'GROUP_SUBSCRIBED',
    'GROUP_PARAM_INVALID',
    'GROUP_NOT_FOUND',
    'LIBRARY_OPEN_FAILED',
  ],
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
      { role: 'engineer', summary: 'Subscribes an app to a group.', ...adding, revision: ofApp },
      ({ app, driver, group, params }) => {
        checkParams(params);
        return subscriptions.add(app, [{ driver, group, params }]);
      },
    ),

    'POST /api/v2/subscribes': withBody(
      'SubscribeManyBody',
      {
        role: 'engineer',
        summary: 'Subscribes an app to groups, up to the first that is refused.',
        ...adding,
        revision: ofApp,
      },
      ({ app, groups }) => {
        for (const { params } of groups) checkParams(params);
        return subscriptions.add(app, groups);
      },
    ),

    'POST /api/v2/subscribe/preview': withBody(
      'SubscribeBody',
      {
        role: 'viewer',
        summary:
          'Shows what an app would send for the latest sample of a group with these parameters. Nothing is sent or changed.',
        reply: 'PreviewReply',
        errors: [
          ...nameErrors,
          'NODE_NOT_FOUND',
          'NODE_NOT_SUBSCRIBABLE',
          'NODE_NOT_READY',
          'GROUP_PARAM_INVALID',
          'GROUP_NOT_FOUND',
          'LIBRARY_OPEN_FAILED',
          'NOT_READY',
          'PLUGIN_TYPE_UNSUPPORTED',
        ],
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
        errors: [
          ...nameErrors,
          'NODE_NOT_FOUND',
          'NODE_NOT_SUBSCRIBABLE',
          'GROUP_PARAM_INVALID',
          'GROUP_NOT_FOUND',
          'LIBRARY_OPEN_FAILED',
        ],
        revision: ofApp,
      },
      ({ app, driver, group, params }) => {
        checkParams(params);
        return subscriptions.update(app, { driver, group, params });
      },
    ),

    'DELETE /api/v2/subscribe': withBody(
      'UnsubscribeBody',
      {
        role: 'engineer',
        summary: 'Ends a subscription.',
        errors: [...nameErrors, 'NODE_NOT_FOUND', 'GROUP_NOT_FOUND'],
        revision: ofApp,
      },
      ({ app, driver, group }) => subscriptions.delete(app, driver, group),
    ),
  };
}
