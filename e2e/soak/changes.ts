import { isDeepStrictEqual } from 'node:util';
import { modbusSettings } from '../kit/configure.ts';
import { type Corner, cornerOf, type Mutation, nextMutation } from '../kit/mutations.ts';
import type { Client } from '../kit/client.ts';
import { Interrupted, type Session } from './session.ts';

type Pick = (below: number) => number;

/** Tags beyond which a corner loses its largest group. */
const tagLimit = 300;

/** Changes a corner of the configuration, one request after the other, and knows what was acknowledged. */
export class Changes {
  acknowledged = 0;
  readonly lost: string[] = [];
  readonly #session: Session;
  readonly #pick: Pick;
  #certain: Corner;
  /** The corner as the request leaves it that is under way or was without an answer. */
  #possible: Corner;
  #serial = 0;
  /** Nodes that come and go, by what is known of them. */
  readonly #guests = new Map<string, 'there' | 'gone' | 'unknown'>();
  #guest = 0;

  constructor(session: Session, index: number, pick: Pick) {
    this.#session = session;
    this.#pick = pick;
    this.#certain = { node: `corner ${index}`, app: `corner app ${index}`, timeout: null, groups: {} };
    this.#possible = this.#certain;
  }

  async begin(): Promise<void> {
    await this.#session.ok('POST', '/node', { name: this.#certain.node, plugin: 'Modbus TCP' });
    await this.#session.ok('POST', '/node', { name: this.#certain.app, plugin: 'MQTT' });
  }

  /** Makes one change, or compares everything with what the gateway says when a request before had no answer. */
  async next(): Promise<void> {
    if (this.#possible !== this.#certain || this.#pick(200) === 0) await this.verify();
    else if (this.#pick(10) === 0) await this.#nextGuest();
    else {
      this.#serial += 1;
      const { method, path, data, then } =
        shrink(this.#certain) ?? nextMutation(this.#certain, this.#serial, this.#pick);
      this.#possible = then;
      await this.#session.ok(method, path, data);
      this.#certain = then;
      this.acknowledged += 1;
    }
  }

  async #nextGuest(): Promise<void> {
    const there = [...this.#guests].find(([, state]) => state === 'there')?.[0];
    const name = there ?? `${this.#certain.node} guest ${(this.#guest += 1)}`;
    this.#guests.set(name, 'unknown');
    if (there === undefined)
      await this.#session.ok('POST', '/node', { name, plugin: 'Modbus TCP', params: modbusSettings(9) });
    else await this.#session.ok('DELETE', '/node', { name });
    this.#guests.set(name, there === undefined ? 'there' : 'gone');
    this.acknowledged += 1;
  }

  /** Compares what was acknowledged with what the gateway has. */
  async verify(): Promise<void> {
    const { node, app } = this.#certain;
    // Calls that a kill interrupts end this as any other, and the next round asks again.
    const asking = { ok: this.#session.ok.bind(this.#session), call: this.#call.bind(this) };
    const seen = await cornerOf(asking as unknown as Client, node, app);
    const { nodes } = await this.#session.ok<{ nodes: { name: string }[] }>('GET', '/node', { type: 1 });
    if (!isDeepStrictEqual(seen, this.#certain) && !isDeepStrictEqual(seen, this.#possible))
      this.lost.push(
        `${new Date().toISOString()} ${node} is ${JSON.stringify(seen).slice(0, 500)} instead of ${JSON.stringify(this.#certain).slice(0, 500)}.`,
      );
    this.#certain = this.#possible = seen;
    for (const [name, state] of this.#guests) {
      const isThere = nodes.some((row) => row.name === name);
      if (state !== 'unknown' && isThere !== (state === 'there'))
        this.lost.push(`${new Date().toISOString()} ${name} should be ${state} and is not.`);
      if (isThere) this.#guests.set(name, 'there');
      else this.#guests.delete(name);
    }
  }

  /** A node without settings answers so, which is no failure. */
  async #call(...call: Parameters<Client['call']>): Promise<unknown> {
    const [method, path, data] = call;
    try {
      return { body: await this.#session.ok(method, path, data) };
    } catch (error) {
      if (error instanceof Interrupted) throw error;
      return { body: {} };
    }
  }
}

/** The change that makes a corner smaller which has grown large. */
function shrink(corner: Corner): Mutation | undefined {
  const groups = Object.entries(corner.groups);
  const count = groups.reduce((sum, [, { tags }]) => sum + tags.length, 0);
  const [largest] = groups.toSorted(([, one], [, other]) => other.tags.length - one.tags.length);
  if (count <= tagLimit || largest === undefined) return undefined;
  const [name, group] = largest;
  const { node, app } = corner;
  if (group.topic !== null)
    return {
      method: 'DELETE',
      path: '/subscribe',
      data: { app, driver: node, group: name },
      then: { ...corner, groups: { ...corner.groups, [name]: { ...group, topic: null } } },
    };
  const rest = Object.fromEntries(groups.filter(([other]) => other !== name));
  return { method: 'DELETE', path: '/group', data: { node, group: name }, then: { ...corner, groups: rest } };
}
