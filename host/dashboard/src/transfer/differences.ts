import { RunningState, type ConfigBody } from '@tagway/schemas';

export type Kind = 'node' | 'setting' | 'group' | 'tag' | 'subscription' | 'template';

/** Something that an import would add, change or remove. */
export interface Difference {
  readonly key: string;
  readonly kind: Kind;
  readonly name: string;
  readonly change: 'add' | 'change' | 'remove';
  readonly before: string;
  readonly after: string;
}

/** What becomes of a configuration when another one takes its place. Templates that the other does not tell of stay. */
export function differences(current: ConfigBody, next: ConfigBody): Difference[] {
  const before = contentOf(current);
  const after = contentOf(next);
  const found: Difference[] = [];
  for (const [key, { kind, name, text }] of after) {
    const known = before.get(key);
    if (known === undefined) found.push({ key, kind, name, change: 'add', before: '', after: text });
    else if (known.text !== text)
      found.push({ key, kind, name, change: 'change', before: known.text, after: text });
  }
  for (const [key, { kind, name, text }] of before) {
    const stays = after.has(key) || (kind === 'template' && next.templates === undefined);
    if (!stays) found.push({ key, kind, name, change: 'remove', before: text, after: '' });
  }
  return found;
}

interface Content {
  readonly kind: Kind;
  readonly name: string;
  readonly text: string;
}

/** Everything in a configuration, however it is nested, by what it is and its name. */
function contentOf(config: ConfigBody): Map<string, Content> {
  const content = new Map<string, Content>();
  const add = (kind: Kind, names: readonly (string | undefined)[], value: unknown): void => {
    const name = names.map((part) => part ?? '').join(' · ');
    content.set(JSON.stringify([kind, ...names]), { kind, name, text: textOf(value) });
  };
  for (const { name, plugin, running } of config.nodes) {
    add('node', [name], { plugin, ...(running === RunningState.STOPPED && { running }) });
  }
  for (const { node, params } of config.settings) add('setting', [node], params);
  for (const { driver, node, group, name, interval } of config.groups) {
    add('group', [driver ?? node, group ?? name], { interval });
  }
  for (const { driver, node, group, name, tags } of config.tags) {
    for (const tag of tags) add('tag', [driver ?? node, group ?? name, tag.name], { ...plain, ...tag });
  }
  for (const { app, driver, group, params, groups } of config.subscriptions) {
    const own = driver === undefined || group === undefined ? [] : [{ driver, group, params }];
    for (const one of [...own, ...(groups ?? [])])
      add('subscription', [app, one.driver, one.group], one.params ?? {});
  }
  for (const { name, ...template } of config.templates ?? []) add('template', [name], template);
  return content;
}

/** What a tag has that does not say otherwise. */
const plain = { precision: 0, decimal: 0, bias: 0, description: '' };

/** The same text for the same content, in whatever order its members stand. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item === 'bigint') return item.toString();
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** A configuration out of the text of a file; undefined when it is none. */
export function configFrom(value: unknown): ConfigBody | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const config = value as Partial<ConfigBody>;
  const parts = [config.nodes, config.groups, config.tags, config.subscriptions, config.settings];
  return parts.every(Array.isArray) ? (config as ConfigBody) : undefined;
}
