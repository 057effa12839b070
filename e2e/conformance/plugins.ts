import { libraryArchive } from '../archives.ts';
import type { ArchiveOptions } from '../archives.ts';
import type { ConformanceTable } from './rows.ts';

function library(id: string, options?: ArchiveOptions): { library: string; file: string } {
  return { library: `${id}.tgz`, file: libraryArchive(id, options).toString('base64') };
}

export const plugins: ConformanceTable = {
  'POST /plugin': [
    ['there is no such file', { library: 'absent.tgz' }, 400, 2302],
    ['the file is a folder', { library: 'single' }, 400, 2302],
    ['the name is a path', { library: '../tagway.sqlite' }, 400, 2315],
    ['the name is an absolute path', { library: '/etc/passwd' }, 400, 2315],
    ['the name is hidden', { library: '.absent.tgz' }, 400, 2315],
    ['the name is empty', { library: '' }, 400, 2315],
    ['the archive is not in base64', { library: 'a.tgz', file: '*' }, 400, 1002],
    ['the archive is not an archive', { library: 'a.tgz', file: 'AAAA' }, 400, 2302],
    ['the archive has no plugin.json', library('guest', { manifestText: '' }), 400, 2302],
    ['the library is for a later SDK', library('guest', { manifest: { sdk: '^9.0.0' } }), 400, 2314],
    ['the module is missing', library('guest', { manifest: { main: 'absent.js' } }), 400, 2305],
    ['the module throws', library('guest', { module: 'throw new Error("no");' }), 400, 2305],
    ['the module is no plugin', library('guest', { module: 'export default {};' }), 400, 2305],
    ['the id is that of a system plugin', library('mqtt', { manifest: { name: 'Guest' } }), 409, 2303],
    ['the name is that of a system plugin', library('guest', { manifest: { name: 'MQTT' } }), 409, 2311],
    ['all is well', library('guest'), 200, 0],
    ['that version is installed', library('guest'), 409, 2303],
    ['another version is an upgrade', library('guest', { version: '2.0.0' }), 200, 0],
  ],

  'PUT /plugin': [
    ['there is no such plugin', library('stranger'), 404, 2301],
    ['the name is a path', { library: 'a/b' }, 400, 2315],
    ['a plugin of the system', library('mqtt', { manifest: { name: 'Guest' } }), 409, 2303],
    ['all is well, with the same version', library('guest', { version: '2.0.0' }), 200, 0],
  ],

  'DELETE /plugin': [
    ['there is no such plugin', { plugin: 'Nothing' }, 400, 2306, { family: [409, 2306] }],
    ['it comes with the gateway', { plugin: 'MQTT' }, 400, 2306, { family: [409, 2306] }],
    ['a node uses it', { plugin: 'single' }, 409, 2309],
    ['all is well', { plugin: 'guest' }, 200, 0],
  ],

  'GET /plugin': [
    ['all is well', {}, 200, 0],
    ['there is no such plugin: an empty list', { plugin: 'Nothing' }, 200, 0],
  ],

  'GET /schema': [
    ['all is well', { schema_name: 'mqtt' }, 200, 0],
    ['there is no such schema', { schema_name: 'nothing' }, 404, 3014],
    ['the name is a path', { schema_name: '../package' }, 404, 3014],
    ['no schema is named', {}, 400, 1003, { family: [400, 1002] }],
    ['the older parameter serves', { plugin_name: 'modbus-tcp' }, 200, 0],
  ],
};
