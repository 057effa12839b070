import { ErrorCode, type Registry } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { isObject } from '../core/system/shapes.ts';
import { ask, invalid, nameOf } from './request.ts';

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
      'answers with something that is not the JSON of a registry, perhaps a page for people',
    );
  return object;
}

/** A fault for a status that is not what was asked for. */
export function refusal(registry: Registry, status: number): Fault {
  if (status === 401 || status === 403 || status === 407) {
    const who = status === 407 ? 'the proxy of the registry' : 'it';
    return new Fault(
      ErrorCode.REGISTRY_LOGIN_REFUSED,
      `${nameOf(registry)} refuses (status ${status}): ${who} asks for credentials, or does not take those that are set.`,
    );
  }
  return new Fault(
    ErrorCode.REGISTRY_UNREACHABLE,
    `${nameOf(registry)} answers with status ${status}. ${status >= 500 ? 'Try again later.' : 'Is its address right?'}`,
  );
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
