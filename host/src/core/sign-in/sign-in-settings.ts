import { X509Certificate } from 'node:crypto';
import { ErrorCode, type LdapSettings, type OidcSettings, type SignInSettings } from '@tagway/schemas';
import { isSealed, mapSecrets, secretMask } from '../access/secrets.ts';
import { type Asking, checkManager } from '../access/users.ts';
import type { Params } from '../model.ts';
import { keys, type SignInRecord } from '../records/records.ts';
import type { State } from '../records/state.ts';
import { Refusal, sentence, type Sentence } from '../system/sentence.ts';

/** Which members of the record of the sign-in are secrets. */
export const signInSchema = {
  properties: {
    ldap: { properties: { bind_password: { writeOnly: true } }, additionalProperties: {} },
    oidc: { properties: { client_secret: { writeOnly: true } }, additionalProperties: {} },
  },
  additionalProperties: {},
};

/** Stands for the name of a user. */
const place = '{name}';
const certificateForm = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs;
/** A description of an attribute, which may be an object identifier. */
const attributeForm = /^[A-Za-z0-9][A-Za-z0-9.;-]*$/;

/** Where users are kept beside the gateway, as an admin has set it. */
export class SignInSettingsStore {
  readonly #state: State;
  readonly #changed: (settings: SignInSettings) => void;
  #settings: SignInSettings = {};

  /** `changed` gets what holds from now on. A secret that no key opens is none: see `isSealed`. */
  constructor(state: State, changed: (settings: SignInSettings) => void) {
    this.#state = state;
    this.#changed = changed;
  }

  /** Takes what is stored, in the place of what was. */
  load(record: SignInRecord | undefined): void {
    this.#take(record?.params ?? {});
  }

  /** As clients see it. */
  shown(): SignInSettings {
    return withSecrets(this.#settings, () => secretMask);
  }

  /** Rejects with USER_NOT_PERMITTED or PARAM_INVALID. A secret that is the mask keeps the one that is stored for the same address. */
  async set(asking: Asking, given: SignInSettings): Promise<void> {
    checkManager(asking);
    await this.#state.change(async () => {
      const params = this.meant(given);
      await this.#state.commit({ set: [[keys.signIn, { params } satisfies SignInRecord]] });
      this.#take(params);
    });
  }

  /** The settings with stored secrets in the place of masks. Throws PARAM_INVALID. */
  meant({ ldap, oidc }: SignInSettings): SignInSettings {
    if (ldap !== undefined) checkLdap(ldap);
    if (oidc !== undefined) checkOidc(oidc);
    const { ldap: oldLdap, oidc: oldOidc } = this.#settings;
    const kept: Record<string, unknown> = {
      ldap: ldap?.url === oldLdap?.url ? oldLdap?.bind_password : undefined,
      oidc: oidc?.issuer === oldOidc?.issuer ? oldOidc?.client_secret : undefined,
    };
    const given = { ...(ldap && { ldap }), ...(oidc && { oidc }) };
    return withSecrets(given, (secret, way) => {
      if (secret !== secretMask) return secret;
      return (
        kept[way] ??
        refuse(
          sentence`A secret is ${secretMask}, which is shown instead of it and keeps the one that is stored for the same address, and here none is. Send the secret itself.`,
        )
      );
    });
  }

  #take(settings: SignInSettings): void {
    this.#settings = settings;
    this.#changed(settings);
  }
}

/** Whether a secret was sealed with a key that this gateway does not have. */
export function hasSealedSecret({ ldap, oidc }: SignInSettings): boolean {
  return isSealed(ldap?.bind_password) || isSealed(oidc?.client_secret);
}

function withSecrets(
  settings: SignInSettings,
  change: (secret: unknown, way: string) => unknown,
): SignInSettings {
  const params = settings as Params;
  return mapSecrets(signInSchema, params, (secret, path) => change(secret, String(path[0])));
}

function checkLdap({
  url,
  ca = '',
  user_dn = '',
  base = '',
  user_attribute = '',
  bind_dn = '',
  bind_password = '',
}: LdapSettings): void {
  checkAddress(url, sentence`The address of the directory`);
  checkAuthorities(ca);
  if (new URL(url).pathname.length > 1)
    refuse(
      sentence`The address of the directory ends with its port. The base of a search is a setting of its own.`,
    );
  if (user_dn !== '' && (!user_dn.includes(place) || !/[=@\\]/.test(user_dn)))
    refuse(
      sentence`"user_dn" has ${place} in the place of the name and something beside it, such as uid=${place},ou=people,dc=example,dc=org or ${place}@example.org.`,
    );
  if (base === '' && !user_dn.includes('='))
    refuse(sentence`"base" is missing: users are looked for below it.`);
  if (user_attribute !== '' && !attributeForm.test(user_attribute))
    refuse(sentence`"${user_attribute}" cannot be the name of an attribute.`);
  if (bind_dn === '' ? bind_password !== '' : bind_password === '' || !/[=@\\]/.test(bind_dn))
    refuse(
      sentence`"bind_dn" is the name (DN) as which users are looked for, and "bind_password" its password: both or none.`,
    );
}

function checkOidc({ issuer, pages = [], ca = '' }: OidcSettings): void {
  checkAddress(issuer, sentence`The address of the provider`);
  if (!issuer.startsWith('https:') && !isLoopback(issuer))
    refuse(
      sentence`The provider needs an address with https: otherwise anybody on the way could say who users are.`,
    );
  checkAuthorities(ca);
  for (const page of pages) checkAddress(page, sentence`The address of the page`);
}

function checkAddress(address: string, what: Sentence): void {
  if (!URL.canParse(address) || new URL(address).hostname === '')
    refuse(sentence`${what} is none: "${address.slice(0, 200)}".`);
  const { username, password, search, hash } = new URL(address);
  if (username !== '' || password !== '' || search !== '' || hash !== '')
    refuse(sentence`${what} has no user, no password, and nothing after its path.`);
}

function isLoopback(address: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(address).hostname);
}

function checkAuthorities(text: string): void {
  if (text === '') return;
  try {
    const blocks = text.match(certificateForm) ?? [];
    if (blocks.map((block) => new X509Certificate(block)).length > 0) return;
  } catch {
    // As where there is no certificate.
  }
  refuse(sentence`The authorities are no certificates in PEM.`);
}

function refuse(reason: Sentence): never {
  throw new Refusal(ErrorCode.PARAM_INVALID, reason);
}
