import type { Data } from './client.ts';

/**
 * The error replies of the API as a table: what is asked, of which gateway, and what it answers. The gateway has the
 * drivers `plant` (connected), `dark` (its device is not there), `idle` (never set up) and `single` (running, cannot
 * write several tags), the apps `north` (subscribed to plant/line) and `bare` (never set up). The group `line` of
 * `plant` has one tag of each kind that the rows name.
 */
export interface ErrorRow {
  readonly when: string;
  readonly send: Data;
  readonly status: number;
  readonly error: number;
  /** Of a batch of tags: how many of them were applied. */
  readonly index?: number;
}

const n127 = 'n'.repeat(127);
const n128 = 'n'.repeat(128);
const tag = (members: object = {}): object => ({
  name: 'fresh',
  address: '1!400001',
  attribute: 1,
  type: 3,
  ...members,
});
const line = { node: 'plant', group: 'line' };
const many = (...tags: object[]): Data => ({ node: 'idle', group: 'line', tags });
const write = (name: string, value: unknown): Data => ({ ...line, tag: name, value });
const writes = (...tags: [name: string, value: unknown][]): Data => ({
  ...line,
  tags: tags.map(([name, value]) => ({ tag: name, value })),
});

/** A minimal good body of each endpoint that takes one; every member is required. */
export const bodies: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'POST /login': { name: 'admin', pass: '0000' },
  'POST /password': { name: 'admin', old_pass: '0000', new_pass: '0000' },
  'POST /node': { name: 'fresh', plugin: 'Modbus TCP' },
  'DELETE /node': { name: 'absent' },
  'PUT /node': { name: 'absent', new_name: 'fresh' },
  'POST /node/setting': { node: 'idle', params: {} },
  'POST /node/ctl': { node: 'idle', cmd: 0 },
  'POST /group': { name: 'fresh', node: 'idle', interval: 1000 },
  'DELETE /group': { node: 'idle', group: 'absent' },
  'POST /tags': { node: 'idle', group: 'line', tags: [] },
  'PUT /tags': { node: 'idle', group: 'line', tags: [] },
  'DELETE /tags': { node: 'idle', group: 'line', tags: ['absent'] },
  'POST /read': { node: 'idle', group: 'line' },
  'POST /write/tags': { node: 'idle', group: 'line', tags: [{ tag: 'word', value: 1 }] },
  'POST /subscribe': { app: 'north', driver: 'plant', group: 'line' },
  'POST /subscribes': { app: 'north', groups: [] },
  'PUT /subscribe': { app: 'north', driver: 'plant', group: 'line', params: { topic: 'a' } },
  'DELETE /subscribe': { app: 'north', driver: 'plant', group: 'absent' },
};

export const specification: Readonly<Record<string, readonly ErrorRow[]>> = {
  'POST /login': [
    { when: 'the password is wrong', send: { name: 'admin', pass: '1111' }, status: 401, error: 1009 },
    { when: 'the user is unknown', send: { name: 'nobody', pass: '0000' }, status: 401, error: 1009 },
    { when: 'the password is empty', send: { name: 'admin', pass: '' }, status: 401, error: 1009 },
    {
      when: 'the password is very long',
      send: { name: 'admin', pass: 'x'.repeat(10_000) },
      status: 401,
      error: 1009,
    },
  ],

  'POST /node': [
    { when: 'the plugin is unknown', send: { name: 'fresh', plugin: 'Nothing' }, status: 404, error: 2301 },
    {
      when: 'the plugin is named in another case',
      send: { name: 'fresh', plugin: 'modbus tcp' },
      status: 404,
      error: 2301,
    },
    { when: 'the name is taken', send: { name: 'plant', plugin: 'Modbus TCP' }, status: 409, error: 2002 },
    {
      when: 'the name is taken by an app',
      send: { name: 'north', plugin: 'Modbus TCP' },
      status: 409,
      error: 2002,
    },
    { when: 'the name has 128 bytes', send: { name: n128, plugin: 'Modbus TCP' }, status: 400, error: 2010 },
    {
      when: 'the name is too long and the plugin unknown',
      send: { name: n128, plugin: 'Nothing' },
      status: 400,
      error: 2010,
    },
    {
      when: 'the name is taken and the plugin unknown',
      send: { name: 'plant', plugin: 'Nothing' },
      status: 404,
      error: 2301,
    },
    { when: 'the name is empty', send: { name: '', plugin: 'Modbus TCP' }, status: 400, error: 2015 },
    {
      when: 'the params are refused',
      send: { name: 'fresh', plugin: 'Modbus TCP', params: { host: 5 } },
      status: 400,
      error: 2004,
    },
  ],

  'DELETE /node': [{ when: 'the node does not exist', send: { name: 'absent' }, status: 404, error: 2003 }],

  'PUT /node': [
    {
      when: 'the node does not exist',
      send: { name: 'absent', new_name: 'fresh' },
      status: 404,
      error: 2003,
    },
    { when: 'the new name is taken', send: { name: 'idle', new_name: 'plant' }, status: 409, error: 2002 },
    {
      when: 'the new name is the old one',
      send: { name: 'idle', new_name: 'idle' },
      status: 409,
      error: 2002,
    },
    { when: 'the new name is empty', send: { name: 'idle', new_name: '' }, status: 400, error: 2015 },
    { when: 'the new name has 128 bytes', send: { name: 'idle', new_name: n128 }, status: 400, error: 2010 },
    { when: 'the name has 128 bytes', send: { name: n128, new_name: 'fresh' }, status: 400, error: 2010 },
  ],

  'GET /node': [
    { when: 'there is no type', send: {}, status: 400, error: 1003 },
    { when: 'the type is empty', send: { type: '' }, status: 400, error: 1003 },
    { when: 'the type is not a number', send: { type: 'driver' }, status: 400, error: 1003 },
    { when: 'there is no such type', send: { type: 3 }, status: 400, error: 1003 },
    {
      when: 'nothing matches: an empty list',
      send: { type: 1, plugin: 'Nothing', node: 'nothing' },
      status: 200,
      error: 0,
    },
  ],

  'POST /node/setting': [
    { when: 'the node does not exist', send: { node: 'absent', params: {} }, status: 400, error: 2003 },
    {
      when: 'a required setting is missing',
      send: { node: 'idle', params: { port: 502 } },
      status: 400,
      error: 2004,
    },
    {
      when: 'a setting has another type',
      send: { node: 'idle', params: modbus({ port: '502' }) },
      status: 400,
      error: 2004,
    },
    { when: 'the port is 0', send: { node: 'idle', params: modbus({ port: 0 }) }, status: 400, error: 2004 },
    {
      when: 'the port is 65536',
      send: { node: 'idle', params: modbus({ port: 65536 }) },
      status: 400,
      error: 2004,
    },
    {
      when: 'the timeout is below 1000',
      send: { node: 'idle', params: modbus({ timeout: 999 }) },
      status: 400,
      error: 2004,
    },
    {
      when: 'the interval is above 3000',
      send: { node: 'idle', params: modbus({ interval: 3001 }) },
      status: 400,
      error: 2004,
    },
    {
      when: 'the host has 31 characters',
      send: { node: 'idle', params: modbus({ host: 'h'.repeat(31) }) },
      status: 400,
      error: 2004,
    },
    {
      when: 'a map has no such value',
      send: { node: 'idle', params: modbus({ connection_mode: 2 }) },
      status: 400,
      error: 2004,
    },
    {
      when: 'an app has no host',
      send: { node: 'bare', params: { format: 0, port: 1883 } },
      status: 400,
      error: 2004,
    },
    {
      when: 'TLS without an authority',
      send: { node: 'bare', params: { host: '127.0.0.1', port: 1, format: 0, ssl: true } },
      status: 400,
      error: 2004,
    },
  ],

  'GET /node/setting': [
    { when: 'no node is named', send: {}, status: 400, error: 1003 },
    { when: 'the node does not exist', send: { node: 'absent' }, status: 404, error: 2003 },
    { when: 'the node has no setting', send: { node: 'idle' }, status: 200, error: 2005 },
  ],

  'POST /node/ctl': [
    { when: 'the node does not exist', send: { node: 'absent', cmd: 0 }, status: 404, error: 2003 },
    { when: 'a node without setting is started', send: { node: 'idle', cmd: 0 }, status: 409, error: 2006 },
    { when: 'a running node is started', send: { node: 'plant', cmd: 0 }, status: 409, error: 2007 },
    { when: 'a node that does not run is stopped', send: { node: 'idle', cmd: 1 }, status: 409, error: 2008 },
    { when: 'there is no such command', send: { node: 'plant', cmd: 2 }, status: 400, error: 1002 },
  ],

  'GET /node/state': [
    { when: 'the node does not exist', send: { node: 'absent' }, status: 404, error: 2003 },
    { when: 'the name is empty: all nodes', send: { node: '' }, status: 200, error: 0 },
  ],

  'POST /group': [
    {
      when: 'the node does not exist',
      send: { name: 'fresh', node: 'absent', interval: 1000 },
      status: 404,
      error: 2003,
    },
    {
      when: 'the node is an app',
      send: { name: 'fresh', node: 'north', interval: 1000 },
      status: 409,
      error: 2103,
    },
    {
      when: 'the name is taken',
      send: { name: 'line', node: 'plant', interval: 1000 },
      status: 409,
      error: 2104,
    },
    {
      when: 'the interval is below 100',
      send: { name: 'fresh', node: 'plant', interval: 99 },
      status: 400,
      error: 2105,
    },
    {
      when: 'the interval is negative',
      send: { name: 'fresh', node: 'plant', interval: -1 },
      status: 400,
      error: 2105,
    },
    {
      when: 'the interval has 33 bits',
      send: { name: 'fresh', node: 'plant', interval: 2 ** 32 },
      status: 400,
      error: 2105,
    },
    {
      when: 'the interval is too small and the node an app',
      send: { name: 'fresh', node: 'north', interval: 1 },
      status: 400,
      error: 2105,
    },
    {
      when: 'the name has 128 bytes',
      send: { name: n128, node: 'plant', interval: 1000 },
      status: 400,
      error: 2107,
    },
    {
      when: 'the node name has 128 bytes',
      send: { name: 'fresh', node: n128, interval: 1000 },
      status: 400,
      error: 2010,
    },
    {
      when: 'the name is empty',
      send: { name: '', node: 'plant', interval: 1000 },
      status: 400,
      error: 1002,
    },
    {
      when: 'the older key "group" names a taken group',
      send: { group: 'line', node: 'plant', interval: 1000 },
      status: 409,
      error: 2104,
    },
  ],

  'PUT /group': [
    {
      when: 'the node does not exist',
      send: { node: 'absent', group: 'line', interval: 1000 },
      status: 404,
      error: 2003,
    },
    {
      when: 'the group does not exist',
      send: { node: 'plant', group: 'absent', interval: 1000 },
      status: 404,
      error: 2106,
    },
    {
      when: 'the node is an app',
      send: { node: 'north', group: 'line', interval: 1000 },
      status: 409,
      error: 2103,
    },
    { when: 'the new name is taken', send: { ...line, new_name: 'second' }, status: 409, error: 2104 },
    { when: 'the new name is the old one', send: { ...line, new_name: 'line' }, status: 200, error: 0 },
    { when: 'nothing is to change', send: line, status: 400, error: 1002 },
    { when: 'the new name is empty', send: { ...line, new_name: '' }, status: 400, error: 1002 },
    { when: 'the new name has 128 bytes', send: { ...line, new_name: n128 }, status: 400, error: 2107 },
    { when: 'the interval is below 100', send: { ...line, interval: 99 }, status: 400, error: 2105 },
    { when: 'the interval has 33 bits', send: { ...line, interval: 2 ** 32 }, status: 400, error: 2105 },
    { when: 'the body is no JSON', send: '{', status: 400, error: 1002 },
  ],

  'DELETE /group': [
    { when: 'the node does not exist', send: { node: 'absent', group: 'line' }, status: 404, error: 2003 },
    { when: 'the group does not exist', send: { node: 'plant', group: 'absent' }, status: 404, error: 2106 },
    { when: 'the node is an app', send: { node: 'north', group: 'line' }, status: 409, error: 2103 },
    { when: 'the group is subscribed', send: line, status: 412, error: 2101 },
  ],

  'GET /group': [
    { when: 'the node does not exist', send: { node: 'absent' }, status: 404, error: 2003 },
    { when: 'the node is an app', send: { node: 'north' }, status: 409, error: 2103 },
    { when: 'no node is named: all groups', send: {}, status: 200, error: 0 },
  ],

  'POST /tags': [
    {
      when: 'the node does not exist',
      send: { node: 'absent', group: 'line', tags: [tag()] },
      status: 404,
      error: 2003,
    },
    {
      when: 'the node is an app',
      send: { node: 'north', group: 'line', tags: [tag()] },
      status: 409,
      error: 2103,
    },
    {
      when: 'the group name has 128 bytes',
      send: { node: 'idle', group: n128, tags: [tag()] },
      status: 400,
      error: 2107,
    },
    { when: 'there are no tags', send: many(), status: 200, error: 0, index: 0 },
    { when: 'the name is taken', send: many(tag({ name: 'word' })), status: 206, error: 2202, index: 0 },
    {
      when: 'a name comes twice',
      send: many(tag({ name: 'twice' }), tag({ name: 'twice' })),
      status: 206,
      error: 2202,
      index: 1,
    },
    {
      when: 'an input register is to be written',
      send: many(tag({ address: '1!300001', attribute: 3 })),
      status: 206,
      error: 2203,
      index: 0,
    },
    {
      when: 'a discrete input is to be written',
      send: many(tag({ address: '1!100001', attribute: 2, type: 11 })),
      status: 206,
      error: 2203,
      index: 0,
    },
    {
      when: 'a bit of a register is to be written',
      send: many(tag({ address: '1!400001.0', attribute: 3, type: 11 })),
      status: 206,
      error: 2203,
      index: 0,
    },
    {
      when: 'a static tag is to be reported on change',
      send: many(tag({ attribute: 12, value: 1 })),
      status: 206,
      error: 2203,
      index: 0,
    },
    { when: 'the driver has no such type', send: many(tag({ type: 1 })), status: 206, error: 2204, index: 0 },
    { when: 'there is no such type', send: many(tag({ type: 99 })), status: 206, error: 2204, index: 0 },
    {
      when: 'the address makes no sense',
      send: many(tag({ address: 'nonsense' })),
      status: 206,
      error: 2205,
      index: 0,
    },
    { when: 'the address is empty', send: many(tag({ address: '' })), status: 206, error: 2205, index: 0 },
    {
      when: 'the area does not exist',
      send: many(tag({ address: '1!500001' })),
      status: 206,
      error: 2205,
      index: 0,
    },
    {
      when: 'the register is beyond 65536',
      send: many(tag({ address: '1!465537' })),
      status: 206,
      error: 2205,
      index: 0,
    },
    {
      when: 'the unit is 256',
      send: many(tag({ address: '256!400001' })),
      status: 206,
      error: 2205,
      index: 0,
    },
    {
      when: 'the bit is 16',
      send: many(tag({ address: '1!400001.16', type: 11 })),
      status: 206,
      error: 2205,
      index: 0,
    },
    {
      when: 'a string has 128 bytes',
      send: many(tag({ address: '1!400001.128', type: 13 })),
      status: 206,
      error: 2205,
      index: 0,
    },
    {
      when: 'bytes have an odd length',
      send: many(tag({ address: '1!400001.3', type: 14 })),
      status: 206,
      error: 2205,
      index: 0,
    },
    { when: 'the name has 128 bytes', send: many(tag({ name: n128 })), status: 206, error: 2206, index: 0 },
    {
      when: 'the address has 128 bytes',
      send: many(tag({ address: `1!${'0'.repeat(126)}` })),
      status: 206,
      error: 2207,
      index: 0,
    },
    {
      when: 'the description has 128 bytes',
      send: many(tag({ description: n128 })),
      status: 206,
      error: 2208,
      index: 0,
    },
    {
      when: 'the description has 128 bytes in 64 characters',
      send: many(tag({ description: 'é'.repeat(64) })),
      status: 206,
      error: 2208,
      index: 0,
    },
    {
      when: 'the precision is 18',
      send: many(tag({ type: 9, precision: 18 })),
      status: 206,
      error: 2209,
      index: 0,
    },
    {
      when: 'the precision is negative',
      send: many(tag({ type: 9, precision: -1 })),
      status: 206,
      error: 2209,
      index: 0,
    },
    {
      when: 'the second tag is bad',
      send: many(tag({ name: 'one' }), tag({ address: 'no' }), tag({ name: 'three' })),
      status: 206,
      error: 2205,
      index: 1,
    },
    {
      when: 'name and address are bad: the name comes first',
      send: many(tag({ name: n128, address: 'no' })),
      status: 206,
      error: 2206,
      index: 0,
    },
    { when: 'a name is empty', send: many(tag({ name: '' })), status: 400, error: 1002 },
    { when: 'a static tag has no value', send: many(tag({ attribute: 8 })), status: 400, error: 1002 },
    { when: 'a tag that is not static has a value', send: many(tag({ value: 1 })), status: 400, error: 1002 },
    {
      when: 'a static value has another type',
      send: many(tag({ attribute: 8, value: 'text' })),
      status: 400,
      error: 1002,
    },
    {
      when: 'a static value is out of range',
      send: many(tag({ attribute: 8, value: 32768 })),
      status: 400,
      error: 1002,
    },
    {
      when: 'a tag has no address',
      send: many({ name: 'fresh', attribute: 1, type: 3 }),
      status: 400,
      error: 1002,
    },
    {
      when: 'a tag has no type',
      send: many({ name: 'fresh', address: '1!400001', attribute: 1 }),
      status: 400,
      error: 1002,
    },
    { when: 'a type is text', send: many(tag({ type: '3' })), status: 400, error: 1002 },
    {
      when: 'a tag is not an object',
      send: { node: 'idle', group: 'line', tags: ['fresh'] },
      status: 400,
      error: 1002,
    },
  ],

  'PUT /tags': [
    {
      when: 'the node does not exist',
      send: { node: 'absent', group: 'line', tags: [tag()] },
      status: 404,
      error: 2003,
    },
    {
      when: 'the group does not exist',
      send: { node: 'idle', group: 'absent', tags: [tag()] },
      status: 404,
      error: 2106,
    },
    {
      when: 'the node is an app',
      send: { node: 'north', group: 'line', tags: [tag()] },
      status: 409,
      error: 2103,
    },
    {
      when: 'the tag does not exist',
      send: many(tag({ name: 'absent' })),
      status: 206,
      error: 2201,
      index: 0,
    },
    {
      when: 'the second tag does not exist',
      send: many(tag({ name: 'word', type: 4, attribute: 3 }), tag({ name: 'absent' })),
      status: 206,
      error: 2201,
      index: 1,
    },
    {
      when: 'the attribute is not supported',
      send: many(tag({ name: 'word', address: '1!300001', attribute: 2 })),
      status: 206,
      error: 2203,
      index: 0,
    },
    {
      when: 'the type is not supported',
      send: many(tag({ name: 'word', type: 1 })),
      status: 206,
      error: 2204,
      index: 0,
    },
    {
      when: 'the address makes no sense',
      send: many(tag({ name: 'word', address: 'nonsense' })),
      status: 206,
      error: 2205,
      index: 0,
    },
    {
      when: 'the precision is 18',
      send: many(tag({ name: 'word', precision: 18 })),
      status: 206,
      error: 2209,
      index: 0,
    },
  ],

  'DELETE /tags': [
    {
      when: 'the node does not exist',
      send: { node: 'absent', group: 'line', tags: ['a'] },
      status: 404,
      error: 2003,
    },
    {
      when: 'the tag does not exist: nothing to do',
      send: { node: 'idle', group: 'line', tags: ['absent'] },
      status: 200,
      error: 0,
    },
    {
      when: 'the group does not exist: nothing to do',
      send: { node: 'idle', group: 'absent', tags: ['a'] },
      status: 200,
      error: 0,
    },
    { when: 'no tags are named', send: { node: 'idle', group: 'line', tags: [] }, status: 400, error: 1002 },
  ],

  'GET /tags': [
    { when: 'no node is named', send: { group: 'line' }, status: 400, error: 1003 },
    { when: 'no group is named', send: { node: 'plant' }, status: 400, error: 1003 },
    { when: 'the node does not exist', send: { node: 'absent', group: 'line' }, status: 404, error: 2003 },
    { when: 'the group does not exist', send: { node: 'plant', group: 'absent' }, status: 404, error: 2106 },
    { when: 'the node is an app', send: { node: 'north', group: 'line' }, status: 409, error: 2103 },
  ],

  'POST /read': [
    { when: 'the node does not exist', send: { node: 'absent', group: 'line' }, status: 404, error: 2003 },
    { when: 'the group does not exist', send: { node: 'plant', group: 'absent' }, status: 404, error: 2106 },
    { when: 'the node is an app', send: { node: 'north', group: 'line' }, status: 409, error: 2103 },
    { when: 'the node name has 128 bytes', send: { node: n128, group: 'line' }, status: 400, error: 2010 },
    { when: 'the group name has 128 bytes', send: { node: 'plant', group: n128 }, status: 400, error: 2107 },
    { when: 'sync is no boolean', send: { ...line, sync: 1 }, status: 400, error: 1002 },
    {
      when: 'names of 127 bytes are merely absent',
      send: { node: n127, group: n127 },
      status: 404,
      error: 2003,
    },
  ],

  'POST /write': [
    {
      when: 'the node does not exist',
      send: { node: 'absent', group: 'line', tag: 'word', value: 1 },
      status: 404,
      error: 2003,
    },
    {
      when: 'the node is an app',
      send: { node: 'north', group: 'line', tag: 'word', value: 1 },
      status: 409,
      error: 2103,
    },
    {
      when: 'the node does not run',
      send: { node: 'idle', group: 'line', tag: 'word', value: 1 },
      status: 200,
      error: 3010,
    },
    {
      when: 'the node does not run and the tag is absent',
      send: { node: 'idle', group: 'no', tag: 'no', value: 1 },
      status: 200,
      error: 3010,
    },
    {
      when: 'the group does not exist',
      send: { node: 'plant', group: 'absent', tag: 'word', value: 1 },
      status: 404,
      error: 2106,
    },
    { when: 'the tag does not exist', send: write('absent', 1), status: 404, error: 2201 },
    { when: 'the tag may not be written', send: write('read only', 1), status: 200, error: 3004 },
    { when: 'a static tag may not be written', send: write('constant', 1), status: 200, error: 3004 },
    {
      when: 'the device is not connected',
      send: { node: 'dark', group: 'line', tag: 'word', value: 1 },
      status: 200,
      error: 3002,
    },
    { when: 'text for a number', send: write('word', '1'), status: 200, error: 3007 },
    { when: 'a boolean for a number', send: write('word', true), status: 200, error: 3007 },
    { when: 'a fraction for an integer', send: write('word', 1.5), status: 200, error: 3007 },
    { when: 'an array for a number', send: write('word', [1]), status: 200, error: 3007 },
    { when: 'a number for text', send: write('text', 1), status: 200, error: 3007 },
    { when: 'text for bytes', send: write('bytes', 'text'), status: 200, error: 3007 },
    { when: 'a boolean for a bit', send: write('coil', true), status: 200, error: 3007 },
    { when: 'text for a float', send: write('float', '1'), status: 200, error: 3007 },
    { when: 'UINT16 above its range', send: write('word', 65536), status: 200, error: 3020 },
    { when: 'UINT16 below its range', send: write('word', -1), status: 200, error: 3020 },
    { when: 'INT16 above its range', send: write('short', 32768), status: 200, error: 3020 },
    { when: 'INT16 below its range', send: write('short', -32769), status: 200, error: 3020 },
    { when: 'UINT64 above its range', send: write('long', 18446744073709551616n), status: 200, error: 3020 },
    { when: 'FLOAT above its range', send: write('float', 1e39), status: 200, error: 3020 },
    { when: 'a bit that is 2', send: write('coil', 2), status: 200, error: 3020 },
    { when: 'a byte that is 256', send: write('bytes', [0, 256, 0, 0]), status: 200, error: 3020 },
    { when: 'a scaled value above its range', send: write('scaled', 3276.8), status: 200, error: 3020 },
    { when: 'a static tag above its range', send: write('adjustable', 32768), status: 200, error: 3020 },
    { when: 'text of 128 bytes', send: write('text', n128), status: 200, error: 4100 },
    { when: 'no value', send: { ...line, tag: 'word' }, status: 400, error: 1002 },
    { when: 'a value that is an object', send: write('word', {}), status: 400, error: 1002 },
    { when: 'no tag', send: { ...line, value: 1 }, status: 400, error: 1002 },
    { when: 'the tag is a number', send: { ...line, tag: 1, value: 1 }, status: 400, error: 1002 },
    { when: 'the body is no JSON', send: '{"node":', status: 400, error: 1002 },
    { when: 'all is well', send: write('word', 65535), status: 200, error: 0 },
    { when: 'a static tag that may be written', send: write('adjustable', 8), status: 200, error: 0 },
  ],

  'POST /write/tags': [
    {
      when: 'the node does not exist',
      send: { node: 'absent', group: 'line', tags: [{ tag: 'word', value: 1 }] },
      status: 404,
      error: 2003,
    },
    {
      when: 'the node is an app',
      send: { node: 'north', group: 'line', tags: [{ tag: 'word', value: 1 }] },
      status: 409,
      error: 2103,
    },
    {
      when: 'the node does not run',
      send: { node: 'idle', group: 'line', tags: [{ tag: 'word', value: 1 }] },
      status: 200,
      error: 3010,
    },
    {
      when: 'the driver cannot write several',
      send: { node: 'single', group: 'line', tags: [{ tag: 'word', value: 'x' }] },
      status: 200,
      error: 3017,
    },
    {
      when: 'the group does not exist',
      send: { node: 'plant', group: 'absent', tags: [{ tag: 'word', value: 1 }] },
      status: 404,
      error: 2106,
    },
    { when: 'a tag does not exist', send: writes(['word', 1], ['absent', 1]), status: 404, error: 2201 },
    {
      when: 'a tag may not be written',
      send: writes(['word', 1], ['read only', 1]),
      status: 404,
      error: 2201,
    },
    { when: 'a tag is static', send: writes(['word', 1], ['adjustable', 1]), status: 404, error: 2201 },
    { when: 'a value has another type', send: writes(['word', 1], ['short', 'x']), status: 200, error: 3007 },
    {
      when: 'a value is out of range',
      send: writes(['word', 1], ['short', 32768]),
      status: 200,
      error: 3020,
    },
    {
      when: 'the device is not connected',
      send: { node: 'dark', group: 'line', tags: [{ tag: 'word', value: 1 }] },
      status: 200,
      error: 3002,
    },
    { when: 'there are no tags', send: writes(), status: 400, error: 1002 },
    { when: 'a tag has no value', send: { ...line, tags: [{ tag: 'word' }] }, status: 400, error: 1002 },
    { when: 'all is well', send: writes(['word', 1], ['short', 2], ['text', 'ok']), status: 200, error: 0 },
  ],

  'GET /plugin': [
    { when: 'there is no such plugin: an empty list', send: { plugin: 'Nothing' }, status: 200, error: 0 },
  ],

  'GET /schema': [
    { when: 'there is no such schema', send: { schema_name: 'nothing' }, status: 404, error: 3014 },
    { when: 'the name is a path', send: { schema_name: '../package' }, status: 404, error: 3014 },
    { when: 'no schema is named', send: {}, status: 400, error: 1003 },
    { when: 'the older parameter serves', send: { plugin_name: 'modbus-tcp' }, status: 200, error: 0 },
  ],

  'POST /subscribe': [
    {
      when: 'the app does not exist',
      send: { app: 'absent', driver: 'plant', group: 'line' },
      status: 404,
      error: 2003,
    },
    {
      when: 'the app is a driver',
      send: { app: 'idle', driver: 'plant', group: 'line' },
      status: 400,
      error: 2012,
    },
    {
      when: 'the driver does not exist',
      send: { app: 'north', driver: 'absent', group: 'line' },
      status: 404,
      error: 2003,
    },
    {
      when: 'the group does not exist',
      send: { app: 'north', driver: 'plant', group: 'absent' },
      status: 404,
      error: 2106,
    },
    {
      when: 'the app subscribes already',
      send: { app: 'north', driver: 'plant', group: 'line' },
      status: 200,
      error: 2101,
    },
    {
      when: 'the topic is empty',
      send: { app: 'north', driver: 'plant', group: 'second', params: { topic: '' } },
      status: 400,
      error: 2105,
    },
    {
      when: 'there are params and no topic',
      send: { app: 'north', driver: 'plant', group: 'second', params: {} },
      status: 400,
      error: 2105,
    },
    {
      when: 'the app name has 128 bytes',
      send: { app: n128, driver: 'plant', group: 'line' },
      status: 400,
      error: 2010,
    },
    {
      when: 'the group name has 128 bytes',
      send: { app: 'north', driver: 'plant', group: n128 },
      status: 400,
      error: 2107,
    },
  ],

  'POST /subscribes': [
    {
      when: 'the app does not exist',
      send: { app: 'absent', groups: [{ driver: 'plant', group: 'line' }] },
      status: 404,
      error: 2003,
    },
    { when: 'there are no groups', send: { app: 'north', groups: [] }, status: 200, error: 0 },
    {
      when: 'a group does not exist',
      send: { app: 'north', groups: [{ driver: 'plant', group: 'absent' }] },
      status: 404,
      error: 2106,
    },
    {
      when: 'a group is subscribed already',
      send: { app: 'north', groups: [{ driver: 'plant', group: 'line' }] },
      status: 200,
      error: 2101,
    },
    {
      when: 'an entry names no group',
      send: { app: 'north', groups: [{ driver: 'plant' }] },
      status: 400,
      error: 1002,
    },
  ],

  'PUT /subscribe': [
    {
      when: 'the app does not subscribe',
      send: { app: 'north', driver: 'plant', group: 'second', params: { topic: 'a' } },
      status: 404,
      error: 2106,
    },
    {
      when: 'the group does not exist',
      send: { app: 'north', driver: 'plant', group: 'absent', params: { topic: 'a' } },
      status: 404,
      error: 2106,
    },
    {
      when: 'the topic is empty',
      send: { app: 'north', driver: 'plant', group: 'line', params: { topic: '' } },
      status: 400,
      error: 2105,
    },
  ],

  'DELETE /subscribe': [
    {
      when: 'the app does not subscribe',
      send: { app: 'north', driver: 'plant', group: 'second' },
      status: 404,
      error: 2106,
    },
    {
      when: 'the group does not exist',
      send: { app: 'north', driver: 'plant', group: 'absent' },
      status: 404,
      error: 2106,
    },
  ],

  'GET /subscribe': [
    { when: 'no app is named', send: {}, status: 400, error: 1003 },
    { when: 'the app name is empty', send: { app: '' }, status: 400, error: 1003 },
    { when: 'the app does not exist: an empty list', send: { app: 'absent' }, status: 200, error: 0 },
  ],
};

function modbus(members: object): object {
  return { connection_mode: 0, host: '127.0.0.1', port: 502, timeout: 3000, interval: 20, ...members };
}
