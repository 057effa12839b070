import type { Client } from '../kit/client.ts';
import { readGroup, readValues } from '../kit/configure.ts';
import { Gateway } from '../kit/gateway.ts';
import { addLibrary, addUnrulyNode, restartsWith } from '../kit/libraries.ts';
import { until } from '../kit/until.ts';

const bystander = 'bystander';

/** A gateway with copies of the unruly driver, and one that behaves and must not be disturbed. */
export class UnrulyGateway {
  readonly gateway: Gateway;
  readonly client: Client;
  #pid: number;
  /** How many ends of the runner of a copy were asked for. */
  readonly #ends = new Map<string, number>();

  private constructor(gateway: Gateway, client: Client) {
    this.gateway = gateway;
    this.client = client;
    this.#pid = gateway.pid;
  }

  /** `ids` are those of the copies. Each has a process of its own. */
  static async start(ids: readonly string[], args: readonly string[] = []): Promise<UnrulyGateway> {
    const gateway = await Gateway.start({
      args,
      prepare: async (data) => {
        for (const id of [bystander, ...ids]) await addLibrary(data, id);
      },
    });
    const unruly = new UnrulyGateway(gateway, await gateway.client());
    await unruly.add(bystander);
    return unruly;
  }

  /** Adds a node of a copy, called like it, and waits until it reads. */
  async add(id: string): Promise<void> {
    await addUnrulyNode(this.client, id);
    await readValues(this.client, id, 'group');
  }

  /** Tells a copy what to do. */
  command(id: string, value: string): ReturnType<Client['call']> {
    return this.client.call('POST', '/write', { node: id, group: 'group', tag: 'command', value });
  }

  /** The log of the gateway. */
  log(): Promise<string> {
    return this.gateway.log();
  }

  /** Waits for the next line that tells why the runner of a copy ended, and returns what it says. */
  async whyEnded(id: string, within?: number): Promise<string> {
    const count = this.#ends.get(id) ?? 0;
    const line = new RegExp(`The runner of the plugin "${id}" (.+?\\.) It is started again`, 'g');
    const why = await until(
      `the log tells why the runner of ${id} ended`,
      async () => [...(await this.log()).matchAll(line)][count]?.[1],
      { within },
    );
    this.#ends.set(id, count + 1);
    return why;
  }

  /** Waits until the runner of a copy, which has no node any more, has ended. */
  async ended(id: string): Promise<void> {
    await until(`the runner of ${id} has ended`, async () =>
      (await this.gateway.runners()).every(({ title }) => title !== `tagway: ${id}`),
    );
  }

  /** Starts the gateway again, and waits until the nodes of a copy and of the driver that behaves run as before. */
  async restartsWith(id: string): Promise<void> {
    await restartsWith(this.gateway, this.client, id, 'group');
    this.#pid = this.gateway.pid;
    await readValues(this.client, bystander, 'group');
    await this.goesOn();
  }

  /** Waits until the gateway, which is the same process still, has a new value of the driver that behaves. */
  async goesOn(): Promise<void> {
    if (this.gateway.pid !== this.#pid) throw new Error('The gateway is another process.');
    const value = async (): Promise<unknown> =>
      (await readGroup(this.client, bystander, 'group')).get('count')?.value;
    const before = await value();
    await until('the other driver is read', async () => Number(await value()) > Number(before), {
      within: 2000,
    });
  }

  dispose(): Promise<void> {
    return this.gateway.dispose();
  }
}
