import { answers, at, from, n128, type ConformanceTable } from './rows.ts';

const fresh = from({ name: 'fresh', node: 'plant', interval: 1000 });

export const groups: ConformanceTable = {
  'POST /group': [
    answers('200 OK', {
      'all is well': { name: 'made', node: 'idle', interval: 100 },
      'all is well, with the older key': { group: 'made too', node: 'idle', interval: 100 },
    }),
    answers('404 NODE_NOT_FOUND', { 'the node does not exist': fresh({ node: 'absent' }) }),
    answers('409 GROUP_NOT_ALLOWED', { 'the node is an app': fresh({ node: 'north' }) }),
    answers('409 GROUP_EXISTS', {
      'the name is taken': fresh({ name: 'line' }),
      'the older key "group" names a taken group': { group: 'line', node: 'plant', interval: 1000 },
    }),
    answers('400 GROUP_PARAM_INVALID', {
      'the interval is below 100': fresh({ interval: 99 }),
      'the interval is negative': fresh({ interval: -1 }),
      'the interval has 33 bits': fresh({ interval: 2 ** 32 }),
      'the history is negative': fresh({ history: -1 }),
      'the time between reports is negative': fresh({ min_interval: -1 }),
      'reports are further apart at least than at most': fresh({ min_interval: 200, max_interval: 100 }),
      'the interval is too small and the node an app': fresh({ node: 'north', interval: 1 }),
    }),
    answers('400 GROUP_NAME_TOO_LONG', { 'the name has 128 bytes': fresh({ name: n128 }) }),
    answers('400 NODE_NAME_TOO_LONG', { 'the node name has 128 bytes': fresh({ node: n128 }) }),
    answers('400 BODY_INVALID', { 'the name is empty': fresh({ name: '' }) }),
  ],

  'PUT /group': [
    answers('200 OK', { 'all is well': { node: 'idle', group: 'made', new_name: 'remade', interval: 200 } }),
    answers('200 OK', { 'a history is to be kept': at({ history: 1 }) }),
    answers('404 NODE_NOT_FOUND', { 'the node does not exist': at({ node: 'absent', interval: 1000 }) }),
    answers('404 GROUP_NOT_FOUND', { 'the group does not exist': at({ group: 'absent', interval: 1000 }) }),
    answers('409 GROUP_NOT_ALLOWED', { 'the node is an app': at({ node: 'north', interval: 1000 }) }),
    answers('409 GROUP_EXISTS', { 'the new name is taken': at({ new_name: 'second' }) }),
    answers('200 OK', { 'the new name is the old one': at({ new_name: 'line' }) }),
    answers('400 BODY_INVALID', {
      'nothing is to change': at(),
      'the new name is empty': at({ new_name: '' }),
      'the body is no JSON': '{',
      'the history is a fraction': at({ history: 1.5 }),
    }),
    answers('400 GROUP_NAME_TOO_LONG', { 'the new name has 128 bytes': at({ new_name: n128 }) }),
    answers('400 GROUP_PARAM_INVALID', {
      'the interval is below 100': at({ interval: 99 }),
      'the interval has 33 bits': at({ interval: 2 ** 32 }),
      'the history is negative': at({ history: -1 }),
      'the history is too large': at({ history: 1001 }),
      'the time between reports has 33 bits': at({ max_interval: 2 ** 32 }),
    }),
  ],

  'DELETE /group': [
    answers('200 OK', { 'all is well': { node: 'idle', group: 'remade' } }),
    answers('404 NODE_NOT_FOUND', { 'the node does not exist': at({ node: 'absent' }) }),
    answers('404 GROUP_NOT_FOUND', { 'the group does not exist': at({ group: 'absent' }) }),
    answers('409 GROUP_NOT_ALLOWED', { 'the node is an app': at({ node: 'north' }) }),
    answers('412 GROUP_SUBSCRIBED, family 200 OK', { 'the group is subscribed': at({ group: 'watched' }) }),
  ],

  'GET /group': [
    answers('200 OK', { 'all is well': { node: 'plant' } }),
    answers('404 NODE_NOT_FOUND', { 'the node does not exist': { node: 'absent' } }),
    answers('409 GROUP_NOT_ALLOWED', { 'the node is an app': { node: 'north' } }),
    answers('200 OK', { 'no node is named: all groups': {} }),
  ],
};
