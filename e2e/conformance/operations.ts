import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Data } from '../client.ts';
import type { ConformanceTable } from './rows.ts';
import { n128 } from './rows.ts';

const license = (name: string): Data => ({
  license: readFileSync(join(import.meta.dirname, '../licenses', `${name}.pem`), 'utf8'),
});
const log = (members: object = {}): Data => ({ since: 0, until: 1, page: 0, page_size: 200, ...members });

export const operations: ConformanceTable = {
  'GET /license': [['there is none', {}, 404, 'LICENSE_NOT_FOUND']],

  'GET /hwtoken': [['always', {}, 200, 0]],

  'POST /license': [
    ['it is no certificate', { license: 'nonsense' }, 400, 'LICENSE_INVALID'],
    ['it is empty', { license: '' }, 400, 'LICENSE_INVALID'],
    [
      'it looks like a certificate',
      { license: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' },
      400,
      'LICENSE_INVALID',
    ],
    ['it has more than 15000 bytes', { license: 'x'.repeat(15_001) }, 400, 'LICENSE_INVALID'],
    ['another authority has signed it', license('unknown'), 400, 'LICENSE_INVALID'],
    [
      'it is the authority itself, which says nothing of limits',
      license('authority'),
      400,
      'LICENSE_INVALID',
    ],
    ['it is for another machine', license('foreign'), 200, 'LICENSE_TOKEN_MISMATCH'],
    ['it has expired', license('expired'), 200, 'LICENSE_EXPIRED'],
    ['it is good', license('good'), 200, 0],
    ['it is there already', license('good'), 200, 0],
  ],

  'GET /logs': [['always: an archive', {}, 200, 0]],

  'GET /log': [
    ['all is given', log(), 200, 0],
    ['the level is given', log({ level: 'warn' }), 200, 0],
    ['the page has 10000 lines', log({ page_size: 10_000 }), 200, 0],
    ['the page is far beyond the end', log({ page: 999_999_999 }), 200, 0],
    ['no time passes', log({ since: 5, until: 5 }), 200, 0],
    ['the beginning is missing', { until: 1, page: 0, page_size: 200 }, 400, 'PARAM_INVALID'],
    ['the end is missing', { since: 1, page: 0, page_size: 200 }, 400, 'PARAM_INVALID'],
    ['the page is missing', { since: 0, until: 1, page_size: 200 }, 400, 'PARAM_INVALID'],
    ['the size of the page is missing', { since: 0, until: 1, page: 0 }, 400, 'PARAM_INVALID'],
    ['the end lies before the beginning', log({ since: 2 }), 400, 'PARAM_INVALID'],
    ['the page has 199 lines', log({ page_size: 199 }), 400, 'PARAM_INVALID'],
    ['the page has 10001 lines', log({ page_size: 10_001 }), 400, 'PARAM_INVALID'],
    ['the page is negative', log({ page: -1 }), 400, 'PARAM_INVALID'],
    ['a time is negative', log({ since: -1 }), 400, 'PARAM_INVALID'],
    ['a time is a text', log({ until: 'now' }), 400, 'PARAM_INVALID'],
    ['a time has a fraction', log({ until: 1.5 }), 400, 'PARAM_INVALID'],
    ['there is no such level', log({ level: 'loud' }), 400, 'PARAM_INVALID'],
  ],

  'PUT /log/level': [
    ['of the core', { level: 'debug' }, 200, 0],
    ['of a node', { node: 'plant', level: 'error', core: false }, 200, 0],
    ['of both', { node: 'plant', level: 'notice' }, 200, 0],
    ['the node does not exist', { node: 'absent', level: 'debug' }, 404, 'NODE_NOT_FOUND'],
    ['the name has 128 bytes', { node: n128, level: 'debug' }, 400, 'NODE_NAME_TOO_LONG'],
    ['there is no such level', { level: 'loud' }, 400, 'PARAM_INVALID'],
    ['the level is in capitals', { level: 'DEBUG' }, 400, 'PARAM_INVALID'],
    ['neither the core nor a node', { level: 'debug', core: false }, 400, 'PARAM_INVALID'],
    ['there is no level', { node: 'plant', core: false }, 400, 'BODY_INVALID', { family: [200, 0] }],
    ['the level is a number', { level: 1 }, 400, 'BODY_INVALID'],
    ['the core is a number', { level: 'debug', core: 1 }, 400, 'BODY_INVALID'],
    ['the node is empty', { node: '', level: 'debug' }, 400, 'BODY_INVALID'],
    ['of the core again', { level: 'notice' }, 200, 0],
  ],

  'GET /file/info': [
    ['a folder', { dir_path: '/' }, 200, 0],
    ['no path', {}, 400, 'PARAM_INVALID'],
    ['an empty path', { dir_path: '' }, 400, 'PARAM_INVALID'],
    ['a relative path', { dir_path: 'logs' }, 400, 'PARAM_INVALID'],
    ['a path with a zero in it', { dir_path: '/tmp\0/x' }, 400, 'PARAM_INVALID'],
    ['there is nothing', { dir_path: '/nothing/is/here' }, 404, 'FILE_NOT_FOUND'],
    ['the path is far too long', { dir_path: `/${'x'.repeat(5000)}` }, 404, 'FILE_NOT_FOUND'],
    ['it is a file', { dir_path: '/etc/passwd' }, 404, 'FILE_OPEN_FAILED'],
  ],

  'GET /metrics': [
    ['of all', {}, 200, 0],
    ['without a token', {}, 200, 0, { token: 'missing' }],
    ['of a category', { category: 'driver' }, 200, 0],
    ['of a node', { node: 'plant' }, 200, 0],
    ['there is no such category', { category: 'other' }, 400, 'PARAM_INVALID'],
    ['a node and the category global', { category: 'global', node: 'plant' }, 400, 'PARAM_INVALID'],
    ['the node does not exist', { node: 'absent' }, 404, 'NODE_NOT_FOUND'],
    ['the node is of another category', { category: 'app', node: 'plant' }, 404, 'NODE_NOT_FOUND'],
  ],
};
