import type { ErrorSchema, RJSFSchema } from '@rjsf/utils';
import type { TFunction } from 'i18next';
import { settingsOf } from './settings-of.ts';
import type { Outcome } from './use-connection-test.ts';

type Params = Readonly<Record<string, unknown>>;

interface Condition {
  readonly if?: { readonly properties?: Readonly<Record<string, { readonly const?: unknown }>> };
  readonly then?: RJSFSchema;
}

/** The names of the settings that a form with these values shows, in its order. */
function shownIn(schema: RJSFSchema, params: Params): string[] {
  const settings = settingsOf(schema);
  const valueOf = (name: string): unknown => params[name] ?? settings[name]?.default;
  const conditional = ((schema.allOf ?? []) as readonly Condition[])
    .filter(({ if: when }) =>
      Object.entries(when?.properties ?? {}).every(([name, test]) => valueOf(name) === test.const),
    )
    .flatMap(({ then }) => Object.keys(then?.properties ?? {}));
  return [...new Set([...Object.keys(schema.properties ?? {}), ...conditional])];
}

/**
 * Marks the settings that the step of a connection test that failed depends on, as far as they still are what was tried: the first with the
 * reason, the others with the name of the step.
 */
export function blamedBy(
  { steps, params: tried }: Outcome,
  schema: RJSFSchema,
  params: Params,
  t: TFunction,
): ErrorSchema {
  const failed = steps.find(({ ok }) => !ok);
  if (failed === undefined) return {};
  const settings = settingsOf(schema);
  const step = t('trial.failed', { step: t(`trial.step.${failed.step}`) });
  const named = shownIn(schema, tried).filter((name) => {
    const { 'x-steps': of = [] } = (settings[name] ?? {}) as { readonly 'x-steps'?: readonly string[] };
    return of.includes(failed.step);
  });
  const blamed = named
    .map((name, index) => [name, index === 0 ? (failed.message ?? step) : step] as const)
    .filter(([name]) => params[name] === tried[name]);
  return Object.fromEntries(blamed.map(([name, text]) => [name, { __errors: [text] }])) as ErrorSchema;
}
