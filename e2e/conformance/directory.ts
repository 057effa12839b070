import { answers, type ConformanceTable } from './rows.ts';

const registries = [{ url: 'https://plugins.example/npm/' }];
const name = { package: 'tagway-meter' };

/** What is answered without asking a registry; test/directory.test.ts and hostile/registries.test.ts ask some. */
export const directory: ConformanceTable = {
  'GET /directory/search': [
    answers('400 PARAM_INVALID', {
      'a page has no packages': { page_size: 0 },
      'a page has 51 packages': { page_size: 51 },
      'the page is no number': { page: 'first' },
      'there are too many words': { text: 'x'.repeat(201) },
    }),
  ],

  'GET /directory/package': [
    answers('400 PARAM_INVALID', {
      'no package is named': {},
      'the name leads elsewhere': { package: '../keys' },
      'the name has capital letters': { package: 'Meter' },
      'the version is a range': { ...name, version: '^1.0.0' },
      'the version is a tag': { ...name, version: 'latest' },
    }),
  ],

  'GET /directory/outdated': [answers('200 OK', { 'nothing was looked for': {} })],

  'POST /directory/job': [
    answers('400 BODY_INVALID', {
      'it is not said what to do': name,
      'it is to do something unknown': { ...name, action: 'remove' },
    }),
    answers('400 PARAM_INVALID', {
      'no package is named': { action: 'install' },
      'no plugin is named': { ...name, action: 'update' },
      'the name of the package is none': { action: 'look', package: 'a b' },
      'the plugin comes with the gateway': { action: 'update', plugin: 'MQTT' },
    }),
    answers('404 PLUGIN_NOT_FOUND', { 'there is no such plugin': { action: 'update', plugin: 'Nothing' } }),
  ],

  'GET /directory/job': [answers('404 JOB_NOT_FOUND', { 'there is no such job': { job: 'none' } })],

  'DELETE /directory/job': [answers('404 JOB_NOT_FOUND', { 'there is no such job': { job: 'none' } })],

  'PUT /directory/registries': [
    answers('400 BODY_INVALID', {
      'the address is of neither a registry nor a folder': { registries: [{ url: 'ftp://plugins' }] },
      'the scope has no @': { registries: [{ scope: 'acme', url: 'https://plugins.example' }] },
    }),
    answers('400 PARAM_INVALID', {
      'the address is none': { registries: [{ url: 'https://' }] },
      'the folder is not whole': { registries: [{ url: 'file:plugins' }] },
      'the folder leads elsewhere': { registries: [{ url: 'file:///plugins/../keys' }] },
      'the folder is on another machine': { registries: [{ url: 'file://plugins.example/mirror' }] },
      'the folder has a token': { registries: [{ url: 'file:///plugins', token: 'a' }] },
      'the address has a password': { registries: [{ url: 'https://me:secret@plugins.example' }] },
      'the address has a query': { registries: [{ url: 'https://plugins.example/?all' }] },
      'two registries are for one scope': { registries: [...registries, ...registries] },
      'an origin has a path': { registries: [{ ...registries[0], origins: ['https://files.example/a'] }] },
      'a key is none': { registries: [{ ...registries[0], keys: ['PEM'] }] },
      'a user has no password': { registries: [{ url: 'https://plugins.example', user: 'me' }] },
      'a certificate has no key': { registries: [{ url: 'https://plugins.example', cert: 'PEM' }] },
      'there are a token and a user': {
        registries: [{ url: 'https://plugins.example', token: 'a', user: 'me', password: 'b' }],
      },
      'a mask stands for nothing': { registries: [{ url: 'https://plugins.example', token: '********' }] },
    }),
    answers('200 OK', {
      'all is well': { registries },
      'there are none any more': { registries: [] },
    }),
  ],

  'GET /directory/registries': [answers('200 OK', { always: {} })],
};
