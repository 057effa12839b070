import { answers, type ConformanceTable } from './rows.ts';

const x65 = 'x'.repeat(65);

export const users: ConformanceTable = {
  'GET /users': [answers('200 OK', { 'all is well': undefined })],

  'POST /users': [
    answers('200 OK', { 'all is well': { name: 'viewer', password: 'secret' } }),
    answers('400 USER_EXISTS', {
      'the name is taken': { name: 'viewer', password: 'other' },
      'the name is that of the first user': { name: 'admin', password: 'other' },
    }),
    answers('400 USER_NAME_LENGTH', {
      'the name has 3 bytes': { name: 'abc', password: 'secret' },
      'the name has 33 bytes': { name: 'n'.repeat(33), password: 'secret' },
    }),
    answers('400 PASSWORD_LENGTH', {
      'the password has 3 bytes': { name: 'other', password: 'abc' },
      'the password has 65 bytes': { name: 'other', password: x65 },
    }),
    answers('403 USER_NOT_PERMITTED, token operator, family 400', {
      'not an admin asks': { name: 'other', password: 'secret' },
    }),
  ],

  'PUT /users': [
    answers('200 OK', { 'the first user asks': { name: 'viewer', new_password: 'changed' } }),
    answers('200 OK, token operator', { 'the user asks': { name: 'operator', new_password: 'changed' } }),
    answers('403 USER_NOT_PERMITTED, token operator, family 400', {
      'another user asks': { name: 'viewer', new_password: 'mine' },
    }),
    answers('400 USER_NOT_FOUND', { 'the user does not exist': { name: 'absent', new_password: 'changed' } }),
    answers('400 PASSWORD_DUPLICATE', {
      'the password is what it was': { name: 'viewer', new_password: 'changed' },
    }),
    answers('400 PASSWORD_LENGTH', {
      'the password has 3 bytes': { name: 'viewer', new_password: 'abc' },
      'the password has 65 bytes': { name: 'viewer', new_password: x65 },
    }),
  ],

  'DELETE /users': [
    answers('403 USER_NOT_PERMITTED, token operator, family 400', {
      'not an admin asks': { name: 'viewer' },
    }),
    answers('403 USER_NOT_PERMITTED, family 400', { 'the first user is to go': { name: 'admin' } }),
    answers('400 USER_NOT_FOUND', { 'the user does not exist': { name: 'absent' } }),
    answers('200 OK', { 'all is well': { name: 'viewer' } }),
  ],

  'GET /tokens': [
    answers('200 OK', { 'all is well': undefined }),
    answers('403 USER_NOT_PERMITTED, token operator, family 200 OK', { 'not an admin asks': undefined }),
  ],

  'POST /tokens': [
    answers('200 OK', { 'all is well': { name: 'scada', role: 'operator', days: 30 } }),
    answers('400 USER_EXISTS', { 'the name is taken': { name: 'scada', role: 'operator' } }),
    answers('400 BODY_INVALID', {
      'there is no such role': { name: 'other', role: 'boss' },
      'it would last too long': { name: 'other', role: 'viewer', days: 4000 },
    }),
    answers('403 USER_NOT_PERMITTED, token operator, family 400', {
      'not an admin asks': { name: 'other', role: 'viewer' },
    }),
  ],

  'DELETE /tokens': [
    answers('200 OK', { 'all is well': { name: 'scada' } }),
    answers('400 USER_NOT_FOUND', { 'the token does not exist': { name: 'scada' } }),
  ],

  'GET /audit': [
    answers('200 OK', { 'all is well': undefined }),
    answers('400 PARAM_INVALID', { 'the page is none': { page: 'x' } }),
    answers('403 USER_NOT_PERMITTED, token operator, family 200 OK', { 'not an admin asks': undefined }),
  ],
};
