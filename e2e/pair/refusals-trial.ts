import { ErrorCode } from '@tagway/schemas';
import { sleep, until } from '../kit/until.ts';
import type { Outcome } from './judge.ts';
import type { Members } from './members.ts';
import type { Pair } from './pair.ts';
import { now } from './referee.ts';
import { longestPause } from './tenures.ts';

/** Milliseconds for which etcd refuses: longer than a lease lives. */
const lasting = 8000;

/** Milliseconds without a request that show that polling was disturbed. */
const pause = 1000;

/** Makes etcd refuse what it is asked, and resolves with what undoes that. */
type Refusal = (members: Members) => Promise<() => Promise<unknown>>;

const refusals: Readonly<Record<string, { readonly begin: Refusal; readonly says: RegExp }>> = {
  'a full database': {
    begin: async (members) => {
      const { header } = (await members.ask('maintenance/status', {})) as { header: { member_id: string } };
      const alarm = { memberID: header.member_id, alarm: 'NOSPACE' };
      await members.ask('maintenance/alarm', { action: 'ACTIVATE', ...alarm });
      return () => members.ask('maintenance/alarm', { action: 'DEACTIVATE', ...alarm });
    },
    says: /NOSPACE/,
  },
  authentication: {
    begin: async (members) => {
      const user = { name: 'root', password: 'referee-1' };
      await members.ask('auth/user/add', user).catch(() => undefined);
      await members.ask('auth/role/add', { name: 'root' }).catch(() => undefined);
      await members.ask('auth/user/grant', { user: 'root', role: 'root' }).catch(() => undefined);
      await members.ask('auth/enable', {});
      return async () => {
        const { token } = (await members.ask('auth/authenticate', user)) as { token: string };
        await members.ask('auth/disable', {}, token);
      };
    },
    says: /etcd refused: .*user name is empty/,
  },
};

/** etcd answers and refuses: the active gateway says so, polls on and hands nothing over. */
export async function tryRefusals(pair: Pair): Promise<Outcome> {
  const broken: string[] = [];
  for (const [what, { begin, says }] of Object.entries(refusals)) {
    const found = await refused(pair, begin, says);
    broken.push(...found.map((one) => `${what} of etcd: ${one}`));
  }
  return { lines: ['Refusals: polling went on with a full etcd and one that asks for a password'], broken };
}

async function refused(pair: Pair, beginRefusal: Refusal, says: RegExp): Promise<string[]> {
  const { active } = await pair.settled();
  const client = await active.client();
  const broken: string[] = [];
  const begin = now();
  const end = await beginRefusal(pair.members);
  try {
    await until('the active gateway says what etcd refuses', async () =>
      says.test((await active.status()).etcd_problem ?? ''),
    );
    const metrics = await (await fetch(`${active.url}/api/v2/metrics`)).text();
    if (!/^tagway_pair_etcd_refuses\S* 1$/m.test(metrics)) broken.push('the metric does not say it');
    const reply = await client.call('POST', '/pair/switch', { reason: 'the trial' });
    if (reply.body.error !== ErrorCode.COMMAND_FAILED || !says.test(reply.text))
      broken.push(`a switch was answered with ${reply.status} ${reply.text}`);
    await sleep(lasting);
  } finally {
    await end();
  }
  const { role } = await active.status();
  if (role !== 'active') broken.push(`the active gateway became ${role}`);
  const polls = await pair.referee.since(begin);
  const gap = longestPause(polls, begin, now());
  if (gap > pause * pair.patience) broken.push(`${gap.toFixed(0)} ms without a request`);
  if (polls.some(({ from }) => from !== active.side)) broken.push('another gateway polled');
  await until('nothing is refused any more', async () => (await active.status()).etcd_problem === null, {
    within: 20_000,
  });
  await pair.settled();
  return broken;
}
