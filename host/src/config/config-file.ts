import { readFileSync } from 'node:fs';
import { systemReason } from '../core/system/system-error.ts';
import { ConfigError } from './config-error.ts';
import type { Scalar } from './sub-commands.ts';

/**
 * The options that a configuration file has; `typeOf` gives the type of one, and undefined for a key that is none. Throws `ConfigError`.
 */
export function readConfigFile(
  file: string,
  typeOf: (key: string) => 'string' | 'boolean' | undefined,
): Partial<Record<string, Scalar>> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ConfigError(`The configuration file ${file} cannot be read: ${systemReason(error)}.`, {
      cause: error,
    });
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new ConfigError(`The configuration file ${file} must hold a JSON object.`);
  }
  const unknown = Object.keys(parsed).filter((key) => typeOf(key) === undefined);
  if (unknown.length > 0)
    throw new ConfigError(`The configuration file ${file} has unknown keys: ${unknown.join(', ')}.`);
  for (const [key, setting] of Object.entries(parsed)) {
    const isSwitch = typeOf(key) === 'boolean';
    if (!isScalar(setting) || (typeof setting === 'boolean' && !isSwitch)) {
      const wanted = isSwitch ? 'true or false' : 'a text or a number';
      throw new ConfigError(`The key "${key}" of the configuration file ${file} must be ${wanted}.`);
    }
  }
  return parsed;
}

function isScalar(value: unknown): value is Scalar {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
