import { createHash } from 'node:crypto';
import {
  ErrorCode,
  type LdapSettings,
  type OidcSettings,
  type Role,
  type SignInReply,
  type SignInSettings,
  type TestSignInBody,
  type TestSignInReply,
} from '@tagway/schemas';
import { type Asking, checkManager, wrongCredentials } from '../access/users.ts';
import type { LoginSource } from '../logins/login-queue.ts';
import type { Logins } from '../logins/logins.ts';
import type { Directory, IdentityProvider, ProviderClaims, SignInPorts } from '../ports/sign-in.ts';
import type { SignInRecord } from '../records/records.ts';
import type { State } from '../records/state.ts';
import { Refusal, sentence } from '../system/sentence.ts';
import { isName, nameIn, roleOfClaim, roleOfGroups } from './role-of.ts';
import { hasSealedSecret, SignInSettingsStore } from './sign-in-settings.ts';
import { Tickets } from './tickets.ts';

/** Most groups that a test shows. */
const mostShown = 100;
/** Longest password that is sent to a directory. */
const longestPassword = 1024;

/** Who vouches for a user that is not kept here. */
export type Way = 'ldap' | 'oidc';

/** A user that is kept elsewhere, who has signed in. */
export interface OutsideUser {
  readonly name: string;
  readonly role: Role;
  readonly way: Way;
  /** Sessions carry it: those from before a change of the settings have another. */
  readonly generation: string;
}

/** Users that are kept elsewhere: in a directory, or at a provider of OpenID Connect. Nothing of them is stored. */
export class SignIn {
  readonly settings: SignInSettingsStore;
  readonly #logins: Logins;
  readonly #ports: SignInPorts | undefined;
  readonly #tickets = new Tickets();
  #ldap: LdapSettings | undefined;
  #oidc: OidcSettings | undefined;
  #generations: Readonly<Record<Way, string>> = { ldap: '', oidc: '' };
  #provider: Promise<IdentityProvider> | undefined;
  /** The same one once it is there. */
  #opened: IdentityProvider | undefined;

  constructor(state: State, logins: Logins, ports: SignInPorts | undefined) {
    this.#logins = logins;
    this.#ports = ports;
    this.settings = new SignInSettingsStore(state, (settings) => this.#take(settings));
  }

  /** Takes what is stored, in the place of what was. */
  load(record: SignInRecord | undefined): void {
    this.settings.load(record);
  }

  /** What somebody who is not logged in is shown. */
  offered(): SignInReply {
    const { label = '', issuer = '', pages = [] } = this.#oidc ?? {};
    return {
      ldap: this.#ldap !== undefined,
      ...(pages.length > 0 && { oidc: label === '' ? new URL(issuer).host : label }),
    };
  }

  /** A name and a password are checked by a directory, too. */
  get hasDirectory(): boolean {
    return this.#ldap !== undefined;
  }

  /** What audit and log call who vouches for a user. */
  issuerOf(way: Way): string {
    return way === 'ldap' ? 'ldap' : (this.#oidc?.issuer ?? 'oidc');
  }

  /** Whether a session that began at this generation goes on. */
  admits(way: Way, generation: string | undefined): boolean {
    return generation !== '' && this.#generations[way] === generation;
  }

  /** Rejects with CREDENTIALS_INVALID, USER_NOT_PERMITTED, BUSY or the codes of providers. */
  async login(name: string, password: string, source: LoginSource): Promise<OutsideUser> {
    let user: OutsideUser | undefined;
    await this.#logins.attemptAtProvider(name, source, async () => {
      user = await this.#ofDirectory(name, password);
    });
    return user!;
  }

  /** Sends a browser to the provider, from one of the pages that an admin has named. Rejects with SIGN_IN_REFUSED or the codes of providers. */
  async begin(page: string): Promise<{ readonly url: string; readonly ticket: string }> {
    const { pages = [] } = this.#knownOidc();
    const known = pages.find((one) => sameAddress(one, page));
    if (known === undefined)
      throw refused(
        pages.length === 0
          ? sentence`The page is not one from which the provider is asked: an admin has named none.`
          : sentence`The sign-in begins at the address ${pages[0]!} of the page, and not at this one. An admin can name others.`,
      );
    const provider = await this.#open();
    const login = Tickets.login(known);
    const url = await provider.begin(login);
    return { url, ticket: this.#tickets.add(login) };
  }

  /** The user whom the provider has sent back. A ticket is good once, whatever comes of it. */
  async finish(
    ticket: string,
    answer: string,
    source: LoginSource,
  ): Promise<OutsideUser & { readonly logout?: string }> {
    const settings = this.#knownOidc();
    const login = this.#tickets.take(ticket);
    if (login === undefined)
      throw refused(
        sentence`The sign-in did not begin in this browser, took longer than ten minutes, or is over already. Begin it again.`,
      );
    let found!: Awaited<ReturnType<IdentityProvider['finish']>>;
    await this.#logins.attemptAtProvider('', source, async () => {
      found = await (await this.#open()).finish(login, answer);
    });
    const { claims, logout } = found;
    return { ...this.#ofClaims(settings, claims), ...(logout !== undefined && { logout }) };
  }

  /** Whether a token says that it is of the provider; nothing of it is verified. */
  isOfProvider(token: string): boolean {
    if (this.#oidc === undefined) return false;
    if (this.#opened?.isKnown(token) === true) return true;
    try {
      const [, claims = ''] = token.split('.', 2);
      const { iss } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { readonly iss?: unknown };
      return iss === this.#oidc.issuer;
    } catch {
      return false;
    }
  }

  /** Whether the provider's token was verified before and is good for its time. */
  isKnown(token: string): boolean {
    return this.#opened?.isKnown(token) ?? false;
  }

  /** Whose a token of the provider is. Rejects with the codes of tokens, of providers, or USER_NOT_PERMITTED. */
  async userOf(token: string): Promise<OutsideUser> {
    const settings = this.#knownOidc();
    return this.#ofClaims(settings, await (await this.#open()).verify(token));
  }

  /** Tries settings that are not stored yet. Rejects with USER_NOT_PERMITTED, PARAM_INVALID, or as a login does. */
  async test(
    asking: Asking,
    { ldap, oidc, name = '', pass = '' }: TestSignInBody,
    source: LoginSource,
  ): Promise<TestSignInReply> {
    checkManager(asking);
    const meant = this.settings.meant({ ...(ldap && { ldap }), ...(oidc && { oidc }) });
    if ((meant.ldap === undefined) === (meant.oidc === undefined))
      throw new Refusal(ErrorCode.PARAM_INVALID, sentence`Of "ldap" and "oidc", one is tried at a time.`);
    checkSealed(meant);
    const ports = this.#knownPorts();
    if (meant.oidc !== undefined) return { keys: await (await ports.openProvider(meant.oidc)).check() };
    const settings = meant.ldap!;
    const directory = await ports.openDirectory(settings);
    if (name === '') {
      await directory.check();
      return {};
    }
    let reply: TestSignInReply = {};
    await this.#logins.attemptAtProvider(name, source, async () => {
      const user = await loginAt(directory, name, pass);
      const role = roleOfGroups(settings.roles, user.groups);
      reply = { user: user.name, groups: user.groups.slice(0, mostShown), ...(role && { role }) };
    });
    return reply;
  }

  #take(settings: SignInSettings): void {
    const { ldap, oidc } = settings;
    this.#ldap = ldap;
    this.#oidc = oidc;
    this.#generations = { ldap: generationOf(ldap), oidc: generationOf(oidc) };
    this.#provider = undefined;
    this.#opened = undefined;
    this.#tickets.clear();
  }

  async #ofDirectory(name: string, password: string): Promise<OutsideUser> {
    const settings = this.#ldap;
    if (settings === undefined) throw wrongCredentials();
    checkSealed({ ldap: settings });
    const generation = this.#generations.ldap;
    const directory = await this.#knownPorts().openDirectory(settings);
    const user = await loginAt(directory, name, password);
    const role = roleOfGroups(settings.roles, user.groups);
    if (role === undefined)
      throw new Refusal(
        ErrorCode.USER_NOT_PERMITTED,
        sentence`The directory knows the user "${user.name}", but none of the groups of this user has a role at this gateway. An admin can give a group a role.`,
      );
    return { name: user.name, role, way: 'ldap', generation };
  }

  #ofClaims({ user_claim = '', role_claim = '', roles }: OidcSettings, claims: ProviderClaims): OutsideUser {
    const name = nameIn(claims, user_claim);
    if (name === undefined)
      throw new Refusal(
        ErrorCode.USER_NOT_PERMITTED,
        sentence`The provider does not say whose the token is, in the claim "${user_claim || 'preferred_username'}".`,
      );
    const claim = role_claim === '' ? 'roles' : role_claim;
    const role = roleOfClaim(roles, claims, claim);
    if (role === undefined)
      throw new Refusal(
        ErrorCode.USER_NOT_PERMITTED,
        sentence`The provider knows the user "${name}", but nothing in the claim "${claim}" has a role at this gateway. An admin can give a value of it a role.`,
      );
    return { name, role, way: 'oidc', generation: this.#generations.oidc };
  }

  #open(): Promise<IdentityProvider> {
    const settings = this.#knownOidc();
    checkSealed({ oidc: settings });
    this.#provider ??= this.#knownPorts()
      .openProvider(settings)
      .then((provider) => (this.#oidc === settings ? (this.#opened = provider) : provider));
    return this.#provider;
  }

  #knownOidc(): OidcSettings {
    if (this.#oidc === undefined) throw refused(sentence`No provider of the sign-in is set.`);
    return this.#oidc;
  }

  #knownPorts(): SignInPorts {
    if (this.#ports === undefined) throw refused(sentence`This gateway asks no provider of a sign-in.`);
    return this.#ports;
  }
}

/** An empty password is never sent: a directory takes it for a bind without a name, which succeeds. */
async function loginAt(
  directory: Directory,
  name: string,
  password: string,
): Promise<{ readonly name: string; readonly groups: readonly string[] }> {
  if (!isName(name) || password === '' || password.length > longestPassword) throw wrongCredentials();
  const user = await directory.login(name, password);
  if (user === undefined) throw wrongCredentials();
  return { ...user, name: isName(user.name) ? user.name : name };
}

function checkSealed(settings: SignInSettings): void {
  if (hasSealedSecret(settings))
    throw refused(
      sentence`A secret of the sign-in was stored with another key of secrets and cannot be opened. Set it anew.`,
    );
}

function generationOf(settings: object | undefined): string {
  if (settings === undefined) return '';
  return createHash('sha256').update(JSON.stringify(settings)).digest('base64url').slice(0, 16);
}

/** Whether two addresses are that of one page, which may end with a slash. */
function sameAddress(one: string, other: string): boolean {
  const normal = (address: string): string => URL.parse(address.replace(/\/?$/, '/'))?.href ?? address;
  return normal(one) === normal(other);
}

function refused(reason: ReturnType<typeof sentence>): Refusal {
  return new Refusal(ErrorCode.SIGN_IN_REFUSED, reason);
}
