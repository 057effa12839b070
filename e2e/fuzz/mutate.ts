import { oddNumber, oddText, oddValue, oneOf, Raw, textOf } from './generate.ts';
import type { Pick } from './generate.ts';

const megabyte = 1 << 20;

/** A place in a value: the container and the key within it. */
interface Place {
  readonly container: Record<string, unknown> | unknown[];
  readonly key: string;
}

function placesOf(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null || value instanceof Raw) return [];
  const container = value as Place['container'];
  return Object.entries(container).flatMap(([key, member]) => [{ container, key }, ...placesOf(member)]);
}

/** Puts something else somewhere into a value, or takes something out. */
function mutate(value: unknown, pick: Pick): void {
  const places = placesOf(value);
  if (places.length === 0) return;
  const { container, key } = oneOf(places, pick);
  const put = (member: unknown): void => {
    if (Array.isArray(container)) container[Number(key)] = member;
    else container[key] = member;
  };
  const extra = oneOf(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'extra', ''], pick);
  oneOf(
    [
      () => put(oddValue(pick)),
      () => put(oddValue(pick)),
      () => put(oddText(pick)),
      () => put(oddNumber(pick)),
      () => {
        if (Array.isArray(container)) container.splice(Number(key), 1);
        else Reflect.deleteProperty(container, key);
      },
      () => {
        if (Array.isArray(container)) return;
        // An assignment to __proto__ would set the prototype instead of a member.
        Object.defineProperty(container, extra, {
          value: oddValue(pick),
          enumerable: true,
          configurable: true,
          writable: true,
        });
      },
      () => put(new Raw(`[${textOf(oddValue(pick))}]`)),
    ],
    pick,
  )();
}

/** The text of a value after some mutations; now and then text that is no JSON, or a mebibyte of it. */
export function mutatedText(value: unknown, pick: Pick): string {
  for (let count = pick(4); count > 0; count -= 1) mutate(value, pick);
  const text = textOf(value);
  switch (pick(60)) {
    case 0:
      return text.slice(0, pick(text.length + 1));
    case 1:
      return text + textOf(oddValue(pick));
    case 2:
      return textOf(oddValue(pick));
    case 3:
      return text.replace(/"(\w+)":/, '"$1":null,"$1":');
    case 4:
      return pick(8) === 0 ? bigText(text, pick) : text;
    default:
      return text;
  }
}

function bigText(text: string, pick: Pick): string {
  return oneOf(
    [
      () => text.replace(/^\{/, `{"extra":"${'x'.repeat(megabyte)}",`),
      () => text.replace(/"\w+"\s*:\s*"[^"]*"/, `"name":"${'n'.repeat(megabyte)}"`),
      () => `[${'{},'.repeat(megabyte / 3)}{}]`,
      () => `${' '.repeat(megabyte)}${text}`,
    ],
    pick,
  )();
}

/** A query string of these parameters after some mutations. */
export function mutatedQuery(values: Readonly<Record<string, unknown>>, pick: Pick): string {
  const plain = (value: unknown): string => (typeof value === 'string' ? value : textOf(value));
  const pairs = Object.entries(values).map(([name, value]): [string, string] => [name, plain(value)]);
  for (let count = pick(3); count > 0; count -= 1) {
    const name = oneOf([...Object.keys(values), '__proto__', 'extra', ''], pick);
    const index = pick(pairs.length + 1);
    oneOf(
      [
        () => pairs.splice(index, 1),
        () => pairs.push([name, plain(oddText(pick)).slice(0, 8_000)]),
        () => pairs.splice(index, 1, [name, plain(oddNumber(pick))]),
        () => pairs.push([`${name}[]`, 'plant']),
      ],
      pick,
    )();
  }
  const text = pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
  return pick(30) === 0 ? `${text}&%zz=%&=&&` : text;
}

/** Lone halves of surrogate pairs have no encoding. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
