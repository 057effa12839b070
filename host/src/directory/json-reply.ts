import { ErrorCode, type Registry } from '@tagway/schemas';
import { isObject } from '../core/system/shapes.ts';
import { Refusal, sentence } from '../core/system/sentence.ts';
import { ask, invalid } from './request.ts';

/** Milliseconds for a reply as a whole. */
const deadline = 60_000;

/** The object that a registry answers; undefined when it has none (404). Rejects with a fault. */
export async function getObject(
  registry: Registry,
  path: string,
  most: number,
  signal: AbortSignal,
): Promise<Record<string, unknown> | undefined> {
  const url = new URL(`${registry.url.replace(/\/+$/, '')}/${path}`);
  const whole = AbortSignal.any([signal, AbortSignal.timeout(deadline)]);
  const { status, body } = await ask({
    registry,
    url,
    most,
    signal: whole,
    accept: 'application/json',
    isArchive: false,
  });
  if (status !== 200) {
    await body.return();
    if (status === 404 || status === 405 || status === 501) return undefined;
    throw refusal(registry, status);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const object = parsed(Buffer.concat(chunks));
  if (!isObject(object))
    throw invalid(
      registry,
      sentence`answers with something that is not the JSON of a registry, perhaps a page for people`,
    );
  return object;
}

/** A fault for a status that is not what was asked for. */
export function refusal({ url }: Registry, status: number): Refusal {
  if (status === 401 || status === 403 || status === 407) {
    return new Refusal(
      ErrorCode.REGISTRY_LOGIN_REFUSED,
      status === 407
        ? sentence`The registry ${url} is not reached (status ${status}): the proxy of the registry asks for credentials, or does not take those that are set.`
        : sentence`The registry ${url} refuses (status ${status}): it asks for credentials, or does not take those that are set.`,
    );
  }
  return new Refusal(
    ErrorCode.REGISTRY_UNREACHABLE,
    status >= 500
      ? sentence`The registry ${url} answers with status ${status}. Try again later.`
      : sentence`The registry ${url} answers with status ${status}. Is its address right?`,
  );
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
