import { line, n128 } from './rows.ts';
import type { ConformanceTable } from './rows.ts';

export const groups: ConformanceTable = {
  'POST /group': [
    ['all is well', { name: 'made', node: 'idle', interval: 100 }, 200, 0],
    ['all is well, with the older key', { group: 'made too', node: 'idle', interval: 100 }, 200, 0],
    ['the node does not exist', { name: 'fresh', node: 'absent', interval: 1000 }, 404, 'NODE_NOT_FOUND'],
    ['the node is an app', { name: 'fresh', node: 'north', interval: 1000 }, 409, 'GROUP_NOT_ALLOWED'],
    ['the name is taken', { name: 'line', node: 'plant', interval: 1000 }, 409, 'GROUP_EXISTS'],
    ['the interval is below 100', { name: 'fresh', node: 'plant', interval: 99 }, 400, 'GROUP_PARAM_INVALID'],
    ['the interval is negative', { name: 'fresh', node: 'plant', interval: -1 }, 400, 'GROUP_PARAM_INVALID'],
    [
      'the interval has 33 bits',
      { name: 'fresh', node: 'plant', interval: 2 ** 32 },
      400,
      'GROUP_PARAM_INVALID',
    ],
    [
      'the interval is too small and the node an app',
      { name: 'fresh', node: 'north', interval: 1 },
      400,
      'GROUP_PARAM_INVALID',
    ],
    ['the name has 128 bytes', { name: n128, node: 'plant', interval: 1000 }, 400, 'GROUP_NAME_TOO_LONG'],
    ['the node name has 128 bytes', { name: 'fresh', node: n128, interval: 1000 }, 400, 'NODE_NAME_TOO_LONG'],
    ['the name is empty', { name: '', node: 'plant', interval: 1000 }, 400, 'BODY_INVALID'],
    [
      'the older key "group" names a taken group',
      { group: 'line', node: 'plant', interval: 1000 },
      409,
      'GROUP_EXISTS',
    ],
  ],

  'PUT /group': [
    ['all is well', { node: 'idle', group: 'made', new_name: 'remade', interval: 200 }, 200, 0],
    ['the node does not exist', { node: 'absent', group: 'line', interval: 1000 }, 404, 'NODE_NOT_FOUND'],
    ['the group does not exist', { node: 'plant', group: 'absent', interval: 1000 }, 404, 'GROUP_NOT_FOUND'],
    ['the node is an app', { node: 'north', group: 'line', interval: 1000 }, 409, 'GROUP_NOT_ALLOWED'],
    ['the new name is taken', { ...line, new_name: 'second' }, 409, 'GROUP_EXISTS'],
    ['the new name is the old one', { ...line, new_name: 'line' }, 200, 0],
    ['nothing is to change', line, 400, 'BODY_INVALID'],
    ['the new name is empty', { ...line, new_name: '' }, 400, 'BODY_INVALID'],
    ['the new name has 128 bytes', { ...line, new_name: n128 }, 400, 'GROUP_NAME_TOO_LONG'],
    ['the interval is below 100', { ...line, interval: 99 }, 400, 'GROUP_PARAM_INVALID'],
    ['the interval has 33 bits', { ...line, interval: 2 ** 32 }, 400, 'GROUP_PARAM_INVALID'],
    ['the body is no JSON', '{', 400, 'BODY_INVALID'],
  ],

  'DELETE /group': [
    ['all is well', { node: 'idle', group: 'remade' }, 200, 0],
    ['the node does not exist', { node: 'absent', group: 'line' }, 404, 'NODE_NOT_FOUND'],
    ['the group does not exist', { node: 'plant', group: 'absent' }, 404, 'GROUP_NOT_FOUND'],
    ['the node is an app', { node: 'north', group: 'line' }, 409, 'GROUP_NOT_ALLOWED'],
    [
      'the group is subscribed',
      { node: 'plant', group: 'watched' },
      412,
      'GROUP_SUBSCRIBED',
      { family: [200, 0] },
    ],
  ],

  'GET /group': [
    ['all is well', { node: 'plant' }, 200, 0],
    ['the node does not exist', { node: 'absent' }, 404, 'NODE_NOT_FOUND'],
    ['the node is an app', { node: 'north' }, 409, 'GROUP_NOT_ALLOWED'],
    ['no node is named: all groups', {}, 200, 0],
  ],
};
