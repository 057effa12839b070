import { driver } from '@tagway/sdk';
import { checkParity } from '@tagway/serial';
import { checkTag } from './address.ts';
import { Dlt645Driver, parityOf } from './driver.ts';
import { LinkKind, type Settings } from './settings.ts';

export default driver<Settings>({
  create: (context) => new Dlt645Driver(context),
  checkTag,
  checkSettings: (settings) =>
    settings.link === LinkKind.SERIAL ? checkParity(parityOf(settings)) : undefined,
});
