import type { Gateway } from '../core/gateway.ts';
import { callerOf } from './caller.ts';
import { bare, withBody, type Endpoints } from './route.ts';

/** Users beside the first one. */
export function userEndpoints({ users }: Gateway): Endpoints {
  return {
    'GET /api/v2/users': bare({ summary: 'Lists the users.', reply: 'UsersReply' }, () => ({
      users: users.list().map((name) => ({ name })),
    })),

    'POST /api/v2/users': withBody(
      'AddUserBody',
      {
        summary: 'Adds a user; only the first user may.',
        errors: ['PASSWORD_LENGTH', 'USER_EXISTS', 'USER_NAME_LENGTH', 'USER_NOT_PERMITTED'],
      },
      ({ name, password }, ctx) => users.add(callerOf(ctx), name, password),
    ),

    'PUT /api/v2/users': withBody(
      'UpdateUserBody',
      {
        summary: 'Sets the password of a user, who or the first user may.',
        errors: ['PASSWORD_LENGTH', 'PASSWORD_DUPLICATE', 'USER_NOT_FOUND', 'USER_NOT_PERMITTED'],
      },
      ({ name, new_password }, ctx) => users.setPassword(callerOf(ctx), name, new_password),
    ),

    'DELETE /api/v2/users': withBody(
      'DeleteUserBody',
      {
        summary: 'Deletes a user; only the first user may, and stays.',
        errors: ['USER_NOT_FOUND', 'USER_NOT_PERMITTED'],
      },
      ({ name }, ctx) => users.delete(callerOf(ctx), name),
    ),
  };
}
