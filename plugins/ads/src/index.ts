import { driver, ErrorCode, Fault } from '@tagway/sdk';
import { hostProblem } from '@tagway/sdk/link';
import { checkTag } from './address.ts';
import { AdsDriver } from './driver.ts';
import type { Settings } from './settings.ts';

export default driver<Settings>({
  create: (context) => new AdsDriver(context),
  checkTag,
  checkSettings: ({ host }) => {
    const problem = hostProblem('host', host);
    return problem === undefined ? undefined : new Fault(ErrorCode.NODE_SETTING_INVALID, problem);
  },
});
