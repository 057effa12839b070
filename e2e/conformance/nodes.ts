import { modbusSettings, mqttSettings } from '../configure.ts';
import { n128 } from './rows.ts';
import type { ConformanceTable } from './rows.ts';

export const nodes: ConformanceTable = {
  'POST /node': [
    ['all is well', { name: 'made', plugin: 'Modbus TCP' }, 200, 0],
    ['all is well, with params', { name: 'spare', plugin: 'MQTT', params: mqttSettings(9) }, 200, 0],
    ['the plugin goes by an alias', { name: 'aliased', plugin: 'modbus-tcp' }, 200, 0],
    ['the plugin is unknown', { name: 'fresh', plugin: 'Nothing' }, 404, 'LIBRARY_NOT_FOUND'],
    [
      'the plugin is named in another case',
      { name: 'fresh', plugin: 'modbus tcp' },
      404,
      'LIBRARY_NOT_FOUND',
    ],
    ['the name is taken', { name: 'plant', plugin: 'Modbus TCP' }, 409, 'NODE_EXISTS'],
    ['the name is taken by an app', { name: 'north', plugin: 'Modbus TCP' }, 409, 'NODE_EXISTS'],
    ['the name has 128 bytes', { name: n128, plugin: 'Modbus TCP' }, 400, 'NODE_NAME_TOO_LONG'],
    [
      'the name is too long and the plugin unknown',
      { name: n128, plugin: 'Nothing' },
      400,
      'NODE_NAME_TOO_LONG',
    ],
    [
      'the name is taken and the plugin unknown',
      { name: 'plant', plugin: 'Nothing' },
      404,
      'LIBRARY_NOT_FOUND',
    ],
    ['the name is empty', { name: '', plugin: 'Modbus TCP' }, 400, 'NODE_NAME_EMPTY'],
    [
      'the params are refused',
      { name: 'fresh', plugin: 'Modbus TCP', params: { host: 5 } },
      400,
      'NODE_SETTING_INVALID',
    ],
  ],

  'DELETE /node': [
    ['all is well', { name: 'made' }, 200, 0],
    ['its plugin went by an alias', { name: 'aliased' }, 200, 0],
    ['it is deleted already', { name: 'made' }, 404, 'NODE_NOT_FOUND'],
    ['the node does not exist', { name: 'absent' }, 404, 'NODE_NOT_FOUND'],
    ['the name has 128 bytes', { name: n128 }, 400, 'NODE_NAME_TOO_LONG'],
  ],

  'PUT /node': [
    ['all is well', { name: 'spare', new_name: 'spare again' }, 200, 0],
    ['the node does not exist', { name: 'absent', new_name: 'fresh' }, 404, 'NODE_NOT_FOUND'],
    ['the new name is taken', { name: 'idle', new_name: 'plant' }, 409, 'NODE_EXISTS'],
    ['the new name is the old one', { name: 'idle', new_name: 'idle' }, 409, 'NODE_EXISTS'],
    ['the new name is empty', { name: 'idle', new_name: '' }, 400, 'NODE_NAME_EMPTY'],
    ['the new name has 128 bytes', { name: 'idle', new_name: n128 }, 400, 'NODE_NAME_TOO_LONG'],
    ['the name has 128 bytes', { name: n128, new_name: 'fresh' }, 400, 'NODE_NAME_TOO_LONG'],
    ['the older form, which was never served', { id: 1, name: 'idle' }, 400, 'NODE_NOT_UPDATABLE'],
  ],

  'GET /node': [
    ['all is well', { type: 1 }, 200, 0],
    ['there is no type', {}, 400, 'PARAM_INVALID'],
    ['the type is empty', { type: '' }, 400, 'PARAM_INVALID'],
    ['the type is not a number', { type: 'driver' }, 400, 'PARAM_INVALID'],
    ['there is no such type', { type: 3 }, 400, 'PARAM_INVALID'],
    ['a part of the name of a group is given', { type: 1, group: 'line' }, 200, 0],
    ['nothing matches: an empty list', { type: 1, plugin: 'Nothing', node: 'nothing' }, 200, 0],
  ],

  'POST /node/setting': [
    ['all is well', { node: 'halted', params: modbusSettings(10) }, 200, 0],
    [
      'the node does not exist',
      { node: 'absent', params: {} },
      400,
      'NODE_NOT_FOUND',
      { family: [404, 'NODE_NOT_FOUND'] },
    ],
    ['a required setting is missing', { node: 'idle', params: { port: 502 } }, 400, 'NODE_SETTING_INVALID'],
    [
      'a setting has another type',
      { node: 'idle', params: modbus({ port: '502' }) },
      400,
      'NODE_SETTING_INVALID',
    ],
    ['the port is 0', { node: 'idle', params: modbus({ port: 0 }) }, 400, 'NODE_SETTING_INVALID'],
    ['the port is 65536', { node: 'idle', params: modbus({ port: 65536 }) }, 400, 'NODE_SETTING_INVALID'],
    [
      'the timeout is below 1000',
      { node: 'idle', params: modbus({ timeout: 999 }) },
      400,
      'NODE_SETTING_INVALID',
    ],
    [
      'the interval is above 3000',
      { node: 'idle', params: modbus({ interval: 3001 }) },
      400,
      'NODE_SETTING_INVALID',
    ],
    [
      'the host has 31 characters',
      { node: 'idle', params: modbus({ host: 'h'.repeat(31) }) },
      400,
      'NODE_SETTING_INVALID',
    ],
    [
      'a map has no such value',
      { node: 'idle', params: modbus({ connection_mode: 2 }) },
      400,
      'NODE_SETTING_INVALID',
    ],
    ['an app has no host', { node: 'bare', params: { format: 0, port: 1883 } }, 400, 'NODE_SETTING_INVALID'],
    [
      'the authority of TLS is no certificate',
      { node: 'bare', params: { host: '127.0.0.1', port: 1, format: 0, ssl: true, ca: 'AAAA' } },
      400,
      'NODE_SETTING_INVALID',
    ],
  ],

  'GET /node/setting': [
    ['all is well', { node: 'plant' }, 200, 0],
    ['no node is named', {}, 400, 'PARAM_INVALID'],
    ['the node does not exist', { node: 'absent' }, 404, 'NODE_NOT_FOUND'],
    ['the node has no setting', { node: 'idle' }, 200, 'NODE_SETTING_NOT_FOUND'],
  ],

  'POST /node/ctl': [
    ['the node does not exist', { node: 'absent', cmd: 0 }, 404, 'NODE_NOT_FOUND'],
    ['a node without setting is started', { node: 'idle', cmd: 0 }, 409, 'NODE_NOT_READY'],
    ['a running node is started', { node: 'plant', cmd: 0 }, 409, 'NODE_IS_RUNNING'],
    ['a node that does not run is stopped', { node: 'idle', cmd: 1 }, 409, 'NODE_NOT_RUNNING'],
    ['a stopped node is stopped', { node: 'halted', cmd: 1 }, 409, 'NODE_IS_STOPPED'],
    ['a stopped node is started', { node: 'halted', cmd: 0 }, 200, 0],
    ['a running node is stopped', { node: 'halted', cmd: 1 }, 200, 0],
    ['there is no such command', { node: 'plant', cmd: 2 }, 400, 'BODY_INVALID'],
  ],

  'GET /node/state': [
    ['all is well', { node: 'plant' }, 200, 0],
    ['no node is named: all nodes', {}, 200, 0],
    ['the node does not exist', { node: 'absent' }, 404, 'NODE_NOT_FOUND'],
    ['the name is empty: all nodes', { node: '' }, 200, 0],
  ],
};

function modbus(members: object): object {
  return { connection_mode: 0, host: '127.0.0.1', port: 502, timeout: 3000, interval: 20, ...members };
}
