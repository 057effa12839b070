import { type LogLevel, logLevels } from '@tagway/schemas';
import type { Log } from '@tagway/sdk';

/** Cleans the texts of plain objects and lists; whatever else there is stays as it is. */
function cleanTexts(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map((one) => cleanTexts(one, clean));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]: [string, unknown]) => [name, cleanTexts(one, clean)]),
  );
}

type NodeLog = Log & { fatal(message: string, fields?: object): void };

/** Least characters of a secret that is masked: a shorter one is part of many ordinary words. */
const shortest = 4;

/** Leaves the secrets of nodes out of what their plugin prints. */
export function maskedOutput(mask: string, secretsOf: (node: string) => readonly string[]) {
  return (printed: string, nodes: readonly string[]): string =>
    nodes.reduce((text, node) => masked(text, mask, secretsOf(node)), printed);
}

/** A text with the mask where it has a secret. */
function masked(text: string, mask: string, secrets: Iterable<string>): string {
  let cleaned = text;
  for (const secret of secrets) if (secret.length >= shortest) cleaned = cleaned.replaceAll(secret, mask);
  return cleaned;
}

/** The log of a node that leaves out its secrets, whatever its plugin logs. `secrets` is asked for each line. */
export function maskedLog(log: NodeLog, mask: string, secrets: () => readonly string[]): NodeLog {
  const clean = (text: string): string => masked(text, mask, secrets());
  const write =
    (level: LogLevel) =>
    (message: string, fields?: object): void => {
      if (fields === undefined) log[level](clean(message));
      else log[level](clean(message), cleanTexts(fields, clean) as object);
    };
  return Object.fromEntries(logLevels.map((level) => [level, write(level)])) as Record<
    LogLevel,
    ReturnType<typeof write>
  >;
}
