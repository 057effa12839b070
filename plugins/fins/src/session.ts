import type { Handshake, Protocol } from '@tagway/sdk/link';
import { headerError } from './faults.ts';
import {
  Command,
  commandOf,
  errorOf,
  frameLength,
  isReply,
  mostBytes,
  nodeRequest,
  nodesOf,
  sidOf,
  type Nodes,
} from './protocol.ts';

/** What a session calls after the handshake. */
export interface SessionEvents {
  /** The whole frame of a reply, as a copy. */
  replied(sid: number, frame: Buffer): void;
  /** The connection cannot be used any more; `reason` is a clause. */
  broken(reason: string): void;
}

/** Framing and handshake of FINS/TCP: the two ends agree on their node addresses. */
export class Session implements Protocol<Nodes> {
  readonly most = mostBytes;
  readonly length = frameLength;
  readonly #localNode: number;
  readonly #events: SessionEvents;

  constructor(localNode: number, events: SessionEvents) {
    this.#localNode = localNode;
    this.#events = events;
  }

  async handshake(channel: Handshake): Promise<Nodes> {
    channel.send(nodeRequest(this.#localNode));
    const reply = await channel.next();
    const error = errorOf(reply);
    if (error !== 0) throw new Error(headerError(error));
    const nodes = nodesOf(reply);
    if (nodes === undefined)
      throw new Error(`${channel.peer} answered the request for node addresses with something else`);
    return nodes;
  }

  frame(_nodes: Nodes, data: Buffer, at: number, end: number): void {
    const error = errorOf(data, at);
    if (error !== 0 || commandOf(data, at) === Command.ERROR) return this.#events.broken(headerError(error));
    if (commandOf(data, at) !== Command.FRAME || !isReply(data, at, end))
      return this.#events.broken('what was received is no reply of FINS');
    this.#events.replied(sidOf(data, at), Buffer.from(data.subarray(at, end)));
  }
}
