import { type BrokerSettings, checkBrokerSettings } from '@tagway/mqtt-client';
import { ErrorCode, Fault } from '@tagway/sdk';
import { idProblem } from './names.ts';

/** A node's settings, with the schema's defaults filled in. */
export interface Settings extends BrokerSettings {
  readonly 'group-id': string;
  readonly 'node-id': string;
  readonly alias: boolean;
  readonly 'group-path': boolean;
  readonly 'report-all': boolean;
  readonly 'primary-host-id'?: string;
  /** Milliseconds. */
  readonly 'rebirth-debounce': number;
}

function idsProblem(settings: Settings): string | undefined {
  for (const name of ['group-id', 'node-id', 'primary-host-id'] as const) {
    const id = settings[name];
    // Forms send an empty name for no host.
    if (id === undefined || (id === '' && name === 'primary-host-id')) continue;
    const problem = idProblem(id);
    if (problem !== undefined) return `"${name}" ${problem}`;
  }
  return settings['group-id'] === 'STATE'
    ? '"group-id" must not be "STATE": the topics of hosts begin with it.'
    : undefined;
}

/** What the schema cannot say about settings. */
export function checkSettings(settings: Settings): Fault | undefined {
  return checkBrokerSettings(settings, idsProblem);
}

/** Refuses a driver whose name cannot be the id of a device. */
export function checkSubscription({ driver }: { readonly driver: string }): Fault | undefined {
  const problem = idProblem(driver);
  return problem === undefined
    ? undefined
    : new Fault(
        ErrorCode.GROUP_PARAM_INVALID,
        `As the id of a Sparkplug device the name of the driver "${driver}" ${problem}`,
      );
}
