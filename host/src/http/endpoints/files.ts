import { isAbsolute } from 'node:path';
import { ErrorCode } from '@tagway/schemas';
import type { Machine } from '../../core/ports/machine.ts';
import { withQuery, type Endpoints } from '../route.ts';
import { Refusal, sentence } from '../../core/system/sentence.ts';

/** Section 4.8: what a folder holds. */
export function fileEndpoints(machine: Machine): Endpoints {
  return {
    'GET /api/v2/file/info': withQuery(
      'FilesQuery',
      {
        role: 'engineer',
        summary: 'Lists what a folder holds.',
        reply: 'FilesReply',
        errors: ['FILE_NOT_FOUND', 'FILE_OPEN_FAILED'],
      },
      async ({ dir_path }) => {
        if (!isAbsolute(dir_path) || dir_path.includes('\0'))
          throw new Refusal(ErrorCode.PARAM_INVALID, sentence`The field dir_path must be an absolute path.`);
        const entries = await machine.listFolder(dir_path);
        const files = entries.map(({ name, size, changed, modified }) => ({
          name,
          size,
          ctime: ctimeOf(changed),
          mtime: ctimeOf(modified),
        }));
        return { files };
      },
    ),
  };
}

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** A local time as C's `ctime` prints it, without its line end: `Wed Jan  4 02:38:12 2023`. */
function ctimeOf(milliseconds: number): string {
  const date = new Date(milliseconds);
  const day = String(date.getDate()).padStart(2);
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
  return `${weekdays[date.getDay()]} ${months[date.getMonth()]} ${day} ${clock} ${date.getFullYear()}`;
}
