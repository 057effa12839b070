import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import type { Gateway } from '../core/gateway.ts';
import type { Revised } from './revisions.ts';
import { withBody, withQuery, type Endpoints } from './route.ts';
import { driverErrors, groupErrors } from './shared-errors.ts';

/** Section 4.3. */
export function groupEndpoints({ nodes, groups }: Gateway): Endpoints {
  const list = (node: string) =>
    groups.list(node).map(({ name, interval, tags }) => ({ name, interval, tag_count: tags.size }));
  const ofNode = ({ node }: { readonly node: string }): Revised => ({ shown: { groups: list(node) } });
  return {
    'GET /api/v2/group': withQuery(
      'GroupsQuery',
      {
        role: 'viewer',
        summary: 'Lists the groups of a driver or of all drivers.',
        reply: ['GroupsReply', 'AllGroupsReply'],
        errors: ['NODE_NOT_FOUND', 'NODE_NAME_TOO_LONG', 'GROUP_NOT_ALLOWED'],
        revision: ({ node }) => (node ? ofNode({ node }) : undefined),
      },
      ({ node, group = '' }) => {
        if (node) return { groups: list(node).filter(({ name }) => name.includes(group)) };
        const listed = nodes.all().flatMap((one) => [...one.groups.values()]);
        const wanted = listed.filter(({ name }) => name.includes(group));
        return {
          groups: wanted.map(({ node: driver, name, interval, tags }) => ({
            ...{ driver: driver.name, group: name },
            ...{ interval, tag_count: tags.size },
          })),
        };
      },
    ),

    'POST /api/v2/group': withBody(
      'AddGroupBody',
      {
        role: 'engineer',
        summary: 'Adds a group.',
        errors: [...driverErrors, 'GROUP_EXISTS', 'GROUP_PARAM_INVALID'],
        revision: ofNode,
      },
      ({ node, name, group, interval }) => {
        const newName = name ?? group;
        if (newName === undefined) throw new Fault(ErrorCode.BODY_INVALID, 'The field name is missing.');
        return groups.add(node, newName, interval);
      },
    ),

    'PUT /api/v2/group': withBody(
      'UpdateGroupBody',
      {
        role: 'engineer',
        summary: 'Renames a group, changes its interval or both.',
        errors: [...groupErrors, 'GROUP_EXISTS', 'GROUP_PARAM_INVALID'],
        revision: ofNode,
      },
      ({ node, group, new_name: newName, interval }) => groups.update(node, group, { newName, interval }),
    ),

    'DELETE /api/v2/group': withBody(
      'DeleteGroupBody',
      {
        role: 'engineer',
        summary: 'Deletes a group and its tags.',
        errors: [...groupErrors, 'GROUP_SUBSCRIBED'],
        revision: ofNode,
      },
      ({ node, group }) => groups.delete(node, group),
    ),
  };
}
