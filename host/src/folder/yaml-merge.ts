import { isDeepStrictEqual } from 'node:util';
import { Document, isCollection, isMap, isScalar, isSeq, type Node, type YAMLMap, type YAMLSeq } from 'yaml';
import { referenceOf } from './references.ts';
import { ofPlugins, variableOf } from './variables.ts';
import { valueOf, yamlDocument, numbers } from './yaml-text.ts';

/** How a part of a file is compared and written. */
export interface Shape {
  /** Members that mean the same when they are left out. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  readonly members?: Readonly<Record<string, Shape>>;
  /** Of a list: what identifies an entry, and how each is. */
  readonly keyOf?: (entry: unknown) => string;
  readonly entry?: Shape;
  /** Whether what a file has means the same. */
  readonly isSame?: (before: unknown, now: unknown) => boolean;
  /** It is written on one line. */
  readonly isLine?: true;
}

/** A part of a file with values in the place of variables; an entry of a list may become several. */
type Expand = (value: unknown, hasLoops: boolean) => unknown;

/** Long lines stay as they are: a tag is one line. */
const style = { lineWidth: 0 } as const;

/** A new text in YAML below a comment. */
export function yamlOf(value: object, shape: Shape, comment: string): string {
  const document = new Document();
  document.contents = nodeOf(document, value, shape);
  document.commentBefore = ` ${comment}`;
  return document.toString(style);
}

/** The text of a file with other values; comments, order and notation of what stays are kept, variables among them. */
export function mergedYaml(
  text: string,
  file: string,
  value: object,
  shape: Shape,
  expand: Expand = (part) => part,
): string {
  const document = yamlDocument(text, file);
  if (isSame(expand(valueOf(document, file), true), value, shape)) return text;
  const { contents, commentBefore } = document;
  if (isMap(contents)) {
    new Merge(document, expand).map(contents, value, shape, true);
    try {
      const merged = document.toString(style);
      if (isSame(expand(valueOf(yamlDocument(merged, file), file), true), value, shape)) return merged;
    } catch {
      // An anchor is gone that something refers to.
    }
  }
  return yamlOf(value, shape, (commentBefore ?? '').trim());
}

export function isSame(before: unknown, now: unknown, shape: Shape | undefined): boolean {
  if (isDeepStrictEqual(before, now) || shape?.isSame?.(before, now) === true) return true;
  if (Array.isArray(before) && Array.isArray(now)) {
    const { keyOf, entry } = shape ?? {};
    if (keyOf === undefined || before.length !== now.length) return false;
    const byKey = new Map(now.map((one: unknown) => [keyOf(one), one]));
    return before.every((one: unknown) => byKey.has(keyOf(one)) && isSame(one, byKey.get(keyOf(one)), entry));
  }
  if (!isRecord(before) || !isRecord(now) || shape === undefined) return false;
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].every((name) => {
    const otherwise = shape.defaults?.[name];
    return isSame(before[name] ?? otherwise, now[name] ?? otherwise, shape.members?.[name]);
  });
}

class Merge {
  readonly #document: Document;
  readonly #expand: Expand;

  constructor(document: Document, expand: Expand) {
    this.#document = document;
    this.#expand = expand;
  }

  /** `hasLoops`: entries of lists in it may be loops. */
  map(map: YAMLMap, value: object, shape: Shape | undefined, hasLoops: boolean): void {
    const wanted = new Map(Object.entries(value));
    for (const { key } of [...map.items]) {
      const name = nameOf(key);
      const js = this.#valueOf(map.get(key, true), hasLoops && !ofPlugins.has(name));
      if (!wanted.has(name) && !isDeepStrictEqual(js, shape?.defaults?.[name])) map.delete(key);
    }
    for (const [name, now] of wanted) {
      const key = map.items.find((item) => nameOf(item.key) === name)?.key ?? name;
      const before = map.get(key, true) as Node | undefined;
      const own = shape?.members?.[name];
      const isWithLoops = hasLoops && !ofPlugins.has(name);
      const js = this.#valueOf(before, isWithLoops);
      if (before !== undefined && isSame(js, now, own)) continue;
      const isMerged =
        isMap(before) && isRecord(now) && variableOf(before.toJS(this.#document)) === undefined;
      if (isMerged && !referenceOf(now) && !referenceOf(js)) this.map(before, now, own, isWithLoops);
      else if (isSeq(before) && Array.isArray(now) && own?.keyOf !== undefined)
        this.#list(before, now, own.keyOf, own.entry);
      else if (isScalar(before) && (typeof now !== 'object' || now === null)) {
        before.value = now;
        delete before.format;
      } else {
        const node = nodeOf(this.#document, now, own);
        node.comment = before?.comment ?? null;
        node.commentBefore = before?.commentBefore ?? null;
        map.set(key, node);
      }
    }
  }

  /** What stays keeps its place; what is new comes last. A loop stays while all that it makes is the same. */
  #list(
    list: YAMLSeq,
    values: readonly unknown[],
    keyOf: (entry: unknown) => string,
    shape: Shape | undefined,
  ): void {
    const left = new Map(values.map((one) => [keyOf(one), one]));
    const items: unknown[] = [];
    for (const item of list.items) {
      const made = this.#expand([numbers((item as Node).toJS(this.#document))], true) as readonly unknown[];
      const now = made.map((one) => (isRecord(one) ? left.get(keyOf(one)) : undefined));
      const [first] = now;
      if (made.every((one, at) => now[at] !== undefined && isSame(one, now[at], shape))) items.push(item);
      else if (first === undefined || made.length > 1 || !isMap(item) || isLoopNode(item)) continue;
      else if (isRecord(first)) {
        this.map(item, first, shape, true);
        items.push(item);
      } else items.push(nodeOf(this.#document, first, shape));
      for (const one of now) left.delete(keyOf(one));
    }
    for (const now of left.values()) items.push(nodeOf(this.#document, now, shape));
    if (list.items.length === 0) list.flow = false;
    list.items = items;
  }

  #valueOf(node: unknown, hasLoops: boolean): unknown {
    if (node === undefined) return undefined;
    return this.#expand(numbers((node as Node).toJS(this.#document)), hasLoops);
  }
}

function isLoopNode(map: YAMLMap): boolean {
  return map.items.some(({ key }) => nameOf(key) === 'each');
}

function nodeOf(document: Document, value: unknown, shape: Shape | undefined): Node {
  const isLine = shape?.isLine === true || referenceOf(value) !== undefined;
  const node = document.createNode(value, { flow: isLine });
  if (!isLine && isMap(node)) {
    for (const pair of node.items) {
      const name = nameOf(pair.key);
      pair.value = nodeOf(document, (value as Record<string, unknown>)[name], shape?.members?.[name]);
    }
  } else if (!isLine && isSeq(node) && shape?.entry !== undefined) {
    node.items = (value as readonly unknown[]).map((one) => nodeOf(document, one, shape.entry));
  }
  if (isCollection(node) && node.items.length === 0) node.flow = true;
  return node;
}

function nameOf(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
