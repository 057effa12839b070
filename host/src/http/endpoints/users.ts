import type { Dialect } from '@tagway/schemas';
import type { Gateway } from '../../core/gateway.ts';
import { askingOf, callerOf } from '../request.ts';
import { bare, withBody, type Endpoints } from '../route.ts';

/** Users beside the first one. */
export function userEndpoints({ users }: Gateway, { hasRoles }: Dialect): Endpoints {
  return {
    'GET /api/v2/users': bare(
      {
        role: 'viewer',
        summary: 'Lists the users. A caller who is no admin sees nobody but itself.',
        reply: 'UsersReply',
      },
      (ctx) => {
        if (!hasRoles) return { users: users.list().map(({ name }) => ({ name })) };
        const { kind, name, role, manages, issuer, isOutside = false } = callerOf(ctx);
        const isOwn = kind === 'user' && !isOutside;
        const listed = users.list().filter((user) => manages || (isOwn && user.name === name));
        return {
          users: listed,
          self: { kind, name, role, ...(isOutside && issuer !== undefined && { issuer }) },
        };
      },
    ),

    'POST /api/v2/users': withBody(
      'AddUserBody',
      {
        role: 'admin',
        summary: 'Adds a user.',
        audit: ({ name }) => `added the user "${name}"`,
        settings: ({ name }) => ({ values: { role: users.roleOf(name) } }),
        errors: ['PASSWORD_LENGTH', 'USER_EXISTS', 'USER_NAME_LENGTH', 'USER_NOT_PERMITTED'],
      },
      ({ name, password, role }, ctx) => users.add(askingOf(ctx), name, password, role),
    ),

    'PUT /api/v2/users': withBody(
      'UpdateUserBody',
      {
        role: 'viewer',
        summary:
          'Sets the password of a user, as this user or as an admin, or its role, as an admin, or both. A new password ends the other sessions.',
        audit: ({ name, new_password, role }) =>
          [
            ...(new_password === undefined ? [] : [`set the password of the user "${name}"`]),
            ...(role === undefined ? [] : [`made the user "${name}" ${role}`]),
          ].join(' and '),
        settings: ({ name }) => ({ values: { role: users.roleOf(name) } }),
        errors: ['PASSWORD_LENGTH', 'PASSWORD_DUPLICATE', 'USER_NOT_FOUND', 'USER_NOT_PERMITTED'],
      },
      ({ name, new_password: password, role }, ctx) =>
        users.update(askingOf(ctx), name, { password, role, token: callerOf(ctx).token }),
    ),

    'DELETE /api/v2/users': withBody(
      'DeleteUserBody',
      {
        role: 'admin',
        summary: 'Deletes a user and ends its sessions; the first user and the last admin stay.',
        audit: ({ name }) => `deleted the user "${name}"`,
        errors: ['USER_NOT_FOUND', 'USER_NOT_PERMITTED'],
      },
      ({ name }, ctx) => users.delete(askingOf(ctx), name),
    ),
  };
}
