import type { ConformanceTable } from './rows.ts';

const x65 = 'x'.repeat(65);

export const users: ConformanceTable = {
  'GET /users': [['all is well', undefined, 200, 0]],

  'POST /users': [
    ['all is well', { name: 'viewer', password: 'secret' }, 200, 0],
    ['the name is taken', { name: 'viewer', password: 'other' }, 400, 1019],
    ['the name is that of the first user', { name: 'admin', password: 'other' }, 400, 1019],
    ['the name has 3 bytes', { name: 'abc', password: 'secret' }, 400, 1021],
    ['the name has 33 bytes', { name: 'n'.repeat(33), password: 'secret' }, 400, 1021],
    ['the password has 3 bytes', { name: 'other', password: 'abc' }, 400, 1012],
    ['the password has 65 bytes', { name: 'other', password: x65 }, 400, 1012],
    ['not the first user asks', { name: 'other', password: 'secret' }, 400, 1022, { token: 'operator' }],
  ],

  'PUT /users': [
    ['the first user asks', { name: 'viewer', new_password: 'changed' }, 200, 0],
    ['the user asks', { name: 'operator', new_password: 'changed' }, 200, 0, { token: 'operator' }],
    ['another user asks', { name: 'viewer', new_password: 'mine' }, 400, 1022, { token: 'operator' }],
    ['the user does not exist', { name: 'absent', new_password: 'changed' }, 400, 1020],
    ['the password is what it was', { name: 'viewer', new_password: 'changed' }, 400, 1013],
    ['the password has 3 bytes', { name: 'viewer', new_password: 'abc' }, 400, 1012],
    ['the password has 65 bytes', { name: 'viewer', new_password: x65 }, 400, 1012],
  ],

  'DELETE /users': [
    ['not the first user asks', { name: 'viewer' }, 400, 1022, { token: 'operator' }],
    ['the first user is to go', { name: 'admin' }, 400, 1022],
    ['the user does not exist', { name: 'absent' }, 400, 1020],
    ['all is well', { name: 'viewer' }, 200, 0],
  ],
};
