import { ErrorCode } from '@tagway/schemas';
import { paceMembers } from '../../core/tags/group-pace.ts';
import { groupChange } from '../audit/wording.ts';
import type { Gateway } from '../../core/gateway.ts';
import type { Revised } from '../revisions.ts';
import { withBody, withQuery, type Endpoints } from '../route.ts';
import { driverErrors, groupErrors } from './shared-errors.ts';
import { Refusal, sentence } from '../../core/system/sentence.ts';

/** Section 4.3. */
export function groupEndpoints({ nodes, groups }: Gateway): Endpoints {
  const list = (node: string) =>
    groups.list(node).map(({ name, interval, history, pace, tags }) => ({
      name,
      interval,
      ...shownHistory(history),
      ...pace,
      tag_count: tags.size,
    }));
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
          groups: wanted.map(({ node: driver, name, interval, history, pace, tags }) => ({
            driver: driver.name,
            group: name,
            interval,
            ...shownHistory(history),
            ...pace,
            tag_count: tags.size,
          })),
        };
      },
    ),

    'POST /api/v2/group': withBody(
      'AddGroupBody',
      {
        role: 'engineer',
        summary: 'Adds a group.',
        audit: (body) => `added the group "${body.name ?? body.group}" of "${body.node}"${groupChange(body)}`,
        errors: [...driverErrors, 'GROUP_EXISTS', 'GROUP_PARAM_INVALID'],
        revision: ofNode,
      },
      (body, _ctx, condition) => {
        const { node, name, group, interval, history } = body;
        const newName = name ?? group;
        if (newName === undefined)
          throw new Refusal(ErrorCode.BODY_INVALID, sentence`The field name is missing.`);
        return groups.add(node, newName, interval, { history, pace: paceMembers(body), condition });
      },
    ),

    'PUT /api/v2/group': withBody(
      'UpdateGroupBody',
      {
        role: 'engineer',
        summary: 'Renames a group, or changes its interval, its history or when apps get reports of it.',
        audit: (body) => `changed the group "${body.group}" of "${body.node}"${groupChange(body)}`,
        settings: ({ node, group, new_name }) => {
          const found = groups.list(node).find(({ name }) => name === group || name === new_name);
          return {
            values: found && {
              name: found.name,
              interval: found.interval,
              history: found.history,
              ...found.pace,
            },
          };
        },
        errors: [...groupErrors, 'GROUP_EXISTS', 'GROUP_PARAM_INVALID', 'TAG_ADDRESS_TOO_LONG'],
        revision: ofNode,
      },
      (body, _ctx, condition) => {
        const { node, group, new_name: newName, interval, history } = body;
        const change = { newName, interval, history, pace: paceMembers(body) };
        return groups.update(node, group, change, condition);
      },
    ),

    'DELETE /api/v2/group': withBody(
      'DeleteGroupBody',
      {
        role: 'engineer',
        summary: 'Deletes a group and its tags.',
        audit: ({ node, group }) => `deleted the group "${group}" of "${node}"`,
        errors: [...groupErrors, 'GROUP_SUBSCRIBED'],
        revision: ofNode,
      },
      ({ node, group }, _ctx, condition) => groups.delete(node, group, condition),
    ),
  };
}

/** Only of a group that has one, so that others look as those of the family. */
export const shownHistory = (history: number): { readonly history?: number } =>
  history > 0 ? { history } : {};
