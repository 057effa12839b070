import { Attribute } from '@tagway/schemas';
import type { Data } from '../kit/client.ts';
import { answers, at, from, line, n127, n128, type ConformanceTable } from './rows.ts';

const { READ, WRITE, STATIC } = Attribute;
const word = from({ ...line, tag: 'word', value: 1 });
const write = (tag: string, value: unknown): Data => word({ tag, value });
const words = from({ ...line, tags: [{ tag: 'word', value: 1 }] });
const writes = (...tags: Write[]): Data => words({ tags: tags.map(valueOf) });
const grouped = from(groups([['word', 1]]));
const test = from({
  driver: 'plant',
  group: 'line',
  tag: 'any',
  address: '1!400001',
  attribute: READ,
  type: 4,
  precision: 0,
  decimal: 0,
  bias: 0,
});

export const values: ConformanceTable = {
  'POST /read': [
    answers('200 OK', {
      'all is well': at(),
      'all is well, from the device': at({ sync: true }),
    }),
    answers('404 NODE_NOT_FOUND', {
      'the node does not exist': at({ node: 'absent' }),
      'names of 127 bytes are merely absent': { node: n127, group: n127 },
    }),
    answers('404 GROUP_NOT_FOUND', { 'the group does not exist': at({ group: 'absent' }) }),
    answers('409 GROUP_NOT_ALLOWED', { 'the node is an app': at({ node: 'north' }) }),
    answers('400 NODE_NAME_TOO_LONG', { 'the node name has 128 bytes': at({ node: n128 }) }),
    answers('400 GROUP_NAME_TOO_LONG', { 'the group name has 128 bytes': at({ group: n128 }) }),
    answers('400 BODY_INVALID', { 'sync is no boolean': at({ sync: 1 }) }),
  ],

  'GET /history': [
    answers('200 OK', {
      'all is well': at({ tag: 'word' }),
      'a range': at({ tag: 'word', from: 0, to: 1e12, limit: 1 }),
      'a range that ends before it begins': at({ tag: 'word', from: 1e12, to: 0 }),
      'a range from the begin to the end of time': at({ tag: 'word', from: 0, to: 999_999_999_999_999 }),
      'buckets of it': at({ tag: 'word', from: 0, to: 999_999_999_999_999, buckets: 2000 }),
      'buckets of nothing': at({ tag: 'word', from: 5, to: 5, buckets: 2000 }),
      'buckets of a range that ends before it begins': at({ tag: 'word', from: 1e12, to: 0, buckets: 10 }),
    }),
    answers('409 HISTORY_NOT_KEPT', {
      'the group keeps none': { node: 'idle', group: 'line', tag: 'word' },
      'the tag is a text': at({ tag: 'text' }),
      'the tag is bytes': at({ tag: 'bytes' }),
    }),
    answers('404 NODE_NOT_FOUND', { 'the node does not exist': at({ node: 'absent', tag: 'word' }) }),
    answers('404 GROUP_NOT_FOUND', { 'the group does not exist': at({ group: 'absent', tag: 'word' }) }),
    answers('404 TAG_NOT_FOUND', {
      'the tag does not exist': at({ tag: 'absent' }),
      'the name of the tag is a prototype': at({ tag: '__proto__' }),
      'the name of the tag has 10 000 bytes': at({ tag: 'x'.repeat(10_000) }),
    }),
    answers('409 GROUP_NOT_ALLOWED', { 'the node is an app': at({ node: 'north', tag: 'word' }) }),
    answers('400 NODE_NAME_TOO_LONG', { 'the node name has 128 bytes': at({ node: n128, tag: 'word' }) }),
    answers('400 GROUP_NAME_TOO_LONG', { 'the group name has 128 bytes': at({ group: n128, tag: 'word' }) }),
    answers('400 PARAM_INVALID', {
      'the tag is missing': at(),
      'the begin is negative': at({ tag: 'word', from: -1 }),
      'the begin is a date': at({ tag: 'word', from: '2026-01-01' }),
      'the end is a fraction': at({ tag: 'word', to: '1.5' }),
      'the end is too far': at({ tag: 'word', to: '1000000000000000' }),
      'there are no buckets': at({ tag: 'word', buckets: 0 }),
      'there are too many buckets': at({ tag: 'word', buckets: 2001 }),
      'the limit is 0': at({ tag: 'word', limit: 0 }),
      'the limit is too large': at({ tag: 'word', limit: 50_001 }),
    }),
  ],

  'POST /read/paginate': [
    answers('200 OK', {
      'all is well': at(),
      'all is well, from the device': at({ sync: true }),
      'a page': at({ query: { currentPage: 1, pageSize: 2 } }),
      'a page beyond the end': at({ query: { currentPage: 100, pageSize: 100 } }),
      'the node does not run': at({ node: 'idle' }),
    }),
    answers('404 NODE_NOT_FOUND', { 'the node does not exist': at({ node: 'absent' }) }),
    answers('404 GROUP_NOT_FOUND', { 'the group does not exist': at({ group: 'absent' }) }),
    answers('409 GROUP_NOT_ALLOWED', { 'the node is an app': at({ node: 'north' }) }),
    answers('400 NODE_NAME_TOO_LONG', { 'the node name has 128 bytes': at({ node: n128 }) }),
    answers('400 GROUP_NAME_TOO_LONG', { 'the group name has 128 bytes': at({ group: n128 }) }),
    answers('400 BODY_INVALID', {
      'the page is negative': at({ query: { currentPage: -1, pageSize: 2 } }),
      'the page is a fraction': at({ query: { currentPage: 1.5, pageSize: 2 } }),
      'the page size is text': at({ query: { currentPage: 1, pageSize: '2' } }),
      'isError is no boolean': at({ query: { isError: 1 } }),
    }),
  ],

  'POST /read/test': [
    answers('200 OK', {
      'all is well': test(),
      'the spelling precison': test({ precision: undefined, precison: 0 }),
      'the group does not exist, nor need it': test({ group: 'absent' }),
    }),
    answers('404 NODE_NOT_FOUND', { 'the driver does not exist': test({ driver: 'absent' }) }),
    answers('409 GROUP_NOT_ALLOWED', { 'the node is an app': test({ driver: 'north' }) }),
    answers('200 NOT_RUNNING', { 'the node does not run': test({ driver: 'idle' }) }),
    answers('200 DISCONNECTED', { 'the device is not connected': test({ driver: 'dark' }) }),
    answers('200 TAG_ATTRIBUTE_UNSUPPORTED', {
      'an input register is to be written': test({ address: '1!300001', attribute: READ | WRITE }),
      'the tag is static': test({ attribute: STATIC }),
    }),
    answers('200 TAG_TYPE_UNSUPPORTED', {
      'the driver has no such type': test({ type: 1 }),
      'there is no such type': test({ type: 99 }),
    }),
    answers('200 TAG_ADDRESS_INVALID', { 'the address makes no sense': test({ address: 'nonsense' }) }),
    answers('400 NODE_NAME_TOO_LONG', { 'the driver name has 128 bytes': test({ driver: n128 }) }),
    answers('400 GROUP_NAME_TOO_LONG', { 'the group name has 128 bytes': test({ group: n128 }) }),
    answers('400 TAG_NAME_TOO_LONG', { 'the tag name has 128 bytes': test({ tag: n128 }) }),
    answers('400 TAG_ADDRESS_TOO_LONG', { 'the address has 128 bytes': test({ address: n128 }) }),
    answers('400 BODY_INVALID', { 'the type is text': test({ type: '3' }) }),
  ],

  'POST /write': [
    answers('404 NODE_NOT_FOUND', { 'the node does not exist': word({ node: 'absent' }) }),
    answers('409 GROUP_NOT_ALLOWED', { 'the node is an app': word({ node: 'north' }) }),
    answers('200 NOT_RUNNING', {
      'the node does not run': word({ node: 'idle' }),
      'the node does not run and the tag is absent': word({ node: 'idle', group: 'no', tag: 'no' }),
    }),
    answers('404 GROUP_NOT_FOUND', { 'the group does not exist': word({ group: 'absent' }) }),
    answers('404 TAG_NOT_FOUND', { 'the tag does not exist': write('absent', 1) }),
    answers('200 TAG_NOT_WRITABLE', {
      'the tag may not be written': write('read only', 1),
      'a static tag may not be written': write('constant', 1),
    }),
    answers('200 DISCONNECTED', { 'the device is not connected': word({ node: 'dark' }) }),
    answers('200 TYPE_MISMATCH, family 400', {
      'text for a number': write('word', '1'),
      'a boolean for a number': write('word', true),
      'a fraction for an integer': write('word', 1.5),
      'an array for a number': write('word', [1]),
      'a number for text': write('text', 1),
      'text for bytes': write('bytes', 'text'),
      'a boolean for a bit': write('coil', true),
      'text for a float': write('float', '1'),
    }),
    answers('200 VALUE_OUT_OF_RANGE, family 400', {
      'UINT16 above its range': write('word', 65536),
      'UINT16 below its range': write('word', -1),
      'INT16 above its range': write('short', 32768),
      'INT16 below its range': write('short', -32769),
      'UINT64 above its range': write('long', 18446744073709551616n),
      'FLOAT above its range': write('float', 1e39),
      'a bit that is 2': write('coil', 2),
      'a byte that is 256': write('bytes', [0, 256, 0, 0]),
      'a scaled value above its range': write('scaled', 3276.8),
      'a static tag above its range': write('adjustable', 32768),
    }),
    answers('200 STRING_TOO_LONG', { 'text of 128 bytes': write('text', n128) }),
    answers('400 BODY_INVALID', {
      'no value': at({ tag: 'word' }),
      'a value that is an object': write('word', {}),
      'no tag': at({ value: 1 }),
      'the tag is a number': word({ tag: 1 }),
      'the body is no JSON': '{"node":',
    }),
    answers('200 OK', {
      'all is well': write('word', 65535),
      'a static tag that may be written': write('adjustable', 8),
    }),
  ],

  'POST /write/tags': [
    answers('404 NODE_NOT_FOUND', { 'the node does not exist': words({ node: 'absent' }) }),
    answers('409 GROUP_NOT_ALLOWED', { 'the node is an app': words({ node: 'north' }) }),
    answers('200 NOT_RUNNING', { 'the node does not run': words({ node: 'idle' }) }),
    answers('200 WRITE_TAGS_UNSUPPORTED, family 404', {
      'the driver cannot write several': at({ node: 'single', tags: [{ tag: 'word', value: 'x' }] }),
    }),
    answers('404 GROUP_NOT_FOUND', { 'the group does not exist': words({ group: 'absent' }) }),
    answers('404 TAG_NOT_FOUND', {
      'a tag does not exist': writes(['word', 1], ['absent', 1]),
      'a tag may not be written': writes(['word', 1], ['read only', 1]),
      'a tag is static': writes(['word', 1], ['adjustable', 1]),
    }),
    answers('200 TYPE_MISMATCH, family 400', {
      'a value has another type': writes(['word', 1], ['short', 'x']),
    }),
    answers('200 VALUE_OUT_OF_RANGE, family 400', {
      'a value is out of range': writes(['word', 1], ['short', 32768]),
    }),
    answers('200 DISCONNECTED', { 'the device is not connected': words({ node: 'dark' }) }),
    answers('400 BODY_INVALID', {
      'there are no tags': writes(),
      'a tag has no value': at({ tags: [{ tag: 'word' }] }),
    }),
    answers('200 OK', { 'all is well': writes(['word', 1], ['short', 2], ['text', 'ok']) }),
  ],

  'POST /write/gtags': [
    answers('404 NODE_NOT_FOUND', { 'the node does not exist': grouped({ node: 'absent' }) }),
    answers('409 GROUP_NOT_ALLOWED', { 'the node is an app': grouped({ node: 'north' }) }),
    answers('200 NOT_RUNNING', { 'the node does not run': grouped({ node: 'idle' }) }),
    answers('200 WRITE_TAGS_UNSUPPORTED, family 404', {
      'the driver cannot write several': { ...groups([['word', 'x']]), node: 'single' },
    }),
    answers('404 GROUP_NOT_FOUND', {
      'a group does not exist': grouped({ groups: [{ group: 'absent', tags: [valueOf(['word', 1])] }] }),
    }),
    answers('404 TAG_NOT_FOUND', {
      'a tag does not exist': groups([['word', 1]], [['absent', 1]]),
      'a tag may not be written': groups([['read only', 1]]),
      'a tag is static': groups([['adjustable', 1]]),
    }),
    answers('200 TYPE_MISMATCH, family 400', { 'a value has another type': groups([['word', 'x']]) }),
    answers('200 VALUE_OUT_OF_RANGE, family 400', { 'a value is out of range': groups([['word', 65536]]) }),
    answers('200 STRING_TOO_LONG', { 'text of 128 bytes': groups([['text', n128]]) }),
    answers('200 DISCONNECTED', { 'the device is not connected': grouped({ node: 'dark' }) }),
    answers('400 NODE_NAME_TOO_LONG', { 'the node name has 128 bytes': grouped({ node: n128 }) }),
    answers('400 TAG_NAME_TOO_LONG', { 'a tag name has 128 bytes': groups([[n128, 1]]) }),
    answers('400 BODY_INVALID', {
      'there are no groups': groups(),
      'a group has no tags': groups([]),
    }),
    answers('200 OK', { 'all is well': groups([['word', 1]], [['short', 2]]) }),
  ],
};

type Write = readonly [name: string, value: unknown];

function valueOf([tag, value]: Write): object {
  return { tag, value };
}

/** Writes to the group `line`, as often as there are lists. */
function groups(...lists: Write[][]): { node: string; groups: object[] } {
  return { node: 'plant', groups: lists.map((tags) => ({ group: 'line', tags: tags.map(valueOf) })) };
}
