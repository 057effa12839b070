import { Attribute } from '@tagway/schemas';
import { many, n128, tag } from './rows.ts';
import type { ConformanceTable } from './rows.ts';

export const tags: ConformanceTable = {
  'POST /tags': [
    [
      'all is well',
      many(tag({ name: 'made' }), tag({ name: 'made too', decimal: null, unknown: {} })),
      200,
      0,
      2,
    ],
    [
      'all is well, with the other spelling of precision',
      many(tag({ name: 'spelled', type: 9, precison: 2 })),
      200,
      0,
      1,
    ],
    ['the group is made', { node: 'idle', group: 'new', tags: [tag()] }, 200, 0, 1],
    [
      'a static tag needs no address',
      many(tag({ name: 'fixed', address: '', attribute: Attribute.STATIC, value: 1 })),
      200,
      0,
      1,
    ],
    ['the node does not exist', { node: 'absent', group: 'line', tags: [tag()] }, 404, 'NODE_NOT_FOUND'],
    ['the node is an app', { node: 'north', group: 'line', tags: [tag()] }, 409, 'GROUP_NOT_ALLOWED'],
    [
      'the group name has 128 bytes',
      { node: 'idle', group: n128, tags: [tag()] },
      400,
      'GROUP_NAME_TOO_LONG',
    ],
    ['there are no tags', many(), 200, 0, 0],
    [
      'the name is taken',
      many(tag({ name: 'word' })),
      206,
      'TAG_NAME_CONFLICT',
      { index: 0, family: [409, 'TAG_NAME_CONFLICT'] },
    ],
    [
      'a name comes twice',
      many(tag({ name: 'twice' }), tag({ name: 'twice' })),
      206,
      'TAG_NAME_CONFLICT',
      { index: 1, family: [409, 'TAG_NAME_CONFLICT'] },
    ],
    [
      'an input register is to be written',
      many(tag({ address: '1!300001', attribute: Attribute.READ | Attribute.WRITE })),
      206,
      'TAG_ATTRIBUTE_UNSUPPORTED',
      { index: 0, family: [400, 'TAG_ATTRIBUTE_UNSUPPORTED'] },
    ],
    [
      'a discrete input is to be written',
      many(tag({ address: '1!100001', attribute: Attribute.WRITE, type: 11 })),
      206,
      'TAG_ATTRIBUTE_UNSUPPORTED',
      { index: 0, family: [400, 'TAG_ATTRIBUTE_UNSUPPORTED'] },
    ],
    [
      'a bit of a register is to be written',
      many(tag({ address: '1!400001.0', attribute: Attribute.READ | Attribute.WRITE, type: 11 })),
      206,
      'TAG_ATTRIBUTE_UNSUPPORTED',
      { index: 0, family: [400, 'TAG_ATTRIBUTE_UNSUPPORTED'] },
    ],
    [
      'a static tag is to be reported on change',
      many(tag({ attribute: Attribute.SUBSCRIBE | Attribute.STATIC, value: 1 })),
      206,
      'TAG_ATTRIBUTE_UNSUPPORTED',
      { index: 0, family: [400, 'TAG_ATTRIBUTE_UNSUPPORTED'] },
    ],
    [
      'the driver has no such type',
      many(tag({ type: 1 })),
      206,
      'TAG_TYPE_UNSUPPORTED',
      { index: 0, family: [400, 'TAG_TYPE_UNSUPPORTED'] },
    ],
    [
      'there is no such type',
      many(tag({ type: 99 })),
      206,
      'TAG_TYPE_UNSUPPORTED',
      { index: 0, family: [400, 'TAG_TYPE_UNSUPPORTED'] },
    ],
    [
      'the address makes no sense',
      many(tag({ address: 'nonsense' })),
      206,
      'TAG_ADDRESS_INVALID',
      { index: 0, family: [400, 'TAG_ADDRESS_INVALID'] },
    ],
    [
      'the address is empty',
      many(tag({ address: '' })),
      206,
      'TAG_ADDRESS_INVALID',
      { index: 0, family: [400, 'TAG_ADDRESS_INVALID'] },
    ],
    [
      'the area does not exist',
      many(tag({ address: '1!500001' })),
      206,
      'TAG_ADDRESS_INVALID',
      { index: 0, family: [400, 'TAG_ADDRESS_INVALID'] },
    ],
    [
      'the register is beyond 65536',
      many(tag({ address: '1!465537' })),
      206,
      'TAG_ADDRESS_INVALID',
      { index: 0, family: [400, 'TAG_ADDRESS_INVALID'] },
    ],
    [
      'the unit is 256',
      many(tag({ address: '256!400001' })),
      206,
      'TAG_ADDRESS_INVALID',
      { index: 0, family: [400, 'TAG_ADDRESS_INVALID'] },
    ],
    [
      'the bit is 16',
      many(tag({ address: '1!400001.16', type: 11 })),
      206,
      'TAG_ADDRESS_INVALID',
      { index: 0, family: [400, 'TAG_ADDRESS_INVALID'] },
    ],
    [
      'a string has 128 bytes',
      many(tag({ address: '1!400001.128', type: 13 })),
      206,
      'TAG_ADDRESS_INVALID',
      { index: 0, family: [400, 'TAG_ADDRESS_INVALID'] },
    ],
    [
      'bytes have an odd length',
      many(tag({ address: '1!400001.3', type: 14 })),
      206,
      'TAG_ADDRESS_INVALID',
      { index: 0, family: [400, 'TAG_ADDRESS_INVALID'] },
    ],
    [
      'the name has 128 bytes',
      many(tag({ name: n128 })),
      206,
      'TAG_NAME_TOO_LONG',
      { index: 0, family: [400, 'TAG_NAME_TOO_LONG'] },
    ],
    [
      'the address has 128 bytes',
      many(tag({ address: `1!${'0'.repeat(126)}` })),
      206,
      'TAG_ADDRESS_TOO_LONG',
      { index: 0, family: [400, 'TAG_ADDRESS_TOO_LONG'] },
    ],
    [
      'the description has 128 bytes',
      many(tag({ description: n128 })),
      206,
      'TAG_DESCRIPTION_TOO_LONG',
      { index: 0, family: [400, 'TAG_DESCRIPTION_TOO_LONG'] },
    ],
    [
      'the description has 128 bytes in 64 characters',
      many(tag({ description: 'é'.repeat(64) })),
      206,
      'TAG_DESCRIPTION_TOO_LONG',
      { index: 0, family: [400, 'TAG_DESCRIPTION_TOO_LONG'] },
    ],
    [
      'the precision is 18',
      many(tag({ type: 9, precision: 18 })),
      206,
      'TAG_PRECISION_INVALID',
      { index: 0, family: [400, 'TAG_PRECISION_INVALID'] },
    ],
    [
      'the precision is negative',
      many(tag({ type: 9, precision: -1 })),
      206,
      'TAG_PRECISION_INVALID',
      { index: 0, family: [400, 'TAG_PRECISION_INVALID'] },
    ],
    [
      'the second tag is bad',
      many(tag({ name: 'one' }), tag({ address: 'no' }), tag({ name: 'three' })),
      206,
      'TAG_ADDRESS_INVALID',
      { index: 1, family: [400, 'TAG_ADDRESS_INVALID'] },
    ],
    [
      'name and address are bad: the name comes first',
      many(tag({ name: n128, address: 'no' })),
      206,
      'TAG_NAME_TOO_LONG',
      { index: 0, family: [400, 'TAG_NAME_TOO_LONG'] },
    ],
    ['a name is empty', many(tag({ name: '' })), 400, 'BODY_INVALID'],
    ['a static tag has no value', many(tag({ attribute: Attribute.STATIC })), 400, 'BODY_INVALID'],
    ['a tag that is not static has a value', many(tag({ value: 1 })), 400, 'BODY_INVALID'],
    [
      'a static value has another type',
      many(tag({ attribute: Attribute.STATIC, value: 'text' })),
      400,
      'BODY_INVALID',
    ],
    [
      'a static value is out of range',
      many(tag({ attribute: Attribute.STATIC, value: 32768 })),
      400,
      'BODY_INVALID',
    ],
    [
      'a tag has no address',
      many({ name: 'fresh', attribute: Attribute.READ, type: 3 }),
      400,
      'BODY_INVALID',
    ],
    [
      'a tag has no type',
      many({ name: 'fresh', address: '1!400001', attribute: Attribute.READ }),
      400,
      'BODY_INVALID',
    ],
    ['a type is text', many(tag({ type: '3' })), 400, 'BODY_INVALID'],
    ['a tag is not an object', { node: 'idle', group: 'line', tags: ['fresh'] }, 400, 'BODY_INVALID'],
  ],

  'PUT /tags': [
    ['all is well', many(tag({ name: 'made', address: '1!400002', decimal: null })), 200, 0, 1],
    ['the node does not exist', { node: 'absent', group: 'line', tags: [tag()] }, 404, 'NODE_NOT_FOUND'],
    ['the group does not exist', { node: 'idle', group: 'absent', tags: [tag()] }, 404, 'GROUP_NOT_FOUND'],
    ['the node is an app', { node: 'north', group: 'line', tags: [tag()] }, 409, 'GROUP_NOT_ALLOWED'],
    [
      'the tag does not exist',
      many(tag({ name: 'absent' })),
      206,
      'TAG_NOT_FOUND',
      { index: 0, family: [404, 'TAG_NOT_FOUND'] },
    ],
    [
      'the second tag does not exist',
      many(
        tag({ name: 'word', type: 4, attribute: Attribute.READ | Attribute.WRITE }),
        tag({ name: 'absent' }),
      ),
      206,
      'TAG_NOT_FOUND',
      { index: 1, family: [404, 'TAG_NOT_FOUND'] },
    ],
    [
      'the attribute is not supported',
      many(tag({ name: 'word', address: '1!300001', attribute: Attribute.WRITE })),
      206,
      'TAG_ATTRIBUTE_UNSUPPORTED',
      { index: 0, family: [400, 'TAG_ATTRIBUTE_UNSUPPORTED'] },
    ],
    [
      'the type is not supported',
      many(tag({ name: 'word', type: 1 })),
      206,
      'TAG_TYPE_UNSUPPORTED',
      { index: 0, family: [400, 'TAG_TYPE_UNSUPPORTED'] },
    ],
    [
      'the address makes no sense',
      many(tag({ name: 'word', address: 'nonsense' })),
      206,
      'TAG_ADDRESS_INVALID',
      { index: 0, family: [400, 'TAG_ADDRESS_INVALID'] },
    ],
    [
      'the precision is 18',
      many(tag({ name: 'word', precision: 18 })),
      206,
      'TAG_PRECISION_INVALID',
      { index: 0, family: [400, 'TAG_PRECISION_INVALID'] },
    ],
  ],

  'POST /gtags': [
    ['all is well', gtags([tag({ name: 'first' })], [tag({ name: 'second' })]), 200, 0, 2],
    ['there are no groups', gtags(), 200, 0, 0],
    ['the node does not exist', { ...gtags([tag()]), node: 'absent' }, 404, 'NODE_NOT_FOUND'],
    ['the node is an app', { ...gtags([tag()]), node: 'north' }, 409, 'GROUP_NOT_ALLOWED'],
    ['the node name has 128 bytes', { ...gtags([tag()]), node: n128 }, 400, 'NODE_NAME_TOO_LONG'],
    ['a group name has 128 bytes', oneGroup({ group: n128 }), 400, 'GROUP_NAME_TOO_LONG'],
    ['an interval is 99 ms', oneGroup({ interval: 99 }), 400, 'GROUP_PARAM_INVALID'],
    ['a group is named twice', { node: 'idle', groups: [grouped('g'), grouped('g')] }, 409, 'GROUP_EXISTS'],
    [
      'the name is taken',
      gtags([tag({ name: 'third' })], [tag({ name: 'second' })]),
      409,
      'TAG_NAME_CONFLICT',
      1,
    ],
    [
      'a name comes twice',
      gtags([tag({ name: 'third' }), tag({ name: 'third' })]),
      409,
      'TAG_NAME_CONFLICT',
      1,
    ],
    [
      'an input register is to be written',
      gtags([tag({ address: '1!300001', attribute: Attribute.READ | Attribute.WRITE })]),
      400,
      'TAG_ATTRIBUTE_UNSUPPORTED',
      0,
    ],
    ['the driver has no such type', gtags([tag()], [tag({ type: 1 })]), 400, 'TAG_TYPE_UNSUPPORTED', 1],
    [
      'the address makes no sense',
      gtags([tag()], [tag({ address: 'nonsense' })]),
      400,
      'TAG_ADDRESS_INVALID',
      1,
    ],
    ['the name has 128 bytes', gtags([tag({ name: n128 })]), 400, 'TAG_NAME_TOO_LONG', 0],
    ['the address has 128 bytes', gtags([tag({ address: n128 })]), 400, 'TAG_ADDRESS_TOO_LONG', 0],
    [
      'the description has 128 bytes',
      gtags([tag({ description: n128 })]),
      400,
      'TAG_DESCRIPTION_TOO_LONG',
      0,
    ],
    ['the precision is 18', gtags([tag({ type: 9, precision: 18 })]), 400, 'TAG_PRECISION_INVALID', 0],
    ['nothing was added of what was refused', gtags([tag({ name: 'third' })]), 200, 0, 1],
    ['a group name is empty', oneGroup({ group: '' }), 400, 'BODY_INVALID'],
    ['a static tag has no value', gtags([tag({ attribute: Attribute.STATIC })]), 400, 'BODY_INVALID'],
  ],

  'PUT /tag/rename': [
    ['all is well', rename('first', 'renamed'), 200, 0],
    ['its own name', rename('renamed', 'renamed'), 200, 0],
    ['the node does not exist', { ...rename('renamed', 'first'), node: 'absent' }, 404, 'NODE_NOT_FOUND'],
    ['the node is an app', { ...rename('renamed', 'first'), node: 'north' }, 409, 'GROUP_NOT_ALLOWED'],
    ['the group does not exist', { ...rename('renamed', 'first'), group: 'absent' }, 404, 'GROUP_NOT_FOUND'],
    ['the tag does not exist', rename('absent', 'first'), 404, 'TAG_NOT_FOUND'],
    ['the new name is taken', rename('renamed', 'third'), 409, 'TAG_NAME_CONFLICT'],
    ['the new name is empty', rename('renamed', ''), 400, 'PARAM_INVALID'],
    ['the new name has 128 bytes', rename('renamed', n128), 400, 'TAG_NAME_TOO_LONG'],
    ['the node name has 128 bytes', { ...rename('renamed', 'first'), node: n128 }, 400, 'NODE_NAME_TOO_LONG'],
    [
      'the group name has 128 bytes',
      { ...rename('renamed', 'first'), group: n128 },
      400,
      'GROUP_NAME_TOO_LONG',
    ],
  ],

  'DELETE /tags': [
    ['all is well', { node: 'idle', group: 'line', tags: ['made'] }, 200, 0],
    ['the node does not exist', { node: 'absent', group: 'line', tags: ['a'] }, 404, 'NODE_NOT_FOUND'],
    [
      'the tag does not exist: nothing to do',
      { node: 'idle', group: 'line', tags: ['absent'] },
      200,
      0,
      { family: [404, 'TAG_NOT_FOUND'] },
    ],
    [
      'the group does not exist: nothing to do',
      { node: 'idle', group: 'absent', tags: ['a'] },
      200,
      0,
      { family: [404, 'GROUP_NOT_FOUND'] },
    ],
    ['no tags are named', { node: 'idle', group: 'line', tags: [] }, 400, 'BODY_INVALID'],
  ],

  'GET /tags': [
    ['all is well', { node: 'plant', group: 'line' }, 200, 0],
    ['no node is named', { group: 'line' }, 400, 'PARAM_INVALID'],
    ['no group is named', { node: 'plant' }, 400, 'PARAM_INVALID'],
    ['the node does not exist', { node: 'absent', group: 'line' }, 404, 'NODE_NOT_FOUND'],
    ['the group does not exist', { node: 'plant', group: 'absent' }, 404, 'GROUP_NOT_FOUND'],
    ['the node is an app', { node: 'north', group: 'line' }, 409, 'GROUP_NOT_ALLOWED'],
  ],
};

function grouped(group: string, ...tags: object[]): object {
  return { group, interval: 1000, tags };
}

/** Tags for the groups `group 0`, `group 1` and so on of the driver `idle`. */
function gtags(...lists: object[][]): Record<string, unknown> {
  return { node: 'idle', groups: lists.map((tags, index) => grouped(`group ${index}`, ...tags)) };
}

function oneGroup(members: object): Record<string, unknown> {
  return { node: 'idle', groups: [{ ...grouped('fresh'), ...members }] };
}

function rename(old_name: string, new_name: string): Record<string, unknown> {
  return { node: 'idle', group: 'group 0', old_name, new_name };
}
