import { driver } from '@tagway/sdk';
import { checkTag } from './address.ts';
import { S7Driver } from './driver.ts';
import type { Settings } from './settings.ts';

export default driver<Settings>({
  create: (context) => new S7Driver(context),
  checkTag,
});
