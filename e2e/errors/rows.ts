import type { Data } from '../client.ts';

/**
 * One error reply of the API: what is asked, of the gateway that test/errors.test.ts sets up, and what is answered. The
 * gateway has the drivers `plant` (connected), `dark` (its device is not there), `idle` (never set up) and `single`
 * (running, cannot write several tags), the apps `north` (subscribed to plant/line) and `bare` (never set up). The group
 * `line` of `plant` has one tag of each kind that the rows name. `index` is, of a batch, how many tags were applied.
 */
export type ErrorRow = readonly [when: string, send: Data, status: number, error: number, index?: number];

/** Rows by endpoint. */
export type ErrorTable = Readonly<Record<string, readonly ErrorRow[]>>;

export const n127 = 'n'.repeat(127);
export const n128 = 'n'.repeat(128);
export const tag = (members: object = {}): object => ({
  name: 'fresh',
  address: '1!400001',
  attribute: 1,
  type: 3,
  ...members,
});
export const line = { node: 'plant', group: 'line' };
export const many = (...tags: object[]): Data => ({ node: 'idle', group: 'line', tags });
export const write = (name: string, value: unknown): Data => ({ ...line, tag: name, value });
export const writes = (...tags: [name: string, value: unknown][]): Data => ({
  ...line,
  tags: tags.map(([name, value]) => ({ tag: name, value })),
});
