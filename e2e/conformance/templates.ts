import { Attribute, type ErrorName } from '@tagway/schemas';
import type { Data } from '../kit/client.ts';
import { answers, from, n128, tag, type ConformanceTable } from './rows.ts';

const { READ, WRITE, STATIC, SUBSCRIBE } = Attribute;
const group = from({ name: 'fast', interval: 1000, tags: [tag()] });
const template = from({ name: 'fresh', plugin: 'Modbus TCP', groups: [group()] });
const withTags = (...tags: object[]): Data => template({ groups: [group({ tags })] });
const fast = from({ template: 'pump', group: 'fast' });
const fourth = from({ template: 'pump', group: 'fourth', interval: 100 });
const last = from({ template: 'pump', group: 'last' });
const tagged = from(fast({ tags: [tag()] }));
const named = from(fast({ tags: ['one'] }));
const inPump = (...tags: object[]): Data => fast({ tags });
/** Nodes to be made of templates. */
const instances = (...nodes: (readonly [template: string, node: string])[]): Data => ({
  nodes: nodes.map(([name, node]) => ({ name, node })),
});
const constant = { name: 'constant', address: '', attribute: STATIC, type: 3, value: 7 };

/** What is wrong with a tag, and its code. */
const badTags: readonly (readonly [when: string, tag: Record<string, unknown>, code: ErrorName])[] = [
  [
    'an input register is to be written',
    { address: '1!300001', attribute: READ | WRITE },
    'TAG_ATTRIBUTE_UNSUPPORTED',
  ],
  [
    'a static tag is to be reported on change',
    { attribute: SUBSCRIBE | STATIC, value: 1 },
    'TAG_ATTRIBUTE_UNSUPPORTED',
  ],
  ['the driver has no such type', { type: 1 }, 'TAG_TYPE_UNSUPPORTED'],
  ['the address makes no sense', { address: 'nonsense' }, 'TAG_ADDRESS_INVALID'],
  ['the name has 128 bytes', { name: n128 }, 'TAG_NAME_TOO_LONG'],
  ['the address has 128 bytes', { address: n128 }, 'TAG_ADDRESS_TOO_LONG'],
  ['the description has 128 bytes', { description: n128 }, 'TAG_DESCRIPTION_TOO_LONG'],
  ['the precision is 18', { type: 9, precision: 18 }, 'TAG_PRECISION_INVALID'],
  ['a WORD has a bias', { type: 16, bias: 1 }, 'TAG_BIAS_INVALID'],
  ['the deadband is negative', { type: 9, deadband: -1 }, 'TAG_DEADBAND_INVALID'],
  ['the unit has 33 bytes', { type: 9, unit: 'u'.repeat(33) }, 'TAG_UNIT_INVALID'],
  ['the span has no end', { type: 9, high: 1 }, 'TAG_SPAN_INVALID'],
  ['a text is to be scaled', { address: '1!400001.4', type: 13, bias: 1 }, 'TAG_BIAS_INVALID'],
];

/** What the family answers to a batch in which a tag is bad. */
const family = (code: ErrorName): '' | ', family 200' =>
  code === 'TAG_NAME_TOO_LONG' || code === 'TAG_ADDRESS_TOO_LONG' ? '' : ', family 200';

export const templates: ConformanceTable = {
  'POST /template': [
    answers('200 OK', {
      'all is well': template({
        name: 'pump',
        groups: [group({ tags: [tag(), constant] }), group({ name: 'slow' })],
      }),
      'it has no groups': template({ name: 'bare', groups: [] }),
      'a group has no tags': template({ name: 'hollow', groups: [group({ tags: [] })] }),
    }),
    answers('409 TEMPLATE_EXISTS', { 'the name is taken': template({ name: 'pump' }) }),
    answers('400 TEMPLATE_NAME_TOO_LONG', { 'the name has 128 bytes': template({ name: n128 }) }),
    answers('400 PLUGIN_NAME_TOO_LONG', {
      'the plugin name has 32 bytes': template({ plugin: 'p'.repeat(32) }),
    }),
    answers('404 PLUGIN_NOT_FOUND', {
      'the plugin name has 31 bytes and is unknown': template({ plugin: 'p'.repeat(31) }),
    }),
    answers('400 TEMPLATES_UNSUPPORTED', { 'the plugin is an app': template({ plugin: 'MQTT' }) }),
    answers('400 GROUP_NAME_TOO_LONG', {
      'a group name has 128 bytes': template({ groups: [group({ name: n128 })] }),
    }),
    answers('400 GROUP_PARAM_INVALID', {
      'an interval is 99 ms': template({ groups: [group({ interval: 99 })] }),
      'reports are further apart at least than at most': template({
        groups: [group({ min_interval: 200, max_interval: 100 })],
      }),
    }),
    answers('409 GROUP_EXISTS', { 'a group is there twice': template({ groups: [group(), group()] }) }),
    answers('409 TAG_NAME_CONFLICT', { 'a tag is there twice': withTags(tag(), tag()) }),
    ...badTags.map(([when, bad, code]) =>
      answers(`206 ${code}`, { [when]: withTags(tag({ name: 'good' }), tag(bad)) }),
    ),
    answers('400 BODY_INVALID', {
      'a static tag has no value': withTags(tag({ attribute: STATIC })),
      'a static value has another type': withTags(tag({ attribute: STATIC, value: 'text' })),
      'a tag name is empty': withTags(tag({ name: '' })),
      'a group name is empty': template({ groups: [group({ name: '' })] }),
      'the name is empty': template({ name: '' }),
      'a group has no interval': template({ groups: [{ name: 'fast', tags: [] }] }),
    }),
    answers('400 GROUP_PARAM_INVALID', {
      'the plugin is unknown and an interval too short': template({
        plugin: 'p',
        groups: [group({ interval: 1 })],
      }),
    }),
    answers('206 TAG_ADDRESS_INVALID', {
      'the name is taken and an address bad': template({
        name: 'pump',
        groups: [group({ tags: [tag({ address: 'no' })] })],
      }),
    }),
  ],

  'GET /template': [
    answers('200 OK', {
      'all are wanted': {},
      'one is wanted': { name: 'pump' },
    }),
    answers('404 TEMPLATE_NOT_FOUND', { 'it does not exist': { name: 'absent' } }),
    answers('400 PARAM_INVALID', {
      'the name is empty': { name: '' },
      'the name has 128 bytes': { name: n128 },
    }),
  ],

  'POST /template/group': [
    answers('200 OK', { 'all is well': fourth({ group: 'third' }) }),
    answers('404 TEMPLATE_NOT_FOUND', { 'the template does not exist': fourth({ template: 'absent' }) }),
    answers('409 GROUP_EXISTS', { 'the group exists': fourth({ group: 'third' }) }),
    answers('400 GROUP_PARAM_INVALID', { 'the interval is 99 ms': fourth({ interval: 99 }) }),
    answers('400 GROUP_NAME_TOO_LONG', { 'the group name has 128 bytes': fourth({ group: n128 }) }),
    answers('400 TEMPLATE_NAME_TOO_LONG', { 'the template name has 128 bytes': fourth({ template: n128 }) }),
    answers('400 BODY_INVALID', { 'the group name is empty': fourth({ group: '' }) }),
  ],

  'PUT /template/group': [
    answers('200 OK', {
      'a new name': last({ group: 'third', new_name: 'last' }),
      'a new interval': last({ interval: 200 }),
      'its own name': last({ new_name: 'last' }),
    }),
    answers('404 TEMPLATE_NOT_FOUND', {
      'the template does not exist': last({ template: 'absent', interval: 200 }),
    }),
    answers('404 GROUP_NOT_FOUND', { 'the group does not exist': last({ group: 'absent', interval: 200 }) }),
    answers('409 GROUP_EXISTS', { 'the new name is taken': last({ new_name: 'fast' }) }),
    answers('400 GROUP_PARAM_INVALID', {
      'the interval is 99 ms': last({ interval: 99 }),
      'the time between reports is negative': last({ min_interval: -1 }),
      'the interval is above 32 bits': last({ interval: 4294967296 }),
    }),
    answers('400 GROUP_NAME_TOO_LONG', { 'the new name has 128 bytes': last({ new_name: n128 }) }),
    answers('400 TEMPLATE_NAME_TOO_LONG', {
      'the template name has 128 bytes': last({ template: n128, interval: 200 }),
    }),
    answers('400 BODY_INVALID', {
      'the new name is empty': last({ new_name: '' }),
      'nothing is to change': last(),
    }),
  ],

  'GET /template/group': [
    answers('200 OK', { 'all is well': { name: 'pump' } }),
    answers('400 PARAM_INVALID', {
      'no template is named': {},
      'the name is empty': { name: '' },
      'the name has 128 bytes': { name: n128 },
    }),
    answers('404 TEMPLATE_NOT_FOUND', { 'the template does not exist': { name: 'absent' } }),
  ],

  'DELETE /template/group': [
    answers('404 TEMPLATE_NOT_FOUND', { 'the template does not exist': last({ template: 'absent' }) }),
    answers('404 GROUP_NOT_FOUND', { 'the group does not exist': last({ group: 'absent' }) }),
    answers('400 GROUP_NAME_TOO_LONG', { 'the group name has 128 bytes': last({ group: n128 }) }),
    answers('400 TEMPLATE_NAME_TOO_LONG', { 'the template name has 128 bytes': last({ template: n128 }) }),
    answers('200 OK', { 'all is well': last() }),
  ],

  'POST /template/tag': [
    answers('200 OK, index 2', { 'all is well': inPump(tag({ name: 'one' }), tag({ name: 'two' })) }),
    answers('200 OK, index 0', { 'there are no tags': inPump() }),
    answers('404 TEMPLATE_NOT_FOUND', { 'the template does not exist': tagged({ template: 'absent' }) }),
    answers('404 GROUP_NOT_FOUND', {
      'the group does not exist, and is not made': tagged({ group: 'absent' }),
    }),
    answers('400 GROUP_NAME_TOO_LONG', { 'the group name has 128 bytes': tagged({ group: n128 }) }),
    answers('400 TEMPLATE_NAME_TOO_LONG', { 'the template name has 128 bytes': tagged({ template: n128 }) }),
    answers('404 LIBRARY_NOT_FOUND', {
      'the plugin of the template is gone': tagged({ template: 'orphan' }),
    }),
    answers('409 TAG_NAME_CONFLICT, index 1, family 200', {
      'the name is taken': inPump(tag({ name: 'three' }), tag({ name: 'one' })),
    }),
    ...badTags.map(([when, bad, code], at) =>
      answers(`206 ${code}, index 1${family(code)}`, {
        [`${when}, the one before it is kept`]: inPump(tag({ name: `kept ${at}` }), tag(bad)),
      }),
    ),
    answers('400 BODY_INVALID', { 'a static tag has no value': inPump(tag({ attribute: STATIC })) }),
  ],

  'PUT /template/tag': [
    answers('200 OK, index 1', { 'all is well': inPump(tag({ name: 'one', type: 4 })) }),
    answers('404 TEMPLATE_NOT_FOUND', { 'the template does not exist': tagged({ template: 'absent' }) }),
    answers('404 GROUP_NOT_FOUND', { 'the group does not exist': tagged({ group: 'absent' }) }),
    answers('400 GROUP_NAME_TOO_LONG', { 'the group name has 128 bytes': tagged({ group: n128 }) }),
    answers('400 TEMPLATE_NAME_TOO_LONG', { 'the template name has 128 bytes': tagged({ template: n128 }) }),
    answers('206 TAG_NOT_FOUND, index 1, family 200', {
      'the tag does not exist': inPump(tag({ name: 'one' }), tag({ name: 'absent' })),
    }),
    ...badTags.map(([when, bad, code]) =>
      answers(`206 ${code}, index 0${family(code)}`, { [when]: inPump(tag({ name: 'one', ...bad })) }),
    ),
  ],

  'GET /template/tag': [
    answers('200 OK', {
      'all is well': fast(),
      'a part of a name': fast({ name: 'on' }),
    }),
    answers('400 PARAM_INVALID', {
      'no template is named': { group: 'fast' },
      'no group is named': { template: 'pump' },
      'the name is empty': fast({ name: '' }),
      'the name has 128 bytes': fast({ name: n128 }),
      'the template name has 128 bytes': { template: n128, group: 'fast' },
    }),
    answers('404 TEMPLATE_NOT_FOUND', {
      'the template does not exist': { template: 'absent', group: 'fast' },
    }),
    answers('404 GROUP_NOT_FOUND', { 'the group does not exist': last({ group: 'absent' }) }),
  ],

  'DELETE /template/tag': [
    answers('200 OK', { 'all is well': named({ tags: ['two', 'absent'] }) }),
    answers('206 TAG_NAME_TOO_LONG', { 'a name has 128 bytes': named({ tags: ['one', n128] }) }),
    answers('404 TEMPLATE_NOT_FOUND', { 'the template does not exist': named({ template: 'absent' }) }),
    answers('404 GROUP_NOT_FOUND', { 'the group does not exist': named({ group: 'absent' }) }),
    answers('400 GROUP_NAME_TOO_LONG', { 'the group name has 128 bytes': named({ group: n128 }) }),
    answers('400 TEMPLATE_NAME_TOO_LONG', { 'the template name has 128 bytes': named({ template: n128 }) }),
    answers('400 BODY_INVALID', { 'no tags are named': named({ tags: [] }) }),
  ],

  'POST /template/inst': [
    answers('200 OK', { 'all is well': { name: 'pump', node: 'pump 1' } }),
    answers('404 TEMPLATE_NOT_FOUND', { 'the template does not exist': { name: 'absent', node: 'pump 2' } }),
    answers('409 NODE_EXISTS', { 'the node exists': { name: 'pump', node: 'pump 1' } }),
    answers('404 LIBRARY_NOT_FOUND', {
      'the plugin of the template is gone': { name: 'orphan', node: 'pump 2' },
    }),
    answers('400 TEMPLATE_NAME_TOO_LONG', {
      'the template name has 128 bytes': { name: n128, node: 'pump 2' },
      'the node name has 128 bytes': { name: 'pump', node: n128 },
    }),
    answers('400 NODE_NAME_EMPTY', { 'the node name is empty': { name: 'pump', node: '' } }),
  ],

  'POST /template/instances': [
    answers('200 OK', {
      'all is well': instances(['pump', 'pump 2'], ['bare', 'pump 3']),
      'there are none': { nodes: [] },
    }),
    answers('404 TEMPLATE_NOT_FOUND', {
      'a template does not exist': instances(['pump', 'pump 4'], ['absent', 'pump 5']),
    }),
    answers('409 NODE_EXISTS', {
      'a node exists': instances(['pump', 'pump 4'], ['pump', 'pump 1']),
      'a node is there twice': instances(['pump', 'pump 4'], ['pump', 'pump 4']),
    }),
    answers('404 LIBRARY_NOT_FOUND', {
      'a plugin is gone': instances(['pump', 'pump 4'], ['orphan', 'pump 5']),
    }),
    answers('400 TEMPLATE_NAME_TOO_LONG', { 'a template name has 128 bytes': instances([n128, 'pump 4']) }),
    answers('200 OK', { 'no node was made of what was refused': instances(['pump', 'pump 4']) }),
    answers('400 BODY_INVALID', { 'an entry has no node': { nodes: [{ name: 'pump' }] } }),
  ],

  'DELETE /template': [
    answers('404 TEMPLATE_NOT_FOUND', { 'it does not exist': { name: 'absent' } }),
    answers('400 PARAM_INVALID', {
      'the name is empty': { name: '' },
      'the name has 128 bytes': { name: n128 },
    }),
    answers('200 OK', {
      'one of them': { name: 'pump' },
      'all of them': {},
      'all of them, and there are none': {},
    }),
  ],
};
