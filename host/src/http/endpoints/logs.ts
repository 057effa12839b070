import { ErrorCode, logLevels, type Dialect } from '@tagway/schemas';
import type { Gateway } from '../../core/gateway.ts';
import type { Machine } from '../../core/ports/machine.ts';
import { bare, Content, withBody, withQuery, type Endpoints } from '../route.ts';
import { Refusal, sentence } from '../../core/system/sentence.ts';

/** Lines of a page of the log. */
const pageSizes = { least: 200, most: 10_000 } as const;

/** Section 4.8: the log. */
export function logEndpoints(
  { logControl, logLevels: levels }: Gateway,
  machine: Machine,
  dialect: Dialect,
): Endpoints {
  const shownName = (name: string): string => name.replace(/^tagway\b/, dialect.logName);
  // A name of the other dialect leads to no file.
  const ownName = (name: string): string =>
    name.startsWith(`${dialect.logName}.`) ? `tagway${name.slice(dialect.logName.length)}` : '';
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
          throw new Refusal(
            ErrorCode.PARAM_INVALID,
            sentence`The end of the time lies before its beginning.`,
          );
        if (pageSize < pageSizes.least || pageSize > pageSizes.most)
          throw new Refusal(
            ErrorCode.PARAM_INVALID,
            sentence`A page of the log has ${pageSizes.least} to ${pageSizes.most} lines.`,
          );
        const level = query.level || 'trace';
        const { rows, pageCount } = await machine.queryLog({
          since,
          until,
          level,
          pageSize,
          node: query.node ?? '',
          text: query.text ?? '',
          page: Number(query.page),
        });
        return { error: 0, rows, page_count: pageCount };
      },
    ),

    'GET /api/v2/log/list': bare(
      { role: 'admin', summary: 'Lists the files of the log.', reply: 'LogFilesReply' },
      async () => {
        const files = await machine.logFiles();
        return { files: files.map(({ name, size }) => ({ file: shownName(name), size })) };
      },
    ),

    'GET /api/v2/log/file': withQuery(
      'LogFileQuery',
      {
        role: 'admin',
        summary: 'Gives a file of the log.',
        reply: { type: 'text/plain; charset=utf-8' },
        errors: ['FILE_NOT_FOUND'],
      },
      async ({ name }) => new Content('text/plain; charset=utf-8', await machine.logFile(ownName(name))),
    ),

    'PUT /api/v2/log/level': withBody(
      'LogLevelBody',
      {
        role: 'engineer',
        summary: 'Changes the log level of a node, of the gateway itself or of both.',
        audit: ({ node, level, core = true }) => {
          const whose = [
            ...(core ? ['the gateway'] : []),
            ...(node === undefined ? [] : [`the node "${node}"`]),
          ];
          return `set the log level of ${whose.join(' and ')} to ${level ?? 'debug'}`;
        },
        settings: ({ node, core = true }) => ({
          values: {
            ...(core && { core: levels.core }),
            ...(node !== undefined && { node: levels.of(node) }),
          },
        }),
        errors: ['PARAM_INVALID', 'NODE_NOT_FOUND', 'NODE_NAME_TOO_LONG'],
        onStandby: 'answers',
      },
      ({ node, level, core = true }) => {
        const name = level ?? dialect.defaultLogLevel;
        if (name === undefined)
          throw new Refusal(ErrorCode.BODY_INVALID, sentence`The field level is missing.`);
        const known = logLevels.find((one) => one === name);
        if (known === undefined)
          throw new Refusal(
            ErrorCode.PARAM_INVALID,
            sentence`The level must be one of ${logLevels.join(', ')}.`,
          );
        if (node === undefined && !core)
          throw new Refusal(ErrorCode.PARAM_INVALID, sentence`Without a node, core cannot be false.`);
        logControl.set(known, node, core);
        return undefined;
      },
    ),
  };
}
