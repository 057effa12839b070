import type { FrameDirection } from './frames.ts';

/** A message between an app and its server, for people who look at what the node sends. */
export interface AppMessage {
  readonly direction: FrameDirection;
  /** Where it goes or where it came from, such as an MQTT topic, a table, or a topic with a key. */
  readonly topic: string;
  /** What it carries; valid during the call only. */
  readonly data: Uint8Array;
  /** What it means, in one line, where people cannot read `data`. Without it data that is UTF-8 is shown as it is. */
  readonly text?: string;
  /** The subscription whose values it has, where that is known. */
  readonly of?: MessageOrigin;
  /** Why the server does not have it, in one sentence. Absent: the server has it, or it came from there. */
  readonly failure?: string;
}

/** The group of a driver whose values a message has; a subscription is one. */
export interface MessageOrigin {
  readonly driver: string;
  readonly group: string;
}

/** Called with a message once it is known what became of it. */
export type MessageTrace = (message: AppMessage) => void;

/** What sends the messages of an app, and can show them. */
export interface MessageSource {
  /** The server, such as `host:port`. */
  peer(): string;
  /**
   * Shows every message from now on, or no longer when it is undefined. Where there is a `made`, it is called for each message with values of a group
   * at once when it is made of them, before it is sent: a source that leaves this out is not followed to its server.
   */
  trace(trace: MessageTrace | undefined, made?: (of: MessageOrigin) => void): void;
}
