import type { ConnectionOptions } from 'node:tls';

/** The last will: what the broker publishes, never retained, when the connection ends without a DISCONNECT packet. */
export interface Will {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly qos: 0 | 1 | 2;
}

/** A broker and how to connect to it. */
export interface Broker {
  readonly host: string;
  readonly port: number;
  readonly clientId: string;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly version: 4 | 5;
  /** Quality of service of published messages. */
  readonly qos: 0 | 1 | 2;
  readonly tls: ConnectionOptions | undefined;
  /** A function is called for every connection just before its CONNECT, and not for one that does not get as far. */
  readonly will: Will | (() => Promise<Will>) | undefined;
  /** True: a message of QoS 0 is settled when the broker has answered a ping that was sent after it. */
  readonly confirmsByPing?: boolean;
}

/** Why the broker refused a message. */
export interface Refusal {
  readonly reason: string;
  /** The broker may take the message later. */
  readonly temporary: boolean;
}

/** Called when the broker has confirmed or refused a message. Not called for messages in flight when the connection ends. */
export type OnSettled = (refused: Refusal | undefined) => void;
