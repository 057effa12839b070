import { X509Certificate } from 'node:crypto';
import { ErrorCode, type FleetGateway, type FleetGateways } from '@tagway/schemas';
import { isSealed, mapSecrets, secretMask } from '../access/secrets.ts';
import { type Asking, checkManager } from '../access/users.ts';
import type { Params } from '../model.ts';
import { type FleetRecord, keys } from '../records/records.ts';
import type { State } from '../records/state.ts';
import { Refusal, sentence, type Sentence } from '../system/sentence.ts';

/** Which members of the record of the fleet are secrets. */
export const fleetSchema = {
  properties: {
    gateways: { items: { properties: { token: { writeOnly: true } }, additionalProperties: {} } },
  },
  additionalProperties: {},
};

/** What a header of HTTP can carry as a token. */
const tokenForm = /^[\x21-\x7e]+$/;
const certificateForm = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs;

/** The list of the gateways of the fleet, as an admin has set it. */
export class FleetSettings {
  readonly #state: State;
  readonly #changed: (gateways: readonly FleetGateway[]) => void;
  #gateways: readonly FleetGateway[] = [];

  /** `changed` gets what holds from now on. A token that no key opens is none: see `isSealed`. */
  constructor(state: State, changed: (gateways: readonly FleetGateway[]) => void) {
    this.#state = state;
    this.#changed = changed;
  }

  /** Takes what is stored, in the place of what was. */
  load(record: FleetRecord | undefined): void {
    this.#take(record?.params.gateways ?? []);
  }

  get size(): number {
    return this.#gateways.length;
  }

  /** As clients see it. */
  shown(): FleetGateways {
    return { gateways: withTokens(this.#gateways, () => secretMask) };
  }

  /** Rejects with USER_NOT_PERMITTED or PARAM_INVALID. A token that is the mask keeps the one that is stored for the same address. */
  async set(asking: Asking, { gateways }: FleetGateways): Promise<void> {
    checkManager(asking);
    await this.#state.change(async () => {
      checkList(gateways);
      const stored = withTokens(gateways, (token, index) =>
        token === secretMask ? this.#kept(gateways[index]!) : token,
      );
      const record: FleetRecord = { params: { gateways: stored } };
      await this.#state.commit({ set: [[keys.fleet, record]] });
      this.#take(stored);
    });
  }

  #take(gateways: readonly FleetGateway[]): void {
    this.#gateways = gateways;
    this.#changed(gateways);
  }

  #kept({ name, url }: FleetGateway): unknown {
    const stored = this.#gateways.find((one) => one.url === url);
    return (
      stored?.token ??
      refuse(
        sentence`The token of the gateway "${name}" is ${secretMask}, which is shown instead of a token and keeps the one that is stored for the same address, and here none is. Send the token itself.`,
      )
    );
  }
}

/** Whether the token of a gateway was sealed with a key that this gateway does not have. */
export function hasSealedToken({ token }: FleetGateway): boolean {
  return isSealed(token);
}

function withTokens(
  gateways: readonly FleetGateway[],
  change: (token: unknown, index: number) => unknown,
): FleetGateway[] {
  const list = { gateways } as unknown as Params;
  const changed = mapSecrets(fleetSchema, list, (token, path) => change(token, Number(path[1])));
  return changed['gateways'] as FleetGateway[];
}

function checkList(gateways: readonly FleetGateway[]): void {
  const names = new Set<string>();
  const urls = new Set<string>();
  for (const gateway of gateways) {
    const { name, url } = gateway;
    if (name.trim() !== name || /\p{Cc}/u.test(name))
      refuse(
        sentence`The name "${name}" of a gateway begins or ends with a space, or has control characters.`,
      );
    if (names.has(name)) refuse(sentence`There are two gateways of the name "${name}". Rename one of them.`);
    if (urls.has(url)) refuse(sentence`There are two gateways with the address ${url}. Remove one of them.`);
    names.add(name);
    urls.add(url);
    checkGateway(gateway);
  }
}

function checkGateway({ name, url, token, ca = '' }: FleetGateway): void {
  if (!URL.canParse(url)) refuse(sentence`"${url.slice(0, 200)}" is not an address.`);
  const { username, password, search, hash } = new URL(url);
  if (username !== '' || password !== '')
    refuse(
      sentence`The address of the gateway "${name}" has no user and no password: it gets the token of a machine.`,
    );
  if (search !== '' || hash !== '')
    refuse(sentence`The address of the gateway "${name}" ends with its path.`);
  if (!tokenForm.test(token))
    refuse(sentence`The token of the gateway "${name}" has spaces or other characters that no token has.`);
  if (ca !== '' && !isAuthorities(ca))
    refuse(sentence`The gateway "${name}" has authorities that are no certificates in PEM.`);
}

function isAuthorities(text: string): boolean {
  try {
    const blocks = text.match(certificateForm) ?? [];
    return blocks.map((block) => new X509Certificate(block)).length > 0;
  } catch {
    return false;
  }
}

function refuse(reason: Sentence): never {
  throw new Refusal(ErrorCode.PARAM_INVALID, reason);
}
