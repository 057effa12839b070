/** Object identifiers: as text, `1.3.6.1`, and as their content in BER. */

const largest = 0xffff_ffff;
/** Most numbers of an identifier (RFC 2578, section 3.5). */
export const mostNumbers = 128;

/** The content of an identifier; undefined for a text that is none. A dot before it is left out. */
export function oidOf(text: string): Buffer | undefined {
  const numbers = text.replace(/^\./, '').split('.').map(numberOf);
  const first = numbers[0]!;
  const second = numbers[1] ?? 0;
  if (numbers.length > mostNumbers || !numbers.every((number) => number <= largest)) return undefined;
  if (first > 2 || (first < 2 && second > 39)) return undefined;
  return subidentifiers([first * 40 + second, ...numbers.slice(2)]);
}

function numberOf(text: string): number {
  return /^\d{1,10}$/.test(text) ? Number(text) : NaN;
}

/** The content of numbers that follow an identifier, such as those of an instance. */
export function subidentifiers(numbers: readonly number[]): Buffer {
  const bytes: number[] = [];
  for (const number of numbers) {
    const own = [number % 0x80];
    for (let rest = Math.floor(number / 0x80); rest > 0; rest = Math.floor(rest / 0x80))
      own.unshift(0x80 + (rest % 0x80));
    bytes.push(...own);
  }
  return Buffer.from(bytes);
}

/** The numbers of `data[start, stop)`, which may begin within an identifier; undefined when they are damaged. */
export function numbersOf(data: Buffer, start = 0, stop = data.length): number[] | undefined {
  const numbers: number[] = [];
  let number = 0;
  for (let at = start; at < stop; at++) {
    const byte = data[at]!;
    number = number * 0x80 + (byte & 0x7f);
    if (number > largest + 80) return undefined;
    if (byte > 0x7f) continue;
    numbers.push(number);
    if (numbers.length > mostNumbers) return undefined;
    number = 0;
  }
  return stop > start && data[stop - 1]! > 0x7f ? undefined : numbers;
}

/** The text of the identifier `data[start, stop)`; undefined when it is damaged. */
export function oidText(data: Buffer, start = 0, stop = data.length): string | undefined {
  const numbers = numbersOf(data, start, stop);
  const joint = numbers?.[0];
  if (numbers === undefined || joint === undefined) return undefined;
  const first = Math.min(2, Math.floor(joint / 40));
  return [first, joint - first * 40, ...numbers.slice(1)].join('.');
}

/** Whether an identifier is this prefix or lies below it; both are the content of identifiers. */
export function isBelow(oid: Buffer, prefix: Buffer): boolean {
  return oid.length >= prefix.length && oid.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;
}

/** The order in which agents walk: by the numbers, not by their bytes. */
export function isAfter(oid: Buffer, before: Buffer): boolean {
  const left = numbersOf(oid) ?? [];
  const right = numbersOf(before) ?? [];
  for (let at = 0; at < left.length; at++) {
    if (at >= right.length) return true;
    if (left[at] !== right[at]) return left[at]! > right[at]!;
  }
  return false;
}
