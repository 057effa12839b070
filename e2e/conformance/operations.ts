import type { ConformanceTable } from './rows.ts';

const period = { since: 0, until: 4_000_000_000 };
const page = { page: 0, page_size: 200 };

export const operations: ConformanceTable = {
  'GET /license': [['there is none', undefined, 404, 2400]],

  'POST /license': [
    ['it is no certificate', { license: 'nonsense' }, 400, 2401],
    ['it is empty', { license: '' }, 400, 2401],
    ['it has more than 15000 bytes', { license: 'x'.repeat(15_001) }, 400, 2401],
  ],

  'GET /logs': [['all is well', undefined, 200, 0]],

  'GET /log': [
    ['all is well', { ...period, ...page }, 200, 0],
    ['all is well, of a level', { ...period, ...page, level: 'warn', page_size: 10_000 }, 200, 0],
    ['the page is beyond the end', { ...period, page: 1_000_000, page_size: 200 }, 200, 0],
    ['there is no beginning', { until: 1, ...page }, 400, 1003],
    ['there is no end', { since: 0, ...page }, 400, 1003],
    ['the end is before the beginning', { since: 2, until: 1, ...page }, 400, 1003],
    ['there is no page', { ...period, page_size: 200 }, 400, 1003],
    ['the page is negative', { ...period, page: -1, page_size: 200 }, 400, 1003],
    ['there is no size', { ...period, page: 0 }, 400, 1003],
    ['the size is 199', { ...period, page: 0, page_size: 199 }, 400, 1003],
    ['the size is 10001', { ...period, page: 0, page_size: 10_001 }, 400, 1003],
    ['there is no such level', { ...period, ...page, level: 'verbose' }, 400, 1003],
  ],

  'PUT /log/level': [
    ['all is well, of a node and the core', { node: 'idle', level: 'info' }, 200, 0],
    ['all is well, of a node', { node: 'idle', level: 'notice', core: false }, 200, 0],
    ['all is well, of the core', { level: 'notice' }, 200, 0],
    ['the node does not exist', { node: 'absent', level: 'notice' }, 404, 2003],
    ['neither node nor core', { level: 'notice', core: false }, 400, 1003],
    ['there is no such level', { level: 'verbose' }, 400, 1003],
    ['there is no level', { node: 'idle', core: false }, 400, 1002, { family: [200, 0] }],
    ['core is no boolean', { level: 'notice', core: 1 }, 400, 1002],
  ],

  'GET /file/info': [
    ['all is well', { dir_path: '/usr' }, 200, 0],
    ['there is no path', {}, 400, 1003],
    ['the path is empty', { dir_path: '' }, 400, 1003],
    ['the path is relative', { dir_path: 'usr' }, 400, 1003],
    ['there is no such folder', { dir_path: '/absent/folder' }, 404, 1011],
    ['it is no folder', { dir_path: '/etc/passwd' }, 404, 4101],
  ],
};
