import { sleep } from '../kit/until.ts';
import type { Arrivals } from './arrivals.ts';
import { counter, type Field, watched } from './field.ts';
import type { Window } from './ledger.ts';

/** Milliseconds before a kill of which the README lets an app lose what it read, with what a busy machine may add. */
const flushWindow = 2000;
/** Milliseconds after fresh samples arrived within which the last ones may still be missing. */
const settling = 2000;
/** Milliseconds within which everything works again. */
const recovery = 90_000;

type Pick = (below: number) => number;

interface OpenWindow extends Window {
  to: number;
}

/** Does to the gateway and its surroundings what a seed says, one after the other, and keeps account of when. */
export class Disturbances {
  readonly windows: Window[] = [];
  /** How often, by what was done. */
  readonly counts = new Map<string, number>();
  /** What did not work again in time. */
  readonly stuck: string[] = [];
  /** False while the gateway is killed and started again. */
  isUp = true;
  /** Longest time in milliseconds from a kill of the gateway until its API was there again. */
  slowestStart = 0;
  readonly #field: Field;
  readonly #pick: Pick;
  readonly #kill: (again: () => Promise<void>) => Promise<void>;

  /** `kill` is called for each kill of the gateway with what kills and starts it, so that others can see to theirs before and after. */
  constructor(field: Field, pick: Pick, kill: (again: () => Promise<void>) => Promise<void>) {
    this.#field = field;
    this.#pick = pick;
    this.#kill = kill;
  }

  /** One disturbance and the recovery from it. `kills` allows kills. */
  async next(kills: boolean): Promise<void> {
    const outages = [
      () => this.#outageOf('plant', (wait) => this.#field.restartDevice(wait)),
      () => this.#outageOf('plant', (wait) => this.#field.stallDevice(wait)),
      () => this.#outageOf('press', (wait) => this.#field.restartPress(wait)),
      () => this.#brokerOutage('cut', (wait) => this.#field.cutBroker(wait)),
      () => this.#brokerOutage('gone', (wait) => this.#field.restartBroker(wait)),
      () => this.#brokerOutage('silent', (wait) => this.#field.stallBroker(wait)),
      () =>
        this.#brokerOutage('cut', (wait) =>
          this.#field.cutBroker(() =>
            this.#outageOf('plant', (also) => this.#field.restartDevice(also), wait),
          ),
        ),
    ];
    const runners = [...new Set([...watched, counter].map(({ plugin }) => plugin)), 'mqtt'];
    const outage = (): Promise<void> => (outages[this.#pick(outages.length)] as () => Promise<void>)();
    const kill = (): Promise<void> => {
      const choice = this.#pick(runners.length + 3);
      return choice < runners.length ? this.#killRunner(runners[choice] as string) : this.#killGateway();
    };
    const choice = kills ? this.#pick(4) : 3;
    if (choice < 2) await kill();
    else if (choice === 2) {
      this.#count('a kill within an outage of the broker');
      await this.#field.cutBroker(async () => {
        await sleep(2000 + this.#pick(4000));
        await kill();
        await sleep(this.#pick(4000));
      });
    } else await outage();
    await this.#recovered();
  }

  /** Waits until all samples arrive at both brokers again. */
  async settle(): Promise<void> {
    await this.#recovered();
  }

  #count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  #open(what: string, before = 0): OpenWindow {
    const window = { what, from: Date.now() - before, to: Infinity };
    this.windows.push(window);
    return window;
  }

  async #outageOf(
    node: string,
    outage: (wait: () => Promise<void>) => Promise<void>,
    meanwhile: () => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    this.#count(`an outage of the device of ${node}`);
    const window = this.#open(`device ${node}`);
    await outage(async () => {
      await sleep(1000 + this.#pick(14_000));
      await meanwhile();
    });
    const keys = watched.filter((group) => group.node === node).map(({ key }) => key);
    await this.#fresh(`samples of ${node} after an outage of its device`, this.#field.steady, keys);
    window.to = Date.now() + settling;
  }

  async #brokerOutage(how: string, outage: (wait: () => Promise<void>) => Promise<void>): Promise<void> {
    this.#count(`a broker that is ${how}`);
    await outage(() => sleep(1000 + this.#pick(19_000)));
  }

  async #killRunner(plugin: string): Promise<void> {
    this.#count(`kill -9 of the runner of ${plugin}`);
    const { pid } = await this.#field.gateway.runner(plugin);
    const window = this.#open(`runner ${plugin}`, flushWindow);
    process.kill(pid, 'SIGKILL');
    const keys = plugin === 'mqtt' ? allKeys : keysOf(plugin);
    await this.#fresh(`samples after a kill of the runner of ${plugin}`, this.#field.steady, keys);
    window.to = Date.now() + settling;
  }

  async #killGateway(): Promise<void> {
    this.#count('kill -9 of the gateway');
    const window = this.#open('gateway', flushWindow);
    await this.#kill(async () => {
      this.isUp = false;
      const { gateway } = this.#field;
      // What is left behind of a killed gateway is told, and ended by the kit.
      await gateway.kill().catch((error: unknown) => this.stuck.push(String(error)));
      const begin = performance.now();
      await gateway.start();
      this.slowestStart = Math.max(this.slowestStart, performance.now() - begin);
      this.isUp = true;
    });
    await this.#fresh('samples after a kill of the gateway', this.#field.steady, allKeys);
    window.to = Date.now() + settling;
  }

  async #recovered(): Promise<void> {
    await this.#fresh('samples at the broker that was out', this.#field.uplink, allKeys);
  }

  /** Waits for a sample of each of the groups that is younger than now. */
  async #fresh(what: string, arrivals: Arrivals, keys: readonly string[]): Promise<void> {
    const begin = Date.now();
    for (;;) {
      const late = keys.filter((key) => arrivals.latest(key) < begin);
      if (late.length === 0) return;
      if (Date.now() - begin > recovery) {
        this.stuck.push(
          `${new Date(begin).toISOString()} no ${what} within ${recovery / 1000} s: ${late.join(', ')}`,
        );
        return;
      }
      await sleep(100);
    }
  }
}

const pushed = `${counter.node}/${counter.group}`;
const allKeys = [...watched.map(({ key }) => key), pushed];
const keysOf = (plugin: string): string[] =>
  plugin === counter.plugin
    ? [pushed]
    : watched.filter((group) => group.plugin === plugin).map(({ key }) => key);
