import type { Dialect } from '@tagway/schemas';
import type { BuildInfo } from '../endpoints/information.ts';
import { openApiOf } from './openapi.ts';
import { forGenerators } from './openapi-client.ts';
import { pageOf } from './openapi-page.ts';
import { bare, Content, type Endpoints, type Route } from '../route.ts';

/** The API's description of itself, for programs and for people. `routes` gives all routes, these two included. */
export function documentEndpoints(
  routes: () => readonly Route[],
  dialect: Dialect,
  build: BuildInfo,
): Endpoints {
  let page: Content | undefined;
  let json: Buffer | undefined;
  const document = () => openApiOf(routes(), dialect, build);
  return {
    'GET /api/v2/openapi.json': bare(
      { summary: 'Gives this document.', reply: { type: 'application/json' }, open: true },
      () => (json ??= Buffer.from(JSON.stringify(forGenerators(document())))),
    ),

    'GET /api': bare(
      { summary: 'Shows this document as a page.', reply: { type: pageType }, open: true },
      () => (page ??= new Content(pageType, Buffer.from(pageOf(document())), pageHeaders)),
    ),
  };
}

const pageType = 'text/html; charset=utf-8';

/** The page has no script and takes nothing from anywhere. */
const pageHeaders = { 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'" };
