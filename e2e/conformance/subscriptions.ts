import { n128 } from './rows.ts';
import type { ConformanceTable } from './rows.ts';

export const subscriptions: ConformanceTable = {
  'POST /subscribe': [
    ['all is well', { app: 'north', driver: 'plant', group: 'free', params: { topic: 'a' } }, 200, 0],
    ['all is well, without params', { app: 'bare', driver: 'plant', group: 'line' }, 200, 0],
    ['the app does not exist', { app: 'absent', driver: 'plant', group: 'line' }, 404, 2003],
    ['the app is a driver', { app: 'idle', driver: 'plant', group: 'line' }, 400, 2012],
    ['the driver does not exist', { app: 'north', driver: 'absent', group: 'line' }, 404, 2003],
    ['the group does not exist', { app: 'north', driver: 'plant', group: 'absent' }, 404, 2106],
    ['the app subscribes already', { app: 'north', driver: 'plant', group: 'line' }, 200, 2101],
    [
      'the topic is empty',
      { app: 'north', driver: 'plant', group: 'second', params: { topic: '' } },
      400,
      2105,
      { family: [200, 4010] },
    ],
    [
      'there are params and no topic',
      { app: 'north', driver: 'plant', group: 'second', params: {} },
      400,
      2105,
      { family: [200, 4010] },
    ],
    ['the app name has 128 bytes', { app: n128, driver: 'plant', group: 'line' }, 400, 2010],
    ['the group name has 128 bytes', { app: 'north', driver: 'plant', group: n128 }, 400, 2107],
  ],

  'POST /subscribes': [
    ['all is well', { app: 'bare', groups: [{ driver: 'plant', group: 'free' }] }, 200, 0],
    ['the app does not exist', { app: 'absent', groups: [{ driver: 'plant', group: 'line' }] }, 404, 2003],
    ['there are no groups', { app: 'north', groups: [] }, 200, 0],
    ['a group does not exist', { app: 'north', groups: [{ driver: 'plant', group: 'absent' }] }, 404, 2106],
    [
      'a group is subscribed already',
      { app: 'north', groups: [{ driver: 'plant', group: 'line' }] },
      200,
      2101,
    ],
    ['an entry names no group', { app: 'north', groups: [{ driver: 'plant' }] }, 400, 1002],
  ],

  'PUT /subscribe': [
    ['all is well', { app: 'north', driver: 'plant', group: 'free', params: { topic: 'b' } }, 200, 0],
    [
      'the app does not subscribe',
      { app: 'north', driver: 'plant', group: 'second', params: { topic: 'a' } },
      404,
      2106,
      { family: [404, 2102] },
    ],
    [
      'the group does not exist',
      { app: 'north', driver: 'plant', group: 'absent', params: { topic: 'a' } },
      404,
      2106,
      { family: [404, 2102] },
    ],
    [
      'the topic is empty',
      { app: 'north', driver: 'plant', group: 'line', params: { topic: '' } },
      400,
      2105,
      { family: [200, 4010] },
    ],
  ],

  'DELETE /subscribe': [
    ['all is well', { app: 'north', driver: 'plant', group: 'free' }, 200, 0],
    [
      'it is ended already',
      { app: 'north', driver: 'plant', group: 'free' },
      404,
      2106,
      { family: [404, 2102] },
    ],
    [
      'the app does not subscribe',
      { app: 'north', driver: 'plant', group: 'second' },
      404,
      2106,
      { family: [404, 2102] },
    ],
    [
      'the group does not exist',
      { app: 'north', driver: 'plant', group: 'absent' },
      404,
      2106,
      { family: [404, 2102] },
    ],
  ],

  'GET /subscribes': [
    ['all is well', { app: 'north' }, 200, 0],
    ['a part of a name', { app: 'bare', name: 'lin' }, 200, 0],
    ['no app is named', {}, 400, 1003],
    ['the app does not exist', { app: 'absent' }, 404, 2003],
    ['the node is a driver', { app: 'plant' }, 400, 2012],
  ],

  'GET /subscribe': [
    ['all is well', { app: 'north' }, 200, 0],
    ['no app is named', {}, 400, 1003],
    ['the app name is empty', { app: '' }, 400, 1003],
    ['the app does not exist: an empty list', { app: 'absent' }, 200, 0],
  ],
};
