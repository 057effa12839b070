import { answers, type ConformanceTable } from './rows.ts';

/** Nobody listens there. */
const ldap = {
  url: 'ldaps://127.0.0.1:9',
  base: 'dc=plant',
  roles: [{ value: 'operators', role: 'operator' }],
};
const oidc = { issuer: 'https://127.0.0.1:9', client_id: 'tagway', roles: [], pages: ['https://gateway/'] };

const directory = (changed: object): Record<string, unknown> => ({ ldap: { ...ldap, ...changed } });
const provider = (changed: object): Record<string, unknown> => ({ oidc: { ...oidc, ...changed } });

/** What is answered where no provider answers; test/sign-in-*.test.ts have some that do. */
export const signIn: ConformanceTable = {
  'PUT /sign-in/settings': [
    answers('400 BODY_INVALID', {
      'the directory has an address of the web': directory({ url: 'https://directory' }),
      'the directory gives no roles': { ldap: { url: ldap.url, base: ldap.base } },
      'a role is none': directory({ roles: [{ value: 'operators', role: 'boss' }] }),
      'the provider has no client_id': { oidc: { issuer: oidc.issuer, roles: [] } },
    }),
    answers('400 PARAM_INVALID', {
      'the address of the directory is none': directory({ url: 'ldaps://' }),
      'the address of the directory has a path': directory({ url: 'ldaps://directory/dc=plant' }),
      'the directory has no base': directory({ base: '' }),
      'the name of a user stands nowhere': directory({ user_dn: 'uid=name,dc=plant' }),
      'the name of a user stands alone': directory({ user_dn: '{name}' }),
      'the attribute is none': directory({ user_attribute: 'uid=*)(uid' }),
      'the password of the search is missing': directory({ bind_dn: 'cn=reader' }),
      'the name of the search is missing': directory({ bind_password: 'secret' }),
      'the authority is none': directory({ ca: 'PEM' }),
      'a mask stands for nothing': directory({ bind_dn: 'cn=reader', bind_password: '********' }),
      'the provider is not encrypted': provider({ issuer: 'http://provider' }),
      'the provider has a query': provider({ issuer: 'https://provider/?all' }),
      'the page has a password': provider({ pages: ['https://me:secret@gateway/'] }),
    }),
    answers('200 OK', { 'all is well': { ldap, oidc } }),
  ],

  'GET /sign-in/settings': [answers('200 OK', { always: {} })],

  'GET /sign-in': [answers('200 OK', { always: {} })],

  'POST /sign-in/begin': [
    answers('400 BODY_INVALID', { 'there is no page': {} }),
    answers('403 SIGN_IN_REFUSED', {
      'the page is not one of those that are named': { page: 'https://other/' },
    }),
    answers('502 PROVIDER_UNREACHABLE', { 'the provider does not answer': { page: 'https://gateway/' } }),
  ],

  'POST /sign-in/finish': [
    answers('400 BODY_INVALID', { 'there is no ticket': { answer: '?code=x' } }),
    answers('403 SIGN_IN_REFUSED', { 'the ticket is none': { ticket: 'x', answer: '?code=x' } }),
  ],

  'POST /sign-in/test': [
    answers('400 BODY_INVALID', { 'the directory has no address': { ldap: { roles: [] } } }),
    answers('400 PARAM_INVALID', {
      'nothing is tried': {},
      'two are tried': { ldap, oidc },
      'the directory has no base': directory({ base: '' }),
    }),
    answers('401 CREDENTIALS_INVALID', {
      'the password of the user is empty': { ldap, name: 'anna', pass: '' },
    }),
    answers('502 PROVIDER_UNREACHABLE', {
      'the directory does not answer': { ldap },
      'the provider does not answer': { oidc },
    }),
  ],
};
