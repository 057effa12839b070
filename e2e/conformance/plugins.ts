import { libraryArchive } from '../kit/archives.ts';
import type { ArchiveOptions } from '../kit/archives.ts';
import { answers, type ConformanceTable } from './rows.ts';

function library(id: string, options?: ArchiveOptions): { library: string; file: string } {
  return { library: `${id}.tgz`, file: libraryArchive(id, options).toString('base64') };
}

export const plugins: ConformanceTable = {
  'POST /plugin': [
    answers('400 LIBRARY_INFO_INVALID', {
      'there is no such file': { library: 'absent.tgz' },
      'the file is a folder': { library: 'single' },
      'the archive is not an archive': { library: 'a.tgz', file: 'AAAA' },
      'the archive has no plugin.json': library('guest', { manifestText: '' }),
    }),
    answers('400 LIBRARY_NAME_INVALID', {
      'the name is a path': { library: '../tagway.sqlite' },
      'the name is an absolute path': { library: '/etc/passwd' },
      'the name is hidden': { library: '.absent.tgz' },
      'the name is empty': { library: '' },
    }),
    answers('400 BODY_INVALID', { 'the archive is not in base64': { library: 'a.tgz', file: '*' } }),
    answers('400 MODULE_VERSION_MISMATCH', {
      'the library is for a later SDK': library('guest', { manifest: { sdk: '^9.0.0' } }),
    }),
    answers('400 LIBRARY_MODULE_INVALID', {
      'the module is missing': library('guest', { manifest: { main: 'absent.js' } }),
      'the module throws': library('guest', { module: 'throw new Error("no");' }),
      'the module is no plugin': library('guest', { module: 'export default {};' }),
    }),
    answers('409 LIBRARY_NAME_CONFLICT', {
      'the id is that of a system plugin': library('mqtt', { manifest: { name: 'Guest' } }),
    }),
    answers('409 MODULE_EXISTS', {
      'the name is that of a system plugin': library('guest', { manifest: { name: 'MQTT' } }),
    }),
    answers('200 OK', { 'all is well': library('guest') }),
    answers('409 LIBRARY_NAME_CONFLICT', { 'that version is installed': library('guest') }),
    answers('200 OK', { 'another version is an upgrade': library('guest', { version: '2.0.0' }) }),
  ],

  'PUT /plugin': [
    answers('404 LIBRARY_NOT_FOUND', { 'there is no such plugin': library('stranger') }),
    answers('400 LIBRARY_NAME_INVALID', { 'the name is a path': { library: 'a/b' } }),
    answers('409 LIBRARY_NAME_CONFLICT', {
      'a plugin of the system': library('mqtt', { manifest: { name: 'Guest' } }),
    }),
    answers('200 OK', { 'all is well, with the same version': library('guest', { version: '2.0.0' }) }),
  ],

  'DELETE /plugin': [
    answers('400 LIBRARY_SYSTEM, family 409', {
      'there is no such plugin': { plugin: 'Nothing' },
      'it comes with the gateway': { plugin: 'MQTT' },
    }),
    answers('409 LIBRARY_IN_USE', { 'a node uses it': { plugin: 'single' } }),
    answers('200 OK', { 'all is well': { plugin: 'guest' } }),
  ],

  'PUT /plugin/permission': [
    answers('403 USER_NOT_PERMITTED, token operator, family 400', {
      'not an admin asks': { plugin: 'OPC UA Server', logins: true },
    }),
    answers('404 PLUGIN_NOT_FOUND', { 'there is no such plugin': { plugin: 'Nothing', logins: true } }),
    answers('400 PARAM_INVALID', { 'the plugin has no logins to check': { plugin: 'MQTT', logins: true } }),
    answers('400 BODY_INVALID', { 'it is not said what': { plugin: 'OPC UA Server' } }),
    answers('200 OK', { 'all is well': { plugin: 'OPC UA Server', logins: true } }),
  ],

  'GET /plugin': [
    answers('200 OK', {
      'all is well': {},
      'there is no such plugin: an empty list': { plugin: 'Nothing' },
    }),
  ],

  'GET /schema': [
    answers('200 OK', {
      'all is well': { schema_name: 'mqtt' },
      'an alias of the schema': { schema_name: 'modbus-plus-tcp' },
    }),
    answers('404 PLUGIN_NOT_FOUND', {
      'there is no such schema': { schema_name: 'nothing' },
      'the name is a path': { schema_name: '../package' },
    }),
    answers('400 PARAM_INVALID, family 400 BODY_INVALID', { 'no schema is named': {} }),
    answers('200 OK', { 'the older parameter serves': { plugin_name: 'modbus-tcp' } }),
  ],
};
