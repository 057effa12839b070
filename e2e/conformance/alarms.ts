import { answers, type ConformanceTable } from './rows.ts';

const page = {
  'the page is none': { page: 'x' },
  'the page is too large': { page_size: '1001' },
  'the page has no entry': { page_size: '0' },
  'there is no such priority': { priority: 'urgent' },
};

export const alarms: ConformanceTable = {
  'GET /alarms': [
    answers('200 OK', {
      'all is well': undefined,
      'the node does not exist': { node: 'absent', priority: 'high', state: 'latched' },
    }),
    answers('400 PARAM_INVALID', { ...page, 'normal alarms are not listed': { state: 'normal' } }),
  ],

  'GET /alarms/journal': [
    answers('200 OK', {
      'all is well': undefined,
      'the state does not exist': {
        since: '',
        until: '0',
        node: 'absent',
        group: 'a',
        tag: 'b',
        state: 'hot',
      },
    }),
    answers('400 PARAM_INVALID', { ...page, 'the time is none': { since: 'yesterday' } }),
  ],

  'GET /alarms/frequent': [
    answers('200 OK', {
      'all is well': undefined,
      'the node does not exist': { since: '', until: '0', node: 'absent', priority: 'low', count: '1' },
    }),
    answers('400 PARAM_INVALID', {
      'the time is none': { since: 'yesterday' },
      'none are asked for': { count: '0' },
      'too many are asked for': { count: '1001' },
      'there is no such priority': { priority: 'urgent' },
    }),
  ],

  'GET /alarms/journal/csv': [
    answers('400 PARAM_INVALID', {
      'the time is none': { until: '-1' },
      'there is no such priority': { priority: 'urgent' },
    }),
  ],
};
