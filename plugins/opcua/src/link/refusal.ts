import type { StatusCode } from 'node-opcua-client';
import { isTooLargeStatus } from './sizes.ts';

/** The server refused a request as a whole. */
export class Refusal extends Error {
  readonly status: StatusCode;

  constructor(status: StatusCode) {
    super(`The OPC UA server refused a request with ${status.name}: ${status.description}.`);
    this.status = status;
  }
}

/** The server answered in a way that the library cannot decode. */
export class Undecodable extends Error {
  constructor() {
    super('The answer of the OPC UA server cannot be decoded.');
  }
}

/** The status of a request that the server refused, or undefined when it failed in another way. */
export function refusedWith(error: unknown): StatusCode | undefined {
  return error instanceof Refusal ? error.status : undefined;
}

/** Whether a request failed in a way that one for fewer nodes may not. */
export function isDivisible(error: unknown): boolean {
  return error instanceof Undecodable || isTooLargeStatus(refusedWith(error));
}
