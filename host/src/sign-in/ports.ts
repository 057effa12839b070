import type { SignInPorts } from '../core/ports/sign-in.ts';

/** Loaded with the first login of its kind: a gateway whose users are all its own does without these. */
export const signInPorts: SignInPorts = {
  openDirectory: async (settings) => new (await import('./ldap-directory.ts')).LdapDirectory(settings),
  openProvider: async (settings) => new (await import('./oidc-provider.ts')).OidcProvider(settings),
};
