import type { Registry } from '@tagway/schemas';

export type Login = 'none' | 'token' | 'user' | 'certificate';

/** A registry as it is typed: what is empty is not set. A secret that is stored is the mask. */
export interface Draft {
  readonly scope: string;
  readonly url: string;
  readonly search: boolean;
  readonly login: Login;
  readonly token: string;
  readonly user: string;
  readonly password: string;
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
  readonly proxy: string;
  readonly origins: string;
  readonly keys: string;
  readonly trustRoot: string;
  readonly requireSignature: boolean;
  readonly requireAttestation: boolean;
}

/** What the gateway shows instead of a secret, and takes as "as it is". */
export const mask = '********';

export function draftOf(registry: Registry | undefined): Draft {
  const { scope = '', url = '', token, user, password = '', cert, key = '', ca = '' } = registry ?? {};
  const {
    search = scope === '',
    proxy = '',
    origins = [],
    keys = [],
    trust_root: trustRoot = '',
  } = registry ?? {};
  const { require_signature: requireSignature = false } = registry ?? {};
  const { require_attestation: requireAttestation = false } = registry ?? {};
  return {
    scope,
    url,
    search,
    password,
    key,
    ca,
    proxy,
    trustRoot,
    requireSignature,
    requireAttestation,
    login: loginOf(registry),
    token: token ?? '',
    user: user ?? '',
    cert: cert ?? '',
    origins: origins.join('\n'),
    keys: keys.join('\n'),
  };
}

function loginOf({ token, user, cert }: Partial<Registry> = {}): Login {
  if (token !== undefined) return 'token';
  if (user !== undefined) return 'user';
  return cert === undefined ? 'none' : 'certificate';
}

export function registryOf(draft: Draft): Registry {
  const { scope, url, search, login, token, user, password, cert, key, ca, proxy, trustRoot } = draft;
  const origins = draft.origins.split(/\s+/).filter((one) => one !== '');
  const keys =
    draft.keys.match(/-----BEGIN[^]*?-----END[^\n]*/g) ?? (draft.keys.trim() === '' ? [] : [draft.keys]);
  return {
    ...(scope.trim() !== '' && { scope: scope.trim() }),
    url: url.trim(),
    search,
    ...(login === 'token' && { token }),
    ...(login === 'user' && { user, password }),
    ...(login === 'certificate' && { cert, key }),
    ...(ca.trim() !== '' && { ca }),
    ...(proxy.trim() !== '' && { proxy: proxy.trim() }),
    ...(origins.length > 0 && { origins }),
    ...(keys.length > 0 && { keys }),
    ...(trustRoot.trim() !== '' && { trust_root: trustRoot }),
    ...(draft.requireSignature && { require_signature: true }),
    ...(draft.requireAttestation && { require_attestation: true }),
  };
}
