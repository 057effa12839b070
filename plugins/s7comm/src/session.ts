import type { Handshake, Link, Protocol, Request } from '@tagway/sdk/link';
import { errorInWords } from './faults.ts';
import {
  AnswerHeader,
  connectRequest,
  Cotp,
  envelope,
  Job,
  largestTpdu,
  packetLength,
  setReference,
  setupRequest,
} from './protocol.ts';
import type { Settings } from './settings.ts';

/** What the handshake found out. */
export interface Agreement {
  /** Bytes of the largest message, in both directions. */
  readonly pdu: number;
  /** Jobs that may wait for answers at once. */
  readonly jobs: number;
}

/** A job that waits for its answer. */
export interface PendingJob extends Request {
  readonly packet: Buffer;
  /** Takes the answer; false when it does not fit the job. The bytes are valid during the call only. */
  answered(header: AnswerHeader, data: Buffer): boolean;
}

/** What takes the messages of a session. */
export interface MessageSink {
  up(agreement: Agreement): void;
  /** An S7 message is `data[at, end)`; it is valid during the call only. */
  message(data: Buffer, at: number, end: number): void;
}

/** A PDU below this holds no item. */
const leastPdu = 64;

/** Bytes of a message that comes in several pieces; no PLC grants a PDU that large. */
const mostMessage = 65_536;

/** The handshake and the framing of S7 on TCP: connection, then PDU size and jobs in parallel; later, messages out of packets. */
export class Session implements Protocol<Agreement> {
  /** Larger than any PDU that is asked for, because there are PLCs that do not keep to theirs. */
  readonly most = 8192;
  readonly length = packetLength;
  readonly #settings: Settings;
  readonly #sink: MessageSink;
  readonly #lose: Link['lose'];
  /** The beginning of a message that continues in the next packet. */
  #pieces: Buffer[] = [];

  constructor(settings: Settings, sink: MessageSink, lose: Link['lose']) {
    this.#settings = settings;
    this.#sink = sink;
    this.#lose = lose;
  }

  async handshake(channel: Handshake): Promise<Agreement> {
    this.#pieces = [];
    const { pdu_size, max_in_flight } = this.#settings;
    channel.send(connectRequest(...tsapsOf(this.#settings)));
    const confirm = await channel.next();
    if (confirm[5] !== Cotp.CONFIRM) throw new Error(refusedConnection(channel.peer, confirm));
    const setup = setupRequest(max_in_flight, Math.min(pdu_size, largestTpdu(confirm) - 3));
    setReference(setup, 1);
    channel.send(setup);
    return this.#agreed(channel.peer, await channel.next());
  }

  up(agreement: Agreement): void {
    this.#sink.up(agreement);
  }

  frame(_agreement: Agreement, data: Buffer, at: number, end: number): void {
    const kind = data[at + 5] as number;
    if (kind === Cotp.DISCONNECT || kind === Cotp.ERROR)
      return this.#lose('the PLC ended the connection', 'closed');
    const start = messageStart(data, at, end);
    if (start < 0) return this.#lose('what was received is no data of this protocol', 'malformed');
    const isLast = ((data[at + 6] as number) & 0x80) !== 0;
    if (isLast && this.#pieces.length === 0) return this.#sink.message(data, start, end);
    this.#pieces.push(Buffer.from(data.subarray(start, end)));
    const size = this.#pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (size > mostMessage) return this.#lose('the PLC sent a message without end', 'malformed');
    if (!isLast) return;
    const message = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#sink.message(message, 0, message.length);
  }

  #agreed(peer: string, packet: Buffer): Agreement {
    const header = new AnswerHeader();
    const start = messageStart(packet, 0, packet.length);
    if (start < 0 || !header.parse(packet, start, packet.length) || !header.isAnswer)
      throw new Error(`what listens at ${peer} does not speak S7`);
    if (header.error !== 0)
      throw new Error(`the PLC refused to agree on a PDU size with ${errorInWords(header.error)}`);
    if (header.func !== Job.SETUP || header.data - header.parameters < 8)
      throw new Error(`what listens at ${peer} does not speak S7`);
    const granted = packet.readUInt16BE(header.parameters + 6);
    const jobs = packet.readUInt16BE(header.parameters + 2);
    if (granted < leastPdu) throw new Error(`the PLC grants a PDU of ${granted} bytes, which is too small`);
    const { pdu_size, max_in_flight } = this.#settings;
    return { pdu: Math.min(granted, pdu_size), jobs: Math.max(1, Math.min(jobs, max_in_flight)) };
  }
}

/** Where the message in a packet begins; -1 when the packet carries no message. */
function messageStart(data: Buffer, at: number, end: number): number {
  return data[at + 4] === 2 && data[at + 5] === Cotp.DATA && end - at >= envelope ? at + envelope : -1;
}

/** The transport selectors of the gateway and of the PLC. */
function tsapsOf({ connection_type, local_tsap, rack, remote_tsap, slot }: Settings): [number, number] {
  return [tsapOf(local_tsap) ?? 0x0100, tsapOf(remote_tsap) ?? (connection_type << 8) | (rack << 5) | slot];
}

/** `10.01` as 0x1001. */
function tsapOf(text: string): number | undefined {
  return text === '' ? undefined : Number.parseInt(text.replace('.', ''), 16);
}

function refusedConnection(peer: string, packet: Buffer): string {
  if (packet[5] !== Cotp.DISCONNECT && packet[5] !== Cotp.ERROR)
    return `what listens at ${peer} does not speak S7`;
  const reason = packet[5] === Cotp.DISCONNECT ? ` (reason ${packet[10] ?? 0})` : '';
  return `the PLC at ${peer} refused the connection${reason}: check rack, slot and connection type, and whether it has a connection left`;
}
