import type { Profile } from '@tagway/schemas';
import type { BuildInfo } from './information.ts';
import { openApiOf } from './openapi.ts';
import { pageOf } from './openapi-page.ts';
import { bare, Content, type Route } from './route.ts';

/** The API's description of itself, for programs and for people. `routes` gives all routes, these two included. */
export function documentRoutes(routes: () => readonly Route[], profile: Profile, build: BuildInfo): Route[] {
  let page: Content | undefined;
  let json: Buffer | undefined;
  const document = () => openApiOf(routes(), profile, build);
  const isOpen = true;
  return [
    bare('GET', '/api/v2/openapi.json', () => (json ??= Buffer.from(JSON.stringify(document()))), isOpen),
    bare(
      'GET',
      '/api',
      () => (page ??= new Content('text/html; charset=utf-8', pageOf(document()), pageHeaders)),
      isOpen,
    ),
  ];
}

/** The page has no script and takes nothing from anywhere. */
const pageHeaders = { 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'" };
