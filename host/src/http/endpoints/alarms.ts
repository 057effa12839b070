import { ErrorCode, type AlarmJournalQuery } from '@tagway/schemas';
import { alarmMembers } from '@tagway/sdk';
import { stringifyJson } from '@tagway/sdk/json';
import type { Entry, JournalFilter, Page } from '../../core/alarms/alarms.ts';
import type { Gateway } from '../../core/gateway.ts';
import { alarmTable } from './alarm-table.ts';
import { Content, withQuery, type Endpoints } from '../route.ts';
import { Refusal, sentence } from '../../core/system/sentence.ts';

const defaultPageSize = 100;
const pageSizeMost = 1000;
const defaultFrequent = 10;
/** Later than any transition, in seconds since the epoch. */
const end = 99_999_999_999;

/** Alarms and the journal of their transitions. */
export function alarmEndpoints({ alarms }: Gateway): Endpoints {
  return {
    'GET /api/v2/alarms': withQuery(
      'AlarmsQuery',
      {
        role: 'viewer',
        summary: 'Gives a page of the alarms that are not normal, and how many there are.',
        reply: 'AlarmsReply',
      },
      ({ node = '', priority = '', state = '', page, page_size }) => {
        const list = alarms.list({ node, priority, state }, pageOf(page, page_size), Date.now());
        return Buffer.from(
          stringifyJson({
            alarms: list.entries.map(shown),
            page_count: list.pageCount,
            counts: list.counts,
            last_hour: list.lastHour,
            last_ten_minutes: list.lastTenMinutes,
            flood: list.isFlood,
          }),
        );
      },
    ),
    'GET /api/v2/alarms/journal': withQuery(
      'AlarmJournalQuery',
      {
        role: 'viewer',
        summary: 'Gives a page of the journal of what happened to alarms.',
        reply: 'AlarmJournalReply',
      },
      async (query) => {
        const { entries, pageCount } = await alarms.journal(
          filterOf(query),
          pageOf(query.page, query.page_size),
        );
        return Buffer.from(stringifyJson({ transitions: entries.map(shown), page_count: pageCount }));
      },
    ),
    'GET /api/v2/alarms/frequent': withQuery(
      'AlarmFrequencyQuery',
      {
        role: 'viewer',
        summary: 'Gives the alarms that were there most often.',
        reply: 'AlarmFrequencyReply',
      },
      ({ count, ...query }) => alarms.frequent(filterOf(query), frequentOf(count)),
    ),
    'GET /api/v2/alarms/journal/csv': withQuery(
      'AlarmJournalQuery',
      {
        role: 'viewer',
        summary:
          'Gives the journal of what happened to alarms as CSV: all that the query finds, without pages.',
        reply: { type: 'text/csv' },
      },
      async (query) =>
        new Content('text/csv; charset=utf-8', await alarmTable(alarms.transitions(filterOf(query))), {
          'Content-Disposition': 'attachment; filename="alarms.csv"',
        }),
    ),
  };
}

function pageOf(page: string | undefined, size: string | undefined): Page {
  const pageSize = Number(size ?? defaultPageSize);
  if (pageSize < 1 || pageSize > pageSizeMost)
    throw new Refusal(ErrorCode.PARAM_INVALID, sentence`A page of alarms has 1 to ${pageSizeMost} entries.`);
  return { page: Number(page ?? 0), pageSize };
}

function frequentOf(count: string | undefined): number {
  const most = Number(count ?? defaultFrequent);
  if (most < 1 || most > pageSizeMost)
    throw new Refusal(ErrorCode.PARAM_INVALID, sentence`A page of alarms has 1 to ${pageSizeMost} entries.`);
  return most;
}

function filterOf(query: AlarmJournalQuery): JournalFilter {
  const { node = '', group = '', tag = '', priority = '', state = '', since, until } = query;
  const times = { since: Number(since || 0) * 1000, until: Number(until || end) * 1000 };
  return { node, group, tag, priority, state, ...times };
}

/** A transition as clients get it. */
function shown({ node, record, gone }: Entry): object {
  return { ...alarmMembers(record, { node, group: record.group }), ...(gone !== undefined && { gone }) };
}
