import { isFault, type FrameDirection, type FrameMeaning, type Point } from '@tagway/sdk';
import { ExplainedRequests } from '@tagway/sdk/link';
import { Area, isBitArea, parseAddress, startOf } from './address.ts';
import { describeException } from './faults.ts';

/** Explains a protocol data unit of a unit. `key` is what an answer has in common with its request. */
export type ExplainPdu = (
  direction: FrameDirection,
  key: number,
  unit: number,
  pdu: Buffer,
) => FrameMeaning | undefined;

/** What a request is about: neighbouring places of one area. */
interface Asked {
  readonly verb: string;
  readonly area: Area;
  readonly start: number;
  readonly count: number;
  readonly isOfTag: boolean;
}

/** Most values that are shown of a frame. */
const mostValues = 16;

const areaNames: Readonly<Record<Area, string>> = {
  [Area.COIL]: 'coil',
  [Area.DISCRETE_INPUT]: 'discrete input',
  [Area.INPUT_REGISTER]: 'input register',
  [Area.HOLDING_REGISTER]: 'holding register',
};

const areasByFunction = new Map<number, Area>([
  [1, Area.COIL],
  [2, Area.DISCRETE_INPUT],
  [3, Area.HOLDING_REGISTER],
  [4, Area.INPUT_REGISTER],
  [5, Area.COIL],
  [6, Area.HOLDING_REGISTER],
  [15, Area.COIL],
  [16, Area.HOLDING_REGISTER],
]);

/** Begins to explain the frames of a connection; `base` is the number of the first register. */
export function explainPdus(tag: Point | undefined, base: number): ExplainPdu {
  const requests = new ExplainedRequests<Asked>();
  const isOfTag = tagCheck(tag, base);
  return (direction, key, unit, pdu) => {
    if (pdu.length < 2) return undefined;
    if (direction === 'received') return answer(unit, pdu, requests.take(key), base);
    const request = requestOf(pdu, (area, start, count) => isOfTag(unit, area, start, count));
    if (request === undefined) return { unit: String(unit), text: `Function ${pdu[0]!}` };
    requests.set(key, request);
    const values = request.verb === 'Write' ? `: ${writtenValues(pdu)}` : '';
    const text = `${request.verb} ${placesOf(request, base)}${values}`;
    return { unit: String(unit), text, isOfTag: request.isOfTag };
  };
}

function answer(unit: number, pdu: Buffer, request: Asked | undefined, base: number): FrameMeaning {
  const what = request === undefined ? 'nothing that was asked' : placesOf(request, base);
  const verb = request?.verb.toLowerCase() ?? 'answer';
  const code = pdu[0]!;
  let text: string;
  if (code >= 0x80) text = `Refused to ${verb} ${what}: ${describeException(pdu[1]!)}`;
  else if (code <= 4) text = `Values of ${what}: ${readValues(pdu, request)}`;
  else text = `Written ${what}`;
  return { unit: String(unit), text, isOfTag: request?.isOfTag === true };
}

function requestOf(
  pdu: Buffer,
  isOfTag: (area: Area, start: number, count: number) => boolean,
): Asked | undefined {
  const code = pdu[0]!;
  const area = areasByFunction.get(code);
  if (area === undefined || pdu.length < 5) return undefined;
  const start = pdu.readUInt16BE(1);
  const isSingle = code === 5 || code === 6;
  const count = isSingle ? 1 : pdu.readUInt16BE(3);
  return { verb: code <= 4 ? 'Read' : 'Write', area, start, count, isOfTag: isOfTag(area, start, count) };
}

/** Places as addresses of tags have them, such as `holding registers 400001 to 400010`. */
function placesOf({ area, start, count }: Asked, base: number): string {
  const nameOf = (offset: number): string => `${area}${String(start + offset + base).padStart(5, '0')}`;
  if (count === 1) return `${areaNames[area]} ${nameOf(0)}`;
  return `${areaNames[area]}s ${nameOf(0)} to ${nameOf(count - 1)}`;
}

function readValues(pdu: Buffer, request: Asked | undefined): string {
  const data = pdu.subarray(2);
  if (request !== undefined && isBitArea(request.area)) return bitsOf(data, request.count);
  return wordsOf(data);
}

function writtenValues(pdu: Buffer): string {
  const code = pdu[0]!;
  if (code === 5) return pdu[3] === 0xff ? '1' : '0';
  if (code === 6) return wordsOf(pdu.subarray(3, 5));
  return code === 15 ? bitsOf(pdu.subarray(6), pdu.readUInt16BE(3)) : wordsOf(pdu.subarray(6));
}

function bitsOf(data: Buffer, count: number): string {
  const most = Math.min(count, 8 * data.length, 4 * mostValues);
  const bits = Array.from({ length: most }, (_, at) => (data[at >> 3]! >> (at & 7)) & 1);
  return `${bits.join('')}${most < count ? '…' : ''}`;
}

/** Words in hexadecimal: how they make values is a matter of the tags. */
function wordsOf(data: Buffer): string {
  const words: string[] = [];
  for (let at = 0; at + 2 <= data.length && words.length < mostValues; at += 2)
    words.push(data.toString('hex', at, at + 2));
  return `${words.join(' ')}${data.length > 2 * mostValues ? ' …' : ''}`;
}

function tagCheck(
  tag: Point | undefined,
  base: number,
): (unit: number, area: Area, start: number, count: number) => boolean {
  const address = tag && parseAddress(tag.address, tag.type);
  if (address === undefined || isFault(address)) return () => false;
  const first = startOf(address, base);
  return (unit, area, start, count) =>
    // Unit 0 means all units where nothing answers.
    (unit === address.unit || unit === 0) &&
    area === address.area &&
    start < first + address.count &&
    first < start + count;
}
