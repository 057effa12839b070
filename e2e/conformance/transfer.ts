import { Attribute } from '@tagway/schemas';
import type { Data } from '../client.ts';
import { n128, tag } from './rows.ts';
import type { ConformanceTable } from './rows.ts';

const plugin = 'Modbus TCP';

/** A driver with these members; without any it could be taken. */
const driver = (members: object = {}): object => ({ name: 'fresh', plugin, groups: [], ...members });
const drivers = (...nodes: object[]): Data => ({ nodes });
const group = (members: object = {}): object => ({ group: 'line', interval: 1000, tags: [], ...members });

/** Configurations that are refused, so that the gateway stays as it is. */
const config = (members: object): Data => ({
  ...{ nodes: [{ name: 'fresh', plugin }], groups: [], tags: [], subscriptions: [], settings: [] },
  ...members,
});
const line = { driver: 'fresh', group: 'line', interval: 1000 };
const both = {
  nodes: [
    { name: 'fresh', plugin },
    { name: 'up', plugin: 'MQTT' },
  ],
  groups: [line],
};
const route = { app: 'up', driver: 'fresh', group: 'line', params: { topic: 'a' } };
const twice = <T>(one: T): T[] => [one, one];

export const transfer: ConformanceTable = {
  'GET /global/config': [['always', {}, 200, 0]],

  'PUT /global/config': [
    [
      'neither a subscription nor groups of it are given',
      config({ subscriptions: [{ app: 'up' }] }),
      400,
      'BODY_INVALID',
    ],
    [
      'tags say neither driver nor node',
      config({ tags: [{ group: 'line', tags: [] }] }),
      400,
      'BODY_INVALID',
    ],
    ['a node is there twice', config({ nodes: twice({ name: 'fresh', plugin }) }), 400, 'BODY_INVALID'],
    ['a node has no name', config({ nodes: [{ name: '', plugin }] }), 400, 'NODE_NAME_EMPTY'],
    ['a name has 128 bytes', config({ nodes: [{ name: n128, plugin }] }), 400, 'NODE_NAME_TOO_LONG'],
    ['a group is of no node', config({ groups: [{ ...line, driver: 'plant' }] }), 404, 'NODE_NOT_FOUND'],
    [
      'a group is of an app',
      config({ ...both, groups: [{ ...line, driver: 'up' }] }),
      409,
      'GROUP_NOT_ALLOWED',
    ],
    ['a group is there twice', config({ groups: twice(line) }), 409, 'GROUP_EXISTS'],
    ['an interval is too short', config({ groups: [{ ...line, interval: 99 }] }), 400, 'GROUP_PARAM_INVALID'],
    [
      'the name of a group has 128 bytes',
      config({ groups: [{ ...line, group: n128 }] }),
      400,
      'GROUP_NAME_TOO_LONG',
    ],
    ['tags are of no group', config({ tags: [{ ...line, tags: [] }] }), 404, 'GROUP_NOT_FOUND'],
    [
      'tags are of no node',
      config({ tags: [{ ...line, driver: 'plant', tags: [] }] }),
      404,
      'NODE_NOT_FOUND',
    ],
    ['a tag is there twice', tagged(...twice(tag())), 409, 'TAG_NAME_CONFLICT'],
    [
      'an attribute is not supported',
      tagged(tag({ attribute: Attribute.READ | Attribute.WRITE, address: '1!300001' })),
      400,
      'TAG_ATTRIBUTE_UNSUPPORTED',
    ],
    ['a type is not supported', tagged(tag({ type: 99 })), 400, 'TAG_TYPE_UNSUPPORTED'],
    [
      'an address is wrong',
      tagged(tag(), tag({ name: 'other', address: 'nonsense' })),
      400,
      'TAG_ADDRESS_INVALID',
    ],
    ['the name of a tag has 128 bytes', tagged(tag({ name: n128 })), 400, 'TAG_NAME_TOO_LONG'],
    ['an address has 128 bytes', tagged(tag({ address: n128 })), 400, 'TAG_ADDRESS_TOO_LONG'],
    ['a description has 128 bytes', tagged(tag({ description: n128 })), 400, 'TAG_DESCRIPTION_TOO_LONG'],
    ['a precision is 18', tagged(tag({ precision: 18 })), 400, 'TAG_PRECISION_INVALID'],
    ['a static tag has no value', tagged(tag({ attribute: Attribute.STATIC })), 400, 'BODY_INVALID'],
    [
      'settings are wrong',
      config({ settings: [{ node: 'fresh', params: { port: 'x' } }] }),
      400,
      'NODE_SETTING_INVALID',
    ],
    ['settings are of no node', config({ settings: [{ node: 'plant', params: {} }] }), 404, 'NODE_NOT_FOUND'],
    [
      'settings are there twice',
      config({ settings: twice({ node: 'fresh', params: {} }) }),
      400,
      'BODY_INVALID',
    ],
    [
      'a driver subscribes',
      config({ ...both, subscriptions: [{ ...route, app: 'fresh' }] }),
      400,
      'NODE_NOT_SUBSCRIBABLE',
    ],
    [
      'nobody subscribes',
      config({ ...both, subscriptions: [{ ...route, app: 'north' }] }),
      404,
      'NODE_NOT_FOUND',
    ],
    [
      'a subscribed group is missing',
      config({ ...both, subscriptions: [{ ...route, group: 'x' }] }),
      404,
      'GROUP_NOT_FOUND',
    ],
    ['a subscription is there twice', config({ ...both, subscriptions: twice(route) }), 400, 'BODY_INVALID'],
    [
      'a topic is empty',
      config({ ...both, subscriptions: [{ ...route, params: { topic: '' } }] }),
      400,
      'GROUP_PARAM_INVALID',
    ],
  ],

  'GET /global/drivers': [
    ['of all', {}, 200, 0],
    ['of some, of which one is missing', { name: 'plant,absent' }, 200, 0],
  ],

  'PUT /global/drivers': [
    ['a plugin is unknown', drivers(driver({ plugin: 'Nothing' })), 404, 'LIBRARY_NOT_FOUND'],
    [
      'a plugin is of apps',
      drivers(driver({ plugin: 'MQTT' })),
      400,
      'PLUGIN_TYPE_UNSUPPORTED',
      { family: [400, 'LIBRARY_OPEN_FAILED'] },
    ],
    ['a driver is there twice', drivers(...twice(driver())), 400, 'BODY_INVALID'],
    ['an app has the name', drivers(driver({ name: 'north' })), 409, 'NODE_EXISTS'],
    ['a name is empty', drivers(driver({ name: '' })), 400, 'NODE_NAME_EMPTY'],
    ['a name has 128 bytes', drivers(driver({ name: n128 })), 400, 'NODE_NAME_TOO_LONG'],
    ['a driver has 513 groups', drivers(driver({ groups: groups(513) })), 400, 'GROUP_LIMIT'],
    [
      'a group is there twice',
      drivers(driver({ groups: twice(group()) })),
      409,
      'GROUP_EXISTS',
      { family: [400, 'BODY_INVALID'] },
    ],
    [
      'an interval is too short',
      drivers(driver({ groups: [group({ interval: 1 })] })),
      400,
      'GROUP_PARAM_INVALID',
    ],
    [
      'the name of a group has 128 bytes',
      drivers(driver({ groups: [group({ group: n128 })] })),
      400,
      'GROUP_NAME_TOO_LONG',
    ],
    ['a group has no name', drivers(driver({ groups: [{ interval: 1000, tags: [] }] })), 400, 'BODY_INVALID'],
    [
      'a tag is there twice',
      drivers(driver({ groups: [group({ tags: twice(tag()) })] })),
      409,
      'TAG_NAME_CONFLICT',
      { family: [400, 'BODY_INVALID'] },
    ],
    [
      'an address is wrong',
      drivers(driver({ groups: [group({ tags: [tag({ address: 'x' })] })] })),
      400,
      'TAG_ADDRESS_INVALID',
    ],
    [
      'settings are wrong',
      drivers(driver(), driver({ name: 'more', params: { port: 'x' } })),
      400,
      'NODE_SETTING_INVALID',
    ],
    [
      'a driver that is there is sent',
      drivers({ name: 'idle', plugin, groups: [group({ group: 'line' })] }),
      200,
      0,
    ],
    ['there is none', drivers(), 200, 0],
  ],
};

function tagged(...tags: object[]): Data {
  return config({ groups: [line], tags: [{ driver: 'fresh', group: 'line', tags }] });
}

function groups(count: number): object[] {
  return Array.from({ length: count }, (_, i) => group({ group: `g${i}` }));
}
