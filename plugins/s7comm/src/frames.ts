import { isFault, type FrameFormat, type FrameMeaning, type Point } from '@tagway/sdk';
import { ExplainedRequests } from '@tagway/sdk/link';
import { Area, parseAddress } from './address.ts';
import { errorInWords, readFault, writeFault } from './faults.ts';
import { AnswerHeader, Cotp, envelope, ItemCursor, itemDone, Job, Unit } from './protocol.ts';

/** What an item of a job is about. */
interface Place {
  readonly text: string;
  readonly isOfTag: boolean;
}

interface Asked {
  readonly verb: 'read' | 'write';
  readonly places: readonly Place[];
}

/** Most items that the line of a frame names, and most bytes that it shows of one. */
const mostItems = 4;
const mostBytes = 16;

/** Bytes of one item in the parameters of a job. */
const itemSize = 12;

const areaNames = new Map<number, string>([
  [Area.INPUT, 'I'],
  [Area.OUTPUT, 'Q'],
  [Area.FLAG, 'M'],
  [Area.COUNTER, 'C'],
  [Area.TIMER, 'T'],
]);

const cotpNames = new Map<number, string>([
  [Cotp.CONNECT, 'Connection request'],
  [Cotp.CONFIRM, 'Connection confirmed'],
  [Cotp.DISCONNECT, 'Disconnected'],
  [Cotp.ERROR, 'The other side takes the packet for wrong'],
]);

/** How frames are shown to people who trace them. */
export const frames: FrameFormat = {
  port: 102,
  byTag: true,
  explain: (tag) => {
    const jobs = new ExplainedRequests<Asked>();
    const isOfTag = tagCheck(tag);
    const header = new AnswerHeader();
    return (_direction, frame) => {
      const kind = frame[5] ?? 0;
      if (kind !== Cotp.DATA) return { text: cotpNames.get(kind) ?? `Packet of type 0x${kind.toString(16)}` };
      if (!header.parse(frame, envelope, frame.length)) return { text: 'A part of a message' };
      if (header.isAnswer) return answer(header, frame, jobs.take(header.reference));
      const asked = requestOf(header, frame, isOfTag);
      if (asked === undefined) return { text: jobName(header, frame) };
      jobs.set(header.reference, asked);
      return { text: `${capital(asked.verb)} ${listOf(asked.places)}`, isOfTag: concerns(asked) };
    };
  },
};

function answer(header: AnswerHeader, frame: Buffer, job: Asked | undefined): FrameMeaning {
  if (header.error !== 0) {
    const what = job === undefined ? '' : ` the ${job.verb} of ${listOf(job.places)}`;
    return { text: `Refused${what}: ${errorInWords(header.error)}`, isOfTag: concerns(job) };
  }
  if (header.func === Job.SETUP && frame.length >= header.parameters + 8)
    return {
      text: `Agreed: PDU of ${frame.readUInt16BE(header.parameters + 6)} bytes, ${frame.readUInt16BE(header.parameters + 2)} jobs at once`,
    };
  if (job === undefined) return { text: 'Answer to nothing that was asked' };
  const results = job.verb === 'read' ? readResults(header, frame, job) : writeResults(header, frame, job);
  const more = job.places.length > mostItems ? `; ${job.places.length - mostItems} more items` : '';
  return { text: `${results.slice(0, mostItems).join('; ')}${more}`, isOfTag: concerns(job) };
}

function readResults(header: AnswerHeader, frame: Buffer, { places }: Asked): string[] {
  const cursor = new ItemCursor();
  cursor.begin(header.data);
  return places.map(({ text }) => {
    if (!cursor.next(frame, header.end)) return `${text}: nothing`;
    if (cursor.code !== itemDone) return `${text}: ${readFault(cursor.code).message}`;
    const shown = frame.toString('hex', cursor.start, cursor.start + Math.min(cursor.size, mostBytes));
    return `${text} = ${shown}${cursor.size > mostBytes ? '…' : ''}`;
  });
}

function writeResults(header: AnswerHeader, frame: Buffer, { places }: Asked): string[] {
  return places.map(({ text }, index) => {
    const code = frame[header.data + index] ?? 0;
    return code === itemDone ? `${text} written` : `${text}: ${writeFault(code).message}`;
  });
}

function requestOf(
  header: AnswerHeader,
  frame: Buffer,
  isOfTag: ReturnType<typeof tagCheck>,
): Asked | undefined {
  if (header.func !== Job.READ && header.func !== Job.WRITE) return undefined;
  const places: Place[] = [];
  for (let index = 0; index < header.items; index++) {
    const at = header.parameters + 2 + itemSize * index;
    if (at + itemSize > frame.length) break;
    places.push(placeOf(frame, at, isOfTag));
  }
  return { verb: header.func === Job.READ ? 'read' : 'write', places };
}

/** The place of an item as addresses of tags have it, with the number of bytes. */
function placeOf(frame: Buffer, at: number, isOfTag: ReturnType<typeof tagCheck>): Place {
  const unit = frame[at + 3]!;
  const count = frame.readUInt16BE(at + 4);
  const db = frame.readUInt16BE(at + 6);
  const area = frame[at + 8]!;
  const address = frame.readUIntBE(at + 9, 3);
  const isCounted = unit === Unit.TIMER || unit === Unit.COUNTER;
  const start = isCounted ? address : address >> 3;
  const isBit = unit === Unit.BIT;
  const name =
    area === Area.DATA_BLOCK ? `DB${db}.DBW${start}` : `${areaNames.get(area) ?? `area ${area} `}${start}`;
  const size = isBit ? 1 : count;
  const places = isCounted ? 'places' : 'bytes';
  const text = isBit ? `${name}.${address & 7}` : `${name}${size === 1 ? '' : ` (${size} ${places})`}`;
  return { text, isOfTag: isOfTag(area, db, start, size) };
}

function jobName(header: AnswerHeader, frame: Buffer): string {
  if (header.func !== Job.SETUP || frame.length < header.parameters + 8)
    return `Function 0x${header.func.toString(16)}`;
  return `Asks for a PDU of ${frame.readUInt16BE(header.parameters + 6)} bytes and ${frame.readUInt16BE(header.parameters + 2)} jobs at once`;
}

function listOf(places: readonly Place[]): string {
  const shown = places.slice(0, mostItems).map(({ text }) => text);
  const more = places.length > mostItems ? ` and ${places.length - mostItems} more` : '';
  return `${shown.join(', ')}${more}`;
}

function concerns(asked: Asked | undefined): boolean {
  return asked?.places.some(({ isOfTag }) => isOfTag) === true;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function tagCheck(
  tag: Point | undefined,
): (area: number, db: number, start: number, size: number) => boolean {
  const address = tag && parseAddress(tag.address, tag.type);
  if (address === undefined || isFault(address)) return () => false;
  return (area, db, start, size) =>
    area === address.area &&
    db === address.db &&
    start < address.start + address.size &&
    address.start < start + size;
}
