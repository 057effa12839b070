import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep, until } from '../kit/until.ts';
import { Authority, hasOpenssl } from '../world/certificates.ts';
import type { Outcome } from './judge.ts';
import { memberPlaces } from './members.ts';
import { noPair, Pair, type PairOptions } from './pair.ts';
import type { Side } from './pair-gateway.ts';
import { now } from './referee.ts';
import { longestPause } from './tenures.ts';

/** Why certificates cannot be tried here; undefined: they can. */
export const noCertificates = noPair ?? (hasOpenssl ? undefined : 'openssl is not installed');

/** Seconds for which the certificate of a gateway is good, and after which it gets another. */
const good = 24;
const renewed = 7;

/** Milliseconds without a request that show that polling was disturbed. */
const pause = 1000;

/**
 * etcd knows the gateways by certificates that end after seconds, and that are renewed as a careless script does it: the key first, the
 * certificate later. Every member of etcd is started anew meanwhile, so that all connections are made again. Then the active gateway gets
 * no more of them: it says so, and the other one takes over.
 */
export async function tryCertificates(options: PairOptions): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'tagway-authority-'));
  try {
    const authority = new Authority(folder);
    await using pair = await Pair.open({ ...options, authority, certificateSeconds: good });
    using renewals = new Renewals(pair, authority);
    await pair.configure();
    return await renew(pair, renewals);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function renew(pair: Pair, renewals: Renewals): Promise<Outcome> {
  const broken: string[] = [];
  const { active, standby } = await pair.settled();
  const begin = now();
  while (now() - begin < 1000 * (good + renewed))
    for (const place of memberPlaces) {
      await pair.members.kill(place);
      await sleep(500);
      pair.members.begin(place);
      await pair.members.whole();
      await sleep(2000);
    }
  const end = now();
  const gap = longestPause(await pair.referee.since(begin), begin, end);
  if (gap > pause * pair.patience) broken.push(`renewed certificates cost ${gap.toFixed(0)} ms`);
  if (await pair.referee.hears(standby.side, begin))
    broken.push('another gateway polled after certificates were renewed');

  renewals.leaveOut(active.side);
  const isOver = async (): Promise<boolean> => (await standby.status()).role === 'active';
  // Connections that are there go on: only new ones are asked for a certificate.
  await sleep(1000 * good);
  for (const place of memberPlaces) {
    await pair.members.kill(place);
    pair.members.begin(place);
    await pair.members.whole();
  }
  await until('the other gateway takes over', isOver, { within: 30_000 });
  let said = '';
  await until('the gateway with the old certificate says so', async () => {
    said = (await active.status()).etcd_problem ?? '';
    return said.includes('that of --pair-cert, ended on');
  }).catch((error: unknown) => broken.push(`${String(error)} It says: ${said}`));
  renewals.takeIn(active.side);
  await pair.settled();
  return {
    lines: [
      `Certificates: renewed ${renewals.count} times, with all members of etcd started anew, the longest pause was ${gap.toFixed(0)} ms; ` +
        'a gateway whose certificate had ended said so, and the other one took over',
    ],
    broken,
  };
}

/** Gives gateways new certificates all the time. */
class Renewals implements Disposable {
  readonly #pair: Pair;
  readonly #authority: Authority;
  readonly #timer: NodeJS.Timeout;
  readonly #leftOut = new Set<Side>();
  count = 0;

  constructor(pair: Pair, authority: Authority) {
    this.#pair = pair;
    this.#authority = authority;
    this.#timer = setInterval(() => void this.#renew(), 1000 * renewed);
  }

  leaveOut(side: Side): void {
    this.#leftOut.add(side);
  }

  takeIn(side: Side): void {
    this.#leftOut.delete(side);
    void this.#renew();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  async #renew(): Promise<void> {
    for (const gateway of [this.#pair.west, this.#pair.east]) {
      if (this.#leftOut.has(gateway.side)) continue;
      const files = gateway.certificate;
      const { cert, key } = this.#authority.issue(gateway.side, [], good);
      await writeFile(files.key, key);
      await sleep(500);
      await writeFile(files.cert, cert);
      this.count += 1;
    }
  }
}
