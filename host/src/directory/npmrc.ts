import { readFile } from 'node:fs/promises';
import { ErrorCode, type Registry } from '@tagway/schemas';
import { Refusal, sentence, type Sentence } from '../core/system/sentence.ts';
import { isObject, isText } from '../core/system/shapes.ts';
import { systemReason } from '../core/system/system-error.ts';

type Options = Readonly<Record<string, unknown>>;

/**
 * The registries that a file in the form of npm's `.npmrc` names, with what it says of each; none where there is no such file. Rejects with
 * PARAM_INVALID for one that cannot be used.
 */
export async function readNpmrc(file: string): Promise<Registry[]> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unusable(file, systemReason(cause), cause);
  });
  if (text === undefined) return [];
  // Loaded where there is such a file alone.
  const { parse } = (await import('ini')).default;
  const options = withVariables(parse(text)) as Options;
  const registries: Registry[] = [];
  for (const [key, value] of Object.entries(options)) {
    const scope = key === 'registry' ? '' : /^(@[a-z0-9~-][a-z0-9._~-]*):registry$/.exec(key)?.[1];
    if (scope === undefined || !isText(value)) continue;
    if (!URL.canParse(value) || !/^(?:https?|file):$/.test(new URL(value).protocol))
      throw unusable(file, sentence`"${key}" is not an address of http, https or a folder`);
    registries.push(await registryOf(file, options, scope, value));
  }
  return registries;
}

async function registryOf(file: string, options: Options, scope: string, url: string): Promise<Registry> {
  const of = (name: string): string | undefined => nearest(options, new URL(url), name);
  const text = (name: string): string | undefined => (isText(options[name]) ? options[name] : undefined);
  const password = of('_password');
  const [user, plain] = decoded(of('_auth'))?.split(/:(.*)/s) ?? [
    of('username'),
    password === undefined ? undefined : decoded(password),
  ];
  const token = of('_authToken');
  const cafile = text('cafile');
  const { ca: listed } = options;
  const inline = Array.isArray(listed) ? listed.map(String).join('\n') : text('ca');
  const ca = cafile === undefined ? inline?.replaceAll('\\n', '\n') : await contentOf(file, cafile);
  const certfile = of('certfile');
  const keyfile = of('keyfile');
  const search = of('search');
  const rootFile = of('trust-root');
  const { protocol, host } = new URL(url);
  const proxy = text(protocol === 'https:' ? 'https-proxy' : 'proxy') ?? text('proxy');
  const isDirect = (text('noproxy') ?? text('no-proxy') ?? '')
    .split(',')
    .some(
      (one) =>
        one.trim() !== '' && `.${host.replace(/:\d+$/, '')}`.endsWith(`.${one.trim().replace(/^\./, '')}`),
    );
  return {
    ...(scope !== '' && { scope }),
    url,
    ...(search !== undefined && { search: search === 'true' }),
    ...(token !== undefined
      ? { token }
      : user !== undefined && plain !== undefined && { user, password: plain }),
    ...(certfile !== undefined &&
      keyfile !== undefined && {
        cert: await contentOf(file, certfile),
        key: await contentOf(file, keyfile),
      }),
    ...(ca !== undefined && { ca }),
    ...(proxy !== undefined && !isDirect && { proxy }),
    ...(of('origins') !== undefined && {
      origins: of('origins')!
        .split(',')
        .map((one) => one.trim()),
    }),
    ...(of('require-signature') === 'true' && { require_signature: true }),
    ...(of('require-attestation') === 'true' && { require_attestation: true }),
    ...(rootFile !== undefined && { trust_root: await contentOf(file, rootFile) }),
  };
}

/** The value of `//host/path/:name`, or of a path above it, as npm looks for it. */
function nearest(options: Options, { host, pathname }: URL, name: string): string | undefined {
  const parts = pathname.split('/').filter((part) => part !== '');
  for (let count = parts.length; count >= 0; count--) {
    const path = `//${[host, ...parts.slice(0, count)].join('/')}`;
    for (const key of [`${path}/:${name}`, `${path}:${name}`]) {
      const value = options[key];
      if (isText(value) || typeof value === 'boolean') return String(value);
    }
  }
  return undefined;
}

function decoded(base64: string | undefined): string | undefined {
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64').toString();
}

/** `${NAME}` stands for the variable of the environment, where there is one. */
function withVariables(value: unknown): unknown {
  if (isText(value))
    return value.replaceAll(/\$\{([^}]+)\}/g, (whole, name: string) => process.env[name] ?? whole);
  if (Array.isArray(value)) return value.map(withVariables);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [withVariables(name), withVariables(one)]),
  );
}

function contentOf(file: string, path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw unusable(file, sentence`its file ${path} cannot be read, because ${systemReason(cause)}`, cause);
  });
}

function unusable(file: string, reason: Sentence | string, cause?: unknown): Refusal {
  return new Refusal(ErrorCode.PARAM_INVALID, sentence`The file ${file} cannot be used: ${reason}.`, {
    cause,
  });
}
