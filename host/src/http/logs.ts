import { ErrorCode, logLevels, type Profile } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import type { Gateway } from '../core/gateway.ts';
import type { Machine } from '../core/machine.ts';
import { bare, Content, withBody, withQuery, type Endpoints } from './route.ts';

/** Lines of a page of the log. */
const pageSizes = { least: 200, most: 10_000 } as const;

/** Section 4.8: the log. */
export function logEndpoints({ logControl }: Gateway, machine: Machine, profile: Profile): Endpoints {
  return {
    'GET /api/v2/logs': bare(
      {
        role: 'admin',
        summary: 'Gives the log folder as a gzipped tar archive.',
        reply: { type: 'application/octet-stream' },
        errors: ['FILE_NOT_FOUND', 'COMMAND_FAILED'],
      },
      async () =>
        new Content('application/octet-stream', await machine.archiveLog(), {
          'Content-Disposition': 'attachment; filename=tagway_logs.tar.gz',
          'Access-Control-Expose-Headers': 'Content-Disposition',
        }),
    ),

    'GET /api/v2/log': withQuery(
      'LogQuery',
      {
        role: 'viewer',
        summary: 'Gives a page of the lines of the log of some time.',
        reply: 'LogReply',
        errors: ['BUSY'],
      },
      async (query) => {
        const since = Number(query.since);
        const until = Number(query.until);
        const pageSize = Number(query.page_size);
        if (since > until)
          throw new Fault(ErrorCode.PARAM_INVALID, 'The end of the time lies before its beginning.');
        if (pageSize < pageSizes.least || pageSize > pageSizes.most)
          throw new Fault(
            ErrorCode.PARAM_INVALID,
            `A page of the log has ${pageSizes.least} to ${pageSizes.most} lines.`,
          );
        const level = query.level || 'trace';
        const { rows, pageCount } = await machine.queryLog({
          ...{ since, until, level, pageSize },
          ...{ node: query.node ?? '', text: query.text ?? '', page: Number(query.page) },
        });
        return { error: 0, rows, page_count: pageCount };
      },
    ),

    'PUT /api/v2/log/level': withBody(
      'LogLevelBody',
      {
        role: 'engineer',
        summary: 'Changes the log level of a node, of the gateway itself or of both.',
        errors: ['PARAM_INVALID', 'NODE_NOT_FOUND', 'NODE_NAME_TOO_LONG'],
        onStandby: 'answers',
      },
      ({ node, level, core = true }) => {
        const name = level ?? profile.defaultLogLevel;
        if (name === undefined) throw new Fault(ErrorCode.BODY_INVALID, 'The field level is missing.');
        const known = logLevels.find((one) => one === name);
        if (known === undefined)
          throw new Fault(ErrorCode.PARAM_INVALID, `The level must be one of ${logLevels.join(', ')}.`);
        if (node === undefined && !core)
          throw new Fault(ErrorCode.PARAM_INVALID, 'Without a node, core cannot be false.');
        logControl.set(known, node, core);
        return undefined;
      },
    ),
  };
}
