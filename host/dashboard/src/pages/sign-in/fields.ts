import type { LdapSettings, OidcSettings, Role, RoleOfValue, SignInSettings } from '@tagway/schemas';
import type { SignInTexts } from '../../texts/sign-in.ts';

/** A field of a form: its member of the settings, and how it is typed. */
export interface Field {
  readonly name: Exclude<keyof LdapSettings | keyof OidcSettings, 'roles' | 'clock_skew'>;
  readonly kind?: 'secret' | 'long' | 'lines';
  readonly isRequired?: true;
  readonly text: `signIn.fields.${keyof SignInTexts['signIn']['fields']}`;
  readonly means?: `signIn.fields.${keyof SignInTexts['signIn']['fields']}`;
}

export const ldapFields: readonly Field[] = [
  { name: 'url', isRequired: true, text: 'signIn.fields.url', means: 'signIn.fields.urlMeans' },
  { name: 'base', text: 'signIn.fields.base', means: 'signIn.fields.baseMeans' },
  { name: 'user_attribute', text: 'signIn.fields.attribute', means: 'signIn.fields.attributeMeans' },
  { name: 'bind_dn', text: 'signIn.fields.bindDn', means: 'signIn.fields.bindDnMeans' },
  { name: 'bind_password', kind: 'secret', text: 'signIn.fields.bindPassword' },
  { name: 'user_dn', text: 'signIn.fields.userDn', means: 'signIn.fields.userDnMeans' },
  { name: 'group_base', text: 'signIn.fields.groupBase', means: 'signIn.fields.groupBaseMeans' },
  { name: 'ca', kind: 'long', text: 'signIn.fields.ca' },
];

export const oidcFields: readonly Field[] = [
  { name: 'issuer', isRequired: true, text: 'signIn.fields.issuer', means: 'signIn.fields.issuerMeans' },
  { name: 'label', text: 'signIn.fields.label', means: 'signIn.fields.labelMeans' },
  { name: 'client_id', isRequired: true, text: 'signIn.fields.clientId' },
  {
    name: 'client_secret',
    kind: 'secret',
    text: 'signIn.fields.clientSecret',
    means: 'signIn.fields.clientSecretMeans',
  },
  { name: 'pages', kind: 'lines', text: 'signIn.fields.pages', means: 'signIn.fields.pagesMeans' },
  { name: 'scopes', text: 'signIn.fields.scopes', means: 'signIn.fields.scopesMeans' },
  { name: 'user_claim', text: 'signIn.fields.userClaim', means: 'signIn.fields.userClaimMeans' },
  { name: 'role_claim', text: 'signIn.fields.roleClaim', means: 'signIn.fields.roleClaimMeans' },
  { name: 'audience', text: 'signIn.fields.audience', means: 'signIn.fields.audienceMeans' },
  { name: 'ca', kind: 'long', text: 'signIn.fields.ca' },
];

/** What is typed into a form, by the member of the settings. */
export type Typed = Readonly<Record<string, string>>;

export function typedOf(stored: object | undefined): Typed {
  return Object.fromEntries(
    Object.entries(stored ?? {}).flatMap(([name, value]: [string, unknown]) => {
      if (name === 'roles') return [];
      return [[name, Array.isArray(value) ? value.join('\n') : String(value)]];
    }),
  );
}

/** The settings that are typed. What the form has no field for stays as it is stored. */
export function settingsOf(
  way: 'ldap' | 'oidc',
  fields: readonly Field[],
  typed: Typed,
  roles: readonly RoleOfValue[],
  stored: object | undefined,
): SignInSettings {
  const own = fields.flatMap(({ name, kind }): [string, unknown][] => {
    const text = (typed[name] ?? '').trim();
    if (kind === 'lines') return [[name, text.split(/\s+/).filter((line) => line !== '')]];
    return text === '' ? [] : [[name, kind === 'secret' ? (typed[name] ?? '') : text]];
  });
  const names = new Set<string>(fields.map(({ name }) => name));
  const kept = Object.entries(stored ?? {}).filter(([name]) => !names.has(name));
  const given = roles.filter(({ value }) => value.trim() !== '');
  return { [way]: { ...Object.fromEntries([...kept, ...own]), roles: given } };
}

export const newRole: { readonly value: string; readonly role: Role } = { value: '', role: 'viewer' };
