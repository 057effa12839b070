import { isFault, type FrameFormat, type FrameMeaning, type Point } from '@tagway/sdk';
import { ExplainedRequests } from '@tagway/sdk/link';
import { parseAddress, type Address } from './address.ts';
import { ReplyCursor, replyOf, Service, type Reply } from './cip.ts';
import { statusInWords } from './faults.ts';
import { ClassCode, pathParts, type PathParts } from './path.ts';
import { Command, Frame } from './protocol.ts';
import { elementaryOf, structureMark } from './types.ts';

/** Gives the name of the tag of the controller, or of a program, with this number, where that is known. */
export type NameOf = (program: string, instance: number) => string | undefined;

/** One request of a message, alone or in a packet with others. */
interface Asked {
  readonly service: number;
  readonly text: string;
  readonly isOfTag: boolean;
}

/** Most requests of a packet that the line of a frame names, and most bytes that it shows of a value. */
const mostRequests = 6;
const mostBytes = 12;

const commands = new Map<number, string>([
  [Command.NOP, 'Nothing (NOP)'],
  [Command.LIST_IDENTITY, 'Identity (ListIdentity)'],
  [Command.REGISTER, 'Session (RegisterSession)'],
  [Command.UNREGISTER, 'End of the session (UnregisterSession)'],
]);

const services = new Map<number, string>([
  [Service.GET_ALL, 'Get all attributes of'],
  [Service.GET_LIST, 'Get attributes of'],
  [Service.GET_ONE, 'Get an attribute of'],
  [Service.READ, 'Read'],
  [Service.WRITE, 'Write'],
  [Service.MODIFY, 'Write bits'],
  [Service.READ_FRAGMENT, 'Read fragment'],
  [Service.WRITE_FRAGMENT, 'Write fragment'],
  [Service.LIST, 'List'],
  [Service.LIST_VARIABLES, 'List variables'],
]);

const managerServices = new Map<number, string>([
  [Service.CLOSE, 'Close the connection (Forward Close)'],
  [Service.UNCONNECTED_SEND, 'Pass on (Unconnected Send)'],
  [Service.OPEN, 'Open a connection (Forward Open)'],
  [Service.OPEN_LARGE, 'Open a large connection (Large Forward Open)'],
]);

const classNames = new Map<number, string>([
  [ClassCode.IDENTITY, 'the identity'],
  [ClassCode.MESSAGE_ROUTER, 'the message router'],
  [ClassCode.CONNECTION_MANAGER, 'the connection manager'],
  [ClassCode.VARIABLE, 'the variables'],
  [ClassCode.SYMBOL, 'the tags'],
  [ClassCode.TEMPLATE, 'a structure'],
  [ClassCode.PROGRAM, 'the program'],
]);

/** How frames are shown to people who trace them. */
export function framesOf(nameOf: NameOf): FrameFormat {
  return {
    port: 44_818,
    byTag: true,
    explain: (tag) => {
      const explainer = new Explainer(nameOf, tag);
      return (direction, frame) => explainer.explain(direction === 'sent', frame);
    },
  };
}

class Explainer {
  readonly #nameOf: NameOf;
  /** The tag that is looked for. */
  readonly #tag: Address | undefined;
  readonly #requests = new ExplainedRequests<readonly Asked[]>();
  readonly #frame = new Frame();

  constructor(nameOf: NameOf, tag: Point | undefined) {
    const address = tag && parseAddress(tag.address, tag.type);
    this.#nameOf = nameOf;
    this.#tag = isFault(address) ? undefined : address;
  }

  explain(isSent: boolean, data: Buffer): FrameMeaning | undefined {
    const frame = this.#frame;
    if (!frame.parse(data, 0, data.length)) return undefined;
    const { command, status, start, end, id } = frame;
    const isMessage = command === Command.UNCONNECTED || command === Command.CONNECTED;
    if (!isMessage || status !== 0) {
      const name = commands.get(command) ?? (isMessage ? 'Message' : `Command 0x${command.toString(16)}`);
      return { text: status === 0 ? name : `${name}: refused with status ${status} of the encapsulation` };
    }
    // The numbers of messages with and without a connection are counted apart.
    const key = command * 0x1_0000_0000 + id;
    const message = data.subarray(start, end);
    if (isSent) {
      const asked = this.#asked(message);
      this.#requests.set(key, asked);
      return { text: listOf(asked.map(({ text }) => text)), isOfTag: concerns(asked) };
    }
    return this.#answer(message, this.#requests.take(key) ?? []);
  }

  /** The requests of a message, those of a packet or of a message that is passed on included. */
  #asked(message: Buffer): readonly Asked[] {
    const service = message[0]!;
    const pathEnd = 2 + 2 * (message[1] ?? 0);
    const parts = pathParts(message.subarray(2, pathEnd));
    const data = message.subarray(pathEnd);
    if (service === Service.MULTIPLE && parts.classCode === ClassCode.MESSAGE_ROUTER)
      return this.#packed(data);
    if (service === Service.UNCONNECTED_SEND && parts.classCode === ClassCode.CONNECTION_MANAGER)
      return this.#asked(data.subarray(4, 4 + data.readUInt16LE(2)));
    const isManager = parts.classCode === ClassCode.CONNECTION_MANAGER;
    const name = (isManager ? managerServices : services).get(service) ?? `Service 0x${service.toString(16)}`;
    const text = isManager ? name : `${name} ${this.#nameOfPath(parts)}${writtenText(service, data)}`;
    return [{ service, text, isOfTag: this.#isOfTag(parts) }];
  }

  #packed(data: Buffer): readonly Asked[] {
    const count = data.readUInt16LE(0);
    const asked: Asked[] = [];
    for (let index = 0; index < count; index++) {
      const from = data.readUInt16LE(2 + 2 * index);
      const to = index + 1 < count ? data.readUInt16LE(4 + 2 * index) : data.length;
      asked.push(...this.#asked(data.subarray(from, to)));
    }
    return asked;
  }

  #answer(message: Buffer, asked: readonly Asked[]): FrameMeaning {
    const reply = replyOf(message);
    const isOfTag = concerns(asked);
    if (reply === undefined) return { text: 'A message that is no reply', isOfTag };
    if (asked.length === 0) return { text: 'A reply to nothing that was asked', isOfTag };
    if (reply.service !== Service.MULTIPLE) return { text: resultOf(asked[0]!, reply), isOfTag };
    const cursor = new ReplyCursor();
    const results: string[] = [];
    if (cursor.begin(reply.data, asked.length))
      for (const one of asked) {
        if (!cursor.next()) break;
        const { service, status, extended, start, end } = cursor;
        results.push(
          resultOf(one, { service, status, extended, detail: 0, data: reply.data.subarray(start, end) }),
        );
      }
    return { text: results.length > 0 ? listOf(results) : refusalOf(reply), isOfTag };
  }

  #nameOfPath({ names, classCode, instance, indices }: PathParts): string {
    const known = this.#rootName(names, classCode, instance);
    const index = indices.length > 0 ? `[${indices.join(',')}]` : '';
    if (known !== undefined) return `${known}${index}`;
    if (classCode === undefined) return 'an object';
    const name = classNames.get(classCode) ?? `class 0x${classCode.toString(16)}`;
    return instance === undefined || instance === 0 ? name : `${name}, instance ${instance}`;
  }

  /** The tag that a path names, by its name or by its number. */
  #rootName(names: readonly string[], classCode?: number, instance?: number): string | undefined {
    if (classCode === undefined) return names.length > 0 ? names.join('.') : undefined;
    if (classCode !== ClassCode.SYMBOL || instance === undefined || instance === 0) return undefined;
    const [scope = ''] = names;
    const name = this.#nameOf(scope.replace(/^program:/i, ''), instance);
    return name && (scope === '' ? name : `${scope}.${name}`);
  }

  #isOfTag({ names, classCode, instance }: PathParts): boolean {
    const tag = this.#tag;
    const root = tag && this.#rootName(names, classCode, instance)?.toLowerCase();
    if (tag === undefined || root === undefined) return false;
    const scope = tag.program === '' ? '' : `program:${tag.program}.`;
    const wanted = `${scope}${tag.parts[0].name}`.toLowerCase();
    return root === wanted || root.startsWith(`${wanted}.`);
  }
}

function resultOf({ service, text }: Asked, reply: Reply): string {
  const { status, data } = reply;
  // A part of a value is none that was refused.
  const isPart = status === 0x06;
  if (status !== 0 && !isPart) return `${text}: ${refusalOf(reply)}`;
  const isRead = service === Service.READ || service === Service.READ_FRAGMENT;
  if (!isRead || data.length < 2) return `${text}: done`;
  return `${text} = ${valueText(data)}${isPart ? ' (a part)' : ''}`;
}

function refusalOf({ status, extended }: Reply): string {
  return `refused, ${statusInWords(status, extended)}`;
}

/** A value with its type before it. */
function valueText(data: Buffer): string {
  const mark = data.readUInt16LE(0);
  const isStructure = mark === structureMark;
  const value = data.subarray(isStructure ? 4 : 2);
  const type = isStructure ? 'structure' : elementaryOf(mark, value.length).name;
  return `${type} ${bytesText(value)}`;
}

function writtenText(service: number, data: Buffer): string {
  if (service !== Service.WRITE || data.length < 4) return '';
  const isStructure = data.readUInt16LE(0) === structureMark;
  const from = isStructure ? 6 : 4;
  const type = isStructure ? 'structure' : elementaryOf(data.readUInt16LE(0), data.length - from).name;
  return ` = ${type} ${bytesText(data.subarray(from))}`;
}

/** Bytes in hexadecimal, in their order in the frame. */
function bytesText(bytes: Buffer): string {
  return `${bytes.toString('hex', 0, mostBytes)}${bytes.length > mostBytes ? '…' : ''}`;
}

function listOf(texts: readonly string[]): string {
  const more = texts.length > mostRequests ? `; ${texts.length - mostRequests} more` : '';
  return `${texts.slice(0, mostRequests).join('; ')}${more}`;
}

function concerns(asked: readonly Asked[]): boolean {
  return asked.some(({ isOfTag }) => isOfTag);
}
