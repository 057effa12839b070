import type { ConformanceTable } from './rows.ts';

export const session: ConformanceTable = {
  'POST /ping': [['all is well', undefined, 200, 0]],

  'POST /login': [
    ['all is well', { name: 'admin', pass: '0000' }, 200, 0],
    ['the password is wrong', { name: 'admin', pass: '1111' }, 401, 1009],
    ['the user is unknown', { name: 'nobody', pass: '0000' }, 401, 1009],
    ['the password is empty', { name: 'admin', pass: '' }, 401, 1009],
    ['the password is very long', { name: 'admin', pass: 'x'.repeat(10_000) }, 401, 1009],
  ],

  'POST /password': [
    ['there is no token', password('0000', '1111'), 401, 1004, { token: 'missing' }],
    ['the token is none', password('0000', '1111'), 401, 1005, { token: 'undecodable' }],
    ['the token has expired', password('0000', '1111'), 403, 1006, { token: 'expired' }],
    ['the token is not valid yet', password('0000', '1111'), 403, 1007, { token: 'early' }],
    [
      'the token does not say when it expires',
      password('0000', '1111'),
      403,
      1008,
      { token: 'endless', family: [403, 1007] },
    ],
    ['the new password has 3 characters', password('0000', '111'), 401, 1012, { family: [400, 1012] }],
    ['the new password has 65 bytes', password('0000', 'x'.repeat(65)), 401, 1012, { family: [400, 1012] }],
    [
      'the new password is too short and the old one wrong',
      password('1111', ''),
      401,
      1012,
      { family: [400, 1012] },
    ],
    [
      'the new password has 17 bytes and the old one is wrong',
      password('1111', 'x'.repeat(17)),
      401,
      1009,
      { family: [400, 1012] },
    ],
    ['the new password is the old one', password('0000', '0000'), 401, 1013, { family: [400, 1013] }],
    ['the old password is wrong', password('1111', '2222'), 401, 1009],
    ['the user is unknown', { ...password('0000', '1111'), name: 'nobody' }, 401, 1009],
    ['all is well', password('0000', '1111'), 200, 0],
    ['all is well, and the password is what it was', password('1111', '0000'), 200, 0],
  ],

  'GET /status': [['all is well', undefined, 200, 0]],

  'GET /version': [
    ['all is well', undefined, 200, 0],
    ['another user asks', undefined, 200, 0, { token: 'operator' }],
    ['the user of the token was deleted', undefined, 403, 1008, { token: 'stranger', family: [403, 1007] }],
    ['there is no token', undefined, 401, 1004, { token: 'missing' }],
    ['the token is none', undefined, 401, 1005, { token: 'undecodable' }],
    ['the token has expired', undefined, 403, 1006, { token: 'expired' }],
    ['the token is not valid yet', undefined, 403, 1007, { token: 'early' }],
    [
      'the token does not say when it expires',
      undefined,
      403,
      1008,
      { token: 'endless', family: [403, 1007] },
    ],
  ],
};

function password(old_pass: string, new_pass: string): Record<string, string> {
  return { name: 'admin', old_pass, new_pass };
}
