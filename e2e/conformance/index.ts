import { Attribute } from '@tagway/schemas';
import { alarms } from './alarms.ts';
import { directory } from './directory.ts';
import { fleet } from './fleet.ts';
import { groups } from './groups.ts';
import { nodes } from './nodes.ts';
import { operations } from './operations.ts';
import { plugins } from './plugins.ts';
import { session } from './session.ts';
import { signIn } from './sign-in.ts';
import { subscriptions } from './subscriptions.ts';
import { tags } from './tags.ts';
import { templates } from './templates.ts';
import { transfer } from './transfer.ts';
import { users } from './users.ts';
import { values } from './values.ts';
import type { ConformanceTable } from './rows.ts';

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
  'POST /gtags': { node: 'idle', groups: [] },
  'PUT /tag/rename': { node: 'idle', group: 'line', old_name: 'absent', new_name: 'fresh' },
  'POST /read/paginate': { node: 'idle', group: 'line' },
  'POST /read/test': {
    driver: 'idle',
    group: 'line',
    tag: 'fresh',
    address: '1!400001',
    attribute: Attribute.READ,
    type: 3,
    precision: 0,
    decimal: 0,
    bias: 0,
  },
  'POST /write/gtags': { node: 'idle', groups: [{ group: 'line', tags: [{ tag: 'word', value: 1 }] }] },
  'POST /template': { name: 'fresh', plugin: 'Modbus TCP', groups: [] },
  'POST /template/inst': { name: 'absent', node: 'fresh' },
  'POST /template/instances': { nodes: [] },
  'POST /template/group': { template: 'absent', group: 'fresh', interval: 1000 },
  'DELETE /template/group': { template: 'absent', group: 'absent' },
  'POST /template/tag': { template: 'absent', group: 'absent', tags: [] },
  'PUT /template/tag': { template: 'absent', group: 'absent', tags: [] },
  'DELETE /template/tag': { template: 'absent', group: 'absent', tags: ['absent'] },
  'POST /users': { name: 'fresh', password: 'secret' },
  'PUT /users': { name: 'absent', new_password: 'secret' },
  'DELETE /users': { name: 'absent' },
  'POST /tokens': { name: 'fresh', role: 'viewer' },
  'DELETE /tokens': { name: 'absent' },
  'POST /license': { license: 'nonsense' },
  'PUT /global/config': { nodes: [], groups: [], tags: [], subscriptions: [], settings: [] },
  'POST /global/config/apply': { nodes: [], groups: [], tags: [], subscriptions: [], settings: [] },
  'PUT /global/drivers': { nodes: [] },
  'POST /read': { node: 'idle', group: 'line' },
  'POST /write/tags': { node: 'idle', group: 'line', tags: [{ tag: 'word', value: 1 }] },
  'POST /plugin': { library: 'absent.tgz' },
  'PUT /plugin': { library: 'absent.tgz' },
  'DELETE /plugin': { plugin: 'Nothing' },
  'POST /directory/job': { action: 'look' },
  'DELETE /directory/job': { job: 'none' },
  'PUT /directory/registries': { registries: [] },
  'PUT /fleet/gateways': { gateways: [] },
  'POST /sign-in/begin': { page: 'https://gateway/' },
  'POST /sign-in/finish': { ticket: 'none', answer: '?code=none' },
  'POST /subscribe': { app: 'north', driver: 'plant', group: 'line' },
  'POST /subscribes': { app: 'north', groups: [] },
  'PUT /subscribe': { app: 'north', driver: 'plant', group: 'line', params: { topic: 'a' } },
  'DELETE /subscribe': { app: 'north', driver: 'plant', group: 'absent' },
};

/** What all endpoints answer, by condition. */
export const specification: ConformanceTable = {
  ...session,
  ...nodes,
  ...groups,
  ...tags,
  ...values,
  ...plugins,
  ...directory,
  ...fleet,
  ...signIn,
  ...subscriptions,
  ...templates,
  ...users,
  ...alarms,
  ...transfer,
  // The license that they put in force is the last thing.
  ...operations,
};
