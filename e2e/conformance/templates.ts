import { n128, tag } from './rows.ts';
import type { ConformanceTable } from './rows.ts';

const plugin = 'Modbus TCP';
const group = (members: object = {}): object => ({ name: 'fast', interval: 1000, tags: [tag()], ...members });
const template = (members: object = {}): Record<string, unknown> => ({
  name: 'fresh',
  plugin,
  groups: [group()],
  ...members,
});
const withTags = (...tags: object[]): Record<string, unknown> => template({ groups: [group({ tags })] });
const inPump = (...tags: object[]): Record<string, unknown> => ({ template: 'pump', group: 'fast', tags });
const constant = { name: 'constant', address: '', attribute: 8, type: 3, value: 7 };

/** What is wrong with a tag, and its code. */
const badTags: readonly (readonly [when: string, tag: object, code: number])[] = [
  ['an input register is to be written', tag({ address: '1!300001', attribute: 3 }), 2203],
  ['a static tag is to be reported on change', tag({ attribute: 12, value: 1 }), 2203],
  ['the driver has no such type', tag({ type: 1 }), 2204],
  ['the address makes no sense', tag({ address: 'nonsense' }), 2205],
  ['the name has 128 bytes', tag({ name: n128 }), 2206],
  ['the address has 128 bytes', tag({ address: n128 }), 2207],
  ['the description has 128 bytes', tag({ description: n128 }), 2208],
  ['the precision is 18', tag({ type: 9, precision: 18 }), 2209],
  ['a text is to be scaled', tag({ address: '1!400001.4', type: 13, bias: 1 }), 2212],
];

/** What the family answers to a batch in which a tag is bad. */
const family = (code: number): object => ([2206, 2207].includes(code) ? {} : { family: [200, code] });

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
    ['the name is taken', template({ name: 'pump' }), 409, 2500],
    ['the name has 128 bytes', template({ name: n128 }), 400, 2502],
    ['the plugin name has 32 bytes', template({ plugin: 'p'.repeat(32) }), 400, 3013],
    ['the plugin name has 31 bytes and is unknown', template({ plugin: 'p'.repeat(31) }), 404, 3014],
    ['the plugin is an app', template({ plugin: 'MQTT' }), 400, 3016],
    ['a group name has 128 bytes', template({ groups: [group({ name: n128 })] }), 400, 2107],
    ['an interval is 99 ms', template({ groups: [group({ interval: 99 })] }), 400, 2105],
    ['a group is there twice', template({ groups: [group(), group()] }), 409, 2104],
    ['a tag is there twice', withTags(tag(), tag()), 409, 2202],
    ...badTags.map(([when, bad, code]) => [when, withTags(tag({ name: 'good' }), bad), 206, code] as const),
    ['a static tag has no value', withTags(tag({ attribute: 8 })), 400, 1002],
    ['a static value has another type', withTags(tag({ attribute: 8, value: 'text' })), 400, 1002],
    ['a tag name is empty', withTags(tag({ name: '' })), 400, 1002],
    ['a group name is empty', template({ groups: [group({ name: '' })] }), 400, 1002],
    ['the name is empty', template({ name: '' }), 400, 1002],
    ['a group has no interval', template({ groups: [{ name: 'fast', tags: [] }] }), 400, 1002],
    [
      'the plugin is unknown and an interval too short',
      template({ plugin: 'p', groups: [group({ interval: 1 })] }),
      400,
      2105,
    ],
    [
      'the name is taken and an address bad',
      { ...withTags(tag({ address: 'no' })), name: 'pump' },
      206,
      2205,
    ],
  ],

  'GET /template': [
    ['all are wanted', {}, 200, 0],
    ['one is wanted', { name: 'pump' }, 200, 0],
    ['it does not exist', { name: 'absent' }, 404, 2501],
    ['the name is empty', { name: '' }, 400, 1003],
    ['the name has 128 bytes', { name: n128 }, 400, 1003],
  ],

  'POST /template/group': [
    ['all is well', { template: 'pump', group: 'third', interval: 100 }, 200, 0],
    ['the template does not exist', { template: 'absent', group: 'third', interval: 100 }, 404, 2501],
    ['the group exists', { template: 'pump', group: 'third', interval: 100 }, 409, 2104],
    ['the interval is 99 ms', { template: 'pump', group: 'fourth', interval: 99 }, 400, 2105],
    ['the group name has 128 bytes', { template: 'pump', group: n128, interval: 100 }, 400, 2107],
    ['the template name has 128 bytes', { template: n128, group: 'fourth', interval: 100 }, 400, 2502],
    ['the group name is empty', { template: 'pump', group: '', interval: 100 }, 400, 1002],
  ],

  'PUT /template/group': [
    ['a new name', { template: 'pump', group: 'third', new_name: 'last' }, 200, 0],
    ['a new interval', { template: 'pump', group: 'last', interval: 200 }, 200, 0],
    ['its own name', { template: 'pump', group: 'last', new_name: 'last' }, 200, 0],
    ['the template does not exist', { template: 'absent', group: 'last', interval: 200 }, 404, 2501],
    ['the group does not exist', { template: 'pump', group: 'absent', interval: 200 }, 404, 2106],
    ['the new name is taken', { template: 'pump', group: 'last', new_name: 'fast' }, 409, 2104],
    ['the interval is 99 ms', { template: 'pump', group: 'last', interval: 99 }, 400, 2105],
    ['the interval is above 32 bits', { template: 'pump', group: 'last', interval: 4294967296 }, 400, 2105],
    ['the new name has 128 bytes', { template: 'pump', group: 'last', new_name: n128 }, 400, 2107],
    ['the template name has 128 bytes', { template: n128, group: 'last', interval: 200 }, 400, 2502],
    ['the new name is empty', { template: 'pump', group: 'last', new_name: '' }, 400, 1002],
    ['nothing is to change', { template: 'pump', group: 'last' }, 400, 1002],
  ],

  'GET /template/group': [
    ['all is well', { name: 'pump' }, 200, 0],
    ['no template is named', {}, 400, 1003],
    ['the name is empty', { name: '' }, 400, 1003],
    ['the name has 128 bytes', { name: n128 }, 400, 1003],
    ['the template does not exist', { name: 'absent' }, 404, 2501],
  ],

  'DELETE /template/group': [
    ['the template does not exist', { template: 'absent', group: 'last' }, 404, 2501],
    ['the group does not exist', { template: 'pump', group: 'absent' }, 404, 2106],
    ['the group name has 128 bytes', { template: 'pump', group: n128 }, 400, 2107],
    ['the template name has 128 bytes', { template: n128, group: 'last' }, 400, 2502],
    ['all is well', { template: 'pump', group: 'last' }, 200, 0],
  ],

  'POST /template/tag': [
    ['all is well', inPump(tag({ name: 'one' }), tag({ name: 'two' })), 200, 0, 2],
    ['there are no tags', inPump(), 200, 0, 0],
    ['the template does not exist', { ...inPump(tag()), template: 'absent' }, 404, 2501],
    ['the group does not exist, and is not made', { ...inPump(tag()), group: 'absent' }, 404, 2106],
    ['the group name has 128 bytes', { ...inPump(tag()), group: n128 }, 400, 2107],
    ['the template name has 128 bytes', { ...inPump(tag()), template: n128 }, 400, 2502],
    ['the plugin of the template is gone', { ...inPump(tag()), template: 'orphan' }, 404, 2301],
    [
      'the name is taken',
      inPump(tag({ name: 'three' }), tag({ name: 'one' })),
      409,
      2202,
      { index: 1, family: [200, 2202] },
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
    ['a static tag has no value', inPump(tag({ attribute: 8 })), 400, 1002],
  ],

  'PUT /template/tag': [
    ['all is well', inPump(tag({ name: 'one', type: 4 })), 200, 0, 1],
    ['the template does not exist', { ...inPump(tag()), template: 'absent' }, 404, 2501],
    ['the group does not exist', { ...inPump(tag()), group: 'absent' }, 404, 2106],
    ['the group name has 128 bytes', { ...inPump(tag()), group: n128 }, 400, 2107],
    ['the template name has 128 bytes', { ...inPump(tag()), template: n128 }, 400, 2502],
    [
      'the tag does not exist',
      inPump(tag({ name: 'one' }), tag({ name: 'absent' })),
      206,
      2201,
      { index: 1, family: [200, 2201] },
    ],
    ...badTags.map(
      ([when, bad, code]) =>
        [
          when,
          inPump({ ...bad, ...(code === 2206 ? {} : { name: 'one' }) }),
          206,
          code,
          { index: 0, ...family(code) },
        ] as const,
    ),
  ],

  'GET /template/tag': [
    ['all is well', { template: 'pump', group: 'fast' }, 200, 0],
    ['a part of a name', { template: 'pump', group: 'fast', name: 'on' }, 200, 0],
    ['no template is named', { group: 'fast' }, 400, 1003],
    ['no group is named', { template: 'pump' }, 400, 1003],
    ['the name is empty', { template: 'pump', group: 'fast', name: '' }, 400, 1003],
    ['the name has 128 bytes', { template: 'pump', group: 'fast', name: n128 }, 400, 1003],
    ['the template name has 128 bytes', { template: n128, group: 'fast' }, 400, 1003],
    ['the template does not exist', { template: 'absent', group: 'fast' }, 404, 2501],
    ['the group does not exist', { template: 'pump', group: 'absent' }, 404, 2106],
  ],

  'DELETE /template/tag': [
    ['all is well', { ...inPump(), tags: ['two', 'absent'] }, 200, 0],
    ['a name has 128 bytes', { ...inPump(), tags: ['one', n128] }, 206, 2206],
    ['the template does not exist', { ...inPump(), template: 'absent', tags: ['one'] }, 404, 2501],
    ['the group does not exist', { ...inPump(), group: 'absent', tags: ['one'] }, 404, 2106],
    ['the group name has 128 bytes', { ...inPump(), group: n128, tags: ['one'] }, 400, 2107],
    ['the template name has 128 bytes', { ...inPump(), template: n128, tags: ['one'] }, 400, 2502],
    ['no tags are named', { ...inPump(), tags: [] }, 400, 1002],
  ],

  'POST /template/inst': [
    ['all is well', { name: 'pump', node: 'pump 1' }, 200, 0],
    ['the template does not exist', { name: 'absent', node: 'pump 2' }, 404, 2501],
    ['the node exists', { name: 'pump', node: 'pump 1' }, 409, 2002],
    ['the plugin of the template is gone', { name: 'orphan', node: 'pump 2' }, 404, 2301],
    ['the template name has 128 bytes', { name: n128, node: 'pump 2' }, 400, 2502],
    ['the node name has 128 bytes', { name: 'pump', node: n128 }, 400, 2502],
    ['the node name is empty', { name: 'pump', node: '' }, 400, 2015],
  ],

  'POST /template/instances': [
    [
      'all is well',
      {
        nodes: [
          { name: 'pump', node: 'pump 2' },
          { name: 'bare', node: 'pump 3' },
        ],
      },
      200,
      0,
    ],
    ['there are none', { nodes: [] }, 200, 0],
    [
      'a template does not exist',
      {
        nodes: [
          { name: 'pump', node: 'pump 4' },
          { name: 'absent', node: 'pump 5' },
        ],
      },
      404,
      2501,
    ],
    [
      'a node exists',
      {
        nodes: [
          { name: 'pump', node: 'pump 4' },
          { name: 'pump', node: 'pump 1' },
        ],
      },
      409,
      2002,
    ],
    [
      'a node is there twice',
      {
        nodes: [
          { name: 'pump', node: 'pump 4' },
          { name: 'pump', node: 'pump 4' },
        ],
      },
      409,
      2002,
    ],
    [
      'a plugin is gone',
      {
        nodes: [
          { name: 'pump', node: 'pump 4' },
          { name: 'orphan', node: 'pump 5' },
        ],
      },
      404,
      2301,
    ],
    ['a template name has 128 bytes', { nodes: [{ name: n128, node: 'pump 4' }] }, 400, 2502],
    ['no node was made of what was refused', { nodes: [{ name: 'pump', node: 'pump 4' }] }, 200, 0],
    ['an entry has no node', { nodes: [{ name: 'pump' }] }, 400, 1002],
  ],

  'DELETE /template': [
    ['it does not exist', { name: 'absent' }, 404, 2501],
    ['the name is empty', { name: '' }, 400, 1003],
    ['the name has 128 bytes', { name: n128 }, 400, 1003],
    ['one of them', { name: 'pump' }, 200, 0],
    ['all of them', {}, 200, 0],
    ['all of them, and there are none', {}, 200, 0],
  ],
};
