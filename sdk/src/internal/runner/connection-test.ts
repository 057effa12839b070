import { ErrorCode } from '@tagway/schemas';
import type { AppDefinition, ConnectionStep } from '../../app.ts';
import { faultData } from '../channel/fault-data.ts';
import type { ConnectionStepData } from '../channel/protocol.ts';
import { systemClock } from './clock.ts';
import { deadlines, within } from './deadline.ts';

/** The steps that an app's connection test has taken, of which the last one failed if any did. Undefined when the app has no test. */
export async function tryConnection(
  app: Pick<AppDefinition<never, never>, 'tryConnection'>,
  node: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<readonly ConnectionStepData[] | undefined> {
  if (app.tryConnection === undefined) return undefined;
  const abort = new AbortController();
  const steps: { readonly step: ConnectionStep; ms: number }[] = [];
  let begun = performance.now();
  const ended = (): void => {
    const last = steps.at(-1);
    if (last !== undefined) last.ms = Math.round(performance.now() - begun);
    begun = performance.now();
  };
  const step = (name: ConnectionStep): void => {
    ended();
    steps.push({ step: name, ms: 0 });
  };
  try {
    const call = app.tryConnection({ node, settings: settings as never, signal: abort.signal, step });
    await within(systemClock, call, 'the connection test', deadlines.tryConnection, () => abort.abort());
    ended();
    return steps;
  } catch (error) {
    ended();
    const { step: name, ms } = steps.pop() ?? { step: 'connect', ms: 0 };
    return [...steps, { step: name, ms, fault: faultData(error, ErrorCode.DISCONNECTED) }];
  } finally {
    abort.abort();
  }
}
