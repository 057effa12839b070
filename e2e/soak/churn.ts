import { Attribute, DataType } from '@tagway/schemas';
import { holding, modbusSettings, type TagBody } from '../kit/configure.ts';
import { sleep, until } from '../kit/until.ts';
import type { Session } from './session.ts';

const node = 'churn';
const app = 'steady';
/** Holding registers that tags have addresses for; those that a device does not have are read as faults. */
const registers = 9999;
/** Milliseconds from the beginning of one group to that of the next. */
const period = 10_000;

/** Makes a big group, polls it, subscribes to it and deletes it, again and again. */
export class Churn {
  /** Groups that were seen with values and deleted. */
  rounds = 0;
  readonly #session: Session;
  readonly #tags: readonly TagBody[];
  #group = 0;

  constructor(session: Session, tags: number) {
    this.#session = session;
    this.#tags = Array.from({ length: tags }, (_, index) => ({
      name: `tag${index}`,
      address: holding(1 + (index % registers)),
      attribute: Attribute.READ,
      type: DataType.INT16,
    }));
  }

  async begin(port: number): Promise<void> {
    await this.#session.ok('POST', '/node', {
      name: node,
      plugin: 'Modbus TCP',
      params: modbusSettings(port),
    });
  }

  /** The life of one group. */
  async next(): Promise<void> {
    const from = performance.now();
    this.#group += 1;
    const group = `big ${this.#group}`;
    const subscription = { app, driver: node, group };
    await this.#session.ok('POST', '/group', { node, name: group, interval: 1000 });
    try {
      await this.#session.ok('POST', '/tags', { node, group, tags: this.#tags });
      await this.#session.ok('POST', '/subscribe', { ...subscription, params: { topic: `churn/${group}` } });
      await until('the big group is read', () => this.#isRead(group), { within: 60_000, every: 200 });
    } finally {
      // A kill may have undone what was asked for last.
      await this.#session.ok('DELETE', '/subscribe', subscription).catch(() => undefined);
      await this.#session.ok('DELETE', '/group', { node, group });
    }
    this.rounds += 1;
    await sleep(Math.max(0, from + period - performance.now()));
  }

  async #isRead(group: string): Promise<boolean> {
    const query = { currentPage: 1, pageSize: 20 };
    const body = { node, group, query };
    const { items } = await this.#session.ok<{ items: { value?: unknown }[] }>(
      'POST',
      '/read/paginate',
      body,
    );
    return items.length > 0 && items.every(({ value }) => value !== undefined);
  }
}
