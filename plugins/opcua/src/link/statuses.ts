import type { StatusCode } from 'node-opcua-client';

/** Whether a status is one of these. */
export function oneOf(...statuses: readonly StatusCode[]): (status: StatusCode | undefined) => boolean {
  const values = new Set(statuses.map(({ value }) => value));
  return (status) => status !== undefined && values.has(status.value);
}
