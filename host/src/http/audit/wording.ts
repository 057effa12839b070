import type { GroupPace } from '@tagway/schemas';

/** Names of a list that a sentence spells out. */
const mostNamed = 5;

/** Such as `"a", "b" and 3 more`. */
export function listOf(names: readonly string[]): string {
  const named = names.slice(0, mostNamed).map((name) => `"${name}"`);
  const rest = names.length - named.length;
  return `${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** As `listOf`, of things with names. */
export function namesOf(list: readonly { readonly name: string }[]): string {
  return listOf(list.map(({ name }) => name));
}

/** What is new of a group, such as `, now "fast", read every 100 ms, with a history of 50 MB`. */
export function groupChange({
  new_name: name,
  interval,
  history,
  report,
  min_interval: least,
  max_interval: most,
}: GroupPace & {
  readonly new_name?: string;
  readonly interval?: number;
  readonly history?: number;
}): string {
  return [
    ...(name === undefined ? [] : [`, now "${name}"`]),
    ...(interval === undefined ? [] : [`, read every ${interval} ms`]),
    ...(history === undefined ? [] : [`, with a history of ${history} MB`]),
    ...(report === undefined ? [] : [`, with the report "${report}"`]),
    ...(least === undefined ? [] : [`, reported every ${least} ms at most`]),
    ...(most === undefined ? [] : [`, reported every ${most} ms at least`]),
  ].join('');
}
