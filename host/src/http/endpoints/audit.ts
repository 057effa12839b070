import { ErrorCode } from '@tagway/schemas';
import type { Gateway } from '../../core/gateway.ts';
import { withQuery, type Endpoints } from '../route.ts';
import { Refusal, sentence } from '../../core/system/sentence.ts';

const defaultPageSize = 100;
const pageSizeMost = 1000;
/** Later than any entry, in seconds since the epoch. */
const end = 99_999_999_999;

/** Who changed what. */
export function auditEndpoints({ audit }: Gateway): Endpoints {
  return {
    'GET /api/v2/audit': withQuery(
      'AuditQuery',
      {
        role: 'admin',
        summary: 'Gives a page of who changed what, and of who was refused.',
        reply: 'AuditReply',
        errors: ['BUSY'],
      },
      async ({ since, until, user = '', node = '', text = '', page, page_size }) => {
        const pageSize = Number(page_size ?? defaultPageSize);
        if (pageSize < 1 || pageSize > pageSizeMost)
          throw new Refusal(
            ErrorCode.PARAM_INVALID,
            sentence`A page of the audit has 1 to ${pageSizeMost} entries.`,
          );
        const times = {
          since: Math.min(Number(since || 0), end),
          until: Math.min(Number(until || end), end),
        };
        const { entries, pageCount } = await audit.query({
          ...times,
          user,
          node,
          text,
          page: Number(page ?? 0),
          pageSize,
        });
        return { entries, page_count: pageCount };
      },
    ),
  };
}
