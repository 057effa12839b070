import { aedesBroker, Gate, hasMosquitto, mosquittoBroker, Peer } from '@tagway/mqtt-client/test';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Subscription } from '@tagway/sdk';
import { randomOf, until } from '@tagway/testkit';
import type { Params } from '../src/topics.ts';
import { sampleOf, settingsOf, startNode, subscription } from './nodes.ts';

const route: Subscription<Params> = { ...subscription, params: { topic: 'up' } };

/** Simulated seconds per second. */
const speed = 7200;

const kinds = hasMosquitto ? (['aedes', 'mosquitto'] as const) : (['aedes'] as const);

for (const kind of kinds) {
  describe(`24 hours, in 12 seconds, of a broker that comes and goes: ${kind}`, function () {
    this.timeout(60_000);

    it('cost no sample, little memory and few lines', async () => {
      await using broker = kind === 'aedes' ? await aedesBroker() : await mosquittoBroker();
      await using peer = await Peer.connect(broker.port, 'up');
      await using gate = await Gate.before(broker);
      const params = {
        host: '127.0.0.1',
        port: gate.port,
        version: kind === 'aedes' ? 4 : 5,
        'cache-mem-size': 1,
        'cache-disk-size': 10,
        'cache-sync-interval': 10,
      };
      await using run = await startNode(params, speed);
      run.app.subscriptionsChanged([route]);
      const random = randomOf(24);
      const end = performance.now() + (24 * 3600 * 1000) / speed;
      let samples = 0;
      let ups = 0;
      let most = 0;
      const flap = async (): Promise<void> => {
        while (performance.now() < end) {
          const dice = random(100);
          gate.behaviour =
            dice < 15
              ? { refuse: true }
              : dice < 40
                ? { cutAfter: random(3000) }
                : dice < 50
                  ? { delay: 20 }
                  : {};
          await gate.open();
          ups++;
          await sleep(10 + random(200));
          if (random(2) === 0) gate.drop();
          else await gate.shut();
          await sleep(random(100));
        }
        gate.behaviour = {};
        await gate.open();
      };
      const flapping = flap();
      while (performance.now() < end) {
        await run.app.deliver(sampleOf(samples++), route);
        most = Math.max(most, run.gauges.get('cached_msgs') ?? 0);
        if (samples % 500 === 0) {
          await run.restart(settingsOf(params));
          run.app.subscriptionsChanged([route]);
        }
        await sleep(5);
      }
      await flapping;
      gate.drop();
      const values = (): Set<number> =>
        new Set(
          peer.texts('up').map((text) => (JSON.parse(text) as { values: { tag0: number } }).values.tag0),
        );
      await until('the cache is empty', () => run.gauges.get('cached_msgs') === 0, 20_000);
      await until('all samples have arrived', () => values().size === samples);
      expect(ups, 'it came and went').to.be.greaterThan(50);
      expect(most, 'something waited').to.be.greaterThan(5);
      expect(run.lines.filter((line) => /gave up|dropped|problem/.test(line))).to.deep.equal([]);
      const warnings = run.lines.filter((line) => line.includes('keeps trying'));
      expect(warnings.length, 'at most one such line per minute').to.be.within(1, 24 * 60);
    });
  });
}
