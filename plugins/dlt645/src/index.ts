import { driver } from '@tagway/sdk';
import { checkWire } from '@tagway/serial';
import { checkTag } from './address.ts';
import { Dlt645Driver } from './driver.ts';
import type { Settings } from './settings.ts';

export default driver<Settings>({
  create: (context) => new Dlt645Driver(context),
  checkTag,
  checkSettings: checkWire,
});
