import { checkTag, ModbusDriver } from '@tagway/modbus';
import { driver } from '@tagway/sdk';
import { checkWire, LinkKind, wireOf } from '@tagway/serial';
import { RtuLink } from './rtu-link.ts';
import type { Settings } from './settings.ts';

export default driver<Settings>({
  create: (context) => {
    const { node, settings } = context;
    // A port that is gone is not back in a moment; a connection may be.
    const grace = settings.link === LinkKind.TCP ? settings.timeout : 0;
    return new ModbusDriver(context, new RtuLink(context, settings, wireOf(node, settings), grace));
  },
  checkTag,
  checkSettings: checkWire,
});
