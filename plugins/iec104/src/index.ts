import { driver, ErrorCode, Fault } from '@tagway/sdk';
import { checkTag } from './address.ts';
import { Iec104Driver } from './driver.ts';
import type { Settings } from './settings.ts';
import { checkTls } from './transport.ts';

const lateAcknowledgement = new Fault(
  ErrorCode.NODE_SETTING_INVALID,
  't2 must be less than t1: an acknowledgement that waits longer than the station does ends the connection.',
);

const lateWindow = new Fault(
  ErrorCode.NODE_SETTING_INVALID,
  'w must not be more than k: the station would stop sending before it gets an acknowledgement.',
);

export default driver<Settings>({
  create: (context) => new Iec104Driver(context),
  checkTag,
  checkSettings: (settings) => {
    if (settings.t2 >= settings.t1) return lateAcknowledgement;
    return settings.w > settings.k ? lateWindow : checkTls(settings);
  },
});
