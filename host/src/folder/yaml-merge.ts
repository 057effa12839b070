import { isDeepStrictEqual } from 'node:util';
import { Document, isCollection, isMap, isScalar, isSeq, type Node, type YAMLMap, type YAMLSeq } from 'yaml';
import { referenceOf } from './references.ts';
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

/** Long lines stay as they are: a tag is one line. */
const style = { lineWidth: 0 } as const;

/** A new text in YAML below a comment. */
export function yamlOf(value: object, shape: Shape, comment: string): string {
  const document = new Document();
  document.contents = nodeOf(document, value, shape);
  document.commentBefore = ` ${comment}`;
  return document.toString(style);
}

/** The text of a file with other values; comments, order and notation of what stays are kept. */
export function mergedYaml(text: string, file: string, value: object, shape: Shape): string {
  const document = yamlDocument(text, file);
  if (isSame(valueOf(document, file), value, shape)) return text;
  const { contents, commentBefore } = document;
  if (isMap(contents)) {
    mergeMap(document, contents, value, shape);
    try {
      const merged = document.toString(style);
      if (isSame(valueOf(yamlDocument(merged, file), file), value, shape)) return merged;
    } catch {
      // An anchor is gone that something refers to.
    }
  }
  return yamlOf(value, shape, (commentBefore ?? '').trim());
}

function isSame(before: unknown, now: unknown, shape: Shape | undefined): boolean {
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

function mergeMap(document: Document, map: YAMLMap, value: object, shape: Shape | undefined): void {
  const wanted = new Map(Object.entries(value));
  for (const { key } of [...map.items]) {
    const name = nameOf(key);
    const before = map.get(key, true) as Node | undefined;
    const js: unknown = before === undefined ? undefined : numbers(before.toJS(document));
    if (!wanted.has(name) && !isDeepStrictEqual(js, shape?.defaults?.[name])) map.delete(key);
  }
  for (const [name, now] of wanted) {
    const key = map.items.find((item) => nameOf(item.key) === name)?.key ?? name;
    const before = map.get(key, true) as Node | undefined;
    const own = shape?.members?.[name];
    const js: unknown = before === undefined ? undefined : numbers(before.toJS(document));
    if (before !== undefined && isSame(js, now, own)) continue;
    if (isMap(before) && isRecord(now) && !referenceOf(now) && !referenceOf(js))
      mergeMap(document, before, now, own);
    else if (isSeq(before) && Array.isArray(now) && own?.keyOf !== undefined)
      mergeList(document, before, now, own.keyOf, own.entry);
    else if (isScalar(before) && (typeof now !== 'object' || now === null)) {
      before.value = now;
      delete before.format;
    } else {
      const node = nodeOf(document, now, own);
      node.comment = before?.comment ?? null;
      node.commentBefore = before?.commentBefore ?? null;
      map.set(key, node);
    }
  }
}

/** What stays keeps its place; what is new comes last. */
function mergeList(
  document: Document,
  list: YAMLSeq,
  values: readonly unknown[],
  keyOf: (entry: unknown) => string,
  shape: Shape | undefined,
): void {
  const left = new Map(values.map((one) => [keyOf(one), one]));
  const items: unknown[] = [];
  for (const item of list.items) {
    const before: unknown = numbers((item as Node).toJS(document));
    const key = isRecord(before) ? keyOf(before) : undefined;
    const now = key === undefined ? undefined : left.get(key);
    if (key === undefined || now === undefined) continue;
    left.delete(key);
    if (isSame(before, now, shape)) items.push(item);
    else if (isMap(item) && isRecord(now)) {
      mergeMap(document, item, now, shape);
      items.push(item);
    } else items.push(nodeOf(document, now, shape));
  }
  for (const now of left.values()) items.push(nodeOf(document, now, shape));
  if (list.items.length === 0) list.flow = false;
  list.items = items;
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
