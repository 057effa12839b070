import { modbusSettings, mqttSettings } from '../configure.ts';
import { n128 } from './rows.ts';
import type { ConformanceTable } from './rows.ts';

export const nodes: ConformanceTable = {
  'POST /node': [
    ['all is well', { name: 'made', plugin: 'Modbus TCP' }, 200, 0],
    ['all is well, with params', { name: 'spare', plugin: 'MQTT', params: mqttSettings(9) }, 200, 0],
    ['the plugin is unknown', { name: 'fresh', plugin: 'Nothing' }, 404, 2301],
    ['the plugin is named in another case', { name: 'fresh', plugin: 'modbus tcp' }, 404, 2301],
    ['the name is taken', { name: 'plant', plugin: 'Modbus TCP' }, 409, 2002],
    ['the name is taken by an app', { name: 'north', plugin: 'Modbus TCP' }, 409, 2002],
    ['the name has 128 bytes', { name: n128, plugin: 'Modbus TCP' }, 400, 2010],
    ['the name is too long and the plugin unknown', { name: n128, plugin: 'Nothing' }, 400, 2010],
    ['the name is taken and the plugin unknown', { name: 'plant', plugin: 'Nothing' }, 404, 2301],
    ['the name is empty', { name: '', plugin: 'Modbus TCP' }, 400, 2015],
    ['the params are refused', { name: 'fresh', plugin: 'Modbus TCP', params: { host: 5 } }, 400, 2004],
  ],

  'DELETE /node': [
    ['all is well', { name: 'made' }, 200, 0],
    ['it is deleted already', { name: 'made' }, 404, 2003],
    ['the node does not exist', { name: 'absent' }, 404, 2003],
    ['the name has 128 bytes', { name: n128 }, 400, 2010],
  ],

  'PUT /node': [
    ['all is well', { name: 'spare', new_name: 'spare again' }, 200, 0],
    ['the node does not exist', { name: 'absent', new_name: 'fresh' }, 404, 2003],
    ['the new name is taken', { name: 'idle', new_name: 'plant' }, 409, 2002],
    ['the new name is the old one', { name: 'idle', new_name: 'idle' }, 409, 2002],
    ['the new name is empty', { name: 'idle', new_name: '' }, 400, 2015],
    ['the new name has 128 bytes', { name: 'idle', new_name: n128 }, 400, 2010],
    ['the name has 128 bytes', { name: n128, new_name: 'fresh' }, 400, 2010],
    ['the older form, which was never served', { id: 1, name: 'idle' }, 400, 2013],
  ],

  'GET /node': [
    ['all is well', { type: 1 }, 200, 0],
    ['there is no type', {}, 400, 1003],
    ['the type is empty', { type: '' }, 400, 1003],
    ['the type is not a number', { type: 'driver' }, 400, 1003],
    ['there is no such type', { type: 3 }, 400, 1003],
    ['nothing matches: an empty list', { type: 1, plugin: 'Nothing', node: 'nothing' }, 200, 0],
  ],

  'POST /node/setting': [
    ['all is well', { node: 'halted', params: modbusSettings(10) }, 200, 0],
    ['the node does not exist', { node: 'absent', params: {} }, 400, 2003, { family: [404, 2003] }],
    ['a required setting is missing', { node: 'idle', params: { port: 502 } }, 400, 2004],
    ['a setting has another type', { node: 'idle', params: modbus({ port: '502' }) }, 400, 2004],
    ['the port is 0', { node: 'idle', params: modbus({ port: 0 }) }, 400, 2004],
    ['the port is 65536', { node: 'idle', params: modbus({ port: 65536 }) }, 400, 2004],
    ['the timeout is below 1000', { node: 'idle', params: modbus({ timeout: 999 }) }, 400, 2004],
    ['the interval is above 3000', { node: 'idle', params: modbus({ interval: 3001 }) }, 400, 2004],
    ['the host has 31 characters', { node: 'idle', params: modbus({ host: 'h'.repeat(31) }) }, 400, 2004],
    ['a map has no such value', { node: 'idle', params: modbus({ connection_mode: 2 }) }, 400, 2004],
    ['an app has no host', { node: 'bare', params: { format: 0, port: 1883 } }, 400, 2004],
    [
      'TLS without an authority',
      { node: 'bare', params: { host: '127.0.0.1', port: 1, format: 0, ssl: true } },
      400,
      2004,
    ],
  ],

  'GET /node/setting': [
    ['all is well', { node: 'plant' }, 200, 0],
    ['no node is named', {}, 400, 1003],
    ['the node does not exist', { node: 'absent' }, 404, 2003],
    ['the node has no setting', { node: 'idle' }, 200, 2005],
  ],

  'POST /node/ctl': [
    ['the node does not exist', { node: 'absent', cmd: 0 }, 404, 2003],
    ['a node without setting is started', { node: 'idle', cmd: 0 }, 409, 2006],
    ['a running node is started', { node: 'plant', cmd: 0 }, 409, 2007],
    ['a node that does not run is stopped', { node: 'idle', cmd: 1 }, 409, 2008],
    ['a stopped node is stopped', { node: 'halted', cmd: 1 }, 409, 2009],
    ['a stopped node is started', { node: 'halted', cmd: 0 }, 200, 0],
    ['a running node is stopped', { node: 'halted', cmd: 1 }, 200, 0],
    ['there is no such command', { node: 'plant', cmd: 2 }, 400, 1002],
  ],

  'GET /node/state': [
    ['all is well', { node: 'plant' }, 200, 0],
    ['no node is named: all nodes', {}, 200, 0],
    ['the node does not exist', { node: 'absent' }, 404, 2003],
    ['the name is empty: all nodes', { node: '' }, 200, 0],
  ],
};

function modbus(members: object): object {
  return { connection_mode: 0, host: '127.0.0.1', port: 502, timeout: 3000, interval: 20, ...members };
}
