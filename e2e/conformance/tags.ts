import { Attribute } from '@tagway/schemas';
import type { Data } from '../kit/client.ts';
import { answers, at, from, n128, tag, type ConformanceTable } from './rows.ts';

const { READ, WRITE, STATIC, SUBSCRIBE } = Attribute;
const rw = READ | WRITE;
const batch = from({ node: 'idle', group: 'line', tags: [tag()] });
const many = (...tags: object[]): Data => batch({ tags });
const one = (members: object): Data => many(tag(members));
const grouped = from({ node: 'idle', groups: [group('group 0', tag())] });
const inGroup = (members: object): Data => gtags([tag(members)]);
const renamed = from({ node: 'idle', group: 'group 0', old_name: 'renamed', new_name: 'first' });

export const tags: ConformanceTable = {
  'POST /tags': [
    answers('200 OK, index 2', {
      'all is well': many(tag({ name: 'made' }), tag({ name: 'made too', decimal: null, unknown: {} })),
    }),
    answers('200 OK, index 1', {
      'all is well, with the other spelling of precision': one({ name: 'spelled', type: 9, precison: 2 }),
      'the group is made': batch({ group: 'new' }),
      'a static tag needs no address': one({ name: 'fixed', address: '', attribute: STATIC, value: 1 }),
    }),
    answers('404 NODE_NOT_FOUND', { 'the node does not exist': batch({ node: 'absent' }) }),
    answers('409 GROUP_NOT_ALLOWED', { 'the node is an app': batch({ node: 'north' }) }),
    answers('400 GROUP_NAME_TOO_LONG', { 'the group name has 128 bytes': batch({ group: n128 }) }),
    answers('200 OK, index 0', { 'there are no tags': many() }),
    answers('206 TAG_NAME_CONFLICT, index 0, family 409', { 'the name is taken': one({ name: 'word' }) }),
    answers('206 TAG_NAME_CONFLICT, index 1, family 409', {
      'a name comes twice': many(tag({ name: 'twice' }), tag({ name: 'twice' })),
    }),
    answers('200 OK, index 1', {
      'a bit of a register has no number: it is the lowest, and is only read': one({
        name: 'lowest',
        address: '1!400001',
        type: 11,
      }),
    }),
    answers('206 TAG_ATTRIBUTE_UNSUPPORTED, index 0, family 400', {
      'a bit of a register without a number is to be written': one({
        address: '1!400001',
        attribute: rw,
        type: 11,
      }),
      'an input register is to be written': one({ address: '1!300001', attribute: rw }),
      'a discrete input is to be written': one({ address: '1!100001', attribute: WRITE, type: 11 }),
      'a bit of a register is to be written': one({ address: '1!400001.0', attribute: rw, type: 11 }),
      'a static tag is to be reported on change': one({ attribute: SUBSCRIBE | STATIC, value: 1 }),
    }),
    answers('206 TAG_DECIMAL_INVALID, index 0, family 400', {
      'a text has a decimal': one({ address: '1!400001.8', type: 13, decimal: 0.1 }),
    }),
    answers('200 OK, index 1', { 'a tag is a WORD': one({ name: 'bits of a word', type: 16 }) }),
    answers('206 TAG_BIAS_INVALID, index 0, family 400', {
      'a bit has a bias': one({ address: '1!400001.3', type: 11, bias: 1 }),
      'a WORD has a bias': one({ type: 16, bias: 1 }),
      'a DWORD has a bias': one({ type: 17, bias: 1 }),
      'a LWORD has a bias': one({ type: 18, bias: 1 }),
    }),
    answers('206 TAG_DEADBAND_INVALID, index 0, family 400', {
      'a deadband is negative': one({ type: 9, deadband: -1 }),
      'a deadband is a percentage and there is no span': one({ type: 9, deadband: '2%' }),
      'a WORD has a deadband': one({ type: 16, deadband: 1 }),
    }),
    answers('206 TAG_SPAN_INVALID, index 0, family 400', {
      'a span has no end': one({ type: 9, low: 0 }),
      'a WORD has a span': one({ type: 16, low: 0, high: 1 }),
    }),
    answers('206 TAG_UNIT_INVALID, index 0, family 400', {
      'a unit has 33 bytes': one({ type: 9, unit: 'u'.repeat(33) }),
    }),
    answers('206 TAG_BIAS_INVALID, index 1, family 400', {
      'the second tag is a WORD and has a bias': many(
        tag({ name: 'before it' }),
        tag({ name: 'word with bias', type: 16, bias: -1 }),
      ),
    }),
    answers('206 TAG_TYPE_UNSUPPORTED, index 0, family 400', {
      'the driver has no such type': one({ type: 1 }),
      'there is no such type': one({ type: 99 }),
    }),
    answers('206 TAG_ADDRESS_INVALID, index 0, family 400', {
      'the address makes no sense': one({ address: 'nonsense' }),
      'the address is empty': one({ address: '' }),
      'the area does not exist': one({ address: '1!500001' }),
      'the register is beyond 65536': one({ address: '1!465537' }),
      'the unit is 256': one({ address: '256!400001' }),
      'the bit is 16': one({ address: '1!400001.16', type: 11 }),
      'a string has 128 bytes': one({ address: '1!400001.128', type: 13 }),
      'bytes have an odd length': one({ address: '1!400001.3', type: 14 }),
    }),
    answers('206 TAG_NAME_TOO_LONG, index 0, family 400', { 'the name has 128 bytes': one({ name: n128 }) }),
    answers('206 TAG_ADDRESS_TOO_LONG, index 0, family 400', {
      'the address has 128 bytes': one({ address: `1!${'0'.repeat(126)}` }),
    }),
    answers('206 TAG_DESCRIPTION_TOO_LONG, index 0, family 400', {
      'the description has 128 bytes': one({ description: n128 }),
      'the description has 128 bytes in 64 characters': one({ description: 'é'.repeat(64) }),
    }),
    answers('206 TAG_PRECISION_INVALID, index 0, family 400', {
      'the precision is 18': one({ type: 9, precision: 18 }),
      'the precision is negative': one({ type: 9, precision: -1 }),
    }),
    answers('206 TAG_ADDRESS_INVALID, index 1, family 400', {
      'the second tag is bad': many(tag({ name: 'one' }), tag({ address: 'no' }), tag({ name: 'three' })),
    }),
    answers('206 TAG_NAME_TOO_LONG, index 0, family 400', {
      'name and address are bad: the name comes first': one({ name: n128, address: 'no' }),
    }),
    answers('400 BODY_INVALID', {
      'a name is empty': one({ name: '' }),
      'a static tag has no value': one({ attribute: STATIC }),
      'a tag that is not static has a value': one({ value: 1 }),
      'a static value has another type': one({ attribute: STATIC, value: 'text' }),
      'a static value is out of range': one({ attribute: STATIC, value: 32768 }),
      'a tag has no address': many({ name: 'fresh', attribute: READ, type: 3 }),
      'a tag has no type': many({ name: 'fresh', address: '1!400001', attribute: READ }),
      'a type is text': one({ type: '3' }),
      'a tag is not an object': batch({ tags: ['fresh'] }),
    }),
  ],

  'PUT /tags': [
    answers('200 OK, index 1', { 'all is well': one({ name: 'made', address: '1!400002', decimal: null }) }),
    answers('404 NODE_NOT_FOUND', { 'the node does not exist': batch({ node: 'absent' }) }),
    answers('404 GROUP_NOT_FOUND', { 'the group does not exist': batch({ group: 'absent' }) }),
    answers('409 GROUP_NOT_ALLOWED', { 'the node is an app': batch({ node: 'north' }) }),
    answers('206 TAG_NOT_FOUND, index 0, family 404', { 'the tag does not exist': one({ name: 'absent' }) }),
    answers('206 TAG_NOT_FOUND, index 1, family 404', {
      'the second tag does not exist': many(
        tag({ name: 'word', type: 4, attribute: rw }),
        tag({ name: 'absent' }),
      ),
    }),
    answers('206 TAG_ATTRIBUTE_UNSUPPORTED, index 0, family 400', {
      'the attribute is not supported': one({ name: 'word', address: '1!300001', attribute: WRITE }),
    }),
    answers('206 TAG_TYPE_UNSUPPORTED, index 0, family 400', {
      'the type is not supported': one({ name: 'word', type: 1 }),
    }),
    answers('206 TAG_ADDRESS_INVALID, index 0, family 400', {
      'the address makes no sense': one({ name: 'word', address: 'nonsense' }),
    }),
    answers('206 TAG_PRECISION_INVALID, index 0, family 400', {
      'the precision is 18': one({ name: 'word', precision: 18 }),
    }),
  ],

  'POST /gtags': [
    answers('200 OK, index 2', { 'all is well': gtags([tag({ name: 'first' })], [tag({ name: 'second' })]) }),
    answers('200 OK, index 0', { 'there are no groups': gtags() }),
    answers('404 NODE_NOT_FOUND', { 'the node does not exist': grouped({ node: 'absent' }) }),
    answers('409 GROUP_NOT_ALLOWED', { 'the node is an app': grouped({ node: 'north' }) }),
    answers('400 NODE_NAME_TOO_LONG', { 'the node name has 128 bytes': grouped({ node: n128 }) }),
    answers('400 GROUP_NAME_TOO_LONG', { 'a group name has 128 bytes': oneGroup({ group: n128 }) }),
    answers('400 GROUP_PARAM_INVALID', { 'an interval is 99 ms': oneGroup({ interval: 99 }) }),
    answers('409 GROUP_EXISTS', { 'a group is named twice': grouped({ groups: [group('g'), group('g')] }) }),
    answers('409 TAG_NAME_CONFLICT, index 1', {
      'the name is taken': gtags([tag({ name: 'third' })], [tag({ name: 'second' })]),
      'a name comes twice': gtags([tag({ name: 'third' }), tag({ name: 'third' })]),
    }),
    answers('400 TAG_ATTRIBUTE_UNSUPPORTED, index 0', {
      'an input register is to be written': inGroup({ address: '1!300001', attribute: rw }),
    }),
    answers('400 TAG_TYPE_UNSUPPORTED, index 1', {
      'the driver has no such type': gtags([tag()], [tag({ type: 1 })]),
    }),
    answers('400 TAG_ADDRESS_INVALID, index 1', {
      'the address makes no sense': gtags([tag()], [tag({ address: 'nonsense' })]),
    }),
    answers('400 TAG_NAME_TOO_LONG, index 0', { 'the name has 128 bytes': inGroup({ name: n128 }) }),
    answers('400 TAG_ADDRESS_TOO_LONG, index 0', { 'the address has 128 bytes': inGroup({ address: n128 }) }),
    answers('400 TAG_DESCRIPTION_TOO_LONG, index 0', {
      'the description has 128 bytes': inGroup({ description: n128 }),
    }),
    answers('400 TAG_PRECISION_INVALID, index 0', {
      'the precision is 18': inGroup({ type: 9, precision: 18 }),
    }),
    answers('200 OK, index 1', { 'nothing was added of what was refused': inGroup({ name: 'third' }) }),
    answers('400 BODY_INVALID', {
      'a group name is empty': oneGroup({ group: '' }),
      'a static tag has no value': inGroup({ attribute: STATIC }),
    }),
  ],

  'PUT /tag/rename': [
    answers('200 OK', {
      'all is well': renamed({ old_name: 'first', new_name: 'renamed' }),
      'its own name': renamed({ new_name: 'renamed' }),
    }),
    answers('404 NODE_NOT_FOUND', { 'the node does not exist': renamed({ node: 'absent' }) }),
    answers('409 GROUP_NOT_ALLOWED', { 'the node is an app': renamed({ node: 'north' }) }),
    answers('404 GROUP_NOT_FOUND', { 'the group does not exist': renamed({ group: 'absent' }) }),
    answers('404 TAG_NOT_FOUND', { 'the tag does not exist': renamed({ old_name: 'absent' }) }),
    answers('409 TAG_NAME_CONFLICT', { 'the new name is taken': renamed({ new_name: 'third' }) }),
    answers('400 PARAM_INVALID', { 'the new name is empty': renamed({ new_name: '' }) }),
    answers('400 TAG_NAME_TOO_LONG', { 'the new name has 128 bytes': renamed({ new_name: n128 }) }),
    answers('400 NODE_NAME_TOO_LONG', { 'the node name has 128 bytes': renamed({ node: n128 }) }),
    answers('400 GROUP_NAME_TOO_LONG', { 'the group name has 128 bytes': renamed({ group: n128 }) }),
  ],

  'DELETE /tags': [
    answers('200 OK', { 'all is well': batch({ tags: ['made'] }) }),
    answers('404 NODE_NOT_FOUND', { 'the node does not exist': at({ node: 'absent', tags: ['a'] }) }),
    answers('200 OK, family 404 TAG_NOT_FOUND', {
      'the tag does not exist: nothing to do': batch({ tags: ['absent'] }),
    }),
    answers('200 OK, family 404 GROUP_NOT_FOUND', {
      'the group does not exist: nothing to do': batch({ group: 'absent', tags: ['a'] }),
    }),
    answers('400 BODY_INVALID', { 'no tags are named': batch({ tags: [] }) }),
  ],

  'GET /tags': [
    answers('200 OK', { 'all is well': at() }),
    answers('400 PARAM_INVALID', {
      'no node is named': { group: 'line' },
      'no group is named': { node: 'plant' },
    }),
    answers('404 NODE_NOT_FOUND', { 'the node does not exist': at({ node: 'absent' }) }),
    answers('404 GROUP_NOT_FOUND', { 'the group does not exist': at({ group: 'absent' }) }),
    answers('409 GROUP_NOT_ALLOWED', { 'the node is an app': at({ node: 'north' }) }),
  ],
};

function group(name: string, ...tags: object[]): object {
  return { group: name, interval: 1000, tags };
}

/** Tags for the groups `group 0`, `group 1` and so on of the driver `idle`. */
function gtags(...lists: object[][]): Data {
  return grouped({ groups: lists.map((tags, index) => group(`group ${index}`, ...tags)) });
}

function oneGroup(members: object): Data {
  return grouped({ groups: [{ ...group('fresh'), ...members }] });
}
