export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

export function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

/** The header with user and password of a proxy's URL, if it has them. */
export function proxyAuthorization({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '') return {};
  return { 'proxy-authorization': basic(decodeURIComponent(username), decodeURIComponent(password)) };
}

/** The value of an Authorization header with user and password. */
export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
