import { setTimeout as sleep } from 'node:timers/promises';
import { brokers, Gate, layoutOf, sampleWith } from '@tagway/mqtt-client/test';
import { expect } from 'chai';
import { DataType, ErrorCode, LinkState } from '@tagway/sdk';
import { randomOf, until } from '@tagway/testkit';
import { Host } from './host.ts';
import { plain } from './oracle.ts';
import { feed, launchNode, stateOf, subscriptionTo, type SparkplugTestNode } from './nodes.ts';

/** Layouts that a group has in turn; all have the metric `level`, whose values are never the same twice. */
const layouts = [
  layoutOf([{ name: 'level', type: DataType.INT32 }]),
  layoutOf([
    { name: 'other', type: DataType.STRING },
    { name: 'level', type: DataType.INT32 },
  ]),
  layoutOf([
    { name: 'level', type: DataType.INT32 },
    { name: 'other', type: DataType.DOUBLE },
  ]),
];

/** A node whose link to its broker and whose driver's link come and go, and whose group changes. */
class FlappingLinks {
  /** Levels that were read while the driver had its link. */
  readonly levels: number[] = [];
  readonly #run: SparkplugTestNode;
  readonly #gate: Gate;
  readonly #host: Host;
  readonly #random: (limit: number) => number;
  #level = 0;
  #turn = 0;
  #isUp = true;

  constructor(run: SparkplugTestNode, gate: Gate, host: Host, seed: number) {
    this.#run = run;
    this.#gate = gate;
    this.#host = host;
    this.#random = randomOf(seed);
  }

  async step(): Promise<void> {
    const chance = this.#random(100);
    if (chance < 2) this.#gate.drop();
    else if (chance < 3) {
      await this.#gate.shut();
      await sleep(this.#random(100));
      await this.#gate.open();
    } else if (chance < 6) await this.#host.rebirth();
    else if (chance < 10) this.turn(!this.#isUp);
    else if (chance < 13) this.change();
    else this.read();
    await sleep(this.#random(10));
  }

  turn(up: boolean): void {
    this.#isUp = up;
    this.#run.app.driversChanged?.([stateOf('modbus', up ? LinkState.CONNECTED : LinkState.DISCONNECTED)]);
    this.read();
  }

  change(): void {
    this.#turn++;
    this.#run.app.subscriptionsChanged([subscriptionTo(this.#layout)]);
    this.read();
  }

  read(): void {
    const level = ++this.#level;
    const fault = { fault: ErrorCode.DISCONNECTED };
    const values = this.#layout.columns.map(({ name, type }) => {
      if (!this.#isUp) return fault;
      return name === 'level' ? level : type === DataType.STRING ? String(level) : level / 2;
    });
    if (this.#isUp) this.levels.push(level);
    this.#run.deliver(
      sampleWith(this.#layout, values, { timestamp: Date.now() }),
      subscriptionTo(this.#layout),
    );
  }

  get #layout(): (typeof layouts)[number] {
    return layouts[this.#turn % layouts.length] as (typeof layouts)[number];
  }
}

for (const [name, present, open] of brokers) {
  (present ? describe : describe.skip)(`links that come and go, with ${name}`, function () {
    this.timeout(60_000);
    for (const alias of [false, true]) {
      it(`keep every rule of a session and lose no value, ${alias ? 'with' : 'without'} aliases`, async () => {
        await using broker = await open();
        await using gate = await Gate.before(broker);
        await gate.open();
        await using host = await Host.connect(broker.port);
        // Waits between attempts pass ten times as fast.
        await using run = await launchNode(gate.port, { alias, 'rebirth-debounce': 200 }, { speed: 10 });
        await until('the node is connected', () => run.link === LinkState.CONNECTED);
        const flapping = new FlappingLinks(run, gate, host, alias ? 5 : 4);
        feed(run, sampleWith(layouts[0] as (typeof layouts)[number], [0]));
        for (let step = 0; step < 600; step++) await flapping.step();
        flapping.turn(true);
        await until('the node is connected', () => run.link === LinkState.CONNECTED, 30_000);
        const missing = (): number[] => {
          const published = new Set(
            host.messages
              .filter(({ type }) => type === 'DDATA' || type === 'DBIRTH')
              .flatMap(({ payload }) => payload.metrics)
              .filter((metric) => Object.hasOwn(metric, 'intValue'))
              .map(plain),
          );
          return flapping.levels.filter((level) => !published.has(level));
        };
        const end = performance.now() + 10_000;
        while (missing().length > 0 && performance.now() < end) await sleep(100);
        expect(missing()).to.deep.equal([]);
        await until('the last value is known', () => host.value('level') === flapping.levels.at(-1));
        expect(host.of('NBIRTH').length).to.be.greaterThan(5);
      });
    }
  });
}
