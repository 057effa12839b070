import type { LdapSettings, OidcSettings } from '@tagway/schemas';

/** What a directory says of a user whose password it has taken. */
export interface DirectoryUser {
  /** As the directory writes it. */
  readonly name: string;
  /** The names (DN) of its groups. */
  readonly groups: readonly string[];
}

/** A directory that is asked by LDAP, with a connection of its own for each question. */
export interface Directory {
  /**
   * Takes ten seconds at most. Undefined: there is no such user, or the password is another one. Rejects with PROVIDER_UNREACHABLE or
   * PROVIDER_REPLY_INVALID, which say nothing of the password.
   */
  login(name: string, password: string): Promise<DirectoryUser | undefined>;
  /** Looks whether the server answers and takes the gateway's own bind. Rejects as `login` does. */
  check(): Promise<void>;
}

/** What a token of a provider says, once it was verified. */
export type ProviderClaims = Readonly<Record<string, unknown>>;

/** A login at a provider that a browser was sent to. */
export interface ProviderLogin {
  readonly page: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** A provider of OpenID Connect. What it answers is limited in size and in time. */
export interface IdentityProvider {
  /** Where the browser is sent. Rejects with PROVIDER_UNREACHABLE or PROVIDER_REPLY_INVALID. */
  begin(login: ProviderLogin): Promise<string>;
  /** The claims of the user for what the provider has sent the browser back with, and where it ends the session. Rejects with SIGN_IN_REFUSED too. */
  finish(
    login: ProviderLogin,
    answer: string,
  ): Promise<{ readonly claims: ProviderClaims; readonly logout?: string }>;
  /** The claims of a token that is made out to the gateway and good now. Rejects with the codes of tokens and of providers. */
  verify(token: string): Promise<ProviderClaims>;
  /** Whether a token was verified before and is good for its time. */
  isKnown(token: string): boolean;
  /** The number of keys that the provider has now. */
  check(): Promise<number>;
}

/** How users that are kept elsewhere are asked for. Secrets are in clear. */
export interface SignInPorts {
  openDirectory(settings: LdapSettings): Promise<Directory>;
  openProvider(settings: OidcSettings): Promise<IdentityProvider>;
}
