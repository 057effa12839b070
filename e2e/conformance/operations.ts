import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Data } from '../kit/client.ts';
import { answers, from, n128, type ConformanceTable } from './rows.ts';

const license = (name: string): Data => ({
  license: readFileSync(join(import.meta.dirname, '../licenses', `${name}.pem`), 'utf8'),
});
const log = from({ since: 0, until: 1, page: 0, page_size: 200 });

export const operations: ConformanceTable = {
  'GET /license': [answers('404 LICENSE_NOT_FOUND', { 'there is none': {} })],

  'GET /hwtoken': [answers('200 OK', { always: {} })],

  'POST /license': [
    answers('400 LICENSE_INVALID', {
      'it is no certificate': { license: 'nonsense' },
      'it is empty': { license: '' },
      'it looks like a certificate': {
        license: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
      },
      'it has more than 15000 bytes': { license: 'x'.repeat(15_001) },
      'another authority has signed it': license('unknown'),
      'it is the authority itself, which says nothing of limits': license('authority'),
    }),
    answers('200 LICENSE_TOKEN_MISMATCH', { 'it is for another machine': license('foreign') }),
    answers('200 LICENSE_EXPIRED', { 'it has expired': license('expired') }),
    answers('200 OK', {
      'it is good': license('good'),
      'it is there already': license('good'),
    }),
  ],

  'GET /logs': [answers('200 OK', { 'always: an archive': {} })],

  'GET /log': [
    answers('200 OK', {
      'all is given': log(),
      'the level is given': log({ level: 'warn' }),
      'the page has 10000 lines': log({ page_size: 10_000 }),
      'the page is far beyond the end': log({ page: 999_999_999 }),
      'no time passes': log({ since: 5, until: 5 }),
    }),
    answers('400 PARAM_INVALID', {
      'the beginning is missing': { until: 1, page: 0, page_size: 200 },
      'the end is missing': { since: 1, page: 0, page_size: 200 },
      'the page is missing': { since: 0, until: 1, page_size: 200 },
      'the size of the page is missing': { since: 0, until: 1, page: 0 },
      'the end lies before the beginning': log({ since: 2 }),
      'the page has 199 lines': log({ page_size: 199 }),
      'the page has 10001 lines': log({ page_size: 10_001 }),
      'the page is negative': log({ page: -1 }),
      'a time is negative': log({ since: -1 }),
      'a time is a text': log({ until: 'now' }),
      'a time has a fraction': log({ until: 1.5 }),
      'there is no such level': log({ level: 'loud' }),
    }),
  ],

  'GET /log/list': [answers('200 OK', { always: {} })],

  'GET /log/file': [
    answers('200 OK, family 404 FILE_NOT_FOUND', { 'the newest file': { name: 'tagway.log' } }),
    answers('404 FILE_NOT_FOUND, family 200 OK', { 'the newest file of the family': { name: 'neuron.log' } }),
    answers('404 FILE_NOT_FOUND', {
      'there is no such file': { name: 'tagway.99.log' },
      'it lies elsewhere': { name: '../keys/secrets.key' },
      'it is a path': { name: '/etc/passwd' },
    }),
    answers('400 PARAM_INVALID', { 'no name': {}, 'an empty name': { name: '' } }),
  ],

  'PUT /log/level': [
    answers('200 OK', {
      'of the core': { level: 'debug' },
      'of a node': { node: 'plant', level: 'error', core: false },
      'of both': { node: 'plant', level: 'notice' },
    }),
    answers('404 NODE_NOT_FOUND', { 'the node does not exist': { node: 'absent', level: 'debug' } }),
    answers('400 NODE_NAME_TOO_LONG', { 'the name has 128 bytes': { node: n128, level: 'debug' } }),
    answers('400 PARAM_INVALID', {
      'there is no such level': { level: 'loud' },
      'the level is in capitals': { level: 'DEBUG' },
      'neither the core nor a node': { level: 'debug', core: false },
    }),
    answers('400 BODY_INVALID, family 200 OK', { 'there is no level': { node: 'plant', core: false } }),
    answers('400 BODY_INVALID', {
      'the level is a number': { level: 1 },
      'the core is a number': { level: 'debug', core: 1 },
      'the node is empty': { node: '', level: 'debug' },
    }),
    answers('200 OK', { 'of the core again': { level: 'notice' } }),
  ],

  'GET /file/info': [
    answers('200 OK', { 'a folder': { dir_path: '/' } }),
    answers('400 PARAM_INVALID', {
      'no path': {},
      'an empty path': { dir_path: '' },
      'a relative path': { dir_path: 'logs' },
      'a path with a zero in it': { dir_path: '/tmp\0/x' },
    }),
    answers('404 FILE_NOT_FOUND', {
      'there is nothing': { dir_path: '/nothing/is/here' },
      'the path is far too long': { dir_path: `/${'x'.repeat(5000)}` },
    }),
    answers('404 FILE_OPEN_FAILED', { 'it is a file': { dir_path: '/etc/passwd' } }),
  ],

  'GET /metrics': [
    answers('200 OK', { 'of all': {} }),
    answers('200 OK, token missing', { 'without a token': {} }),
    answers('200 OK', {
      'of a category': { category: 'driver' },
      'of a node': { node: 'plant' },
    }),
    answers('400 PARAM_INVALID', {
      'there is no such category': { category: 'other' },
      'a node and the category global': { category: 'global', node: 'plant' },
    }),
    answers('404 NODE_NOT_FOUND', {
      'the node does not exist': { node: 'absent' },
      'the node is of another category': { category: 'app', node: 'plant' },
    }),
  ],
};
