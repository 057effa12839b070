import { Attribute } from '@tagway/schemas';
import { n128, tag } from './rows.ts';
import type { ConformanceTable, Refusal } from './rows.ts';

const plugin = 'Modbus TCP';
const group = (members: object = {}): object => ({ name: 'fast', interval: 1000, tags: [tag()], ...members });
const template = (members: object = {}): Record<string, unknown> => ({
  name: 'fresh',
  plugin,
  groups: [group()],
  ...members,
});
const withTags = (...tags: object[]): Record<string, unknown> => template({ groups: [group({ tags })] });
const ofPump = (group: string, members: object = {}): Record<string, unknown> => ({
  ...{ template: 'pump', group },
  ...members,
});
const inPump = (...tags: object[]): Record<string, unknown> => ofPump('fast', { tags });
/** Nodes to be made of templates. */
const instances = (...nodes: (readonly [template: string, node: string])[]): Record<string, unknown> => ({
  nodes: nodes.map(([name, node]) => ({ name, node })),
});
const constant = { name: 'constant', address: '', attribute: Attribute.STATIC, type: 3, value: 7 };

/** What is wrong with a tag, and its code. */
const badTags: readonly (readonly [when: string, tag: object, code: Refusal])[] = [
  [
    'an input register is to be written',
    tag({ address: '1!300001', attribute: Attribute.READ | Attribute.WRITE }),
    'TAG_ATTRIBUTE_UNSUPPORTED',
  ],
  [
    'a static tag is to be reported on change',
    tag({ attribute: Attribute.SUBSCRIBE | Attribute.STATIC, value: 1 }),
    'TAG_ATTRIBUTE_UNSUPPORTED',
  ],
  ['the driver has no such type', tag({ type: 1 }), 'TAG_TYPE_UNSUPPORTED'],
  ['the address makes no sense', tag({ address: 'nonsense' }), 'TAG_ADDRESS_INVALID'],
  ['the name has 128 bytes', tag({ name: n128 }), 'TAG_NAME_TOO_LONG'],
  ['the address has 128 bytes', tag({ address: n128 }), 'TAG_ADDRESS_TOO_LONG'],
  ['the description has 128 bytes', tag({ description: n128 }), 'TAG_DESCRIPTION_TOO_LONG'],
  ['the precision is 18', tag({ type: 9, precision: 18 }), 'TAG_PRECISION_INVALID'],
  ['a text is to be scaled', tag({ address: '1!400001.4', type: 13, bias: 1 }), 'TAG_BIAS_INVALID'],
];

/** What the family answers to a batch in which a tag is bad. */
const family = (code: Refusal): object =>
  code === 'TAG_NAME_TOO_LONG' || code === 'TAG_ADDRESS_TOO_LONG' ? {} : { family: [200, code] };

export const templates: ConformanceTable = {
  'POST /template': [
    [
      'all is well',
      template({ name: 'pump', groups: [group({ tags: [tag(), constant] }), group({ name: 'slow' })] }),
      200,
      0,
    ],
    ['it has no groups', template({ name: 'bare', groups: [] }), 200, 0],
    ['a group has no tags', template({ name: 'hollow', groups: [group({ tags: [] })] }), 200, 0],
    ['the name is taken', template({ name: 'pump' }), 409, 'TEMPLATE_EXISTS'],
    ['the name has 128 bytes', template({ name: n128 }), 400, 'TEMPLATE_NAME_TOO_LONG'],
    ['the plugin name has 32 bytes', template({ plugin: 'p'.repeat(32) }), 400, 'PLUGIN_NAME_TOO_LONG'],
    [
      'the plugin name has 31 bytes and is unknown',
      template({ plugin: 'p'.repeat(31) }),
      404,
      'PLUGIN_NOT_FOUND',
    ],
    ['the plugin is an app', template({ plugin: 'MQTT' }), 400, 'TEMPLATES_UNSUPPORTED'],
    ['a group name has 128 bytes', template({ groups: [group({ name: n128 })] }), 400, 'GROUP_NAME_TOO_LONG'],
    ['an interval is 99 ms', template({ groups: [group({ interval: 99 })] }), 400, 'GROUP_PARAM_INVALID'],
    ['a group is there twice', template({ groups: [group(), group()] }), 409, 'GROUP_EXISTS'],
    ['a tag is there twice', withTags(tag(), tag()), 409, 'TAG_NAME_CONFLICT'],
    ...badTags.map(([when, bad, code]) => [when, withTags(tag({ name: 'good' }), bad), 206, code] as const),
    ['a static tag has no value', withTags(tag({ attribute: Attribute.STATIC })), 400, 'BODY_INVALID'],
    [
      'a static value has another type',
      withTags(tag({ attribute: Attribute.STATIC, value: 'text' })),
      400,
      'BODY_INVALID',
    ],
    ['a tag name is empty', withTags(tag({ name: '' })), 400, 'BODY_INVALID'],
    ['a group name is empty', template({ groups: [group({ name: '' })] }), 400, 'BODY_INVALID'],
    ['the name is empty', template({ name: '' }), 400, 'BODY_INVALID'],
    ['a group has no interval', template({ groups: [{ name: 'fast', tags: [] }] }), 400, 'BODY_INVALID'],
    [
      'the plugin is unknown and an interval too short',
      template({ plugin: 'p', groups: [group({ interval: 1 })] }),
      400,
      'GROUP_PARAM_INVALID',
    ],
    [
      'the name is taken and an address bad',
      { ...withTags(tag({ address: 'no' })), name: 'pump' },
      206,
      'TAG_ADDRESS_INVALID',
    ],
  ],

  'GET /template': [
    ['all are wanted', {}, 200, 0],
    ['one is wanted', { name: 'pump' }, 200, 0],
    ['it does not exist', { name: 'absent' }, 404, 'TEMPLATE_NOT_FOUND'],
    ['the name is empty', { name: '' }, 400, 'PARAM_INVALID'],
    ['the name has 128 bytes', { name: n128 }, 400, 'PARAM_INVALID'],
  ],

  'POST /template/group': [
    ['all is well', ofPump('third', { interval: 100 }), 200, 0],
    [
      'the template does not exist',
      { template: 'absent', group: 'third', interval: 100 },
      404,
      'TEMPLATE_NOT_FOUND',
    ],
    ['the group exists', ofPump('third', { interval: 100 }), 409, 'GROUP_EXISTS'],
    ['the interval is 99 ms', ofPump('fourth', { interval: 99 }), 400, 'GROUP_PARAM_INVALID'],
    ['the group name has 128 bytes', ofPump(n128, { interval: 100 }), 400, 'GROUP_NAME_TOO_LONG'],
    [
      'the template name has 128 bytes',
      { template: n128, group: 'fourth', interval: 100 },
      400,
      'TEMPLATE_NAME_TOO_LONG',
    ],
    ['the group name is empty', ofPump('', { interval: 100 }), 400, 'BODY_INVALID'],
  ],

  'PUT /template/group': [
    ['a new name', ofPump('third', { new_name: 'last' }), 200, 0],
    ['a new interval', ofPump('last', { interval: 200 }), 200, 0],
    ['its own name', ofPump('last', { new_name: 'last' }), 200, 0],
    [
      'the template does not exist',
      { template: 'absent', group: 'last', interval: 200 },
      404,
      'TEMPLATE_NOT_FOUND',
    ],
    ['the group does not exist', ofPump('absent', { interval: 200 }), 404, 'GROUP_NOT_FOUND'],
    ['the new name is taken', ofPump('last', { new_name: 'fast' }), 409, 'GROUP_EXISTS'],
    ['the interval is 99 ms', ofPump('last', { interval: 99 }), 400, 'GROUP_PARAM_INVALID'],
    ['the interval is above 32 bits', ofPump('last', { interval: 4294967296 }), 400, 'GROUP_PARAM_INVALID'],
    ['the new name has 128 bytes', ofPump('last', { new_name: n128 }), 400, 'GROUP_NAME_TOO_LONG'],
    [
      'the template name has 128 bytes',
      { template: n128, group: 'last', interval: 200 },
      400,
      'TEMPLATE_NAME_TOO_LONG',
    ],
    ['the new name is empty', ofPump('last', { new_name: '' }), 400, 'BODY_INVALID'],
    ['nothing is to change', ofPump('last'), 400, 'BODY_INVALID'],
  ],

  'GET /template/group': [
    ['all is well', { name: 'pump' }, 200, 0],
    ['no template is named', {}, 400, 'PARAM_INVALID'],
    ['the name is empty', { name: '' }, 400, 'PARAM_INVALID'],
    ['the name has 128 bytes', { name: n128 }, 400, 'PARAM_INVALID'],
    ['the template does not exist', { name: 'absent' }, 404, 'TEMPLATE_NOT_FOUND'],
  ],

  'DELETE /template/group': [
    ['the template does not exist', { template: 'absent', group: 'last' }, 404, 'TEMPLATE_NOT_FOUND'],
    ['the group does not exist', ofPump('absent'), 404, 'GROUP_NOT_FOUND'],
    ['the group name has 128 bytes', ofPump(n128), 400, 'GROUP_NAME_TOO_LONG'],
    ['the template name has 128 bytes', { template: n128, group: 'last' }, 400, 'TEMPLATE_NAME_TOO_LONG'],
    ['all is well', ofPump('last'), 200, 0],
  ],

  'POST /template/tag': [
    ['all is well', inPump(tag({ name: 'one' }), tag({ name: 'two' })), 200, 0, 2],
    ['there are no tags', inPump(), 200, 0, 0],
    ['the template does not exist', { ...inPump(tag()), template: 'absent' }, 404, 'TEMPLATE_NOT_FOUND'],
    [
      'the group does not exist, and is not made',
      { ...inPump(tag()), group: 'absent' },
      404,
      'GROUP_NOT_FOUND',
    ],
    ['the group name has 128 bytes', { ...inPump(tag()), group: n128 }, 400, 'GROUP_NAME_TOO_LONG'],
    ['the template name has 128 bytes', { ...inPump(tag()), template: n128 }, 400, 'TEMPLATE_NAME_TOO_LONG'],
    [
      'the plugin of the template is gone',
      { ...inPump(tag()), template: 'orphan' },
      404,
      'LIBRARY_NOT_FOUND',
    ],
    [
      'the name is taken',
      inPump(tag({ name: 'three' }), tag({ name: 'one' })),
      409,
      'TAG_NAME_CONFLICT',
      { index: 1, family: [200, 'TAG_NAME_CONFLICT'] },
    ],
    ...badTags.map(
      ([when, bad, code], at) =>
        [
          `${when}, the one before it is kept`,
          inPump(tag({ name: `kept ${at}` }), bad),
          206,
          code,
          { index: 1, ...family(code) },
        ] as const,
    ),
    ['a static tag has no value', inPump(tag({ attribute: Attribute.STATIC })), 400, 'BODY_INVALID'],
  ],

  'PUT /template/tag': [
    ['all is well', inPump(tag({ name: 'one', type: 4 })), 200, 0, 1],
    ['the template does not exist', { ...inPump(tag()), template: 'absent' }, 404, 'TEMPLATE_NOT_FOUND'],
    ['the group does not exist', { ...inPump(tag()), group: 'absent' }, 404, 'GROUP_NOT_FOUND'],
    ['the group name has 128 bytes', { ...inPump(tag()), group: n128 }, 400, 'GROUP_NAME_TOO_LONG'],
    ['the template name has 128 bytes', { ...inPump(tag()), template: n128 }, 400, 'TEMPLATE_NAME_TOO_LONG'],
    [
      'the tag does not exist',
      inPump(tag({ name: 'one' }), tag({ name: 'absent' })),
      206,
      'TAG_NOT_FOUND',
      { index: 1, family: [200, 'TAG_NOT_FOUND'] },
    ],
    ...badTags.map(
      ([when, bad, code]) =>
        [
          when,
          inPump({ ...bad, ...(code === 'TAG_NAME_TOO_LONG' ? {} : { name: 'one' }) }),
          206,
          code,
          { index: 0, ...family(code) },
        ] as const,
    ),
  ],

  'GET /template/tag': [
    ['all is well', ofPump('fast'), 200, 0],
    ['a part of a name', ofPump('fast', { name: 'on' }), 200, 0],
    ['no template is named', { group: 'fast' }, 400, 'PARAM_INVALID'],
    ['no group is named', { template: 'pump' }, 400, 'PARAM_INVALID'],
    ['the name is empty', ofPump('fast', { name: '' }), 400, 'PARAM_INVALID'],
    ['the name has 128 bytes', ofPump('fast', { name: n128 }), 400, 'PARAM_INVALID'],
    ['the template name has 128 bytes', { template: n128, group: 'fast' }, 400, 'PARAM_INVALID'],
    ['the template does not exist', { template: 'absent', group: 'fast' }, 404, 'TEMPLATE_NOT_FOUND'],
    ['the group does not exist', ofPump('absent'), 404, 'GROUP_NOT_FOUND'],
  ],

  'DELETE /template/tag': [
    ['all is well', { ...inPump(), tags: ['two', 'absent'] }, 200, 0],
    ['a name has 128 bytes', { ...inPump(), tags: ['one', n128] }, 206, 'TAG_NAME_TOO_LONG'],
    [
      'the template does not exist',
      { ...inPump(), template: 'absent', tags: ['one'] },
      404,
      'TEMPLATE_NOT_FOUND',
    ],
    ['the group does not exist', { ...inPump(), group: 'absent', tags: ['one'] }, 404, 'GROUP_NOT_FOUND'],
    ['the group name has 128 bytes', { ...inPump(), group: n128, tags: ['one'] }, 400, 'GROUP_NAME_TOO_LONG'],
    [
      'the template name has 128 bytes',
      { ...inPump(), template: n128, tags: ['one'] },
      400,
      'TEMPLATE_NAME_TOO_LONG',
    ],
    ['no tags are named', { ...inPump(), tags: [] }, 400, 'BODY_INVALID'],
  ],

  'POST /template/inst': [
    ['all is well', { name: 'pump', node: 'pump 1' }, 200, 0],
    ['the template does not exist', { name: 'absent', node: 'pump 2' }, 404, 'TEMPLATE_NOT_FOUND'],
    ['the node exists', { name: 'pump', node: 'pump 1' }, 409, 'NODE_EXISTS'],
    ['the plugin of the template is gone', { name: 'orphan', node: 'pump 2' }, 404, 'LIBRARY_NOT_FOUND'],
    ['the template name has 128 bytes', { name: n128, node: 'pump 2' }, 400, 'TEMPLATE_NAME_TOO_LONG'],
    ['the node name has 128 bytes', { name: 'pump', node: n128 }, 400, 'TEMPLATE_NAME_TOO_LONG'],
    ['the node name is empty', { name: 'pump', node: '' }, 400, 'NODE_NAME_EMPTY'],
  ],

  'POST /template/instances': [
    ['all is well', instances(['pump', 'pump 2'], ['bare', 'pump 3']), 200, 0],
    ['there are none', { nodes: [] }, 200, 0],
    [
      'a template does not exist',
      instances(['pump', 'pump 4'], ['absent', 'pump 5']),
      404,
      'TEMPLATE_NOT_FOUND',
    ],
    ['a node exists', instances(['pump', 'pump 4'], ['pump', 'pump 1']), 409, 'NODE_EXISTS'],
    ['a node is there twice', instances(['pump', 'pump 4'], ['pump', 'pump 4']), 409, 'NODE_EXISTS'],
    ['a plugin is gone', instances(['pump', 'pump 4'], ['orphan', 'pump 5']), 404, 'LIBRARY_NOT_FOUND'],
    ['a template name has 128 bytes', instances([n128, 'pump 4']), 400, 'TEMPLATE_NAME_TOO_LONG'],
    ['no node was made of what was refused', instances(['pump', 'pump 4']), 200, 0],
    ['an entry has no node', { nodes: [{ name: 'pump' }] }, 400, 'BODY_INVALID'],
  ],

  'DELETE /template': [
    ['it does not exist', { name: 'absent' }, 404, 'TEMPLATE_NOT_FOUND'],
    ['the name is empty', { name: '' }, 400, 'PARAM_INVALID'],
    ['the name has 128 bytes', { name: n128 }, 400, 'PARAM_INVALID'],
    ['one of them', { name: 'pump' }, 200, 0],
    ['all of them', {}, 200, 0],
    ['all of them, and there are none', {}, 200, 0],
  ],
};
