import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import type { Gateway } from '../core/gateway.ts';
import { withBody, withQuery, type Route } from './route.ts';

/** Section 4.3. */
export function groupRoutes(gateway: Gateway): Route[] {
  return [
    withBody('POST', '/api/v2/group', 'AddGroupBody', async ({ node, name, group, interval }) => {
      const newName = name ?? group;
      if (newName === undefined) throw new Fault(ErrorCode.BODY_INVALID, 'The field name is missing.');
      await gateway.groups.add(node, newName, interval);
      return undefined;
    }),

    withBody('DELETE', '/api/v2/group', 'DeleteGroupBody', async ({ node, group }) => {
      await gateway.groups.delete(node, group);
      return undefined;
    }),

    withBody('PUT', '/api/v2/group', 'UpdateGroupBody', async ({ node, group, new_name, interval }) => {
      await gateway.groups.update(node, group, {
        ...(new_name === undefined ? {} : { newName: new_name }),
        ...(interval === undefined ? {} : { interval }),
      });
      return undefined;
    }),

    withQuery('GET', '/api/v2/group', 'GroupsQuery', ({ node }) => {
      if (node) {
        const groups = gateway.groups.list(node);
        return {
          groups: groups.map(({ name, interval, tags }) => ({ name, interval, tag_count: tags.size })),
        };
      }
      const groups = gateway.groups.all().map((group) => ({
        driver: group.node.name,
        group: group.name,
        interval: group.interval,
        tag_count: group.tags.size,
      }));
      return { groups };
    }),
  ];
}
