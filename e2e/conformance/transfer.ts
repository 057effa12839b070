import { Attribute } from '@tagway/schemas';
import type { Data } from '../kit/client.ts';
import { answers, from, n128, tag, type ConformanceTable } from './rows.ts';

const { READ, WRITE, STATIC } = Attribute;
const plugin = 'Modbus TCP';

const drivers = (...nodes: object[]): Data => ({ nodes });
/** A driver that could be taken. */
const driver = from({ name: 'fresh', plugin, groups: [] });
const group = from({ group: 'line', interval: 1000, tags: [] });
const withGroup = (members: object): Data => drivers(driver({ groups: [group(members)] }));

/** Configurations that are refused, so that the gateway stays as it is. */
const config = from({
  nodes: [{ name: 'fresh', plugin }],
  groups: [],
  tags: [],
  subscriptions: [],
  settings: [],
});
const line = { driver: 'fresh', group: 'line', interval: 1000 };
const both = [
  { name: 'fresh', plugin },
  { name: 'up', plugin: 'MQTT' },
];
const route = from({ app: 'up', driver: 'fresh', group: 'line', params: { topic: 'a' } });
const subscribing = (...subscriptions: object[]): Data =>
  config({ nodes: both, groups: [line], subscriptions });
const twice = <T>(one: T): T[] => [one, one];

export const transfer: ConformanceTable = {
  'GET /global/config': [answers('200 OK', { always: {} })],

  'PUT /global/config': [
    answers('400 BODY_INVALID', {
      'neither a subscription nor groups of it are given': config({ subscriptions: [{ app: 'up' }] }),
      'tags say neither driver nor node': config({ tags: [{ group: 'line', tags: [] }] }),
      'a node is there twice': config({ nodes: twice({ name: 'fresh', plugin }) }),
      'a static tag has no value': tagged(tag({ attribute: STATIC })),
      'settings are there twice': config({ settings: twice({ node: 'fresh', params: {} }) }),
      'a subscription is there twice': subscribing(...twice(route())),
    }),
    answers('400 NODE_NAME_EMPTY', { 'a node has no name': config({ nodes: [{ name: '', plugin }] }) }),
    answers('400 NODE_NAME_TOO_LONG', {
      'a name has 128 bytes': config({ nodes: [{ name: n128, plugin }] }),
    }),
    answers('404 NODE_NOT_FOUND', {
      'a group is of no node': config({ groups: [{ ...line, driver: 'plant' }] }),
      'tags are of no node': config({ tags: [{ ...line, driver: 'plant', tags: [] }] }),
      'settings are of no node': config({ settings: [{ node: 'plant', params: {} }] }),
      'nobody subscribes': subscribing(route({ app: 'north' })),
    }),
    answers('409 GROUP_NOT_ALLOWED', {
      'a group is of an app': config({ nodes: both, groups: [{ ...line, driver: 'up' }] }),
    }),
    answers('409 GROUP_EXISTS', { 'a group is there twice': config({ groups: twice(line) }) }),
    answers('400 GROUP_PARAM_INVALID', {
      'an interval is too short': config({ groups: [{ ...line, interval: 99 }] }),
      'a topic is empty': subscribing(route({ params: { topic: '' } })),
    }),
    answers('400 GROUP_NAME_TOO_LONG', {
      'the name of a group has 128 bytes': config({ groups: [{ ...line, group: n128 }] }),
    }),
    answers('404 GROUP_NOT_FOUND', {
      'tags are of no group': config({ tags: [{ ...line, tags: [] }] }),
      'a subscribed group is missing': subscribing(route({ group: 'x' })),
    }),
    answers('409 TAG_NAME_CONFLICT', { 'a tag is there twice': tagged(...twice(tag())) }),
    answers('400 TAG_ATTRIBUTE_UNSUPPORTED', {
      'an attribute is not supported': tagged(tag({ attribute: READ | WRITE, address: '1!300001' })),
    }),
    answers('400 TAG_TYPE_UNSUPPORTED', { 'a type is not supported': tagged(tag({ type: 99 })) }),
    answers('400 TAG_ADDRESS_INVALID', {
      'an address is wrong': tagged(tag(), tag({ name: 'other', address: 'nonsense' })),
    }),
    answers('400 TAG_NAME_TOO_LONG', { 'the name of a tag has 128 bytes': tagged(tag({ name: n128 })) }),
    answers('400 TAG_ADDRESS_TOO_LONG', { 'an address has 128 bytes': tagged(tag({ address: n128 })) }),
    answers('400 TAG_DESCRIPTION_TOO_LONG', {
      'a description has 128 bytes': tagged(tag({ description: n128 })),
    }),
    answers('400 TAG_PRECISION_INVALID', { 'a precision is 18': tagged(tag({ precision: 18 })) }),
    answers('400 NODE_SETTING_INVALID', {
      'settings are wrong': config({ settings: [{ node: 'fresh', params: { port: 'x' } }] }),
    }),
    answers('400 NODE_NOT_SUBSCRIBABLE', { 'a driver subscribes': subscribing(route({ app: 'fresh' })) }),
  ],

  'POST /global/config/apply': [
    answers('404 LIBRARY_NOT_FOUND', {
      'a plugin is unknown': config({ nodes: [{ name: 'fresh', plugin: 'Nothing' }] }),
    }),
    answers('404 PLUGIN_NOT_FOUND', {
      'the plugin of a template is unknown': config({
        templates: [{ name: 'cut', plugin: 'Nothing', groups: [] }],
      }),
    }),
    answers('400 BODY_INVALID', {
      'a node is there twice': config({ nodes: twice({ name: 'fresh', plugin }) }),
      'a subscription is there twice': subscribing(...twice(route())),
    }),
    answers('409 TAG_NAME_CONFLICT', { 'a tag is there twice': tagged(...twice(tag())) }),
    answers('400 NODE_SETTING_INVALID', {
      'settings are wrong': config({ settings: [{ node: 'fresh', params: { port: 'x' } }] }),
    }),
  ],

  'GET /global/drivers': [
    answers('200 OK', {
      'of all': {},
      'of some, of which one is missing': { name: 'plant,absent' },
    }),
  ],

  'PUT /global/drivers': [
    answers('404 LIBRARY_NOT_FOUND', { 'a plugin is unknown': drivers(driver({ plugin: 'Nothing' })) }),
    answers('400 PLUGIN_NAME_TOO_LONG', {
      'the name of a plugin has 32 bytes': drivers(driver({ plugin: 'p'.repeat(32) })),
    }),
    answers('400 PLUGIN_TYPE_UNSUPPORTED', {
      'a plugin is of apps': drivers(driver({ plugin: 'MQTT' })),
      'a plugin is of apps, and has no settings that fit': drivers(driver({ plugin: 'MQTT', params: {} })),
      'a plugin is of apps, and has groups': drivers(driver({ plugin: 'MQTT', groups: [group()] })),
    }),
    answers('400 BODY_INVALID', {
      'a driver is there twice': drivers(...twice(driver())),
      'a group has no name': drivers(driver({ groups: [{ interval: 1000, tags: [] }] })),
    }),
    answers('409 NODE_EXISTS', { 'an app has the name': drivers(driver({ name: 'north' })) }),
    answers('400 NODE_NAME_EMPTY', { 'a name is empty': drivers(driver({ name: '' })) }),
    answers('400 NODE_NAME_TOO_LONG', { 'a name has 128 bytes': drivers(driver({ name: n128 })) }),
    answers('400 GROUP_LIMIT', { 'a driver has 513 groups': drivers(driver({ groups: groups(513) })) }),
    answers('409 GROUP_EXISTS, family 400 BODY_INVALID', {
      'a group is there twice': drivers(driver({ groups: twice(group()) })),
    }),
    answers('400 GROUP_PARAM_INVALID', { 'an interval is too short': withGroup({ interval: 1 }) }),
    answers('400 GROUP_NAME_TOO_LONG', { 'the name of a group has 128 bytes': withGroup({ group: n128 }) }),
    answers('409 TAG_NAME_CONFLICT, family 400 BODY_INVALID', {
      'a tag is there twice': withGroup({ tags: twice(tag()) }),
    }),
    answers('400 TAG_ADDRESS_INVALID', {
      'an address is wrong': withGroup({ tags: [tag({ address: 'x' })] }),
    }),
    answers('400 NODE_SETTING_INVALID', {
      'settings are wrong': drivers(driver(), driver({ name: 'more', params: { port: 'x' } })),
    }),
    answers('200 OK', {
      'a driver that is there is sent': drivers({ name: 'idle', plugin, groups: [group({ group: 'line' })] }),
      'there is none': drivers(),
    }),
  ],
};

function tagged(...tags: object[]): Data {
  return config({ groups: [line], tags: [{ driver: 'fresh', group: 'line', tags }] });
}

function groups(count: number): object[] {
  return Array.from({ length: count }, (_, i) => group({ group: `g${i}` }));
}
