import type { ConnectedClient } from '@tagway/sdk';

/** The side of a node on which masters are. */
export interface Side {
  /** Rejects with a fault when it cannot serve anybody. */
  open(): Promise<void>;
  clients(): readonly ConnectedClient[];
  close(): Promise<void>;
}

/** Counts what was served: requests, answers, exceptions among them, and the bytes. */
export type Served = (
  requests: number,
  answers: number,
  exceptions: number,
  received: number,
  sent: number,
) => void;

/** What a list of connections says of a master. */
export function counted(who: string, requests: number, exceptions: number): string {
  return `${who} (${requests} requests, ${exceptions} exceptions)`;
}
