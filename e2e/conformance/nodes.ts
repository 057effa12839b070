import { modbusSettings, mqttSettings } from '../kit/configure.ts';
import { answers, from, n128, type ConformanceTable } from './rows.ts';

const modbus = from({ connection_mode: 0, host: '127.0.0.1', port: 502, timeout: 3000, interval: 20 });
const tls = { host: '127.0.0.1', port: 1, format: 0, ssl: true };

export const nodes: ConformanceTable = {
  'POST /node': [
    answers('200 OK', {
      'all is well': { name: 'made', plugin: 'Modbus TCP' },
      'all is well, with params': { name: 'spare', plugin: 'MQTT', params: mqttSettings(9) },
      'the plugin goes by an alias': { name: 'aliased', plugin: 'modbus-tcp' },
    }),
    answers('404 LIBRARY_NOT_FOUND', {
      'the plugin is unknown': { name: 'fresh', plugin: 'Nothing' },
      'the plugin is named in another case': { name: 'fresh', plugin: 'modbus tcp' },
      'the name is taken and the plugin unknown': { name: 'plant', plugin: 'Nothing' },
    }),
    answers('409 NODE_EXISTS', {
      'the name is taken': { name: 'plant', plugin: 'Modbus TCP' },
      'the name is taken by an app': { name: 'north', plugin: 'Modbus TCP' },
    }),
    answers('400 NODE_NAME_TOO_LONG', {
      'the name has 128 bytes': { name: n128, plugin: 'Modbus TCP' },
      'the name is too long and the plugin unknown': { name: n128, plugin: 'Nothing' },
    }),
    answers('400 NODE_NAME_EMPTY', { 'the name is empty': { name: '', plugin: 'Modbus TCP' } }),
    answers('400 NODE_SETTING_INVALID', {
      'the params are null': { name: 'fresh', plugin: 'Modbus TCP', params: null },
      'the params are refused': { name: 'fresh', plugin: 'Modbus TCP', params: { host: 5 } },
    }),
  ],

  'DELETE /node': [
    answers('200 OK', {
      'all is well': { name: 'made' },
      'its plugin went by an alias': { name: 'aliased' },
    }),
    answers('404 NODE_NOT_FOUND', {
      'it is deleted already': { name: 'made' },
      'the node does not exist': { name: 'absent' },
    }),
    answers('400 NODE_NAME_TOO_LONG', { 'the name has 128 bytes': { name: n128 } }),
  ],

  'PUT /node': [
    answers('200 OK', { 'all is well': { name: 'spare', new_name: 'spare again' } }),
    answers('404 NODE_NOT_FOUND', { 'the node does not exist': { name: 'absent', new_name: 'fresh' } }),
    answers('409 NODE_EXISTS', {
      'the new name is taken': { name: 'idle', new_name: 'plant' },
      'the new name is the old one': { name: 'idle', new_name: 'idle' },
    }),
    answers('400 NODE_NAME_EMPTY', { 'the new name is empty': { name: 'idle', new_name: '' } }),
    answers('400 NODE_NAME_TOO_LONG', {
      'the new name has 128 bytes': { name: 'idle', new_name: n128 },
      'the name has 128 bytes': { name: n128, new_name: 'fresh' },
    }),
    answers('400 NODE_NOT_UPDATABLE', { 'the older form, which was never served': { id: 1, name: 'idle' } }),
  ],

  'GET /node': [
    answers('200 OK', { 'all is well': { type: 1 } }),
    answers('400 PARAM_INVALID', {
      'there is no type': {},
      'the type is empty': { type: '' },
      'the type is not a number': { type: 'driver' },
      'there is no such type': { type: 3 },
    }),
    answers('200 OK', {
      'a part of the name of a group is given': { type: 1, group: 'line' },
      'nothing matches: an empty list': { type: 1, plugin: 'Nothing', node: 'nothing' },
    }),
  ],

  'POST /node/setting': [
    answers('200 OK', { 'all is well': { node: 'halted', params: modbusSettings(10) } }),
    answers('400 NODE_NOT_FOUND, family 404', { 'the node does not exist': { node: 'absent', params: {} } }),
    answers('400 NODE_SETTING_INVALID', {
      'the settings are null': { node: 'idle', params: null },
      'a required setting is missing': { node: 'idle', params: { port: 502 } },
      'a setting has another type': { node: 'idle', params: modbus({ port: '502' }) },
      'the port is 0': { node: 'idle', params: modbus({ port: 0 }) },
      'the port is 65536': { node: 'idle', params: modbus({ port: 65536 }) },
      'the timeout is below 1000': { node: 'idle', params: modbus({ timeout: 999 }) },
      'the interval is above 3000': { node: 'idle', params: modbus({ interval: 3001 }) },
      'the host has 31 characters': { node: 'idle', params: modbus({ host: 'h'.repeat(31) }) },
      'a map has no such value': { node: 'idle', params: modbus({ connection_mode: 2 }) },
      'an app has no host': { node: 'bare', params: { format: 0, port: 1883 } },
      'the authority of TLS is no certificate': { node: 'bare', params: { ...tls, ca: 'AAAA' } },
    }),
  ],

  'GET /node/setting': [
    answers('200 OK', { 'all is well': { node: 'plant' } }),
    answers('400 PARAM_INVALID', { 'no node is named': {} }),
    answers('404 NODE_NOT_FOUND', { 'the node does not exist': { node: 'absent' } }),
    answers('200 NODE_SETTING_NOT_FOUND', { 'the node has no setting': { node: 'idle' } }),
  ],

  'POST /node/ctl': [
    answers('404 NODE_NOT_FOUND', { 'the node does not exist': { node: 'absent', cmd: 0 } }),
    answers('409 NODE_NOT_READY', { 'a node without setting is started': { node: 'idle', cmd: 0 } }),
    answers('409 NODE_IS_RUNNING', { 'a running node is started': { node: 'plant', cmd: 0 } }),
    answers('409 NODE_NOT_RUNNING', { 'a node that does not run is stopped': { node: 'idle', cmd: 1 } }),
    answers('409 NODE_IS_STOPPED', { 'a stopped node is stopped': { node: 'halted', cmd: 1 } }),
    answers('200 OK', {
      'a stopped node is started': { node: 'halted', cmd: 0 },
      'a running node is stopped': { node: 'halted', cmd: 1 },
    }),
    answers('400 BODY_INVALID', { 'there is no such command': { node: 'plant', cmd: 2 } }),
  ],

  'GET /node/state': [
    answers('200 OK', {
      'all is well': { node: 'plant' },
      'no node is named: all nodes': {},
    }),
    answers('404 NODE_NOT_FOUND', { 'the node does not exist': { node: 'absent' } }),
    answers('200 OK', { 'the name is empty: all nodes': { node: '' } }),
  ],
};
