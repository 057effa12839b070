import { libraryArchive } from '../archives.ts';
import type { ArchiveOptions } from '../archives.ts';
import type { ConformanceTable } from './rows.ts';

function library(id: string, options?: ArchiveOptions): { library: string; file: string } {
  return { library: `${id}.tgz`, file: libraryArchive(id, options).toString('base64') };
}

export const plugins: ConformanceTable = {
  'POST /plugin': [
    ['there is no such file', { library: 'absent.tgz' }, 400, 'LIBRARY_INFO_INVALID'],
    ['the file is a folder', { library: 'single' }, 400, 'LIBRARY_INFO_INVALID'],
    ['the name is a path', { library: '../tagway.sqlite' }, 400, 'LIBRARY_NAME_INVALID'],
    ['the name is an absolute path', { library: '/etc/passwd' }, 400, 'LIBRARY_NAME_INVALID'],
    ['the name is hidden', { library: '.absent.tgz' }, 400, 'LIBRARY_NAME_INVALID'],
    ['the name is empty', { library: '' }, 400, 'LIBRARY_NAME_INVALID'],
    ['the archive is not in base64', { library: 'a.tgz', file: '*' }, 400, 'BODY_INVALID'],
    ['the archive is not an archive', { library: 'a.tgz', file: 'AAAA' }, 400, 'LIBRARY_INFO_INVALID'],
    ['the archive has no plugin.json', library('guest', { manifestText: '' }), 400, 'LIBRARY_INFO_INVALID'],
    [
      'the library is for a later SDK',
      library('guest', { manifest: { sdk: '^9.0.0' } }),
      400,
      'MODULE_VERSION_MISMATCH',
    ],
    [
      'the module is missing',
      library('guest', { manifest: { main: 'absent.js' } }),
      400,
      'LIBRARY_MODULE_INVALID',
    ],
    [
      'the module throws',
      library('guest', { module: 'throw new Error("no");' }),
      400,
      'LIBRARY_MODULE_INVALID',
    ],
    [
      'the module is no plugin',
      library('guest', { module: 'export default {};' }),
      400,
      'LIBRARY_MODULE_INVALID',
    ],
    [
      'the id is that of a system plugin',
      library('mqtt', { manifest: { name: 'Guest' } }),
      409,
      'LIBRARY_NAME_CONFLICT',
    ],
    [
      'the name is that of a system plugin',
      library('guest', { manifest: { name: 'MQTT' } }),
      409,
      'MODULE_EXISTS',
    ],
    ['all is well', library('guest'), 200, 0],
    ['that version is installed', library('guest'), 409, 'LIBRARY_NAME_CONFLICT'],
    ['another version is an upgrade', library('guest', { version: '2.0.0' }), 200, 0],
  ],

  'PUT /plugin': [
    ['there is no such plugin', library('stranger'), 404, 'LIBRARY_NOT_FOUND'],
    ['the name is a path', { library: 'a/b' }, 400, 'LIBRARY_NAME_INVALID'],
    [
      'a plugin of the system',
      library('mqtt', { manifest: { name: 'Guest' } }),
      409,
      'LIBRARY_NAME_CONFLICT',
    ],
    ['all is well, with the same version', library('guest', { version: '2.0.0' }), 200, 0],
  ],

  'DELETE /plugin': [
    [
      'there is no such plugin',
      { plugin: 'Nothing' },
      400,
      'LIBRARY_SYSTEM',
      { family: [409, 'LIBRARY_SYSTEM'] },
    ],
    [
      'it comes with the gateway',
      { plugin: 'MQTT' },
      400,
      'LIBRARY_SYSTEM',
      { family: [409, 'LIBRARY_SYSTEM'] },
    ],
    ['a node uses it', { plugin: 'single' }, 409, 'LIBRARY_IN_USE'],
    ['all is well', { plugin: 'guest' }, 200, 0],
  ],

  'GET /plugin': [
    ['all is well', {}, 200, 0],
    ['there is no such plugin: an empty list', { plugin: 'Nothing' }, 200, 0],
  ],

  'GET /schema': [
    ['all is well', { schema_name: 'mqtt' }, 200, 0],
    ['an alias of the schema', { schema_name: 'modbus-plus-tcp' }, 200, 0],
    ['there is no such schema', { schema_name: 'nothing' }, 404, 'PLUGIN_NOT_FOUND'],
    ['the name is a path', { schema_name: '../package' }, 404, 'PLUGIN_NOT_FOUND'],
    ['no schema is named', {}, 400, 'PARAM_INVALID', { family: [400, 'BODY_INVALID'] }],
    ['the older parameter serves', { plugin_name: 'modbus-tcp' }, 200, 0],
  ],
};
