import type { Data } from '../kit/client.ts';
import { answers, type ConformanceTable } from './rows.ts';

/** What every endpoint for users answers to who is none. */
const strangers = (send: Data): ConformanceTable[string] => [
  answers('401 TOKEN_MISSING, token missing', { 'there is no token': send }),
  answers('401 TOKEN_UNDECODABLE, token undecodable', { 'the token is none': send }),
  answers('403 TOKEN_EXPIRED, token expired', { 'the token has expired': send }),
  answers('403 TOKEN_NOT_VALID, token early', { 'the token is not valid yet': send }),
  answers('403 TOKEN_INVALID, token endless, family 403 TOKEN_NOT_VALID', {
    'the token does not say when it expires': send,
  }),
];

export const session: ConformanceTable = {
  'POST /ping': [answers('200 OK', { 'all is well': undefined })],

  'POST /login': [
    answers('200 OK', { 'all is well': { name: 'admin', pass: '0000' } }),
    answers('401 CREDENTIALS_INVALID', {
      'the password is wrong': { name: 'admin', pass: '1111' },
      'the user is unknown': { name: 'nobody', pass: '0000' },
      'the password is empty': { name: 'admin', pass: '' },
      'the password is very long': { name: 'admin', pass: 'x'.repeat(10_000) },
    }),
  ],

  'POST /password': [
    ...strangers(password('0000', '1111')),
    answers('401 PASSWORD_LENGTH, family 400', {
      'the new password has 3 characters': password('0000', '111'),
      'the new password has 65 bytes': password('0000', 'x'.repeat(65)),
      'the new password is too short and the old one wrong': password('1111', ''),
    }),
    answers('401 CREDENTIALS_INVALID, family 400 PASSWORD_LENGTH', {
      'the new password has 17 bytes and the old one is wrong': password('1111', 'x'.repeat(17)),
    }),
    answers('401 PASSWORD_DUPLICATE, family 400', {
      'the new password is the old one': password('0000', '0000'),
    }),
    answers('401 CREDENTIALS_INVALID', {
      'the old password is wrong': password('1111', '2222'),
      'the user is unknown': { ...password('0000', '1111'), name: 'nobody' },
    }),
    answers('200 OK', {
      'all is well': password('0000', '1111'),
      'all is well, and the password is what it was': password('1111', '0000'),
    }),
  ],

  'GET /status': [answers('200 OK', { 'all is well': undefined })],

  'GET /version': [
    answers('200 OK', { 'all is well': undefined }),
    answers('200 OK, token operator', { 'another user asks': undefined }),
    answers('403 TOKEN_INVALID, token stranger, family 403 TOKEN_NOT_VALID', {
      'the user of the token was deleted': undefined,
    }),
    ...strangers(undefined),
  ],
};

function password(old_pass: string, new_pass: string): Record<string, string> {
  return { name: 'admin', old_pass, new_pass };
}
