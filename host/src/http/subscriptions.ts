import type { Gateway } from '../core/gateway.ts';
import { checkParams } from './params.ts';
import { withBody, withQuery, type Route } from './route.ts';

/** Section 4.7. */
export function subscriptionRoutes(gateway: Gateway): Route[] {
  return [
    withBody('POST', '/api/v2/subscribe', 'SubscribeBody', async ({ app, driver, group, params }) => {
      checkParams(params);
      await gateway.subscriptions.add(app, [{ driver, group, params }]);
      return undefined;
    }),

    withBody('POST', '/api/v2/subscribes', 'SubscribeManyBody', async ({ app, groups }) => {
      for (const { params } of groups) checkParams(params);
      await gateway.subscriptions.add(app, groups);
      return undefined;
    }),

    withBody('PUT', '/api/v2/subscribe', 'UpdateSubscriptionBody', async ({ app, driver, group, params }) => {
      checkParams(params);
      await gateway.subscriptions.update(app, { driver, group, params });
      return undefined;
    }),

    withBody('DELETE', '/api/v2/subscribe', 'UnsubscribeBody', async ({ app, driver, group }) => {
      await gateway.subscriptions.delete(app, driver, group);
      return undefined;
    }),

    withQuery('GET', '/api/v2/subscribes', 'SubscribableQuery', ({ app, name = '' }) => ({
      drivers: gateway.subscriptions.candidates(app, name).map(({ driver, groups }) => ({
        name: driver.name,
        groups: groups.map(({ name, subscriptions }) => ({
          name,
          subscribed: subscriptions.has(gateway.nodes.get(app)),
        })),
      })),
    })),

    withQuery('GET', '/api/v2/subscribe', 'SubscriptionsQuery', ({ app }) => ({
      groups: gateway.subscriptions.list(app).map(({ group, params }) => ({
        driver: group.node.name,
        group: group.name,
        ...(params === undefined ? {} : { params }),
      })),
    })),
  ];
}
