import { n128 } from './rows.ts';
import type { ConformanceTable } from './rows.ts';

/** A group of the driver `plant`, for the app `north`. */
const north = (group: string, params?: object): Record<string, unknown> => ({
  ...{ app: 'north', driver: 'plant', group },
  ...(params !== undefined && { params }),
});
const needsTopic = { family: [200, 'MQTT_TOPIC_EMPTY'] } as const;
const notSubscribed = { family: [404, 'GROUP_NOT_SUBSCRIBED'] } as const;

export const subscriptions: ConformanceTable = {
  'POST /subscribe': [
    ['all is well', north('free', { topic: 'a' }), 200, 0],
    ['all is well, without params', { app: 'bare', driver: 'plant', group: 'line' }, 200, 0],
    ['the app does not exist', { app: 'absent', driver: 'plant', group: 'line' }, 404, 'NODE_NOT_FOUND'],
    ['the app is a driver', { app: 'idle', driver: 'plant', group: 'line' }, 400, 'NODE_NOT_SUBSCRIBABLE'],
    ['the driver does not exist', { app: 'north', driver: 'absent', group: 'line' }, 404, 'NODE_NOT_FOUND'],
    ['the group does not exist', north('absent'), 404, 'GROUP_NOT_FOUND'],
    ['the app subscribes already', north('line'), 200, 'GROUP_SUBSCRIBED'],
    ['the topic is empty', north('second', { topic: '' }), 400, 'GROUP_PARAM_INVALID', needsTopic],
    ['there are params and no topic', north('second', {}), 400, 'GROUP_PARAM_INVALID', needsTopic],
    ['the app name has 128 bytes', { app: n128, driver: 'plant', group: 'line' }, 400, 'NODE_NAME_TOO_LONG'],
    ['the group name has 128 bytes', north(n128), 400, 'GROUP_NAME_TOO_LONG'],
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
    ['all is well', north('free', { topic: 'b' }), 200, 0],
    ['the app does not subscribe', north('second', { topic: 'a' }), 404, 'GROUP_NOT_FOUND', notSubscribed],
    ['the group does not exist', north('absent', { topic: 'a' }), 404, 'GROUP_NOT_FOUND', notSubscribed],
    ['the topic is empty', north('line', { topic: '' }), 400, 'GROUP_PARAM_INVALID', needsTopic],
  ],

  'DELETE /subscribe': [
    ['all is well', north('free'), 200, 0],
    ['it is ended already', north('free'), 404, 'GROUP_NOT_FOUND', notSubscribed],
    ['the app does not subscribe', north('second'), 404, 'GROUP_NOT_FOUND', notSubscribed],
    ['the group does not exist', north('absent'), 404, 'GROUP_NOT_FOUND', notSubscribed],
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
