import { answers, type ConformanceTable } from './rows.ts';

/** Nobody listens there. */
const gateway = { name: 'north', url: 'http://127.0.0.1:9', token: 'abc' };

/** What is answered of gateways that do not answer; test/fleet-view.test.ts asks some that do. */
export const fleet: ConformanceTable = {
  'PUT /fleet/gateways': [
    answers('400 BODY_INVALID', {
      'the address is of no web': { gateways: [{ ...gateway, url: 'ftp://north' }] },
      'the name is empty': { gateways: [{ ...gateway, name: '' }] },
      'there is no token': { gateways: [{ name: 'north', url: 'http://north' }] },
    }),
    answers('400 PARAM_INVALID', {
      'the address is none': { gateways: [{ ...gateway, url: 'http://' }] },
      'the address has a password': { gateways: [{ ...gateway, url: 'https://me:secret@north' }] },
      'the address has a query': { gateways: [{ ...gateway, url: 'https://north/?all' }] },
      'two gateways have one name': { gateways: [gateway, { ...gateway, url: 'http://south' }] },
      'two gateways have one address': { gateways: [gateway, { ...gateway, name: 'south' }] },
      'the token has a space': { gateways: [{ ...gateway, token: 'a b' }] },
      'the authority is none': { gateways: [{ ...gateway, ca: 'PEM' }] },
      'a mask stands for nothing': { gateways: [{ ...gateway, token: '********' }] },
    }),
    answers('200 OK', { 'all is well': { gateways: [gateway] } }),
  ],

  'GET /fleet/gateways': [answers('200 OK', { always: {} })],

  'GET /source/patch': [answers('409 CONFIG_NOT_COMPARED', { 'there is no source': {} })],

  'POST /source/webhook': [answers('403 WEBHOOK_REFUSED', { 'there is no source': {} })],

  'GET /fleet': [answers('200 OK', { 'a gateway does not answer': {} })],
};
