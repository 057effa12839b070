import { ErrorCode, Fault } from '@tagway/sdk';
import { cacheProblem, type StoreSettings, type TlsFiles, tlsFilesProblem } from '@tagway/store';
import {
  headerNameProblem,
  headerValueProblem,
  type OAuthSettings,
  proxyProblem,
  urlProblem,
} from '@tagway/store/http';
import { BodyTemplate } from '@tagway/store/template';

/** How the gateway proves who it is. */
export const Auth = { NONE: 0, BASIC: 1, BEARER: 2, HEADER: 3, OAUTH2: 4 } as const;

/** Shape of a sample. */
export const Format = { VALUES: 0, TAGS: 1, TEMPLATE: 2 } as const;

/** How the samples of a batch are put together. */
export const Framing = { ARRAY: 0, LINES: 1, ONE_BY_ONE: 2 } as const;

/** A node's settings, with the schema's defaults filled in. */
export interface Settings extends StoreSettings, TlsFiles, OAuthSettings {
  readonly url: string;
  readonly format: (typeof Format)[keyof typeof Format];
  readonly framing: (typeof Framing)[keyof typeof Framing];
  readonly upload_err: boolean;
  readonly upload_meta: boolean;
  readonly gzip: boolean;
  readonly auth: (typeof Auth)[keyof typeof Auth];
  readonly 'hmac-key'?: string;
  readonly proxy?: string;
  readonly 'any-certificate': boolean;
  readonly template?: string;
  readonly 'content-type'?: string;
  readonly username?: string;
  readonly password?: string;
  readonly token?: string;
  readonly header?: string;
  readonly 'header-value'?: string;
}

/** The headers that the node writes itself. */
const own = new Set([
  'authorization',
  'content-type',
  'content-encoding',
  'content-length',
  'host',
  'idempotency-key',
  'x-signature',
]);

function headersProblem({
  header,
  token,
  'header-value': value,
  'content-type': type,
}: Settings): string | undefined {
  const name = header === undefined ? undefined : headerNameProblem('header', header);
  if (name !== undefined) return name;
  if (header !== undefined && own.has(header.toLowerCase()))
    return `"header" is "${header}", which the node writes itself: choose another login.`;
  return (
    headerValueProblem('token', token ?? '') ??
    headerValueProblem('header-value', value ?? '') ??
    headerValueProblem('content-type', type ?? '')
  );
}

function templateProblem({ format, template = '' }: Settings): string | undefined {
  if (format !== Format.TEMPLATE) return undefined;
  const problem = BodyTemplate.problem(template);
  return problem && `"template" is not a template: ${problem}`;
}

/** What the schema cannot say about settings. */
export function checkSettings(settings: Settings): Fault | undefined {
  const problem =
    urlProblem('url', settings.url) ??
    (settings['token-url'] === undefined ? undefined : urlProblem('token-url', settings['token-url'])) ??
    (settings.proxy ? proxyProblem(settings.proxy) : undefined) ??
    headersProblem(settings) ??
    templateProblem(settings) ??
    tlsFilesProblem(settings) ??
    cacheProblem(settings);
  return problem === undefined
    ? undefined
    : new Fault(ErrorCode.NODE_SETTING_INVALID, problem, { retry: false });
}
