import type { Gateway } from '../core/gateway.ts';
import { callerOf } from './caller.ts';
import { bare, withBody, type Route } from './route.ts';

/** Users beside the first one. */
export function userRoutes({ users }: Gateway): Route[] {
  return [
    bare('GET', '/api/v2/users', () => ({ users: users.list().map((name) => ({ name })) })),

    withBody('POST', '/api/v2/users', 'AddUserBody', async ({ name, password }, ctx) => {
      await users.add(callerOf(ctx), name, password);
      return undefined;
    }),

    withBody('PUT', '/api/v2/users', 'UpdateUserBody', async ({ name, new_password }, ctx) => {
      await users.setPassword(callerOf(ctx), name, new_password);
      return undefined;
    }),

    withBody('DELETE', '/api/v2/users', 'DeleteUserBody', async ({ name }, ctx) => {
      await users.delete(callerOf(ctx), name);
      return undefined;
    }),
  ];
}
