/** The variable of the environment that an option may stand in. */
export function variableOf(name: string): string {
  return `TAGWAY_${name.toUpperCase().replaceAll('-', '_')}`;
}

/** One sentence about all variables whose names begin like those of options and are unknown. */
export function unknownVariables(env: NodeJS.ProcessEnv, options: readonly string[]): string[] {
  const known = new Set(options.map(variableOf));
  // Files of a configuration folder refer to these by names of the operator.
  const isSecret = (name: string): boolean => name.startsWith('TAGWAY_SECRET_');
  const unknown = Object.keys(env).filter(
    (name) => name.startsWith('TAGWAY_') && !known.has(name) && !isSecret(name),
  );
  if (unknown.length === 0) return [];
  const names = unknown.length > shown ? [...unknown.slice(0, shown), '…'] : unknown;
  return [
    `The environment has variables that are no options of Tagway and are ignored: ${names.join(', ')}.`,
  ];
}

/** Unknown variables that a warning names. */
const shown = 10;

/** Kubernetes gives every container variables such as `TAGWAY_PORT=tcp://…` where there is a service called tagway. */
export function kubernetes(given: string | number | boolean): string {
  if (!String(given).startsWith('tcp://')) return '';
  return ' Kubernetes sets it for a service called tagway: set enableServiceLinks of the pod to false.';
}
