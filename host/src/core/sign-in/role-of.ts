import { includesRole, type Role, type RoleOfValue } from '@tagway/schemas';
import type { ProviderClaims } from '../ports/sign-in.ts';

/** Most values of a claim, or groups of a user, that are looked at. */
const mostValues = 5000;
/** Most characters of the name of a user. */
const longestName = 128;

/** The highest role that groups give; undefined when they give none. */
export function roleOfGroups(roles: readonly RoleOfValue[], groups: readonly string[]): Role | undefined {
  const names = new Set(groups.slice(0, mostValues).flatMap((group) => [normalDn(group), cnOf(group)]));
  return highest(roles.filter(({ value }) => names.has(normalDn(value))));
}

/** The highest role that the claim of this name gives. A text of several words counts as these words, as that of scopes. */
export function roleOfClaim(
  roles: readonly RoleOfValue[],
  claims: ProviderClaims,
  claim: string,
): Role | undefined {
  const found = memberOf(claims, claim);
  const values = typeof found === 'string' ? [found, ...found.split(' ')] : Array.isArray(found) ? found : [];
  const given = new Set<unknown>(values.slice(0, mostValues));
  return highest(roles.filter(({ value }) => given.has(value)));
}

/** Whom a token is about; undefined when it does not say so in a text that can be shown. */
export function nameIn(claims: ProviderClaims, claim: string): string | undefined {
  const places = claim === '' ? ['preferred_username', 'client_id', 'azp', 'sub'] : [claim];
  const name = places.map((place) => memberOf(claims, place)).find((found) => found !== undefined);
  return typeof name === 'string' && isName(name) ? name : undefined;
}

/** Whether a text can be the name of a user: not empty, not too long, and nothing in it that cannot be seen. */
export function isName(name: string): boolean {
  return (
    name !== '' && name.length <= longestName && name.trim() === name && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name)
  );
}

function highest(found: readonly RoleOfValue[]): Role | undefined {
  return found
    .map(({ role }) => role)
    .reduce<Role | undefined>(
      (best, role) => (best !== undefined && includesRole(best, role) ? best : role),
      undefined,
    );
}

/** A claim of this whole name goes first: names with dots are in use, also as addresses. */
function memberOf(claims: ProviderClaims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path.split('.').reduce<unknown>((within, name) => {
    const isThere = typeof within === 'object' && within !== null && Object.hasOwn(within, name);
    return isThere ? (within as Record<string, unknown>)[name] : undefined;
  }, claims);
}

/** Servers write one name with and without spaces, and in small and capital letters. */
function normalDn(dn: string): string {
  return dn
    .trim()
    .replaceAll(/\s*([,=])\s*/g, '$1')
    .toLowerCase();
}

function cnOf(dn: string): string {
  return /^cn=((?:[^,\\+]|\\.)+)/.exec(normalDn(dn))?.[1] ?? '';
}
