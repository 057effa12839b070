import { n128 } from './rows.ts';
import type { ConformanceTable } from './rows.ts';

export const subscriptions: ConformanceTable = {
  'POST /subscribe': [
    ['all is well', { app: 'north', driver: 'plant', group: 'free', params: { topic: 'a' } }, 200, 0],
    ['all is well, without params', { app: 'bare', driver: 'plant', group: 'line' }, 200, 0],
    ['the app does not exist', { app: 'absent', driver: 'plant', group: 'line' }, 404, 'NODE_NOT_FOUND'],
    ['the app is a driver', { app: 'idle', driver: 'plant', group: 'line' }, 400, 'NODE_NOT_SUBSCRIBABLE'],
    ['the driver does not exist', { app: 'north', driver: 'absent', group: 'line' }, 404, 'NODE_NOT_FOUND'],
    ['the group does not exist', { app: 'north', driver: 'plant', group: 'absent' }, 404, 'GROUP_NOT_FOUND'],
    ['the app subscribes already', { app: 'north', driver: 'plant', group: 'line' }, 200, 'GROUP_SUBSCRIBED'],
    [
      'the topic is empty',
      { app: 'north', driver: 'plant', group: 'second', params: { topic: '' } },
      400,
      'GROUP_PARAM_INVALID',
      { family: [200, 'MQTT_TOPIC_EMPTY'] },
    ],
    [
      'there are params and no topic',
      { app: 'north', driver: 'plant', group: 'second', params: {} },
      400,
      'GROUP_PARAM_INVALID',
      { family: [200, 'MQTT_TOPIC_EMPTY'] },
    ],
    ['the app name has 128 bytes', { app: n128, driver: 'plant', group: 'line' }, 400, 'NODE_NAME_TOO_LONG'],
    [
      'the group name has 128 bytes',
      { app: 'north', driver: 'plant', group: n128 },
      400,
      'GROUP_NAME_TOO_LONG',
    ],
  ],

  'POST /subscribes': [
    ['all is well', { app: 'bare', groups: [{ driver: 'plant', group: 'free' }] }, 200, 0],
    [
      'the app does not exist',
      { app: 'absent', groups: [{ driver: 'plant', group: 'line' }] },
      404,
      'NODE_NOT_FOUND',
    ],
    ['there are no groups', { app: 'north', groups: [] }, 200, 0],
    [
      'a group does not exist',
      { app: 'north', groups: [{ driver: 'plant', group: 'absent' }] },
      404,
      'GROUP_NOT_FOUND',
    ],
    [
      'a group is subscribed already',
      { app: 'north', groups: [{ driver: 'plant', group: 'line' }] },
      200,
      'GROUP_SUBSCRIBED',
    ],
    ['an entry names no group', { app: 'north', groups: [{ driver: 'plant' }] }, 400, 'BODY_INVALID'],
  ],

  'PUT /subscribe': [
    ['all is well', { app: 'north', driver: 'plant', group: 'free', params: { topic: 'b' } }, 200, 0],
    [
      'the app does not subscribe',
      { app: 'north', driver: 'plant', group: 'second', params: { topic: 'a' } },
      404,
      'GROUP_NOT_FOUND',
      { family: [404, 'GROUP_NOT_SUBSCRIBED'] },
    ],
    [
      'the group does not exist',
      { app: 'north', driver: 'plant', group: 'absent', params: { topic: 'a' } },
      404,
      'GROUP_NOT_FOUND',
      { family: [404, 'GROUP_NOT_SUBSCRIBED'] },
    ],
    [
      'the topic is empty',
      { app: 'north', driver: 'plant', group: 'line', params: { topic: '' } },
      400,
      'GROUP_PARAM_INVALID',
      { family: [200, 'MQTT_TOPIC_EMPTY'] },
    ],
  ],

  'DELETE /subscribe': [
    ['all is well', { app: 'north', driver: 'plant', group: 'free' }, 200, 0],
    [
      'it is ended already',
      { app: 'north', driver: 'plant', group: 'free' },
      404,
      'GROUP_NOT_FOUND',
      { family: [404, 'GROUP_NOT_SUBSCRIBED'] },
    ],
    [
      'the app does not subscribe',
      { app: 'north', driver: 'plant', group: 'second' },
      404,
      'GROUP_NOT_FOUND',
      { family: [404, 'GROUP_NOT_SUBSCRIBED'] },
    ],
    [
      'the group does not exist',
      { app: 'north', driver: 'plant', group: 'absent' },
      404,
      'GROUP_NOT_FOUND',
      { family: [404, 'GROUP_NOT_SUBSCRIBED'] },
    ],
  ],

  'GET /subscribes': [
    ['all is well', { app: 'north' }, 200, 0],
    ['a part of a name', { app: 'bare', name: 'lin' }, 200, 0],
    ['no app is named', {}, 400, 'PARAM_INVALID'],
    ['the app does not exist', { app: 'absent' }, 404, 'NODE_NOT_FOUND'],
    ['the node is a driver', { app: 'plant' }, 400, 'NODE_NOT_SUBSCRIBABLE'],
  ],

  'GET /subscribe': [
    ['all is well', { app: 'north' }, 200, 0],
    ['no app is named', {}, 400, 'PARAM_INVALID'],
    ['the app name is empty', { app: '' }, 400, 'PARAM_INVALID'],
    ['the app does not exist: an empty list', { app: 'absent' }, 200, 0],
  ],
};
