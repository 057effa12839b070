import type { StatusReply } from '@tagway/schemas';
import type { Client } from './client.ts';
import { until } from './until.ts';

export type Source = NonNullable<StatusReply['source']>;

/** What the status of a gateway says of its source. */
export const sourceOf = async (client: Client): Promise<Source | undefined> =>
  (await client.ok<StatusReply>('GET', '/status')).source;

/** Waits until the status of the source is so. */
export const waitForSource = (
  client: Client,
  what: string,
  is: (source: Source) => boolean,
  within = 60_000,
): Promise<Source> => {
  let last: Source | undefined;
  return until(
    what,
    async () => {
      last = await sourceOf(client);
      return last !== undefined && is(last) && last;
    },
    { within },
  ).catch((error: unknown) => {
    throw new Error(`The source is ${JSON.stringify(last)}`, { cause: error });
  });
};

/** Waits until something is wrong with the source, and gives the sentence about it. */
export const waitForProblem = async (client: Client, part: string): Promise<string> => {
  let last = '';
  const { problem } = await waitForSource(client, `a problem says "${part}"`, (source) => {
    last = source.problem?.message ?? '';
    return last.includes(part);
  }).catch((error: unknown) => {
    throw new Error(`The source says: ${last}`, { cause: error });
  });
  return problem?.message ?? '';
};

/** The interval of a group of a driver. */
export const intervalOf = async (
  client: Client,
  node = 'boiler',
  group = 'fast',
): Promise<number | undefined> => {
  const { groups } = await client.ok<{ groups: { name: string; interval: number }[] }>('GET', '/group', {
    node,
  });
  return groups.find(({ name }) => name === group)?.interval;
};
