import type { ConformanceTable } from './rows.ts';

const x65 = 'x'.repeat(65);

export const users: ConformanceTable = {
  'GET /users': [['all is well', undefined, 200, 0]],

  'POST /users': [
    ['all is well', { name: 'viewer', password: 'secret' }, 200, 0],
    ['the name is taken', { name: 'viewer', password: 'other' }, 400, 'USER_EXISTS'],
    ['the name is that of the first user', { name: 'admin', password: 'other' }, 400, 'USER_EXISTS'],
    ['the name has 3 bytes', { name: 'abc', password: 'secret' }, 400, 'USER_NAME_LENGTH'],
    ['the name has 33 bytes', { name: 'n'.repeat(33), password: 'secret' }, 400, 'USER_NAME_LENGTH'],
    ['the password has 3 bytes', { name: 'other', password: 'abc' }, 400, 'PASSWORD_LENGTH'],
    ['the password has 65 bytes', { name: 'other', password: x65 }, 400, 'PASSWORD_LENGTH'],
    [
      'not an admin asks',
      { name: 'other', password: 'secret' },
      403,
      'USER_NOT_PERMITTED',
      { token: 'operator', family: [400, 'USER_NOT_PERMITTED'] },
    ],
  ],

  'PUT /users': [
    ['the first user asks', { name: 'viewer', new_password: 'changed' }, 200, 0],
    ['the user asks', { name: 'operator', new_password: 'changed' }, 200, 0, { token: 'operator' }],
    [
      'another user asks',
      { name: 'viewer', new_password: 'mine' },
      403,
      'USER_NOT_PERMITTED',
      { token: 'operator', family: [400, 'USER_NOT_PERMITTED'] },
    ],
    ['the user does not exist', { name: 'absent', new_password: 'changed' }, 400, 'USER_NOT_FOUND'],
    ['the password is what it was', { name: 'viewer', new_password: 'changed' }, 400, 'PASSWORD_DUPLICATE'],
    ['the password has 3 bytes', { name: 'viewer', new_password: 'abc' }, 400, 'PASSWORD_LENGTH'],
    ['the password has 65 bytes', { name: 'viewer', new_password: x65 }, 400, 'PASSWORD_LENGTH'],
  ],

  'DELETE /users': [
    [
      'not an admin asks',
      { name: 'viewer' },
      403,
      'USER_NOT_PERMITTED',
      { token: 'operator', family: [400, 'USER_NOT_PERMITTED'] },
    ],
    [
      'the first user is to go',
      { name: 'admin' },
      403,
      'USER_NOT_PERMITTED',
      { family: [400, 'USER_NOT_PERMITTED'] },
    ],
    ['the user does not exist', { name: 'absent' }, 400, 'USER_NOT_FOUND'],
    ['all is well', { name: 'viewer' }, 200, 0],
  ],

  'GET /tokens': [
    ['all is well', undefined, 200, 0],
    ['not an admin asks', undefined, 403, 'USER_NOT_PERMITTED', { token: 'operator', family: [200, 0] }],
  ],

  'POST /tokens': [
    ['all is well', { name: 'scada', role: 'operator', days: 30 }, 200, 0],
    ['the name is taken', { name: 'scada', role: 'operator' }, 400, 'USER_EXISTS'],
    ['there is no such role', { name: 'other', role: 'boss' }, 400, 'BODY_INVALID'],
    ['it would last too long', { name: 'other', role: 'viewer', days: 4000 }, 400, 'BODY_INVALID'],
    [
      'not an admin asks',
      { name: 'other', role: 'viewer' },
      403,
      'USER_NOT_PERMITTED',
      { token: 'operator', family: [400, 'USER_NOT_PERMITTED'] },
    ],
  ],

  'DELETE /tokens': [
    ['all is well', { name: 'scada' }, 200, 0],
    ['the token does not exist', { name: 'scada' }, 400, 'USER_NOT_FOUND'],
  ],

  'GET /audit': [
    ['all is well', undefined, 200, 0],
    ['the page is none', { page: 'x' }, 400, 'PARAM_INVALID'],
    ['not an admin asks', undefined, 403, 'USER_NOT_PERMITTED', { token: 'operator', family: [200, 0] }],
  ],
};
