import { setTimeout as delay } from 'node:timers/promises';
import { ErrorCode, type FleetGateway, type FleetMember } from '@tagway/schemas';
import { type Fault, isFault } from '@tagway/sdk';
import type { OpenGateway, OtherGateway } from '../ports/fleet.ts';
import type { FleetRecord } from '../records/records.ts';
import type { State } from '../records/state.ts';
import { reasonOf, Refusal, saidBy, sentence } from '../system/sentence.ts';
import { FleetSettings, hasSealedToken } from './fleet-settings.ts';
import { factsOf, type GatewayFacts } from './gateway-facts.ts';

/**
 * Gateways that are asked at the same time, and how many of them may be such as did not answer last. Each has two seconds: where this machine
 * is busy, many at once would all be late.
 */
const mostAsking = 16;
const mostSilent = 8;
/** Milliseconds for which an answer is shown to everybody who looks, without asking again. */
const freshFor = 4000;
/** Milliseconds for which somebody who looks waits for answers. Gateways that did not answer last are not waited for. */
const patience = 1500;

/** The worst first. */
const order: readonly FleetMember['health'][] = [
  ...(['unreachable', 'down', 'degraded', 'waiting', 'good', 'standby', 'stopped'] as const),
];

/** A gateway of the list, and what is known of it. */
interface Member {
  gateway: FleetGateway;
  readonly other: OtherGateway | undefined;
  facts?: GatewayFacts;
  fault?: Fault;
  /** When its last answer came, or did not come, of `performance.now()`. */
  answered?: number;
  /** Since when it answers, or does not, in milliseconds since the epoch. */
  since?: number;
  asking?: Promise<void>;
}

/** Other gateways in one view. Each is asked when somebody looks, and never otherwise; nothing of what they say is stored. */
export class Fleet {
  readonly settings: FleetSettings;
  readonly #open: OpenGateway;
  #members: readonly Member[] = [];
  /** Those that wait to be asked, with what begins it. */
  readonly #waiting: { readonly member: Member; readonly begin: () => void }[] = [];
  readonly #asked = new Set<Member>();

  constructor(state: State, open: OpenGateway) {
    this.#open = open;
    this.settings = new FleetSettings(state, (gateways) => this.#take(gateways));
  }

  /** Takes what is stored, in the place of what was. */
  load(record: FleetRecord | undefined): void {
    this.settings.load(record);
  }

  /** How all gateways of the list are, the worst first. One that does not answer delays no other one. */
  async members(): Promise<readonly FleetMember[]> {
    const now = performance.now();
    for (const member of this.#members)
      if (member.asking === undefined && (member.answered ?? -Infinity) + freshFor <= now) this.#ask(member);
    const awaited = this.#members.flatMap(({ asking, fault }) =>
      asking === undefined || fault !== undefined ? [] : asking,
    );
    if (awaited.length > 0) {
      const ending = new AbortController();
      const late = delay(patience, undefined, { signal: ending.signal, ref: false }).catch(() => undefined);
      await Promise.race([Promise.all(awaited), late]);
      ending.abort();
    }
    return this.#members
      .map(shown)
      .sort(
        (one, other) =>
          order.indexOf(one.health) - order.indexOf(other.health) || one.name.localeCompare(other.name),
      );
  }

  close(): void {
    this.#take([]);
  }

  #take(gateways: readonly FleetGateway[]): void {
    const before = new Map(this.#members.map((member) => [keyOf(member.gateway), member]));
    this.#members = gateways.map((gateway) => {
      const known = before.get(keyOf(gateway));
      before.delete(keyOf(gateway));
      if (known === undefined)
        return { gateway, other: hasSealedToken(gateway) ? undefined : this.#open(gateway) };
      known.gateway = gateway;
      return known;
    });
    for (const member of before.values()) member.other?.close();
  }

  #ask(member: Member): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ member, begin: resolve });
    member.asking = promise
      .then(() => answerOf(member))
      .finally(() => {
        delete member.asking;
        this.#asked.delete(member);
        this.#begin();
      });
    this.#begin();
  }

  /** Those that answered last, or are new, go first. */
  #begin(): void {
    while (this.#asked.size < mostAsking) {
      const silent = [...this.#asked].filter(({ fault }) => fault !== undefined).length;
      const well = this.#waiting.findIndex(({ member }) => member.fault === undefined);
      const next = well < 0 && silent < mostSilent ? 0 : well;
      const [begun] = next < 0 ? [] : this.#waiting.splice(next, 1);
      if (begun === undefined) return;
      this.#asked.add(begun.member);
      begun.begin();
    }
  }
}

/** What is kept of an answer belongs to the address and the token, not to the name. */
function keyOf({ url, token, ca = '' }: FleetGateway): string {
  return JSON.stringify([url, token, ca]);
}

/** Asks a gateway and keeps its answer. Never rejects. */
async function answerOf(member: Member): Promise<void> {
  const wasSilent = member.fault !== undefined;
  try {
    if (member.other === undefined) throw sealed();
    member.facts = factsOf(await member.other.ask());
    delete member.fault;
  } catch (error) {
    member.fault = isFault(error)
      ? error
      : new Refusal(ErrorCode.INTERNAL, sentence`The gateway could not be asked, by an error of this one.`);
  }
  const isSilent = member.fault !== undefined;
  if (member.answered === undefined || isSilent !== wasSilent) member.since = Date.now();
  member.answered = performance.now();
}

function sealed(): Refusal {
  return new Refusal(
    ErrorCode.GATEWAY_LOGIN_REFUSED,
    sentence`The token of the gateway was stored with another key of secrets and cannot be opened. Set it anew.`,
  );
}

function shown({ gateway: { name, url }, facts, fault, since }: Member): FleetMember {
  const known = { name, url, ...(since !== undefined && { since }) };
  if (fault !== undefined)
    return { ...known, health: 'unreachable', worst: [], error: fault.code, ...saidBy(reasonOf(fault)) };
  return facts === undefined ? { ...known, health: 'waiting', worst: [] } : { ...known, ...facts };
}
