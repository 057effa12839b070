import type { ConformanceRow, ConformanceTable } from './rows.ts';

const length = { family: [400, 'PASSWORD_LENGTH'] } as const;

/** What every endpoint for users answers to who is none. */
const strangers = (send: Record<string, string> | undefined): readonly ConformanceRow[] => [
  ['there is no token', send, 401, 'TOKEN_MISSING', { token: 'missing' }],
  ['the token is none', send, 401, 'TOKEN_UNDECODABLE', { token: 'undecodable' }],
  ['the token has expired', send, 403, 'TOKEN_EXPIRED', { token: 'expired' }],
  ['the token is not valid yet', send, 403, 'TOKEN_NOT_VALID', { token: 'early' }],
  [
    'the token does not say when it expires',
    send,
    403,
    'TOKEN_INVALID',
    { token: 'endless', family: [403, 'TOKEN_NOT_VALID'] },
  ],
];

export const session: ConformanceTable = {
  'POST /ping': [['all is well', undefined, 200, 0]],

  'POST /login': [
    ['all is well', { name: 'admin', pass: '0000' }, 200, 0],
    ['the password is wrong', { name: 'admin', pass: '1111' }, 401, 'CREDENTIALS_INVALID'],
    ['the user is unknown', { name: 'nobody', pass: '0000' }, 401, 'CREDENTIALS_INVALID'],
    ['the password is empty', { name: 'admin', pass: '' }, 401, 'CREDENTIALS_INVALID'],
    ['the password is very long', { name: 'admin', pass: 'x'.repeat(10_000) }, 401, 'CREDENTIALS_INVALID'],
  ],

  'POST /password': [
    ...strangers(password('0000', '1111')),
    ['the new password has 3 characters', password('0000', '111'), 401, 'PASSWORD_LENGTH', length],
    ['the new password has 65 bytes', password('0000', 'x'.repeat(65)), 401, 'PASSWORD_LENGTH', length],
    [
      'the new password is too short and the old one wrong',
      password('1111', ''),
      401,
      'PASSWORD_LENGTH',
      length,
    ],
    [
      'the new password has 17 bytes and the old one is wrong',
      password('1111', 'x'.repeat(17)),
      401,
      'CREDENTIALS_INVALID',
      length,
    ],
    [
      'the new password is the old one',
      password('0000', '0000'),
      401,
      'PASSWORD_DUPLICATE',
      { family: [400, 'PASSWORD_DUPLICATE'] },
    ],
    ['the old password is wrong', password('1111', '2222'), 401, 'CREDENTIALS_INVALID'],
    ['the user is unknown', { ...password('0000', '1111'), name: 'nobody' }, 401, 'CREDENTIALS_INVALID'],
    ['all is well', password('0000', '1111'), 200, 0],
    ['all is well, and the password is what it was', password('1111', '0000'), 200, 0],
  ],

  'GET /status': [['all is well', undefined, 200, 0]],

  'GET /version': [
    ['all is well', undefined, 200, 0],
    ['another user asks', undefined, 200, 0, { token: 'operator' }],
    [
      'the user of the token was deleted',
      undefined,
      403,
      'TOKEN_INVALID',
      { token: 'stranger', family: [403, 'TOKEN_NOT_VALID'] },
    ],
    ...strangers(undefined),
  ],
};

function password(old_pass: string, new_pass: string): Record<string, string> {
  return { name: 'admin', old_pass, new_pass };
}
