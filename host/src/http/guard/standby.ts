import { ErrorCode } from '@tagway/schemas';
import type { Fault } from '@tagway/sdk';
import type { Pair } from '../../core/ports/pair.ts';
import type { Route } from '../route.ts';
import { Refusal, type Sentence, sentence } from '../../core/system/sentence.ts';

/** What decides whether a standby answers a request. */
type Asked = Pick<Route, 'name' | 'method' | 'onStandby'>;

/** Whether a standby answers a route. Without `onStandby` it answers a GET and nothing else. */
export function answersOnStandby({ method, onStandby }: Asked): boolean {
  return onStandby === undefined ? method === 'GET' : onStandby === 'answers';
}

/** Throws STANDBY where this gateway is the standby of a pair, or hands over, and the route changes something or reads values. */
export function refuseOnStandby(pair: Pair | undefined, route: Asked): void {
  if (pair === undefined || answersOnStandby(route)) return;
  const fault = standbyFault(pair, route.name);
  if (fault !== undefined) throw fault;
}

/** Why this gateway refuses `what`, the beginning of a sentence; undefined for the active one of a pair and for one without a pair. */
export function standbyFault(pair: Pair | undefined, what: Sentence | string): Fault | undefined {
  const status = pair?.status();
  if (status === undefined || (status.role === 'active' && !status.handingOver)) return undefined;
  return new Refusal(
    ErrorCode.STANDBY,
    sentence`${what} is for the active gateway of the pair. ${whoIsActive(pair)}`,
  );
}

/** Where the active gateway of the pair answers, if that is another one and known. */
export function activeUrl(pair: Pair | undefined): string | undefined {
  const { name, holder } = pair?.status() ?? {};
  return holder?.name === name ? undefined : holder?.url;
}

function whoIsActive(pair: Pair | undefined): Sentence {
  const { name = '', holder, handingOver } = pair?.status() ?? {};
  if (handingOver === true)
    return sentence`This one, "${name}", hands over to the other at this moment. Ask again in a second.`;
  if (holder === undefined || holder.name === name)
    return sentence`This one, "${name}", is the standby, and none is active at this moment. Ask again in a few seconds.`;
  return sentence`This one, "${name}", is the standby; "${holder.name}" at ${holder.url} is active.`;
}
