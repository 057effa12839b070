/** An OpenID provider in a process of its own, by npm's oidc-provider. It does what messages say, and answers each with its issuer and its key. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import Provider from 'oidc-provider';
import type { ProviderCommand } from './oidc-provider.ts';

/** Who can sign in, and with which roles. */
const people: Readonly<Record<string, readonly string[]>> = {
  olga: ['plant-engineers'],
  otto: ['plant-watchers'],
  oskar: [],
};
const audience = 'tagway-api';

const keys = new Map<string, JWK>();
async function keyOf(name: string): Promise<JWK> {
  const known = keys.get(name);
  if (known !== undefined) return known;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: name, alg: 'RS256', use: 'sig' };
  keys.set(name, key);
  return key;
}

async function providerOf(
  issuer: string,
  names: readonly string[],
  pages: readonly string[],
): Promise<RequestListener> {
  const provider = new Provider(issuer, {
    jwks: { keys: await Promise.all(names.map(keyOf)) },
    clients: [
      {
        client_id: 'tagway',
        token_endpoint_auth_method: 'none',
        redirect_uris: [...pages],
        post_logout_redirect_uris: [...pages],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        application_type: 'native',
      },
      {
        client_id: 'scada',
        client_secret: 'the secret of the machine',
        redirect_uris: [],
        response_types: [],
        grant_types: ['client_credentials'],
      },
    ],
    pkce: { required: () => true },
    claims: { openid: ['sub'], profile: ['preferred_username', 'groups'] },
    conformIdTokenClaims: false,
    findAccount: (_ctx: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, preferred_username: id, groups: people[id] ?? [] }),
    }),
    features: {
      devInteractions: { enabled: true },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => [],
        getResourceServerInfo: (_ctx: unknown, resource: string) => ({
          scope: 'plant-operators',
          audience: resource === `urn:${audience}` ? audience : resource,
          accessTokenFormat: 'jwt',
          accessTokenTTL: 300,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    cookies: { keys: ['of the provider'] },
  });
  return provider.callback();
}

let pages: readonly string[] = [];
let names: readonly string[] = ['first'];
let slow = 0;
let huge = 0;
let answer: RequestListener = (_request, response) => response.writeHead(503).end();
const listener = (request: IncomingMessage, response: ServerResponse): void => {
  setTimeout(() => {
    if (huge > 0 && request.url?.startsWith('/jwks') === true)
      return void response.end(`{"keys":["${'x'.repeat(huge)}"]}`);
    answer(request, response);
  }, slow);
};
// The files of a certificate and its key.
const [cert, key] = process.argv.slice(2);
const server =
  cert === undefined || key === undefined
    ? createServer(listener)
    : createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) }, listener);
server.listen(0, '127.0.0.1', () => void begin());

async function begin(): Promise<void> {
  const issuer = `http${cert === undefined ? '' : 's'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  answer = await providerOf(issuer, ['first'], pages);
  process.send?.({ issuer, key: await keyOf('first') });
  process.on('message', (command: ProviderCommand) => void obey(issuer, command));
}

async function obey(issuer: string, command: ProviderCommand): Promise<void> {
  pages = command.pages ?? pages;
  names = command.keys ?? names;
  slow = command.slow ?? slow;
  huge = command.huge ?? huge;
  if (command.keys !== undefined || command.pages !== undefined)
    answer = await providerOf(issuer, names, pages);
  process.send?.({ issuer, key: await keyOf(names[0]!) });
}

process.on('disconnect', () => process.exit());
