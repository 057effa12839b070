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
    ['a plugin is unknown', config({ nodes: [{ name: 'fresh', plugin: 'Nothing' }] }), 404, 2301],
    ['a node is there twice', config({ nodes: twice({ name: 'fresh', plugin }) }), 400, 1002],
    ['a node has no name', config({ nodes: [{ name: '', plugin }] }), 400, 2015],
    ['a name has 128 bytes', config({ nodes: [{ name: n128, plugin }] }), 400, 2010],
    ['a group is of no node', config({ groups: [{ ...line, driver: 'plant' }] }), 404, 2003],
    ['a group is of an app', config({ ...both, groups: [{ ...line, driver: 'up' }] }), 409, 2103],
    ['a group is there twice', config({ groups: twice(line) }), 409, 2104],
    ['an interval is too short', config({ groups: [{ ...line, interval: 99 }] }), 400, 2105],
    ['the name of a group has 128 bytes', config({ groups: [{ ...line, group: n128 }] }), 400, 2107],
    ['tags are of no group', config({ tags: [{ ...line, tags: [] }] }), 404, 2106],
    ['tags are of no node', config({ tags: [{ ...line, driver: 'plant', tags: [] }] }), 404, 2003],
    ['a tag is there twice', tagged(...twice(tag())), 409, 2202],
    ['an attribute is not supported', tagged(tag({ attribute: 3, address: '1!300001' })), 400, 2203],
    ['a type is not supported', tagged(tag({ type: 99 })), 400, 2204],
    ['an address is wrong', tagged(tag(), tag({ name: 'other', address: 'nonsense' })), 400, 2205],
    ['the name of a tag has 128 bytes', tagged(tag({ name: n128 })), 400, 2206],
    ['an address has 128 bytes', tagged(tag({ address: n128 })), 400, 2207],
    ['a description has 128 bytes', tagged(tag({ description: n128 })), 400, 2208],
    ['a precision is 18', tagged(tag({ precision: 18 })), 400, 2209],
    ['a static tag has no value', tagged(tag({ attribute: 8 })), 400, 1002],
    ['settings are wrong', config({ settings: [{ node: 'fresh', params: { port: 'x' } }] }), 400, 2004],
    ['settings are of no node', config({ settings: [{ node: 'plant', params: {} }] }), 404, 2003],
    ['settings are there twice', config({ settings: twice({ node: 'fresh', params: {} }) }), 400, 1002],
    ['a driver subscribes', config({ ...both, subscriptions: [{ ...route, app: 'fresh' }] }), 400, 2012],
    ['nobody subscribes', config({ ...both, subscriptions: [{ ...route, app: 'north' }] }), 404, 2003],
    [
      'a subscribed group is missing',
      config({ ...both, subscriptions: [{ ...route, group: 'x' }] }),
      404,
      2106,
    ],
    ['a subscription is there twice', config({ ...both, subscriptions: twice(route) }), 400, 1002],
    [
      'a topic is empty',
      config({ ...both, subscriptions: [{ ...route, params: { topic: '' } }] }),
      400,
      2105,
    ],
  ],

  'GET /global/drivers': [
    ['of all', {}, 200, 0],
    ['of some, of which one is missing', { name: 'plant,absent' }, 200, 0],
  ],

  'PUT /global/drivers': [
    ['a plugin is unknown', drivers(driver({ plugin: 'Nothing' })), 404, 2301],
    ['a plugin is of apps', drivers(driver({ plugin: 'MQTT' })), 400, 3019],
    ['a driver is there twice', drivers(...twice(driver())), 400, 1002],
    ['an app has the name', drivers(driver({ name: 'north' })), 409, 2002],
    ['a name is empty', drivers(driver({ name: '' })), 400, 2015],
    ['a name has 128 bytes', drivers(driver({ name: n128 })), 400, 2010],
    ['a driver has 513 groups', drivers(driver({ groups: groups(513) })), 400, 2108],
    ['a group is there twice', drivers(driver({ groups: twice(group()) })), 409, 2104],
    ['an interval is too short', drivers(driver({ groups: [group({ interval: 1 })] })), 400, 2105],
    ['the name of a group has 128 bytes', drivers(driver({ groups: [group({ group: n128 })] })), 400, 2107],
    ['a group has no name', drivers(driver({ groups: [{ interval: 1000, tags: [] }] })), 400, 1002],
    ['a tag is there twice', drivers(driver({ groups: [group({ tags: twice(tag()) })] })), 409, 2202],
    [
      'an address is wrong',
      drivers(driver({ groups: [group({ tags: [tag({ address: 'x' })] })] })),
      400,
      2205,
    ],
    ['settings are wrong', drivers(driver(), driver({ name: 'more', params: { port: 'x' } })), 400, 2004],
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
