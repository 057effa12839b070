import type { ConformanceTable } from './rows.ts';

export const plugins: ConformanceTable = {
  'GET /plugin': [
    ['all is well', {}, 200, 0],
    ['there is no such plugin: an empty list', { plugin: 'Nothing' }, 200, 0],
  ],

  'GET /schema': [
    ['all is well', { schema_name: 'mqtt' }, 200, 0],
    ['there is no such schema', { schema_name: 'nothing' }, 404, 3014],
    ['the name is a path', { schema_name: '../package' }, 404, 3014],
    ['no schema is named', {}, 400, 1003],
    ['the older parameter serves', { plugin_name: 'modbus-tcp' }, 200, 0],
  ],
};
