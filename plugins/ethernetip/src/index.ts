import { driver, ErrorCode, Fault } from '@tagway/sdk';
import { hostProblem } from '@tagway/sdk/link';
import { checkTag } from './address.ts';
import { EtherNetIpDriver } from './driver.ts';
import { routeOf } from './path.ts';
import type { Settings } from './settings.ts';

const pathExamples =
  'a slot such as 0, or a route such as 1,0,2,10.0.0.5,1,0: pairs of a port (1 is the backplane, 2 mostly Ethernet) and the slot or address behind it';

export default driver<Settings>({
  create: (context) => new EtherNetIpDriver(context),
  checkTag,
  checkSettings: ({ host, path }) => {
    const problem = hostProblem('host', host);
    if (problem !== undefined) return new Fault(ErrorCode.NODE_SETTING_INVALID, problem);
    if (path === '' || routeOf(path) !== undefined) return undefined;
    return new Fault(
      ErrorCode.NODE_SETTING_INVALID,
      `The setting path is "${path}", which is no way to a controller. It is ${pathExamples}.`,
    );
  },
});
