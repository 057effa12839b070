import type { Loss } from '@tagway/store';
import { answered, type HttpAnswer } from '@tagway/store/http';

/** What a store that has kept the rest has refused, in the words of its answer; undefined when it has kept nothing, or does not say. */
export function partialLosses(answer: HttpAnswer): readonly Loss[] | undefined {
  const { error, message, data } = parsed(answer.text);
  const said = typeof error === 'string' ? error : typeof message === 'string' ? message : '';
  if (!/partial write/i.test(said)) return undefined;
  if (Array.isArray(data) && data.length > 0) {
    const lines = data.filter((one): one is LineError => typeof one === 'object' && one !== null);
    const named = lines
      .slice(0, 3)
      .map(({ line_number: line, error_message: why }) => `line ${String(line)}: ${String(why)}`)
      .join('; ');
    return [{ count: lines.length, reason: `of ${named.slice(0, 500)}.` }];
  }
  const dropped = [...said.matchAll(/dropped=(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
  const unparsed = said.split('unable to parse').length - 1;
  return [{ count: Math.max(dropped + unparsed, 1), reason: `${answered(answer)}.` }];
}

interface LineError {
  readonly line_number?: unknown;
  readonly error_message?: unknown;
}

interface Reply {
  readonly error?: unknown;
  readonly message?: unknown;
  readonly data?: unknown;
}

function parsed(text: string): Reply {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return { error: text };
  }
}
