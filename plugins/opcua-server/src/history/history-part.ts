import type { AppContext } from '@tagway/sdk';
import type { DataValue } from 'node-opcua-data-value';
import type { StatusCode } from 'node-opcua-status-code';

/** Most values of one tag in an answer. */
export const mostValues = 10_000;
/** What a range of the history of a tag holds, and where the client goes on. */
export interface HistoryPart {
  readonly values: DataValue[];
  readonly continuation?: Buffer;
}

/** The history of one tag. */
export type HistorySource = (
  range: Parameters<AppContext['history']>[1],
) => ReturnType<AppContext['history']>;

/** Thrown where a read is refused with a status. */
export class Refused extends Error {
  readonly status: StatusCode;

  constructor(status: StatusCode) {
    super(status.name);
    this.status = status;
  }
}
