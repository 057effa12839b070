import type { RJSFSchema } from '@rjsf/utils';
import type { ApiError } from '../../api/call.ts';
import { addressOf, call } from '../../api/call.ts';
import { settingsOf } from '../../settings/settings-of.ts';

/** Names of settings that are treated as secrets even if no schema marks them. */
const secret = /pass|secret|token|key|credential|cert|^ca$/i;

function withoutSecrets(value: unknown, hidden: ReadonlySet<string>, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, hidden, name));
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, item]) => [key, withoutSecrets(item, hidden, key)]);
    return Object.fromEntries(members) as unknown;
  }
  const isSecret = secret.test(name) || hidden.has(name);
  return typeof value === 'string' && value !== '' && isSecret ? '***' : value;
}

/** Names of the settings that a schema of a used plugin marks as secret, or that hold files. */
async function secretNames(configuration: unknown): Promise<ReadonlySet<string>> {
  const { nodes = [] } = configuration as { nodes?: readonly { plugin?: string }[] };
  const plugins = new Set(nodes.flatMap(({ plugin }) => plugin ?? []));
  const schemas = await Promise.all([...plugins].map((plugin) => part('api/v2/schema/settings', { plugin })));
  const settings = schemas.flatMap((schema) => Object.entries(settingsOf(schema as RJSFSchema)));
  return new Set(
    settings
      .filter(([, setting]) => setting.writeOnly === true || setting.contentEncoding !== undefined)
      .map(([name]) => name),
  );
}

/** The reply of a call, or the error: one missing part must not stop the bundle. */
async function part(path: string, query?: Record<string, string | number>): Promise<unknown> {
  try {
    return await call('GET', path, query === undefined ? {} : { query });
  } catch (error) {
    const { code, status, message } = error as ApiError;
    return { refused: { status, code, message } };
  }
}

async function metrics(): Promise<string> {
  const response = await fetch(addressOf('api/v2/metrics'), { cache: 'no-store' });
  return response.text();
}

/** Everything that helps with a diagnosis from afar: configuration without secrets, states, metrics, versions, log. */
export async function supportBundle(): Promise<Blob> {
  const last = { since: Math.floor(Date.now() / 1000) - 86_400, until: 99_999_999_999, page_size: 10_000 };
  const { page_count: pages = 1 } = (await part('api/v2/log', { ...last, page: 0 })) as {
    page_count?: number;
  };
  const [version, license, plugins, states, configuration, log, counts] = await Promise.all([
    part('api/v2/version'),
    part('api/v2/license'),
    part('api/v2/plugin'),
    part('api/v2/node/state'),
    part('api/v2/global/config'),
    part('api/v2/log', { ...last, page: Math.max(0, pages - 1) }),
    metrics(),
  ]);
  const bundle = {
    made: new Date().toISOString(),
    browser: navigator.userAgent,
    version,
    license,
    plugins,
    states,
    log,
    metrics: counts.split('\n'),
    configuration: withoutSecrets(configuration, await secretNames(configuration)),
  };
  const plain = (_key: string, value: unknown): unknown =>
    typeof value === 'bigint' ? value.toString() : value;
  return new Blob([JSON.stringify(bundle, plain, 1)], { type: 'application/json' });
}
