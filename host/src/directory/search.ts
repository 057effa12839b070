import { ErrorCode, type Registry } from '@tagway/schemas';
import type { Found, FoundName } from '../core/ports/registries.ts';
import { isObject, isText } from '../core/system/shapes.ts';
import { keyword as pluginKeyword, keywordsOf, lineOf } from './facts.ts';
import { getObject } from './json-reply.ts';
import { Refusal, sentence } from '../core/system/sentence.ts';
import { invalid } from './request.ts';

/** Results of a page, as npm's registry gives at most, and bytes of it. */
const pageSize = 250;
const mostBytes = 16 << 20;
/** Pages that are looked through where a registry does not find by keywords. */
const mostPages = 4;

/**
 * Finds packages with the keyword of plugins, or another one. npm's registry takes it as a part of the words; others answer such words with nothing, and
 * then get the words alone. In any case the keywords of what was found decide. Rejects with REGISTRY_WITHOUT_SEARCH, or another fault.
 */
export async function search(
  registry: Registry,
  words: string,
  most: number,
  signal: AbortSignal,
  keyword = pluginKeyword,
): Promise<Found> {
  const find = (text: string): Promise<Found> => pages(registry, text, keyword, most, signal);
  const byKeyword = await find(`keywords:${keyword} ${words}`.trim());
  if (byKeyword.packages.length > 0) return byKeyword;
  return find(words).catch((error: unknown) => {
    // npm's registry refuses a search for nothing: then there is no plugin.
    if (words === '') return byKeyword;
    throw error;
  });
}

async function pages(
  registry: Registry,
  text: string,
  keyword: string,
  most: number,
  signal: AbortSignal,
): Promise<Found> {
  const found = new Map<string, FoundName>();
  for (let page = 0; page < mostPages; page++) {
    const query = new URLSearchParams({ text, size: String(pageSize), from: String(page * pageSize) });
    const reply = await getObject(registry, `-/v1/search?${query.toString()}`, mostBytes, signal);
    if (reply === undefined)
      throw new Refusal(
        ErrorCode.REGISTRY_WITHOUT_SEARCH,
        sentence`The registry ${registry.url} has no search. A package whose name is known can be looked at and installed all the same.`,
      );
    const { objects } = reply;
    if (!Array.isArray(objects))
      throw invalid(registry, sentence`answers a search with something else than what was found`);
    for (const object of objects.slice(0, pageSize) as unknown[]) {
      const one = foundName(object, keyword);
      if (one !== undefined && found.size < most) found.set(one.name, one);
    }
    if (found.size >= most) return { packages: [...found.values()], isCut: true };
    if (objects.length < pageSize) return { packages: [...found.values()], isCut: false };
  }
  return { packages: [...found.values()], isCut: true };
}

function foundName(object: unknown, keyword: string): FoundName | undefined {
  const one = isObject(object) ? object['package'] : undefined;
  if (!isObject(one) || !keywordsOf(one).includes(keyword)) return undefined;
  const { name, version } = one;
  if (
    !isText(name) ||
    name.length > 214 ||
    !/^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/.test(name)
  )
    return undefined;
  return { name, version: lineOf(version, 64) ?? '', description: lineOf(one['description'], 300) ?? '' };
}
